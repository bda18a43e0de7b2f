# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""What threads and CPUs do, as ft export -f chrome draws it, against the truth."""

import json
from collections import defaultdict

from exports import differ, micro, run
from gen_trace import HARDIRQ, SOFTIRQ, Trace
from typed_trace import CALLS, INTERRUPTS, SCHEDULER, STATES, TIMERS, TYPES, events

THREADS = []


def case(f):
    THREADS.append(f)
    return f


TYPED = {**SCHEDULER, **INTERRUPTS, **TIMERS, **CALLS}


class Typed(Trace):
    EVENTS = TYPED

    def __init__(self, **more):
        super().__init__(events=events(self.EVENTS), types=TYPES, **more)

    def typed(self, ts, cpu, tid, name, low, high=0, b=0, ctx=0):
        self.cpu(cpu).add(ts, self.EVENTS[name][0], tid, high << 32 | low, b, ctx)

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


@case
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


@case
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


@case
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


@case
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


@case
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


@case
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


@case
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


@case
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
