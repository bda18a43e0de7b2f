# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Parts of a rotated recording: read together they are the trace that was not rotated."""

import os
import random
import shutil

from bad import good_trace
from gen_trace import HEADER, RECORD, Trace, stream_name
from simulate import Machine

PARTS = []


def parts(f):
    PARTS.append(f)
    return f


def packets_of(data):
    while data:
        head = HEADER.unpack(data[:HEADER.size])
        yield list(head), [data[at:at + RECORD.size] for at in
                           range(HEADER.size, head[6] // 8, RECORD.size)]
        data = data[head[7] // 8:]


def put(head, records, seq, lost):
    head = list(head)
    if records:
        head[4], head[5] = (RECORD.unpack(r)[0] for r in (records[0], records[-1]))
    head[6] = head[7] = 8 * (HEADER.size + RECORD.size * len(records))
    head[8], head[9] = seq, lost
    return HEADER.pack(*head) + b"".join(records)


def split_stream(data, seams):
    """The files of the parts: each record by its time; each counts anew."""
    files, seq, lost, before = [b""], 0, 0, 0
    for head, records in packets_of(data):
        while True:
            later = records
            if len(files) <= len(seams):
                at = seams[len(files) - 1]
                now = [r for r in records if RECORD.unpack(r)[0] < at]
                later = records[len(now):]
            else:
                now, later = records, []
            if now or not records:
                files[-1] += put(head, now, seq, head[9] - before)
                seq, lost = seq + 1, head[9]
            if not later:
                break
            records = later
            files.append(b"")
            seq, before = 0, lost
    return files + [b""] * (len(seams) + 1 - len(files))


def rotated(trace, path, seams, recording="0123456789abcdef"):
    """Writes a trace in parts, which begin anew at these times."""
    whole = path + ".whole"
    shutil.rmtree(whole, ignore_errors=True)
    trace.write(whole)
    streams = {}
    for cpu in trace.streams:
        with open(os.path.join(whole, stream_name(cpu)), "rb") as f:
            streams[stream_name(cpu)] = split_stream(f.read(), seams)
    for i in range(len(seams) + 1):
        part = os.path.join(path, "%06d" % (i + 1))
        shutil.copytree(whole, part)
        os.makedirs(os.path.join(part, "info"), exist_ok=True)
        with open(os.path.join(part, "info/session"), "a") as f:
            f.write("recording\t%s\npart\t%d\n" % (recording, i + 1))
        for name, files in streams.items():
            if files[i]:
                with open(os.path.join(part, name), "wb") as f:
                    f.write(files[i])
            else:
                os.remove(os.path.join(part, name))
    return whole, path


def part(path, n):
    return os.path.join(path, "%06d" % n)


def stamps(trace):
    return sorted({RECORD.unpack(r)[0] for s in trace.streams.values()
                   for _, records in packets_of(s.data()) for r in records})


COMMANDS = (("dump", "--raw"), ("report", "--tsv", "--distributions", "--top", "0"),
            ("report", "--balance"), ("export", "-f", "csv"), ("export", "-f", "chrome"))


def shown(text):
    """Without what names the trace, and how many packets there are."""
    return [line for line in text.splitlines()
            if not line.startswith("Trace ") and "\tpackets\t" not in line]


def same(test, whole, *named):
    wrong = []
    for command in COMMANDS:
        a, b = test.ft(*command, whole), test.ft(*command, *named)
        if (a.returncode, shown(a.stdout)) != (b.returncode, shown(b.stdout)):
            differ = [x for x in zip(shown(a.stdout), shown(b.stdout)) if x[0] != x[1]]
            wrong.append("%s: %d %d: %s: %s" % (" ".join(command), a.returncode,
                                                b.returncode, differ[:2], b.stderr))
    return wrong


def by_chance(losses, early):
    def run(test):
        wrong = []
        for seed in range(4):
            trace, _ = Machine(seed, losses=losses, cpus=1 + seed % 4, steps=2000).run()
            trace.early = early
            times = stamps(trace)
            rng = random.Random(seed)
            seams = sorted(rng.sample(times, 1 + seed))
            if seed == 2:       # a part of one moment, and one without a record
                seams = sorted([seams[0], seams[0] + 1, seams[0] + 1])
            whole, path = rotated(trace, test.path("rotated"), seams)
            wrong += ["seed %d: %s" % (seed, w) for w in same(test, whole, path)]
        return wrong
    return run


for name, args in (("whole", (0, False)), ("lost", (0.02, False)),
                   ("lost_long_known", (0.02, True))):
    check = by_chance(*args)
    check.__name__ = name
    PARTS.append(check)


@parts
def cut_in_each_alone(test):
    """A section across the seam is whole in both together, and cut in each."""
    t = Trace()
    t.acquire(1000, 0, 5, "spin", 0xa0)
    t.acquire(1500, 1, 6, "mutex", 0xb0)
    t.release(3000, 0, 5, "spin", 0xa0)
    t.release(3500, 0, 6, "mutex", 0xb0)
    whole, path = rotated(t, test.path("rotated"), [2000])
    wrong = same(test, whole, path)
    for n, cut in ((1, "cut_end"), (2, "cut_start")):
        r = test.ft("report", "--tsv", part(path, n))
        for family in "spin", "mutex":
            line = "family\t%s\t%s\t1" % (family, cut)
            if line not in r.stdout.splitlines():
                wrong.append("part %d: no '%s'" % (n, line.replace("\t", " ")))
    r = test.ft("report", "--tsv", path)
    return wrong + ["together: %s is cut" % family for family in ("spin", "mutex")
                    if "family\t%s\tcount\t1" % family not in r.stdout.splitlines()]


@parts
def in_any_order(test):
    """Parts that are named are put in order; some of them are read, too."""
    trace = good_trace()
    whole, path = rotated(trace, test.path("rotated"), [1200, 1400])
    wrong = same(test, whole, part(path, 2), part(path, 3), part(path, 1))
    r = test.ft("dump", "--raw", part(path, 2), part(path, 3))
    want = test.ft("dump", "--raw", whole).stdout.splitlines()[-len(r.stdout.splitlines()):]
    if [x.split()[0] for x in r.stdout.splitlines()] != [x.split()[0] for x in want]:
        wrong.append("parts 2 and 3 are not the end of the whole")
    r = test.ft("report", path)
    if "(3 parts)" not in r.stdout.splitlines()[0]:
        wrong.append("the head does not say how many: " + r.stdout.splitlines()[0])
    return wrong


@parts
def each_is_a_trace(test):
    """Alone they count from 0, and no reader complains; ft fix finds nothing."""
    trace = good_trace()
    trace.cpu(0).lose(3)
    trace.acquire(5000, 0, 5, "spin", 0xa0)
    whole, path = rotated(trace, test.path("rotated"), [1200, 1400])
    wrong = []
    for n in 1, 2, 3:
        r = test.ft("dump", part(path, n))
        if r.returncode != (3 if n == 3 else 0):
            wrong.append("part %d: dump: %d %s" % (n, r.returncode, r.stderr))
        r = test.ft("fix", "--dry-run", part(path, n))
        if r.returncode:
            wrong.append("part %d: fix: %d %s" % (n, r.returncode, r.stderr))
    return wrong + same(test, whole, path)


@parts
def others_are_refused(test):
    """What does not belong together is named, both of it."""
    _, path = rotated(good_trace(), test.path("rotated"), [1200, 1400])
    _, other = rotated(good_trace(), test.path("other"), [1300], "fedcba9876543210")
    plain = good_trace().write(test.path("plain"))
    wrong = []
    for named, word in (((part(path, 1), part(other, 2)), "not of one recording"),
                        ((part(path, 1), part(path, 3)), "between them"),
                        ((part(path, 1), part(path, 1)), "the same part"),
                        ((part(path, 1), plain), "not a part"),
                        ((plain, plain), "not a part")):
        for command in ("report",), ("dump",), ("export", "-f", "csv"):
            r = test.ft(*command, *named)
            if r.returncode != 1 or r.stdout or word not in r.stderr or \
               any(n not in r.stderr for n in named):
                wrong.append("%s %s: %d, '%s' expected: %s" % (command, named, r.returncode,
                                                               word, r.stderr))
    shutil.rmtree(part(path, 2))
    r = test.ft("report", path)
    if r.returncode != 1 or "between them" not in r.stderr:
        wrong.append("a missing part: %d %s" % (r.returncode, r.stderr))
    return wrong


@parts
def damaged_in_the_middle(test):
    """A part that cannot be read to its end: the stream ends there, and that is said."""
    _, path = rotated(good_trace(), test.path("rotated"), [1200, 1400])
    name = os.path.join(part(path, 2), "cpu0")
    with open(name, "r+b") as f:
        f.write(b"\0\0\0\0")
    r = test.ft("dump", path)
    wrong = [] if r.returncode == 1 and name in r.stderr else \
        ["%d %s" % (r.returncode, r.stderr)]
    if "ft fix '%s'" % part(path, 2) not in r.stderr:
        wrong.append("the part to mend is not named: " + r.stderr)
    # torn: what is missing is a loss, and the next part goes on
    _, path = rotated(good_trace(), test.path("rotated"), [1200, 1400])
    name = os.path.join(part(path, 1), "cpu0")
    with open(name, "r+b") as f:
        f.truncate(os.path.getsize(name) - 16)
    r = test.ft("report", "--tsv", path)
    if r.returncode != 3 or "trace\t-\tlost\t1" not in r.stdout:
        wrong.append("torn: %d %s" % (r.returncode, r.stderr))
    return wrong


def drop(path, n, records, says=1):
    """A part that was dropped before it was sent; the next one tells."""
    shutil.rmtree(part(path, n))
    with open(os.path.join(part(path, n + 1), "info/session"), "a") as f:
        f.write("dropped_parts\t%d\ndropped_records\t%d\n" % (says, records))


def across():
    """A section over two seams, on one CPU; another one is silent in the last part."""
    t = Trace()
    t.acquire(1000, 0, 5, "spin", 0xa0)
    t.acquire(900, 1, 6, "mutex", 0xb0)
    t.release(950, 1, 6, "mutex", 0xb0)
    t.acquire(2000, 0, 5, "spin", 0xa8)
    t.release(2100, 0, 5, "spin", 0xa8)
    t.release(3000, 0, 5, "spin", 0xa0)
    return t


@parts
def read_over_what_was_dropped(test):
    """What was in it counts as lost, what crosses it as cut, and the report says so."""
    _, path = rotated(across(), test.path("rotated"), [1500, 2500])
    drop(path, 2, 7)
    r = test.ft("report", "--tsv", path)
    lines = r.stdout.splitlines()
    wrong = [] if r.returncode == 3 else ["status %d: %s" % (r.returncode, r.stderr)]
    for line in ("trace\t-\tlost\t7", "family\tspin\tcount\t0", "family\tspin\tcut_lost\t2",
                 "family\tmutex\tcount\t1"):
        if line not in lines:
            wrong.append("no '%s'" % line.replace("\t", " "))
    r = test.ft("report", path)
    if "7 of them in 1 parts that were dropped" not in r.stdout:
        wrong.append("the text does not say it: " + r.stdout[:300])
    r = test.ft("dump", "--tsv", path)
    gaps = [line for line in r.stdout.splitlines() if "\tLOST\t" in line]
    if r.returncode != 3 or len(gaps) != 2:
        wrong.append("dump: %d, a gap in each stream expected: %s" % (r.returncode, gaps))
    return wrong


@parts
def dropped_at_the_beginning(test):
    """Nothing is read over it, but it is lost all the same."""
    _, path = rotated(across(), test.path("rotated"), [1500, 2500])
    drop(path, 1, 3)
    r = test.ft("report", "--tsv", path)
    if r.returncode != 3 or "trace\t-\tlost\t3" not in r.stdout.splitlines():
        return ["%d %s" % (r.returncode, r.stderr)]
    r = test.ft("report", "--tsv", part(path, 3))
    if r.returncode or "trace\t-\tlost\t0" not in r.stdout.splitlines():
        return ["a part that lacks nothing: %d %s" % (r.returncode, r.stderr)]
    return []


@parts
def dropped_without_a_word(test):
    """Parts are missing, and it is not said, or not of all: refused as before."""
    wrong = []
    for says in 0, 2:
        _, path = rotated(across(), test.path("rotated"), [1500, 2500])
        drop(path, 2, 7, says)
        r = test.ft("report", path)
        if r.returncode != 1 or "between them" not in r.stderr:
            wrong.append("says %d: %d %s" % (says, r.returncode, r.stderr))
    return wrong


@parts
def dropped_is_nonsense(test):
    """Numbers that cannot be: neither a crash nor a wrong sum."""
    _, path = rotated(across(), test.path("rotated"), [1500, 2500])
    drop(path, 2, (1 << 64) - 1)
    with open(os.path.join(part(path, 1), "info/session"), "a") as f:
        f.write("dropped_parts\t18446744073709551615\ndropped_records\t99999999999999999999\n")
    r = test.ft("report", "--tsv", path)
    if r.returncode != 3 or "trace\t-\tlost\t18446744073709551615" not in r.stdout.splitlines():
        return ["%d %s" % (r.returncode, r.stderr)]
    return []
