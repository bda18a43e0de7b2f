# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Stacks of sections and waits: info/stacks, and the records that say where they belong."""

import json
import re

from gen_trace import PROCESS, SPIN, WAITS, Trace
from pages import HOSTILE, make_page
from realtime_trace import Tasks
from why_trace import taken_apart

STACKS = []

KALLSYMS = """ffffffff81000000 T entry
ffffffff81001000 T sys_write
ffffffff81002000 T pipe_write
ffffffff81003000 T wake_up_process
ffffffff81004000 T try_to_wake_up
ffffffff81005000 T do_fault
ffffffff81006000 T odd;name
ffffffff81007000 T _end
"""
ENTRY, WRITE, PIPE, WAKE, TRY, FAULT, ODD = (0xffffffff81000000 + i * 0x1000 + 0x20
                                             for i in range(7))
LOCK, OTHER = 0xffff888000001000, 0xffff888000002000
STACK = (5, "stack", "word_t _stack", "word_t _lock")
HEAD = "# feather-trace stacks 1 full=0 failed=0\n"
ACQUISITION, SECTION, WAIT = range(3)
# By id; innermost first.
KNOWN = {1: (TRY, WAKE, PIPE, WRITE, ENTRY), 2: (FAULT, ENTRY), 3: (PIPE, WRITE, ENTRY),
         7: (TRY, WAKE + 4, PIPE + 8, WRITE, ENTRY), 9: (ODD, ENTRY)}


def stacks(f):
    STACKS.append(f)
    return f


def text(known=KNOWN, pid=0):
    return HEAD + "".join("%d %d %s\n" % (pid, i, " ".join("0x%x" % a for a in addrs))
                          for i, addrs in known.items())


def new(known=KNOWN, **more):
    t = Trace(events=(*WAITS, STACK), **more)
    t.file("info/kallsyms", KALLSYMS)
    if known is not None:
        t.file("info/stacks", text(known))
    return t


def stack(t, ts, cpu, tid, of, number, lock=LOCK, ctx=0):
    t.cpu(cpu).add(ts, STACK[0], tid, of << 32 | number, lock, ctx)


def section(t, ts, length, number=None, cpu=0, tid=5, lock=LOCK, site=TRY):
    """With the stack of its end."""
    t.acquire(ts, cpu, tid, "spin", lock, site)
    t.release(ts + length, cpu, tid, "spin", lock)
    if number is not None:
        stack(t, ts + length + 1, cpu, tid, SECTION, number, lock)


def wait(t, ts, length, number=None, site=TRY, ret=0, lock=LOCK):
    """And the section that it is for, of 5 ns."""
    t.wait(ts, 0, 5, lock, SPIN)
    t.waited(ts + length, 0, 5, lock, ret)
    if number is not None:
        stack(t, ts + length + 1, 0, 5, WAIT, number, lock)
    if not ret:
        t.acquire(ts + length + 2, 0, 5, "spin", lock, site)
        t.release(ts + length + 7, 0, 5, "spin", lock)


def report(test, t, *args):
    r = test.ft("report", "--json", "--top", "0", *args, t.write(test.path("stacks")))
    if r.returncode:
        raise ValueError("exit status %d: %s" % (r.returncode, r.stderr))
    return json.loads(r.stdout), r.stderr


def folded(test, t, *args):
    return test.ft("export", "-f", "folded", *args, t.write(test.path("stacks")))


def rows(have, wait=""):
    return {row["row"]: (row[wait + "count"], float(row[wait + "total_ns"]))
            for row in have.get("stack", ()) if wait + "count" in row}


def sites(have):
    return {row["symbol"]: row["count"] for row in have["site"]}


def records(have):
    return {k: v for k, v in have["stack_records"][0].items() if k != "row" and v}


def differ(have, want):
    return [] if have == want else ["%r, not %r" % (have, want)]


def four():
    t = new()
    section(t, 1000, 10, 1)
    section(t, 2000, 20, 2)
    section(t, 3000, 30, 1)
    section(t, 4000, 40)
    section(t, 5000, 50, 7)
    return t


@stacks
def of_sections(test):
    """Each stack has the sections that it follows, and those without one are in no row."""
    have, err = report(test, four())
    paths = {row["row"]: row["path"] for row in have["stack"]}
    return differ((rows(have), err), ({"spin:0:1": (2, 40), "spin:0:2": (1, 20),
                                       "spin:0:7": (1, 50)}, "")) + \
        differ(paths["spin:0:1"],
               "try_to_wake_up < wake_up_process < pipe_write < sys_write < entry") + \
        differ(records(have), {"records": 4, "used": 4}) + \
        differ(sum(row["count"] for row in have["lock"]), 5)


@stacks
def sites_fold(test):
    """A helper's call becomes its caller's, where the stack says which that is."""
    have, _ = report(test, four())
    plain, _ = report(test, four(), "--no-fold")
    return differ(sites(have), {"pipe_write+0x20": 2, "do_fault+0x20": 1,
                                "try_to_wake_up+0x20": 1, "pipe_write+0x28": 1}) + \
        differ(sites(plain), {"try_to_wake_up+0x20": 5})


@stacks
def others_stay(test):
    """A site that is no helper's stays, whatever the stack."""
    t = new()
    section(t, 1000, 10, 2, site=PIPE)
    return differ(sites(report(test, t)[0]), {"pipe_write+0x20": 1})


@stacks
def helpers_alone(test):
    """Where all of the stack are helpers, there is no caller."""
    t = new({1: (TRY, WAKE)})
    section(t, 1000, 10, 1)
    return differ(sites(report(test, t)[0]), {"try_to_wake_up+0x20": 1})


@stacks
def of_waits(test):
    """A wait's stack follows its end; one that got no lock has one, too."""
    t = new()
    wait(t, 1000, 100, 1)
    wait(t, 2000, 200)
    wait(t, 3000, 300, 2, ret=-4)
    wait(t, 4000, 400, 1)
    have, err = report(test, t)
    return differ((rows(have, "wait_"), err),
                  ({"spin:0:1": (2, 500), "spin:0:2": (1, 300)}, "")) + \
        differ({row["symbol"]: row["wait_count"] for row in have["site"]
                if "wait_count" in row}, {"pipe_write+0x20": 2, "try_to_wake_up+0x20": 1}) + \
        differ(records(have), {"records": 3, "used": 3})


@stacks
def of_waits_alone(test):
    """A stack of waits is in no row of what was held."""
    t = new()
    section(t, 1000, 10, 2)
    wait(t, 2000, 100, 1)
    said = test.ft("report", "--by", "stack", t.write(test.path("alone"))).stdout
    held = said.split("Stacks by total: held\n")[1].split("\n\n")[0].splitlines()
    return differ((len(held), "(1 of 1)" in held[0], "do_fault < entry" in held[-1]),
                  (2, True, True))


@stacks
def wait_told_before(test):
    """The acquisition may be recorded before the wait's stack."""
    t = new()
    t.wait(1000, 0, 5, LOCK, SPIN)
    t.waited(1100, 0, 5, LOCK)
    t.acquire(1101, 0, 5, "spin", LOCK, TRY)
    stack(t, 1102, 0, 5, WAIT, 2)
    t.release(1110, 0, 5, "spin", LOCK)
    have, _ = report(test, t)
    return differ(rows(have, "wait_"), {"spin:0:2": (1, 100)})


@stacks
def of_acquisitions(test):
    """That of an acquisition is its section's, unless the end has one of its own."""
    t = new()
    for ts, length, last in ((1000, 100, None), (2000, 200, 3), (3000, 300, None)):
        t.acquire(ts, 0, 5, "spin", LOCK, TRY)
        if ts < 3000:
            stack(t, ts + 1, 0, 5, ACQUISITION, 2)
        t.release(ts + length, 0, 5, "spin", LOCK)
        if last:
            stack(t, ts + length + 1, 0, 5, SECTION, last)
    have, _ = report(test, t)
    return differ(rows(have), {"spin:0:2": (1, 100), "spin:0:3": (1, 200)}) + \
        differ(records(have), {"records": 3, "used": 3})


@stacks
def interrupt_between(test):
    """Of the same lock, task and CPU, and no other."""
    t = new()
    t.acquire(1000, 0, 5, "spin", LOCK, TRY)
    t.release(1010, 0, 5, "spin", LOCK)
    for i in range(3):
        t.acquire(1011 + 2 * i, 0, 5, "spin", OTHER, FAULT, 2)
        t.release(1012 + 2 * i, 0, 5, "spin", OTHER, FAULT, 2)
    section(t, 1020, 3, cpu=1, tid=5)
    section(t, 1030, 4, cpu=0, tid=6)
    stack(t, 1050, 0, 5, SECTION, 2)
    have, _ = report(test, t)
    return differ(rows(have), {"spin:0:2": (1, 10)})


@stacks
def sleeping(test):
    """A task that changes its CPU is recorded where it releases."""
    t = new()
    t.acquire(1000, 0, 5, "mutex", LOCK, TRY)
    t.release(1500, 1, 5, "mutex", LOCK)
    stack(t, 1501, 1, 5, SECTION, 3)
    have, _ = report(test, t)
    return differ(rows(have), {"mutex:0:3": (1, 500)})


@stacks
def filtered(test):
    """What a filter leaves out is in no row, and takes no other's stack."""
    have, _ = report(test, four(), "--from", "0.0000015")
    return differ(rows(have), {"spin:0:1": (1, 30), "spin:0:7": (1, 50)})


@stacks
def export(test):
    """Paths outermost first with their time: calls in one function are one path."""
    t = four()
    section(t, 6000, 7, 9)
    wait(t, 7000, 100, 2)
    hold, waits = folded(test, t), folded(test, t, "--of", "wait")
    return differ(hold.stdout, "entry;do_fault 20\n"
                  "entry;odd:name 7\n"
                  "entry;sys_write;pipe_write;wake_up_process;try_to_wake_up 90\n") + \
        differ(waits.stdout, "entry;do_fault 100\n") + \
        differ((hold.returncode, waits.returncode, "2 of 7 critical sections have no stack"
                in hold.stderr, waits.stderr), (0, 0, True, ""))


@stacks
def export_without(test):
    """Where no stack is known that is an error, and says what to do."""
    t = new(None)
    section(t, 1000, 10)
    r = folded(test, t)
    return differ((r.returncode, r.stdout, "--stacks" in r.stderr), (1, "", True))


@stacks
def by_stack_without(test):
    """A table that is asked for, and is empty, is explained; others change in nothing."""
    t = new(None)
    section(t, 1000, 10)
    path = t.write(test.path("without"))
    text_of = test.ft("report", "--by", "stack", path).stdout
    have, err = report(test, t)
    return differ(("no stack was recorded" in text_of, "stack" in have,
                   "stack_records" in have, err), (True, False, False, ""))


@stacks
def programs(test):
    """A program's stacks are found by the process that its lock's address has."""
    t = new(None, programs=((260, "stack", "word_t _stack", "word_t _lock"),))
    t.file("info/programs", "process\t1\t77\t0\t0\tprog\nfile\t0\t/bin/prog\n"
           "1000\t100\tmain\n2000\t100\tpush\nobject\t0\t1\t1000\t9000\t0\t0\n")
    t.file("info/stacks", HEAD + "0 1 0x%x\n77 1 0x2010 0x1010\n77 2 0x%x 0x%x\n" %
           (FAULT, PROCESS | 0x1020, PROCESS | 0x1010))
    for ts, number in ((1000, 1), (2000, 2), (3000, 3)):
        t.acquire(ts, 0, 77, "pthread_mutex", 0x5000, 0x2010)
        t.release(ts + 10, 0, 77, "pthread_mutex", 0x5000, 0x2020)
        t.thread(0).add(ts + 11, 260, 77, SECTION << 32 | number, PROCESS | 0x5000)
    have, _ = report(test, t)
    r = folded(test, t)
    return differ(rows(have), {"pthread_mutex:77:1": (1, 10), "pthread_mutex:77:2": (1, 10)}) + \
        differ(records(have), {"records": 3, "used": 2, "unknown": 1}) + \
        differ(r.stdout, "main [prog];main [prog] 10\nmain [prog];push [prog] 10\n")


@stacks
def another_ring(test):
    """A thread of a program may write its stack into another ring than what it is of."""
    t = new(None, programs=((260, "stack", "word_t _stack", "word_t _lock"),))
    t.file("info/programs", "process\t1\t77\t0\t0\tprog\n")
    t.file("info/stacks", HEAD + "77 1 0x2010\n77 2 0x2020\n")
    for ts, of, number in ((1000, SECTION, 1), (2000, ACQUISITION, 2)):
        t.acquire(ts, 0, 77, "pthread_mutex", 0x5000, 0x2010)
        if of == SECTION:
            t.release(ts + 10, 0, 77, "pthread_mutex", 0x5000, 0x2020)
        t.thread(1).add(ts + 11, 260, 77, of << 32 | number, PROCESS | 0x5000)
        if of == ACQUISITION:
            t.release(ts + 20, 1, 77, "pthread_mutex", 0x5000, 0x2020)
    have, _ = report(test, t)
    return differ((rows(have), records(have)),
                  ({"pthread_mutex:77:1": (1, 10), "pthread_mutex:77:2": (1, 20)},
                   {"records": 2, "used": 2}))


@stacks
def stray(test):
    """A stack without its event, of no kind, of no id, and of one that is not there; those of
    allocations and sleeps (3, 4) belong to no lock."""
    t = new()
    stack(t, 900, 0, 5, SECTION, 1)
    section(t, 1000, 10)
    for of, number in ((ACQUISITION, 1), (WAIT, 1), (3, 1), (4, 1), (5, 1), (255, 1),
                       (SECTION, 0), (SECTION, 4), (SECTION, 2**32 - 1)):
        if number == 1 and of == ACQUISITION:
            stack(t, 1020, 0, 6, of, number)
        else:
            stack(t, 1020, 0, 5, of, number)
    stack(t, 1030, 1, 5, SECTION, 1)
    stack(t, 1030, 0, 6, SECTION, 1)
    stack(t, 1030, 0, 5, SECTION, 1, OTHER)
    have, _ = report(test, t)
    said = test.ft("report", t.write(test.path("said"))).stdout
    return differ((rows(have), records(have)),
                  ({}, {"records": 11, "none": 1, "unknown": 2, "stray": 8})) + \
        [w for w in ("8 records of stacks belong to", "2 records of stacks have an id",
                     "1 stacks could not be taken") if w not in said]


@stacks
def too_late(test):
    """Behind too many other sections a stack has lost its own."""
    t = new()
    t.acquire(1000, 0, 5, "spin", LOCK, TRY)
    t.release(1010, 0, 5, "spin", LOCK)
    for i in range(20):
        section(t, 1100 + 10 * i, 5, lock=OTHER)
    stack(t, 2000, 0, 5, SECTION, 2)
    have, _ = report(test, t)
    return differ((rows(have), records(have), sum(r["count"] for r in have["lock"])),
                  ({}, {"records": 1, "stray": 1}, 21))


@stacks
def of_what_began_before(test):
    """What has no beginning in the trace has a stack, which is not that of an earlier one."""
    t = new()
    section(t, 1000, 10)
    t.release(2000, 0, 5, "spin", LOCK)
    stack(t, 2001, 0, 5, SECTION, 1)
    wait(t, 3000, 100)
    t.waited(4000, 0, 5, LOCK)
    stack(t, 4001, 0, 5, WAIT, 2)
    have, _ = report(test, t)
    return differ((rows(have), rows(have, "wait_"), records(have)),
                  ({}, {}, {"records": 2, "stray": 2}))


@stacks
def of_what_is_lost(test):
    """Behind a gap, a stack is of nothing that was before it."""
    t = new()
    section(t, 1000, 10)
    wait(t, 1100, 100)
    t.acquire(1300, 0, 5, "spin", OTHER, TRY)
    t.cpu(0).lose(3)
    stack(t, 2001, 0, 5, SECTION, 1)
    stack(t, 2002, 0, 5, WAIT, 1)
    stack(t, 2003, 0, 5, ACQUISITION, 1, OTHER)
    r = test.ft("report", "--json", t.write(test.path("lost")))
    have = json.loads(r.stdout)
    return differ((r.returncode, rows(have), rows(have, "wait_"), records(have)),
                  (3, {}, {}, {"records": 3, "stray": 3}))


@stacks
def reader_in_an_interrupt(test):
    """It reads the same lock between a release and its stack, which is not the interrupt's."""
    t = new()
    t.acquire(1000, 0, 5, "rwlock_read", LOCK, TRY)
    t.release(1010, 0, 5, "rwlock_read", LOCK)
    t.acquire(1011, 0, 5, "rwlock_read", LOCK, FAULT, 2)
    t.release(1012, 0, 5, "rwlock_read", LOCK, FAULT, 2)
    stack(t, 1020, 0, 5, SECTION, 3)
    have, _ = report(test, t)
    return differ(list(rows(have).values()), [(1, 10)])


@stacks
def without_file(test):
    """Records of stacks alone: said, and counted."""
    t = four()
    del t.files["info/stacks"]
    have, _ = report(test, t)
    said = test.ft("report", t.write(test.path("said"))).stdout
    return differ((records(have), "no readable file" in said), ({"without_file": 4}, True))


BAD = (("x 1 0x5", "process"), ("-1 1 0x5", "process"), ("+1 1 0x5", "process"),
       ("4294967296 1 0x5", "process"), ("0", "process"), ("0 0 0x5", "id"),
       ("0 x 0x5", "id"), ("0 4294967296 0x5", "id"), ("0 11", "no address"),
       ("0 11 ", "address is none"), ("0 11 5", "address is none"),
       ("0 11 0x", "address is none"), ("0 11 0x0", "address is none"),
       ("0 11 0x0x5", "address is none"), ("0 11 0x5 ", "address is none"),
       ("0 11 0x5  0x6", "address is none"), ("0 11 0x10000000000000000", "address is none"),
       ("0 11 0x5g", "address is none"), ("0 1 0x5", "was there before"),
       ("0 11" + 257 * " 0x5", "too many addresses"), ("", "process"),
       ("0 11 0x5\0 0x6", "byte 0"))


@stacks
def bad_lines(test):
    """Each is named, with its number, and left out."""
    bad = []
    for line, why in BAD:
        t = four()
        t.file("info/stacks", text() + line + "\n0 12 0x5\n")
        have, err = report(test, t)
        want = "line %d is damaged" % (len(KNOWN) + 2)
        if want not in err or why not in err or "1 of its lines" not in err:
            bad.append("%r: %s" % (line, err))
        bad += differ(rows(have), {"spin:0:1": (2, 40), "spin:0:2": (1, 20),
                                   "spin:0:7": (1, 50)})
    return bad


@stacks
def bad_head(test):
    """Nothing of another version is used."""
    bad = []
    for head in ("", "\n", HEAD.replace("1", "2"), HEAD.replace("full=0", "full=x"),
                 HEAD.replace("failed=0", "failed=0 more=1"), HEAD[2:], HEAD[:-1]):
        t = four()
        t.file("info/stacks", head + text()[len(HEAD):])
        have, err = report(test, t)
        bad += differ(("line 1 is damaged" in err, rows(have)), (True, {}))
    return bad


@stacks
def truncated(test):
    """However much of the file is left: no path is invented."""
    t, whole = four(), text()
    path = t.write(test.path("cut"))
    paths = {line.rsplit(" ", 1)[0] for line in
             test.ft("export", "-f", "folded", path).stdout.splitlines()}
    bad = [] if len(paths) == 2 else ["%r" % paths]
    for size in range(len(whole)):
        with open(path + "/info/stacks", "w") as f:
            f.write(whole[:size])
        r = test.ft("export", "-f", "folded", path)
        have = {line.rsplit(" ", 1)[0] for line in r.stdout.splitlines()}
        if r.returncode not in (0, 1) or not have <= paths or \
                (whole[size - 1:size] != "\n") != ("damaged" in r.stderr):
            bad.append("%d bytes: %d %r %s" % (size, r.returncode, have, r.stderr))
    return bad[:3]


@stacks
def full(test):
    """What the recorder had no room for is said."""
    t = four()
    t.file("info/stacks", text().replace("full=0", "full=12"))
    said = test.ft("report", t.write(test.path("full"))).stdout
    return [] if "12 stacks were not kept" in said else ["not said: " + said[-500:]]


def boxes(page, section_id):
    """{(depth, name): (x, width, percent)} of a flame graph."""
    part = page.split('id="%s"' % section_id)[1].split("</svg>")[0]
    found = {}
    for x, width, title, y in re.findall(
            r'<g data-x="([^"]*)" data-w="([^"]*)"><title>(.*?)</title>'
            r'<rect x="[^"]*" y="([^"]*)"', part):
        name, rest = title.rsplit(": ", 1)
        found[round(float(y) / 17), name] = (round(float(x), 1), round(float(width), 1),
                                             rest.split(", ")[1])
    return found


@stacks
def flames(test):
    """Each function's box is as wide as the time below it, and lies below its caller's."""
    t = four()
    section(t, 6000, 10, 9)
    wait(t, 7000, 100, 2)
    wrong, page, _ = make_page(test, t.write(test.path("flames")))
    want = {(0, "all"): (0, 960, "100.00\u00a0%"), (1, "entry"): (0, 960, "100.00\u00a0%"),
            (2, "do_fault"): (0, 160, "16.67\u00a0%"), (2, "odd;name"): (160, 80, "8.33\u00a0%")}
    for depth, name in enumerate(("sys_write", "pipe_write", "wake_up_process",
                                  "try_to_wake_up")):
        want[2 + depth, name] = (240, 720, "75.00\u00a0%")
    return wrong + differ(boxes(page, "flame-hold"), want) + \
        differ(boxes(page, "flame-wait"), {k: (0, 960, "100.00\u00a0%") for k in (
            (0, "all"), (1, "entry"), (2, "do_fault"))})


@stacks
def no_flames(test):
    """Without stacks there is none; names are not taken for tags."""
    t = new(None)
    section(t, 1000, 10)
    wrong, page, _ = make_page(test, t.write(test.path("none")))
    if "flame-hold" in page:
        wrong.append("a flame graph of nothing")
    t = four()
    t.file("info/kallsyms", KALLSYMS.replace("pipe_write", HOSTILE.replace(" ", "")))
    more, page, p = make_page(test, t.write(test.path("hostile")))
    if "img" in p.tags:
        wrong.append("a name became a tag")
    return wrong + more


@stacks
def longest_have_theirs(test):
    """The longest sections say on which way they ended."""
    t = four()
    have, _ = report(test, t)
    said = test.ft("report", "--longest", "2", t.write(test.path("longest"))).stdout
    path = "try_to_wake_up < wake_up_process < pipe_write < sys_write < entry"
    return differ([row.get("path") for row in have["longest"]],
                  [path, None, path, "do_fault < entry", path]) + \
        ([] if said.count("          in " + path) == 1 else ["not said: " + said])


@stacks
def why_has_theirs(test):
    """Sections and waits that are taken apart have their stacks, and no other one's."""
    t = Tasks()
    t.clock["events"] = [*t.clock["events"], STACK]
    t.file("info/kallsyms", KALLSYMS)
    t.file("info/stacks", text())
    t.switch(1000, 0, 0, "R", 5)
    t.switch(1000, 1, 0, "R", 6)
    t.acquire(1010, 0, 5, "mutex", LOCK)
    t.wait(1100, 1, 6, LOCK, 32)
    t.release(1500, 0, 5, "mutex", LOCK)
    stack(t, 1501, 0, 5, SECTION, 2)
    t.waited(1510, 1, 6, LOCK)
    stack(t, 1511, 1, 6, WAIT, 1)
    t.acquire(1520, 1, 6, "mutex", LOCK)
    t.release(1530, 1, 6, "mutex", LOCK)
    t.switch(1600, 0, 5, "S", 0)
    t.switch(1600, 1, 6, "S", 0)
    r = taken_apart(test, t.write(test.path("why")))
    bad = differ({(kind, i["task"]): i.get("stack") for kind in ("held", "waited")
                  for i in r[kind]["longest"]},
                 {("held", 5): ["do_fault", "entry"], ("held", 6): None,
                  ("waited", 6): ["try_to_wake_up", "wake_up_process", "pipe_write",
                                  "sys_write", "entry"]})
    said = test.ft("why", t.write(test.path("said"))).stdout
    return bad + [w for w in ("in do_fault < entry", "in try_to_wake_up < wake_up_process")
                  if said.count(w) != 1]
