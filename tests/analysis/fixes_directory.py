# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""ft fix: what it needs to mend a trace, and where the mended one goes."""

import os
import resource
import shutil
import signal
import struct
import subprocess

from bad import SIZE, damaged, good_trace, write_metadata
from fixes import fix, good, mend, numbers, read, tree
from gen_trace import HEADER, MAGIC, RECORD, Trace, event_id


@fix
def metadata_is_needed(test):
    """Lost, cut, broken, of another trace: the message names the way out, and it is one."""
    bad, uuid = [], "2a6422d0-6cee-11e0-8c08-cb07d7b3a564"
    want = numbers(test, good(test))
    whole = read(test.work, "good", "metadata").decode()
    for what, change in (
            ("lost", None), ("cut", lambda t: t[:len(t) // 2]),
            ("broken", lambda t: t.replace("stream {", "stream {{")),
            ("of another trace", lambda t: t.replace(uuid[:13], "11111111-2222"))):
        path, out = good_trace().write(test.path("bad")), test.path("fixed")
        if change:
            write_metadata(path, change)
        else:
            os.unlink(os.path.join(path, "metadata"))
        r = test.ft("fix", "-o", out, path)
        if r.returncode != 1 or "complete metadata with uuid " + uuid not in r.stderr or \
                os.path.exists(out):
            bad.append("%s: %d: %s" % (what, r.returncode, r.stderr))
        # that of another recording, with this uuid
        with open(os.path.join(path, "metadata"), "w") as f:
            f.write(whole.replace("testbox", "otherbox"))
        out, wrong = mend(test, path, 0)
        bad += wrong + ["%s: %s" % (what, d) for d in set(numbers(test, out)) ^ set(want)
                        if "\thost\t" not in d]
    write_metadata(path, lambda t: t.replace("freq = 1000000000", "freq = 999999999"))
    r = test.ft("fix", "-n", path)
    if r.returncode != 1 or "freq = 1000000000: take that" not in r.stderr:
        bad.append("another clock: %d: %s" % (r.returncode, r.stderr))
    os.unlink(os.path.join(path, "metadata"))
    os.unlink(os.path.join(path, "cpu0"))
    os.mkfifo(os.path.join(path, "cpu0"))
    r = subprocess.run([test.program, "fix", "-n", path], capture_output=True,
                       text=True, timeout=60)
    if r.returncode != 1 or "freq = 1000000000: take that" not in r.stderr:
        bad.append("a FIFO: %d: %s" % (r.returncode, r.stderr))
    return bad


@fix
def dry_run(test):
    path = damaged(test, "bad", lambda data: data[:2 * SIZE + 150])
    before = tree(test.work)
    r = test.ft("fix", "--dry-run", path)
    bad = [] if tree(test.work) == before else ["something was written"]
    for word in ("cpu0: offset %d" % (2 * SIZE), "25 records saved, 3 lost",
                 "nothing was written"):
        if word not in r.stdout:
            bad.append("'%s' is not in: %s" % (word, r.stdout))
    return bad if r.returncode == 3 else bad + ["exit status %d" % r.returncode]


@fix
def beside(test):
    """Without --output, TRACE.fixed; info/ comes along."""
    t = good_trace()
    t.file("info/session", "host\tsomewhere\n")
    t.file("info/kallsyms", "ffffffff81000000 T _stext\n")
    t.file("info/locks", "lock names 1\n")
    path = t.write(test.path("bad"))
    shutil.rmtree(path + ".fixed", ignore_errors=True)
    r = test.ft("fix", path + "/")
    bad = [] if not r.returncode else [r.stderr]
    if tree(path) != tree(path + ".fixed"):
        bad.append("%s, not %s" % (sorted(tree(path + ".fixed")),
                                   sorted(tree(path))))
    r = test.ft("fix", path)
    if r.returncode != 1 or "not empty" not in r.stderr or "--force" in r.stderr:
        bad.append("an older result is overwritten: " + r.stderr)
    before = tree(path)
    for status, word, args in ((2, "no name", (path + "/.",)),
                               (2, "no name", (path + "/..//",)),
                               (1, "not empty", ("-o", path + "/.", path))):
        r = test.ft("fix", *args)
        if r.returncode != status or word not in r.stderr or tree(path) != before:
            bad.append("%s: %d: %s" % (args, r.returncode, r.stderr))
    return bad


@fix
def no_room(test):
    """The message names the file that could not be written, not the trace; all that was
    written goes."""
    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (SIZE, SIZE))
    small, bad = Trace(), []
    small.acquire(1000, 0, 5, "spin", 0xa0)
    for name in "session", "kallsyms", "modules", "tasks", "locks", "parts", "programs":
        small.file("info/" + name, "short\n")
    for path, words in ((good(test), "'%s/cpu0' could not be"),
                        (small.write(test.path("bad")), "cannot write %s/metadata:")):
        out = test.path("fixed")
        r = subprocess.run([test.program, "fix", "-o", out, path], capture_output=True,
                           text=True, timeout=60, preexec_fn=limit)
        if r.returncode != 1 or words % out not in r.stderr or os.path.exists(out):
            bad.append("%d: %s" % (r.returncode, r.stderr))
    return bad


@fix
def one_and_many(test):
    """One packet is not "packets", and what is not missing is not spoken of."""
    bad = []
    for change, words in (
            (lambda data: data[:SIZE], ["cpu0: 1 packet, 4 records", "lost: whole"]),
            (lambda data: data[:SIZE - 32], ["its last 1 record is lost"]),
            (lambda data: data[:SIZE] + bytes(10), ["10 bytes are in no good packet: left",
                                                    "some 1 record lost"]),
            (lambda data: data[:SIZE] + data[2 * SIZE:], ["1 packet is missing:"])):
        r = test.ft("fix", "-n", damaged(test, "bad", change))
        bad += ["'%s' is not in: %s" % (w, r.stdout) for w in words if w not in r.stdout]
    return bad


def far_ahead(n):
    """So many headers, each of a packet whose records are the other headers, and whose last
    record is bad: to look at each of them reads all that is behind it."""
    event = event_id("spin", "acquire")
    uuid = struct.pack("<IH10x", 0, event)
    stamp = MAGIC                           # of a header that is read as a record
    t = Trace(per_packet=4, uuid=uuid)
    for ts in range(1000, 1400, 100), range(2 * stamp, 2 * stamp + 400, 100):
        for at in ts:
            t.acquire(at, 0, 5, "spin", 0xa0)
    data = t.cpu(0).data()
    size = 8 * (HEADER.size + RECORD.size * (3 * n + 1))
    end = (stamp >> 16) + 1 << 16 | event
    head = HEADER.pack(MAGIC, uuid, 0, 0, stamp, end, size, size, stamp, event, 0, t.freq)
    return t, data[:SIZE] + head * n + b"\xff" * 32 + data[SIZE:]


@fix
def headers_that_lead_nowhere(test):
    """A file that was made to be read for ever is read a few times, and the rest is saved."""
    t, data = far_ahead(30000)
    path, bad = t.write(test.path("bad")), []
    with open(os.path.join(path, "cpu0"), "wb") as f:
        f.write(data)
    small = test.path("small")
    r = test.ft("export", "-f", "compressed", "-o", small, path)
    if r.returncode or os.path.getsize(small + "/cpu0") > len(data) // 20:
        bad.append("compressed: %d: %s" % (r.returncode, r.stderr))
    for trace in path, small:
        r = test.ft("fix", "-n", trace)
        if r.returncode or "8 records saved, 0 lost" not in r.stdout or \
                r.stdout.count("too many headers lead to no good packet") != 1:
            bad.append("%s: %d: %s" % (trace, r.returncode, r.stdout + r.stderr))
    # behind more findings than are told one by one, it is told all the same
    with open(os.path.join(path, "cpu0"), "wb") as f:
        f.write(data[:SIZE] * 31 + data[SIZE:])
    r = test.ft("fix", "-n", path)
    if r.returncode or r.stdout.count("is a duplicate: left out\n") != 20 or \
            r.stdout.count("too many headers lead to no good packet") != 1 or \
            "cpu0: and 11 more findings\n" not in r.stdout:
        bad.append("behind others: %d: %s" % (r.returncode, r.stdout + r.stderr))
    return bad


@fix
def hopeless(test):
    """No trace at all: a message, and nothing is made."""
    bad = []
    for files, word in (({}, "no file cpu0"), ({"cpu0": b""}, "nothing to mend"),
                        ({"cpu0": b"text\n" * 100}, "nothing to mend"),
                        ({"cpu0": b"", "metadata": b"x"}, "nothing to mend")):
        path, out = test.path("bad"), test.path("fixed")
        os.makedirs(path)
        for name, data in files.items():
            with open(os.path.join(path, name), "wb") as f:
                f.write(data)
        r = test.ft("fix", "-o", out, path)
        if r.returncode != 1 or word not in r.stderr or os.path.exists(out):
            bad.append("%s: %d: %s" % (files.keys(), r.returncode, r.stderr))
    path = good_trace().write(test.path("bad"))
    write_metadata(path, lambda t: t.replace("feather-trace", "lttng-modules"))
    r = test.ft("fix", "-o", out, path)
    if r.returncode != 1 or "lttng-modules" not in r.stderr:
        bad.append(r.stderr)
    for args in ([], [path, path], ["-n", "-o", out, path], ["-o", "", path]):
        r = test.ft("fix", *args)
        if r.returncode != 2 or not r.stderr:
            bad.append("%s: %d: %s" % (args, r.returncode, r.stderr))
    return bad
