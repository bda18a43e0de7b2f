# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""The options that select: the same in report, compare, export and dump."""

import csv
import io
from collections import Counter

from gen_trace import Trace
from simulate import Machine

FILTERS = []


def check(f):
    FILTERS.append(f)
    return f


def lines(r):
    if r.returncode not in (0, 3):
        raise ValueError("exit status %d: %s" % (r.returncode, r.stderr))
    return [line.split("\t") for line in r.stdout.splitlines()]


def sections(test, path, args):
    """How many sections each command finds: {command: {family: number}}"""
    report = {v[1]: int(v[3]) for v in lines(test.ft("report", "--tsv", *args, path))
              if v[0] == "family" and v[2] == "count" and v[3] != "0"}
    rows = io.StringIO(test.ft("export", "-f", "csv", *args, path).stdout)
    export = dict(Counter(row["family"] for row in csv.DictReader(rows)))
    both = lines(test.ft("compare", "--tsv", *args, path, path))
    return {"report": report, "export": export, **{
        "compare " + trace: {v[1]: int(v[4]) for v in both
                             if v[0] == "family" and v[2] == trace and
                             v[3] == "count" and v[4] != "0"} for trace in "AB"}}


def records(test, path, args):
    """Lock records that ft dump shows: (time, cpu, context, task, event, lock, site)"""
    found = []
    for v in lines(test.ft("dump", "--tsv", *args, path))[1:]:
        if v[5].endswith(("_acquire", "_release")):
            found.append((round(float(v[0]) * 10**9), v[2], v[3], v[4], v[5].rsplit("_", 1)[0],
                          v[6].split("=")[1], v[7].split("=")[1]))
    return found


def choices(known, start):
    """Options, what they select of sections, and what of records."""
    cpus, families = (0, 2), ("rwsem_read", "rwsem_write", "mutex")
    some = known.sections[len(known.sections) // 2]
    at = some.start - start
    lock, site = "0x%x" % some.lock, "0x%x" % some.site
    return [
        (["--cpu", "0,2"], lambda s: s.cpu in cpus, lambda r: r[1] in "02"),
        (["-c", "0", "-c", "2"], lambda s: s.cpu in cpus, lambda r: r[1] in "02"),
        (["--family", "rwsem*,mutex"], lambda s: s.family in families,
         lambda r: r[4] in families),
        (["--task", "3"], lambda s: s.task == 3 and not s.ctx,
         lambda r: r[3] == "3" and r[2] == "t"),
        (["--task", "3", "--task", "5"], lambda s: s.task in (3, 5) and not s.ctx,
         lambda r: r[3] in "35" and r[2] == "t"),
        (["--lock", lock], lambda s: s.lock == some.lock, lambda r: r[5] == lock),
        (["--site", site], lambda s: s.site == some.site, lambda r: r[6] == site),
        (["--from", "%.9f" % (at / 10**9)], lambda s: s.begin - start >= at,
         lambda r: r[0] >= at),
        (["--to", "%.9f" % (at / 10**9)], lambda s: s.begin - start < at,
         lambda r: r[0] < at),
    ]


@check
def same_everywhere(test):
    """Each command selects the same sections, and ft dump their records."""
    # ticks are nanoseconds in this one
    trace, known = next(m.run() for m in (Machine(seed, cpus=3, steps=1500)
                                          for seed in range(99))
                        if m.trace.freq == 10**9)
    path, wrong = trace.write(test.path("filters")), []
    every = records(test, path, [])
    for args, section, record in choices(known, trace.start()):
        want = dict(Counter(s.family for s in known.truth(section).sections))
        for command, have in sections(test, path, args).items():
            if have != want:
                wrong.append("%s %s: %s, not %s" % (command, args, have, want))
        have = records(test, path, args)
        if have != [r for r in every if record(r)]:
            wrong.append("dump %s: %d records" % (args, len(have)))
        if not want or not have or len(have) == len(every):
            wrong.append("%s: nothing was tested" % args)
    return wrong


@check
def nothing_selected(test):
    """Empty tables are no riddle: what there is to select is said."""
    t, wrong = Trace(), []
    for i, family in enumerate(("spin", "mutex")):
        t.acquire(1000 + 100 * i, 0, 5, family, 0xa0)
        t.release(1050 + 100 * i, 0, 5, family, 0xa0)
    path = t.write(test.path("filter"))
    want = "no section is selected: the trace has spin, mutex in "
    for args, empty in ((("--family", "posix_sem"), 1), (("--from", "100"), 1),
                        (("--family", "mutex"), 0), ((), 0)):
        for command, paths in (("report", [path]), ("compare", [path, path])):
            r = test.ft(command, *args, *paths)
            if r.returncode or r.stderr.count(want) != empty * len(paths):
                wrong.append("%s %s: %d, %s" % (command, args, r.returncode, r.stderr))
    return wrong


@check
def filter_errors(test):
    """What is not there is the same error in each command."""
    t = Trace()
    t.acquire(1000, 0, 5, "spin", 0xa0, site=0xffffffff81000010)
    t.acquire(1010, 2, 6, "spin", 0xb0, site=0xffffffff81000010)
    t.release(2000, 0, 5, "spin", 0xa0)
    t.file("info/kallsyms", "ffffffff81000000 T one\nffffffff81001000 T two\n")
    t.file("info/tasks", "5\tmake\n")
    path, wrong = t.write(test.path("errors")), []
    commands = {"report": [path], "compare": [path, path], "export": ["-f", "csv", path],
                "dump": [path], "why": [path],
                "sql": [path, "select count(*) from sections"]}
    for args, status, word in (
            (["--cpu", "9"], 1, "no CPU 9 in this trace"),
            (["--cpu", "0-2"], 1, "no CPU 1 in this trace"),
            (["--cpu", "1048576"], 1, "no CPU 1048576"),
            (["--cpu", "0,x"], 2, "'0,x'"), (["--cpu", "3-1"], 2, "'3-1'"),
            (["--family", "spim"], 2, "'spin'"), (["--family", "x*"], 2, "'x*'"),
            (["--from", "-1"], 2, "--from is not a number of seconds: '-1'"),
            (["--to", "1s"], 2, "--to is not a number of seconds: '1s'"),
            (["--from", "2", "--to", "2"], 2, "nothing is left"),
            (["--task", "nobody"], 1, "'nobody'"),
            (["--site", "nosuch"], 1, "no symbol 'nosuch'"),
            (["--lock", "nosuch"], 1, "no symbol 'nosuch'")):
        said = {}
        for command, rest in commands.items():
            r = test.ft(command, *args, *rest)
            said[command] = (r.returncode, r.stderr.replace("See: ft " + command, "See: ft COMMAND"), r.stdout)
            if r.returncode != status or word not in r.stderr or r.stdout:
                wrong.append("%s %s: exit status %d: %s%s" % (
                    command, args, r.returncode, r.stderr, r.stdout[:100]))
        if len(set(said.values())) != 1:
            wrong.append("%s: not the same: %s" % (args, said))
    return wrong
