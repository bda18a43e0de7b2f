# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Compressed traces: they show what plain ones do, and become these again."""

import os
import random
import shutil

from bad import good_trace
from fixes import mend, tree
from gen_trace import Trace, stream_name
from parts import part, rotated, same, stamps
from simulate import Machine
from sql import ask

PACKED = []
COMMANDS = (("dump", "--raw"), ("dump", "--tsv"), ("report",), ("report", "--json"),
            ("report", "--tsv", "--distributions", "--top", "0"), ("export", "-f", "csv"),
            ("export", "-f", "chrome"), ("why",), ("sites",), ("dump", "--from", "1us"))


def packed(f):
    PACKED.append(f)
    return f


def convert(test, form, path, name):
    """(the copy, problems)"""
    out = test.path(name)
    r = test.ft("export", "-f", form, "-o", out, path)
    return out, ["%s: %d: %s" % (form, r.returncode, r.stderr)] if r.returncode else []


def outputs(test, path):
    for command in COMMANDS:
        r = test.ft(*command, path)
        yield command, (r.returncode, r.stdout, r.stderr)


def alike(test, path):
    """The trace at this path, plain and then compressed."""
    before, want = tree(path), list(outputs(test, path))
    small, wrong = convert(test, "compressed", path, "small")
    plain, bad = convert(test, "ctf", small, "plain")
    wrong += bad
    if tree(plain) != before:
        wrong.append("it is another trace when it is plain again")
    shutil.rmtree(path)
    os.rename(small, path)
    wrong += ["%s: %s, not %s" % (" ".join(command), str(got)[:200], str(expected)[:200])
              for (command, expected), (_, got) in zip(want, outputs(test, path))
              if got != expected]
    return wrong


def by_chance(losses):
    def run(test):
        wrong = []
        for seed in range(2):
            trace, _ = Machine(seed, losses=losses, cpus=1 + seed * 3, steps=9000).run()
            trace.file("info/kallsyms", "".join("%x t function_%d\n" % (
                0xffffffff81000000 + 64 * i, i) for i in range(2000)))
            path = test.path("plain_or_not")
            trace.write(path)
            wrong += ["seed %d: %s" % (seed, w) for w in alike(test, path)]
        return wrong
    return run


for title, lost in (("shows_the_same", 0), ("shows_the_same_losses", 0.02)):
    check = by_chance(lost)
    check.__name__ = title
    PACKED.append(check)


@packed
def odd_bytes(test):
    """Damaged and torn streams come back as they were, and are reported so."""
    wrong = []
    for name, change in (("torn", lambda d: d[:-5]), ("behind", lambda d: d + b"x" * 300),
                         ("inside", lambda d: d[:300] + b"\xff" * 8 + d[308:]),
                         ("empty", lambda d: b"")):
        path = test.path("odd")
        good_trace().write(path)
        with open(os.path.join(path, "cpu0"), "r+b") as f:
            data = f.read()
            f.seek(0)
            f.truncate()
            f.write(change(data))
        wrong += ["%s: %s" % (name, w) for w in alike(test, path)]
    return wrong


@packed
def facts_are_small(test):
    trace = good_trace()
    trace.file("info/kallsyms", "".join("%x t f_%d\n" % (0xffffffff81000000 + 64 * i, i)
                                        for i in range(5000)))
    path = test.path("facts")
    trace.write(path)
    small, wrong = convert(test, "compressed", path, "small")
    sizes = [os.path.getsize(os.path.join(p, "info/kallsyms")) for p in (path, small)]
    if sizes[1] > sizes[0] / 3:
        wrong.append("kallsyms: %d bytes become %d" % tuple(sizes))
    with open(os.path.join(small, "info/kallsyms"), "r+b") as f:
        f.seek(sizes[1] // 2)
        f.write(b"damaged")
    r = test.ft("export", "-f", "ctf", "-o", test.path("plain"), small)
    if r.returncode != 1 or "damaged" not in r.stderr:
        wrong.append("damaged: %d: %s" % (r.returncode, r.stderr))
    r = test.ft("report", small)
    if "info/kallsyms: what is compressed there is damaged" not in r.stderr:
        wrong.append("damaged: report: %s" % r.stderr)
    return wrong


@packed
def parts_may_differ(test):
    """Of a rotated recording some parts are compressed."""
    trace, _ = Machine(3, losses=0.01, cpus=2, steps=2000).run()
    seams = sorted(random.Random(3).sample(stamps(trace), 2))
    whole, path = rotated(trace, test.path("rotated"), seams)
    small, wrong = convert(test, "compressed", part(path, 2), "small")
    shutil.rmtree(part(path, 2))
    os.rename(small, part(path, 2))
    return wrong + same(test, whole, path)


def compressed(test):
    trace, _ = Machine(5, losses=0, cpus=2, steps=30000).run()
    path = test.path("whole")
    trace.write(path)
    return path, *convert(test, "compressed", path, "small")


@packed
def torn_end(test):
    """It costs the last block, and is told and mended as a torn packet is."""
    _, small, wrong = compressed(test)
    name = os.path.join(small, stream_name(0))
    os.truncate(name, os.path.getsize(name) - 1)
    r = test.ft("report", "--tsv", small)
    if r.returncode != 3 or "the last block is torn" not in r.stderr:
        wrong.append("report: %d: %s" % (r.returncode, r.stderr))
    if test.ft("export", "-f", "ctf", "-o", test.path("plain"), small).returncode != 1:
        wrong.append("the copy does not tell what was torn off")
    fixed, bad = mend(test, small, 3)
    lost = [[x for x in out.splitlines() if x.startswith("cpu\t0\tlost")]
            for out in (r.stdout, test.ft("report", "--tsv", fixed).stdout)]
    return wrong + bad + ([] if lost[0] == lost[1] and lost[0] else ["lost: %s" % lost])


@packed
def damaged_block(test):
    """What is behind it is read by ft fix alone."""
    whole, small, wrong = compressed(test)
    name = os.path.join(small, stream_name(0))
    for at in 20, 200:      # header, data
        with open(name, "r+b") as f:
            f.seek(at)
            byte = f.read(1)
            f.seek(at)
            f.write(bytes([byte[0] ^ 4]))
        r = test.ft("report", small)
        if r.returncode != 1 or "ft fix" not in r.stderr:
            wrong.append("offset %d: report: %d: %s" % (at, r.returncode, r.stderr))
        _, bad = mend(test, small, 3)
        wrong += ["offset %d: %s" % (at, b) for b in bad]
        with open(name, "r+b") as f:
            f.seek(at)
            f.write(byte)
    return wrong + same(test, whole, small)


@packed
def what_is_refused(test):
    path, wrong = test.path("plain"), []
    good_trace().write(path)
    for args in (("-f", "ctf"), ("-f", "ctf", "-o", "x", path, path),
                 ("-f", "compressed", "-o", "x", "--cpu", "1")):
        r = test.ft("export", *args, path)
        if r.returncode != 2:
            wrong.append("%s: %d: %s" % (args, r.returncode, r.stderr))
    r = test.ft("export", "-f", "ctf", "-o", path, path)
    if r.returncode != 1 or "not empty" not in r.stderr:
        wrong.append("into itself: %d: %s" % (r.returncode, r.stderr))
    return wrong


@packed
def not_into_a_trace(test):
    """A path inside of a trace, by whatever way: a reader would take it for a stream or a part."""
    path, wrong = good_trace().write(test.path("plain")), []
    whole = test.path("parts")
    rotated(good_trace(), whole, [])
    link, inside, other = test.path("link"), test.path("inside"), test.path("other")
    os.symlink(path, link)
    os.makedirs(os.path.join(path, "info", "there"))
    os.symlink(os.path.join(path, "info", "there"), inside)
    before, parts_before = tree(path), tree(part(whole, 1))

    def refused(command, out, trace, status=1):
        r = test.ft(*command, out, *trace)
        if r.returncode != status or "is inside of the trace" not in r.stderr or \
                tree(path) != before or tree(part(whole, 1)) != parts_before or \
                os.listdir(whole) != ["000001"]:
            wrong.append("%s to %s: %d: %s" % (command, out, r.returncode, r.stderr))
            shutil.rmtree(part(whole, 2), ignore_errors=True)

    cases = [(path, os.path.join(path, "sub")), (path, path + "/info/there/"),
             (path, link + "/sub/"), (link, path + "/sub"), (link, link + "//sub"),
             (path, inside), (path, path + "/../" + os.path.basename(path) + "/sub"),
             (part(whole, 1), part(whole, 2)), (path, part(whole, 2)),
             (whole, part(whole, 2))]
    for command in (("export", "-f", "ctf"), ("export", "-f", "compressed"), ("fix",)):
        for trace, out in cases[:-1] if command == ("fix",) else cases:
            refused((*command, "-o"), out, [trace])
        r = test.ft(*command, "-o", other, link)
        if r.returncode or not os.path.exists(other + "/cpu0"):
            wrong.append("%s beside it: %d: %s" % (command, r.returncode, r.stderr))
        shutil.rmtree(other, ignore_errors=True)
    r = test.ft("fix", part(whole, 1))
    if r.returncode != 1 or os.listdir(whole) != ["000001"]:
        wrong.append("fix of a part: %d: %s" % (r.returncode, r.stderr))
    report = test.path("report.tsv")
    with open(report, "w") as f:
        f.write(test.ft("report", "--tsv", path).stdout)
    for out in (path + "/cpu0", link + "/sub", inside + "/sub", whole + "/sub.svg"):
        for command in (("export", "-f", "csv", "-o"), ("export", "-f", "chrome", "-o"),
                        ("export", "-f", "folded", "-o"), ("sql", "-o"), ("report", "--html"),
                        ("why", "--html")):
            refused(command, out, [path])
        refused(("compare", "--html"), out, [path, path])
        refused(("plot",), out, ["family", "total", report])
        refused(("record", "-o"), out, ["-e", "*"], 125)
        refused(("run", "-o"), out, ["--locks", "--", "true"], 125)
        refused(("run", "-o", other, "--locks", "--sensors=" + out, "--", "true"), "", [], 125)
    for keep in (("-o", whole + "/sub"), ("--samples-to", path)):
        refused(("overheads", *keep), "-d", ["1"])
    os.remove(report)
    return wrong


# --- only the blocks of a time are read

RECORDS = "select count(*) as n, sum(a) as a, trace.records, trace.lost from records, trace"

BLOCK = 8000        # so many records are in each


def blocks(lost=(), gaps=True, early=False):
    """Five blocks of two CPUs, whose records are 10 ticks apart; behind some, others are lost."""
    t, lost = Trace(gaps=gaps, early=early), set(lost)
    for cpu in range(2):
        for i in range(5 * BLOCK):
            t.cpu(cpu).add(1000 + 10 * i + cpu, 1, 5, i, cpu)
            if i in lost:
                t.cpu(cpu).lose(1 + i % 3)
    return t


def at(ns):
    return "%.9f" % (ns / 10**9)


def windows(rng):
    end, seam = 50 * BLOCK, 20 * BLOCK - 10
    some = sorted(rng.sample(range(end), 2))
    for first, last in ((0, 10), (end - 5, end + 5), (end, end + 10), some):
        yield "--from", at(first), "--to", at(last)
    for ns in seam, seam + 5:       # what is lost there is of the time before it
        yield "--from", at(ns - 100), "--to", at(ns)
        yield "--from", at(ns), "--to", at(ns + 100)
    yield "--from", at(end - 2000)
    yield "--to", at(2000)


@packed
def windows_show_the_same(test):
    """Of a plain trace all is read, of a compressed one the blocks of that time."""
    rng, wrong = random.Random(7), []
    some = rng.sample(range(5 * BLOCK), 5) + [2 * BLOCK - 1]
    round_trip = range(BLOCK + 100, BLOCK + 356)    # the records' count is as before
    for name, how in (("none", ()), ("some", (some,)), ("told early", (some, True, True)),
                      ("without gaps", (some, False)), ("many", (round_trip,)),
                      ("many, told early", (round_trip, True, True))):
        path = test.path("whole")
        blocks(*how).write(path)
        small, bad = convert(test, "compressed", path, "small")
        wrong += bad
        for args in (*windows(rng), ("-j", "2", "--cpu", "1", "--from", at(30 * BLOCK))):
            want, got = (test.ft("dump", "--raw", *args, trace) for trace in (path, small))
            if (want.returncode, want.stdout) != (got.returncode, got.stdout):
                wrong.append("%s, %s: %d and %d lines, status %d and %d" % (
                    name, args, want.stdout.count("\n"),
                    got.stdout.count("\n"), want.returncode, got.returncode))
        for args in (), ("--from", at(20 * BLOCK - 7), "--to", at(20 * BLOCK + 13)):
            want, got = (ask(test, *args, trace, RECORDS) for trace in (path, small))
            if want != got or want[0]["records"] != 10 * BLOCK or not want[0]["n"]:
                wrong.append("%s, sql %s: %s, not %s" % (name, args, got, want))
        shutil.rmtree(path)
        shutil.rmtree(small)
    return wrong


@packed
def windows_pass_over_damage(test):
    """What is wrong in a block of another time does not matter to who wants records alone."""
    path = test.path("whole")
    blocks().write(path)
    small, wrong = convert(test, "compressed", path, "small")
    name = os.path.join(small, stream_name(0))
    size = os.path.getsize(name)
    with open(name, "r+b") as f:
        f.seek(size // 2 + 300)
        byte = f.read(1)
        f.seek(-1, os.SEEK_CUR)
        f.write(bytes([byte[0] ^ 4]))
    early, late = ("--to", at(20000)), ("--from", at(49 * BLOCK))
    for command, status in ((("dump", *early, small), 0), (("dump", *late, small), 0),
                            (("dump", small), 1), (("dump", "--from", at(100000), small), 1),
                            (("sql", *early, small, RECORDS), 0), (("sql", small, RECORDS), 1),
                            (("sql", *early, small, "select * from sections"), 1),
                            (("report", *early, small), 1)):
        r = test.ft(*command)
        if r.returncode != status:
            wrong.append("%s: %d: %s" % (command, r.returncode, r.stderr))
    return wrong
