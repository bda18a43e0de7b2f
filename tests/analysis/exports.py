# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""ft export against the truth, its output read by other programs."""

import csv
import datetime
import io
import json
import os
import shutil
import subprocess
from collections import Counter, defaultdict
from decimal import Decimal
from fractions import Fraction

from cases import CASES
from gen_trace import HARDIRQ, HEADER, NMI, SOFTIRQ, SPINNING, Trace
from model import ns
from simulate import Machine

EXPORTS = []
JQ = shutil.which("jq")
CONTEXTS = {0: "task", SOFTIRQ: "softirq", SOFTIRQ | HARDIRQ: "hardirq",
            HARDIRQ: "hardirq", NMI: "nmi"}


def export(f):
    EXPORTS.append(f)
    return f


def run(test, form, path, *args, status=None):
    r = test.ft("export", "-f", form, *args, path)
    if r.returncode not in ((0, 3) if status is None else (status,)):
        raise ValueError("exit status %d: %s" % (r.returncode, r.stderr))
    return r.stdout


def rows(text):
    return list(csv.DictReader(io.StringIO(text, newline=""), strict=True))


def differ(what, have, want):
    """Multisets of tuples: what is too much, what is missing."""
    have, want = Counter(have), Counter(want)
    return ["%s: too much: %s" % (what, t) for t in (have - want)][:5] + \
        ["%s: missing: %s" % (what, t) for t in (want - have)][:5]


def start_of(trace):
    """The first time in any header of a packet with records."""
    return min(HEADER.unpack(p[:96])[4] for s in trace.streams.values()
               for p in s.packets if len(p) > 96)


def wall(trace, ts):
    clock = dict({"offset_s": 1700000000, "offset": 0}, **trace.clock)
    at = clock["offset_s"] * 10**9 + \
        (clock["offset"] + ts) * 10**9 // trace.freq
    day = datetime.datetime(1970, 1, 1) + \
        datetime.timedelta(seconds=at // 10**9)
    return day.strftime("%Y-%m-%dT%H:%M:%S") + ".%09dZ" % (at % 10**9)


# Chrome trace events.

def micro(value):
    """Nanoseconds, as Perfetto makes them: multiplied and cut."""
    n = int(value * 1000)
    if Decimal(repr(value)).quantize(Decimal("0.001")) * 1000 != n:
        raise ValueError("%r us would not become whole nanoseconds" % value)
    return n


def parse_chrome(text):
    """(slices, instants, problems): what a viewer makes of the events."""
    events, bad = json.loads(text)["traceEvents"], []
    slices, instants, open_async, names = [], [], {}, {}
    for e in events:
        key = (e["pid"], e["tid"])
        if e["ph"] == "M":
            if (key, e["name"]) in names:
                bad.append("named twice: %s" % e)
            names[key, e["name"]] = e["args"]
        elif e["ph"] == "X":
            slices.append((e, micro(e["ts"]), micro(e["dur"]), key))
        elif e["ph"] == "b":
            open_async[e["id"]] = e
        elif e["ph"] == "e":
            b = open_async.pop(e["id"])
            slices.append((b, micro(b["ts"]), micro(e["ts"]) - micro(b["ts"]),
                           ("async", e["id"])))
        else:
            instants.append(e)
    tracks = defaultdict(list)
    for e, start, length, track in slices:
        tracks[track].append((start, -length))
        named = (e["pid"], e["tid"]), "thread_name"
        if named not in names or ((e["pid"], 0), "process_name") not in names:
            bad.append("the track of %s has no name" % e)
        elif not names[named]["name"].endswith(
                str(e["args"]["cpu"] if e["args"]["family"] in SPINNING or
                    not e["args"]["tid"] else e["args"]["tid"])):
            bad.append("%s is on the track %s" % (e, names[named]))
    for track, mine in tracks.items():
        ends = []
        for start, length in sorted(mine):
            while ends and ends[-1] <= start:
                ends.pop()
            if ends and start - length > ends[-1]:
                bad.append("slices do not nest on track %s" % (track,))
            ends.append(start - length)
    if open_async:
        bad.append("asynchronous events without an end")
    return slices, instants, bad


def of_chrome(e, length):
    a = e["args"]
    own = "spinning" if a["family"] in SPINNING else "sleeping"
    return (a["family"], int(a["site"], 16), length, a["depth_" + own],
            a["depth_both"])


def check_case(test, trace, truth):
    path = trace.write(test.path("export"))
    freq, bad = trace.freq, []
    have = rows(run(test, "csv", path))
    # where a gap is open on another CPU, that depth is not known
    both = not any(k == ("depth", "both") for k in truth.ignored)
    bad += differ("csv", [(
        r["family"], int(r["site"], 16), r["length_ns"],
        int(r["depth_spinning" if r["family"] in SPINNING else
              "depth_sleeping"]), int(r["depth_both"]) * both) for r in have],
        [(s.family, s.site, ns(s.length, freq), s.depth, s.both * both)
         for s in truth.sections])
    text = run(test, "chrome", path)
    slices, _, wrong = parse_chrome(text)
    got = Counter((s[0]["args"]["family"], s[0]["args"]["site"]) for s in slices)
    bad += wrong + differ("chrome", got.elements(), [
        (s.family, "0x%x" % s.site) for s in truth.sections])
    # each slice is a row: start and end rounded down to nanoseconds
    bad += differ("chrome and csv", [
        (s, s + d, e["args"]["lock"], e["args"]["depth_both"], e["args"]["tid"])
        for e, s, d, _ in slices], [
        (int(Decimal(r["start_ns"])), int(Decimal(r["end_ns"])), r["lock"],
         int(r["depth_both"]), int(r["tid"])) for r in have])
    return bad


@export
def cases(test):
    """Every trace made by hand, in both formats."""
    bad = []
    for make in CASES:
        if make.__name__ not in ("huge_times", "huge_sums"):  # beyond what doubles hold
            bad += ["%s: %s" % (make.__name__, b)
                    for b in check_case(test, *make())]
    return bad


def machine(seed, losses):
    trace, known = Machine(seed, losses=losses, cpus=1 + seed % 4).run()
    return known, trace, known.truth()


def full_rows(m, trace):
    """All columns of all complete sections."""
    t0, out = start_of(trace), []
    for s in m.sections:
        if m.cut(s) or not s.seen_start:
            continue
        own, both = m.depths(s)
        out.append((ns(s.start - t0, trace.freq), ns(s.end - t0, trace.freq),
                    ns(s.end - s.start, trace.freq), wall(trace, s.start),
                    s.family, own, both if not m.gaps else 0, s.cpu, s.task,
                    CONTEXTS[s.ctx], "0x%x" % s.lock, "", "0x%x" % s.site, ""))
    return out


@export
def by_chance(test):
    """Every column of every row; locks are often released out of order."""
    bad, tracks = [], set()
    for seed in range(8):
        m, trace, truth = machine(seed, 0.01 * (seed % 2))
        bad += check_case(test, trace, truth)
        path = os.path.join(test.work, "export")
        own = {True: "depth_spinning", False: "depth_sleeping"}
        bad += differ("csv", [(
            r["start_ns"], r["end_ns"], r["length_ns"], r["start_time"],
            r["family"], int(r[own[r["family"] in SPINNING]]),
            int(r["depth_both"]) if not m.gaps else 0, int(r["cpu"]),
            int(r["tid"]), r["context"], r["lock"], r["lock_symbol"], r["site"],
            r["site_symbol"]) for r in rows(run(test, "csv", path))],
            full_rows(m, trace))
        tracks |= {s[3][0] for s in
                   parse_chrome(run(test, "chrome", path))[0]}
    if not any(p > 3 for p in tracks):
        bad.append("no section was on an overlapping track: nothing was tested")
    return bad


@export
def hand_over_hand(test):
    """A chain of locks: three tracks' worth of overlap on two tracks."""
    t = Trace()
    for i in range(6):
        t.acquire(1000 + 100 * i, 0, 5, "spin", 0x100 + i)
        t.acquire(1005 + 100 * i, 1, 6, "mutex", 0x200 + i)
        if i:
            t.release(1050 + 100 * i, 0, 5, "spin", 0x100 + i - 1)
            t.release(1055 + 100 * i, 1, 6, "mutex", 0x200 + i - 1)
    t.release(2000, 0, 5, "spin", 0x105)
    t.release(2005, 1, 6, "mutex", 0x205)
    slices, _, bad = parse_chrome(run(test, "chrome",
                                      t.write(test.path("export")), status=0))
    have = [(e["args"]["lock"], s, d, k[0]) for e, s, d, k in slices]
    want = []
    for i in range(6):
        end = 1150 + 100 * i if i < 5 else 2000
        for family, at in (0, 0), (1, 5):
            want.append(("0x%x" % (0x100 * (family + 1) + i), 100 * i + at,
                         end - 1000 - 100 * i, 1 + family + 4 * (i % 2)))
    return bad + differ("slices", have, want)


@export
def moments(test):
    """Losses and marks are instants; interrupts have a category of their own."""
    t = Trace()
    for i, ctx in enumerate(CONTEXTS):
        t.acquire(1000 + 10 * i, 0, 5, "spin", 0xa0, ctx=ctx)
        t.release(1005 + 10 * i, 0, 5, "spin", 0xa0, ctx=ctx)
    t.cpu(0).lose(4)
    t.cpu(0).add(2000, 1, 5, 7, 2**64 - 1)
    slices, instants, bad = parse_chrome(
        run(test, "chrome", t.write(test.path("export")), status=3))
    bad += differ("categories", [e["cat"] for e, *_ in slices], [
        "spin" + ("," + c if c != "task" else "") for c in CONTEXTS.values()])
    bad += differ("contexts", [e["args"]["context"] for e, *_ in slices],
                  CONTEXTS.values())
    return bad + differ("instants", [
        (e["name"], micro(e["ts"]), e["tid"], e["args"].get("lost_so_far"),
         e["args"].get("a"), e["args"].get("b")) for e in instants],
        [("records lost", 45, 0, 4, None, None),
         ("mark", 1000, 0, None, "7", str(2**64 - 1))])


@export
def odd_symbols(test):
    """Names with the signs that CSV and JSON need quotes for."""
    t = Trace()
    t.acquire(100, 0, 5, "spin", 0xffffffff82000000, site=0xffffffff81001023)
    t.release(200, 0, 5, "spin", 0xffffffff82000000)
    t.file("info/kallsyms", 'ffffffff81001000 T odd,"name"\\\n'
                            "ffffffff82000000 D lock,1\n")
    path = t.write(test.path("export"))
    bad, name = [], 'odd,"name"\\+0x23'
    row, = rows(run(test, "csv", path))
    if row["site_symbol"] != name or row["lock_symbol"] != "lock,1":
        bad.append("csv: %s" % row)
    (e, *_), = parse_chrome(run(test, "chrome", path))[0]
    if e["name"] != name or e["args"]["lock_symbol"] != "lock,1":
        bad.append("chrome: %s" % e)
    return bad


@export
def task_names(test):
    """Tracks of tasks are called like these, as far as that is known."""
    t = Trace()
    for tid in (5, 6, 7):
        t.acquire(100 * tid, 0, tid, "mutex", tid)
        t.release(100 * tid + 50, 0, tid, "mutex", tid)
    t.file("info/tasks", '5\tmake\n6\todd "\\\\\xc3\n0\tnobody\n')
    events = json.loads(run(test, "chrome", t.write(test.path("export"))))
    return differ("tracks", [
        e["args"]["name"] for e in events["traceEvents"]
        if e["name"] == "thread_name"],
        ["make 5", 'odd "\\\\\xc3 6', "task 7"])


@export
def programs(test):
    """Sections of a program have no CPU; a gap of theirs is not that of a CPU; what is a
    lock by its number among those of CPUs is none among those of programs."""
    t = Trace()
    t.acquire(100, 2, 5, "pthread_mutex", 0xa0)
    t.acquire(110, 2, 5, "mutex", 0xb0)
    t.release(120, 2, 5, "mutex", 0xb0)
    t.release(130, 2, 5, "pthread_mutex", 0xa0)
    t.thread(2).add(140, 16, 5, 1, 2)
    t.thread(2).add(150, 17, 5, 1, 2)
    t.thread(2).lose(1)
    t.thread(2).add(200, 16, 5, 1, 2)
    path = t.write(test.path("export"))
    bad = differ("csv", [
        (r["family"], r["cpu"], r["depth_both"], r["depth_program"])
        for r in rows(run(test, "csv", path, status=3))],
        [("mutex", "2", "0", "1"), ("pthread_mutex", "", "0", "0")])
    slices, instants, wrong = parse_chrome(run(test, "chrome", path, status=3))
    bad += wrong + differ("one track", [(2, 5), (2, 5)], [
        (e["pid"], e["tid"]) for e, *_ in slices])
    bad += differ("no CPU", [2, None], [e["args"].get("cpu") for e, *_ in slices])
    return bad + differ("gap", [(4, 2, 2)], [
        (e["pid"], e["tid"], e["args"]["ring"]) for e in instants])


# The scheduler's and the interrupts' events, as module/typed.c has them.

TYPES = 'typealias integer { size = 16; align = 16; signed = true; } := prio_t;\n' \
    'typealias enum : uint16_t { "R" = 0, "S" = 1, "D" = 2, "X" = 0x80, "R+" = 0x100 } := state_t;\n' \
    'typealias enum : uint32_t { "TIMER" = 1, "RCU" = 9 } := softirq_t;\n' \
    'typealias integer { size = 64; align = 64; signed = false; base = 16; } := code_t;\n'
ON_CPU = "uint32_t on_cpu"
TYPED = {
    "sched_switch": (100, "tid_t next; uint16_t policy; prio_t next_prio",
                     "state_t prev_state; uint16_t _ft_unused_0; uint16_t _ft_unused_1; prio_t p"),
    "sched_waking": (101, "tid_t task; uint16_t policy; prio_t task_prio",
                     "tid_t process; uint32_t target_cpu"),
    "sched_wakeup": (102, "tid_t task; uint16_t policy; prio_t task_prio",
                     "tid_t process; uint32_t target_cpu"),
    "irq_handler_entry": (103, "uint32_t irq; " + ON_CPU, "code_t handler"),
    "irq_handler_exit": (104, "uint32_t irq; " + ON_CPU, "int64_t ret"),
    "softirq_entry": (105, "softirq_t vec; " + ON_CPU, "uint64_t _ft_unused_0"),
    "softirq_exit": (106, "softirq_t vec; " + ON_CPU, "uint64_t _ft_unused_0"),
    "hrtimer_expire_entry": (107, "word_t timer", "code_t function"),
    "hrtimer_expire_exit": (108, "word_t timer", "uint64_t _ft_unused_0"),
    "sys_enter": (109, "uint32_t id; tid_t task", "word_t first"),
    "sys_exit": (110, "uint32_t id; tid_t task", "int64_t ret"),
}
STATES = {"R": 0, "S": 1, "D": 2, "X": 0x80, "R+": 0x100}


class Typed(Trace):
    def __init__(self, **more):
        super().__init__(events=[(n, name, a, b) for name, (n, a, b) in TYPED.items()],
                         types=TYPES, **more)

    def typed(self, ts, cpu, tid, name, low, high=0, b=0, ctx=0):
        self.cpu(cpu).add(ts, TYPED[name][0], tid, high << 32 | low, b, ctx)

    def switch(self, ts, cpu, prev, state, to):
        self.typed(ts, cpu, prev, "sched_switch", to, 120 << 16, STATES[state] | 120 << 48)


def told(text, start=1000):
    """(spans by process, arrows): (begin, end, track, name) each."""
    events, names = json.loads(text)["traceEvents"], {}
    spans, arrows = defaultdict(list), defaultdict(dict)
    for e in events:
        if e["ph"] == "M" and e["name"] == "process_name":
            names[e["pid"]] = e["args"]["name"]
    for e in events:
        if e["ph"] == "X":
            begin = micro(e["ts"]) + start
            spans[names[e["pid"]]].append(
                (begin, begin + micro(e["dur"]), e["tid"], e["name"]))
        elif e["ph"] in "sf":
            arrows[e["id"]][e["ph"]] = (micro(e["ts"]) + start, names[e["pid"]], e["tid"])
            if e["ph"] == "f" and e["bp"] != "e":
                raise ValueError("an arrow to the next slice: %s" % e)
    return spans, [(a["s"], a["f"]) for a in arrows.values()]


@export
def threads(test):
    """What threads and CPUs do, by hand: each state, arrow, interrupt, and system call."""
    t = Typed()
    t.switch(1000, 0, 0, "R", 5)                # the idle task has no states
    t.typed(1100, 0, 5, "sys_enter", 7, 5)
    t.switch(1200, 0, 5, "S", 6)
    t.typed(1250, 0, 6, "irq_handler_entry", 24, 0, 0xffffffff81001000, HARDIRQ)
    t.typed(1260, 0, 6, "hrtimer_expire_entry", 0xa0, 0, 0xffffffff81001000, HARDIRQ)
    t.typed(1270, 0, 6, "sched_waking", 5, 120 << 16, 0, HARDIRQ)
    t.typed(1275, 0, 6, "sched_wakeup", 5, 120 << 16, 0, HARDIRQ)   # it is awake already
    t.typed(1280, 0, 6, "hrtimer_expire_exit", 0xa0, 0, 0, HARDIRQ)
    t.typed(1290, 0, 6, "irq_handler_exit", 24, 0, 1, HARDIRQ)
    t.switch(1300, 0, 6, "R+", 5)
    t.typed(1310, 0, 5, "sys_exit", 7, 5)
    t.typed(1320, 0, 5, "sys_exit", 8, 5)       # its beginning was not recorded
    t.switch(1330, 1, 0, "R", 7)
    t.switch(1350, 1, 7, "D", 0)
    t.typed(1360, 0, 5, "sched_waking", 7, 120 << 16)
    t.typed(1365, 1, 0, "sched_waking", 8, 120 << 16)   # by the idle task: no arrow
    t.switch(1370, 1, 0, "R", 7)
    t.typed(1385, 1, 7, "softirq_entry", 9, 0, 0, SOFTIRQ)
    t.typed(1390, 1, 7, "softirq_exit", 1, 0, 0, SOFTIRQ)   # another one's
    t.typed(1395, 1, 7, "softirq_exit", 9, 0, 0, SOFTIRQ)
    t.switch(1400, 0, 5, "X", 6)                # it ends: no state is left
    t.typed(1410, 1, 7, "sys_enter", 15, 7)
    t.typed(1420, 1, 7, "sys_exit", 2**32 - 1, 7)   # from a signal's handler
    t.typed(1500, 1, 7, "sys_enter", 9, 7)      # the end
    t.file("info/kallsyms", "ffffffff81001000 T handle\n")
    t.file("info/tasks", "5\tmake\n")
    spans, arrows = told(run(test, "chrome", t.write(test.path("export")), status=0))
    bad = differ("threads", spans["Threads"], [
        (1000, 1200, 5, "runs"), (1200, 1270, 5, "asleep"), (1270, 1300, 5, "ready"),
        (1300, 1400, 5, "runs"), (1200, 1300, 6, "runs"), (1300, 1400, 6, "preempted"),
        (1400, 1500, 6, "runs"), (1330, 1350, 7, "runs"),
        (1350, 1360, 7, "asleep, uninterruptible"), (1360, 1370, 7, "ready"),
        (1370, 1500, 7, "runs"), (1365, 1500, 8, "ready")])
    bad += differ("CPUs", spans["CPUs: what runs"], [
        (1000, 1200, 0, "make 5"), (1200, 1300, 0, "task 6"), (1300, 1400, 0, "make 5"),
        (1400, 1500, 0, "task 6"), (1330, 1350, 1, "task 7"), (1370, 1500, 1, "task 7")])
    bad += differ("interrupts", spans["CPUs: interrupts"], [
        (1250, 1290, 0, "irq_handler 24"), (1260, 1280, 0, "hrtimer_expire handle"),
        (1385, 1395, 1, "softirq RCU")])
    bad += differ("calls", spans["Threads: system calls"], [
        (1100, 1310, 5, "system call 7"), (1410, 1420, 7, "system call 15")])
    return bad + differ("arrows", arrows, [
        ((1270, "CPUs: interrupts", 0), (1270, "Threads", 5)),
        ((1360, "Threads", 5), (1360, "Threads", 7))])


@export
def threads_across_gaps(test):
    """After a gap nothing is known of its CPU, nor whether a thread still sleeps."""
    t = Typed()
    t.switch(1000, 0, 9, "S", 5)
    t.switch(1010, 1, 8, "S", 6)
    t.typed(1050, 0, 5, "sys_enter", 7, 5)
    t.typed(1060, 0, 5, "irq_handler_entry", 24, 0, 0, HARDIRQ)
    t.cpu(0).lose(3)
    t.typed(1200, 0, 5, "irq_handler_exit", 24, 0, 0, HARDIRQ)
    t.typed(1210, 0, 5, "sys_exit", 7, 5)
    t.switch(1300, 0, 5, "S", 9)
    t.switch(1400, 1, 6, "S", 8)
    t.switch(1500, 1, 8, "S", 0)
    spans, arrows = told(run(test, "chrome", t.write(test.path("export")), status=3))
    return differ("threads", spans["Threads"], [
        (1000, 1060, 5, "runs"), (1200, 1300, 5, "runs"), (1010, 1400, 6, "runs"),
        (1300, 1500, 5, "asleep"), (1300, 1500, 9, "runs"),
        (1400, 1500, 6, "asleep"), (1400, 1500, 8, "runs")]) + differ(
        "CPUs", spans["CPUs: what runs"], [
            (1000, 1060, 0, "task 5"), (1200, 1300, 0, "task 5"), (1010, 1400, 1, "task 6"),
            (1300, 1500, 0, "task 9"), (1400, 1500, 1, "task 8")]) + \
        differ("interrupts", spans["CPUs: interrupts"] + spans["Threads: system calls"] + arrows,
               [])


@export
def threads_in_a_gap(test):
    """What begins while a CPU's records are lost is not known to go on."""
    t = Typed()
    t.switch(1000, 0, 0, "R", 5)
    t.cpu(0).lose(5)
    t.switch(1100, 1, 7, "S", 8)        # it may be woken, and sleep again, on the other CPU
    t.typed(1110, 1, 8, "sys_enter", 7, 8)
    t.typed(1500, 0, 5, "sys_enter", 1, 5)
    t.typed(1600, 1, 8, "sys_exit", 7, 8)
    t.typed(1900, 1, 8, "sched_waking", 7, 120 << 16)
    t.switch(2000, 1, 8, "S", 7)
    spans, _ = told(run(test, "chrome", t.write(test.path("export")), status=3))
    return differ("threads", spans["Threads"], [
        (1500, 2000, 5, "runs"), (1100, 2000, 8, "runs"), (1900, 2000, 7, "ready")]) + \
        differ("calls", spans["Threads: system calls"], [])


@export
def threads_wakers(test):
    """An arrow begins at who has woken, not at whom that interrupted."""
    t = Typed()
    for tid in (7, 8, 9, 10):
        t.switch(1000 + tid, 1, tid, "S", tid + 1)
    t.switch(1000, 0, 0, "R", 5)
    t.typed(1100, 0, 5, "sched_waking", 7, 120 << 16, 0, HARDIRQ)   # of no recorded interrupt
    t.typed(1200, 0, 5, "softirq_entry", 9, 0, 0, SOFTIRQ)          # its end is not recorded
    t.typed(1210, 0, 5, "sched_waking", 8, 120 << 16)
    t.typed(1220, 0, 5, "sched_waking", 9, 120 << 16, 0, SOFTIRQ)
    t.typed(1300, 1, 11, "sched_wakeup", 10, 120 << 16)     # where it will run: nobody woke it here
    t.typed(1400, 0, 5, "sched_waking", 5, 120 << 16, 0, HARDIRQ)   # it runs
    t.switch(1500, 0, 5, "D", 0)
    spans, arrows = told(run(test, "chrome", t.write(test.path("export")), status=0))
    return differ("arrows", arrows, [((1210, "Threads", 5), (1210, "Threads", 8))]) + differ(
        "threads", [s for s in spans["Threads"] if s[3] != "asleep"], [
            (1000, 1500, 5, "runs"), (1100, 1500, 7, "ready"), (1210, 1500, 8, "ready"),
            (1220, 1500, 9, "ready"), (1300, 1500, 10, "ready"), (1008, 1009, 9, "runs"),
            (1009, 1010, 10, "runs"), (1007, 1008, 8, "runs"), (1010, 1500, 11, "runs")])


@export
def threads_about_to_sleep(test):
    """Woken before it has left its CPU; and by a signal, so that it never slept."""
    t = Typed()
    t.switch(1000, 0, 0, "R", 7)
    t.switch(1010, 1, 0, "R", 5)
    t.typed(1020, 1, 5, "sched_wakeup", 9, 120 << 16)       # these are recorded
    t.typed(1100, 1, 5, "sched_waking", 7, 120 << 16)
    t.switch(1101, 0, 7, "S", 9)
    t.switch(1200, 0, 9, "S", 7)
    t.typed(1250, 1, 5, "sched_waking", 7, 120 << 16)       # too early
    t.typed(1251, 1, 5, "sched_wakeup", 7, 120 << 16)
    t.switch(1300, 0, 7, "S", 0)
    t.switch(1400, 0, 0, "R", 7)
    t.typed(1500, 0, 7, "sys_enter", 1, 7)
    spans, arrows = told(run(test, "chrome", t.write(test.path("export")), status=0))
    return differ("arrows", arrows, [((1100, "Threads", 5), (1101, "Threads", 7))]) + differ(
        "threads", spans["Threads"], [
            (1000, 1101, 7, "runs"), (1101, 1200, 7, "ready"), (1200, 1300, 7, "runs"),
            (1300, 1400, 7, "preempted"), (1400, 1500, 7, "runs"), (1010, 1500, 5, "runs"),
            (1020, 1101, 9, "ready"), (1101, 1200, 9, "runs"), (1200, 1500, 9, "asleep")])


@export
def threads_get_another_number(test):
    """A thread that executes a program gets the number of its process."""
    t = Typed()
    t.switch(1000, 0, 0, "R", 11)
    t.switch(1010, 1, 10, "X", 0)
    t.typed(1100, 0, 11, "sys_enter", 59, 11)
    t.typed(1200, 0, 10, "sys_exit", 59, 10)
    t.switch(1300, 0, 10, "S", 20)
    t.switch(1400, 0, 20, "S", 0)
    spans, _ = told(run(test, "chrome", t.write(test.path("export")), status=0))
    return differ("threads", spans["Threads"], [
        (1000, 1100, 11, "runs"), (1200, 1300, 10, "runs"), (1300, 1400, 10, "asleep"),
        (1300, 1400, 20, "runs")]) + differ("CPUs", spans["CPUs: what runs"], [
            (1000, 1100, 0, "task 11"), (1200, 1300, 0, "task 10"), (1300, 1400, 0, "task 20")])


@export
def threads_filtered(test):
    """What is left out is looked at all the same."""
    t = Typed()
    t.switch(1000, 1, 0, "R", 7)
    t.switch(1100, 1, 7, "S", 0)
    t.typed(1150, 0, 0, "sched_waking", 7, 120 << 16)
    t.switch(1160, 0, 0, "R", 7)
    t.switch(1800, 0, 7, "S", 0)
    t.typed(1850, 0, 0, "softirq_entry", 9, 0, 0, SOFTIRQ)
    t.typed(1860, 0, 0, "sched_waking", 7, 120 << 16, 0, SOFTIRQ)
    t.typed(1870, 0, 0, "softirq_exit", 9, 0, 0, SOFTIRQ)
    t.switch(1900, 1, 0, "R", 7)
    t.switch(2000, 1, 7, "S", 0)
    path, bad = t.write(test.path("export")), []
    of_one = [(1000, 1100, 7, "runs"), (1100, 1150, 7, "asleep"), (1150, 1160, 7, "ready"),
              (1900, 2000, 7, "runs")]
    rest = [(1160, 1800, 7, "runs"), (1800, 1860, 7, "asleep"), (1860, 1900, 7, "ready")]
    for options, want, interrupts in (
            (["--cpu=1"], of_one, 0), (["--cpu=0"], rest, 1), (["--task=7"], of_one + rest, 0),
            (["--task=0"], [], 0), (["--from=0.00000086"], [(1860, 1900, 7, "ready"), of_one[3]], 0)):
        spans, _ = told(run(test, "chrome", path, *options, status=0))
        bad += differ(" ".join(options), spans["Threads"], want)
        bad += differ(" ".join(options), [len(spans["CPUs: interrupts"])], [interrupts])
    return bad


@export
def threads_out_of_order(test):
    """A lock that looks taken before it was released holds back no thread's events."""
    t = Typed(early=True)
    t.acquire(1000, 0, 5, "spin", 0xa0)
    t.typed(1015, 1, 8, "sys_enter", 0, 8)
    t.acquire(1020, 1, 8, "spin", 0xa0)
    t.typed(1030, 1, 8, "sys_exit", 0, 8)
    t.release(1040, 0, 5, "spin", 0xa0)
    t.typed(1045, 0, 8, "sys_enter", 0, 8)
    t.release(1050, 1, 9, "spin", 0xa0)
    t.typed(1060, 0, 8, "sys_exit", 0, 8)
    spans, _ = told(run(test, "chrome", t.write(test.path("export")), status=0))
    return differ("calls", spans["Threads: system calls"], [
        (1015, 1030, 8, "system call 0"), (1045, 1060, 8, "system call 0")])


@export
def no_wall_clock(test):
    t = Trace(offset_s=0)
    t.acquire(100, 0, 5, "spin", 1)
    t.release(200, 0, 5, "spin", 1)
    row, = rows(run(test, "csv", t.write(test.path("export"))))
    return [] if row["start_time"] == "" else [str(row)]


@export
def filters(test):
    m, trace, _ = machine(2, 0)
    path, bad = trace.write(test.path("export")), []
    every = rows(run(test, "csv", path))
    starts = sorted(Fraction(r["start_ns"]) for r in every)
    low = -(-starts[len(starts) // 4] // 1)
    # to the very nanosecond at which one begins: that one is out
    exact = sorted(Fraction(r["start_ns"]) for r in every if r["cpu"] == "1")
    high = [start for start in exact[:len(exact) * 3 // 4] if start.denominator == 1][-1]
    seconds = ["%d.%09d" % divmod(int(x), 10**9) for x in (low, high)]
    for args, want in (
            (["--family", "spin,rwsem_*"], lambda r: r["family"] in (
                "spin", "rwsem_read", "rwsem_write")),
            (["--cpu", "0,2"], lambda r: r["cpu"] in ("0", "2")),
            (["--cpu", "1-2"], lambda r: r["cpu"] in ("1", "2")),
            (["--from", seconds[0]], lambda r: Fraction(r["start_ns"]) >= low),
            (["--to", seconds[1], "--from=" + seconds[0], "--cpu=1"],
             lambda r: low <= Fraction(r["start_ns"]) < high and
             r["cpu"] == "1")):
        have = rows(run(test, "csv", path, *args))
        if have != [r for r in every if want(r)]:
            bad.append("%s: %d rows, not %d" % (
                args, len(have), len([r for r in every if want(r)])))
        if not have or len(have) == len(every):
            bad.append("%s: nothing was tested" % args)
    return bad


@export
def other_readers(test):
    """jq reads the JSON to its end, from a file that --output made."""
    _, trace, _ = machine(1, 0.01)
    path, bad = trace.write(test.path("export")), []
    name = os.path.join(test.work, "export.json")
    run(test, "chrome", path, "--output", name)
    with open(name) as f:
        text = f.read()
    if text != run(test, "chrome", path):
        bad.append("--output writes something else than standard output")
    r = JQ and subprocess.run([JQ, "-e", ".traceEvents | length", name],
                              capture_output=True, text=True, timeout=60)
    if r and (r.returncode or
              int(r.stdout) != len(json.loads(text)["traceEvents"])):
        bad.append("jq: " + r.stderr + r.stdout)
    return bad


@export
def usage(test):
    path, bad = Trace().write(test.path("export")), []
    for args, status, word in (
            ([path], 2, "--format"), (["-f", "xml", path], 2, "'xml'"),
            (["-f", "csv"], 2, "which trace"),
            (["-f", "csv", path, path], 1, "is not a part of a rotated recording"),
            (["-f", "csv", "--family", "spim", path], 2, "'spin'"),
            (["-f", "csv", "--cpu", "3-1", path], 2, "'3-1'"),
            (["-f", "csv", "--cpu", "", path], 2, "''"),
            (["-f", "csv", "--from", "x", path], 2, "'x'"),
            (["-f", "csv", "--from", "99999999999999", path], 2, "--from"),
            (["-f", "csv", "--from", "2", "--to=1.5", path], 2, "nothing is left"),
            (["-f", "csv", "-o", "/no/such/file", path], 1, "cpu0"),
            (["--nonsense"], 2, "nonsense"), (["--help"], 0, "")):
        r = test.ft("export", *args)
        if r.returncode != status or word not in r.stderr:
            bad.append("%s: exit status %d: %s" % (args, r.returncode, r.stderr))
    t = Trace()
    t.acquire(100, 0, 5, "spin", 1)
    t.release(200, 0, 5, "spin", 1)
    t.write(path)
    for args, word in ((["--cpu", "5"], "no CPU 5"),
                       (["-o", "/no/such/file"], "/no/such/file")):
        r = test.ft("export", "-f", "csv", *args, path)
        if r.returncode != 1 or word not in r.stderr:
            bad.append("%s: exit status %d: %s" % (args, r.returncode, r.stderr))
    return bad
