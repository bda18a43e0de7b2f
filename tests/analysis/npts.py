# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Why turns of ft npt were long: traces made by hand, and what is said of turns."""

import os
import subprocess

from exports_threads import Typed
from gen_trace import HARDIRQ, SOFTIRQ, SPIN, Trace, WAITS
from typed_trace import TYPES, events

NPTS = []
LOOP = 50       # the loop's task


def case(f):
    NPTS.append(f)
    return f


class Locks(Typed):
    """With waits for them."""
    def __init__(self):
        Trace.__init__(self, events=events(self.EVENTS) + list(WAITS), types=TYPES)


def causes(test, trace, *turns, status=0):
    """A line for each turn."""
    program = os.path.join(os.path.dirname(test.program), "npt_causes")
    done = subprocess.run([program, trace.write(test.path("npt")), "0", str(LOOP),
                           *(str(at) for turn in turns for at in turn)], check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode != status:
        return ["status %d: %s" % (done.returncode, done.stderr)]
    return done.stdout.splitlines() if not status else done.stderr.splitlines()


def differ(want, got):
    return ["not %r, but %r" % pair for pair in zip(want, got) if pair[0] != pair[1]] + \
        ["%d lines, not %d" % (len(got), len(want))] * (len(got) != len(want))


def irq(t, begin, end, number=24, cpu=0):
    t.typed(begin, cpu, LOOP, "irq_handler_entry", number, 0, 0xffffffff81001000, HARDIRQ)
    t.typed(end, cpu, LOOP, "irq_handler_exit", number, 0, 1, HARDIRQ)


@case
def each_in_its_turn(test):
    """Interrupts and tasks of this CPU, cut to the turn, the longest first."""
    t = Typed()
    t.switch(1000, 0, 0, "R", LOOP)
    irq(t, 2000, 2400)
    irq(t, 2100, 2900, number=25, cpu=1)
    t.typed(2500, 0, LOOP, "softirq_entry", 9, 0, 0, SOFTIRQ)
    t.typed(2600, 0, LOOP, "softirq_exit", 9, 0, 0, SOFTIRQ)
    t.switch(5000, 0, LOOP, "R+", 7)
    t.switch(8000, 0, 7, "S", LOOP)
    t.switch(9000, 0, LOOP, "R+", 0)
    t.switch(9500, 0, 0, "R", LOOP)
    t.file("info/tasks", "7\tmake\n")
    return differ([
        "500 0:2000-2400:irq_handler 24 0:2500-2600:softirq RCU | irq_handler 24 400 ns, "
        "softirq RCU 100 ns",
        "0 | 1.00 us that was not recorded",
        "1000 0:5000-6000:task make 7 | task make 7 1.00 us",
        "1900 0:6100-8000:task make 7 | task make 7 1.90 us",
        "500 0:9000-9500:idle | idle 500 ns"],
                  causes(test, t, (1950, 2650), (3000, 4000), (4900, 6000), (6100, 8010),
                         (8990, 9510)))


@case
def nested(test):
    """What lies inside of what, also where times are the same."""
    t = Typed()
    t.switch(100, 0, 0, "R", LOOP)
    t.typed(1000, 0, LOOP, "irq_handler_entry", 24, 0, 0xffffffff81001000, HARDIRQ)
    t.typed(1000, 0, LOOP, "hrtimer_expire_entry", 0xa0, 0, 0xffffffff81001000, HARDIRQ)
    t.typed(3000, 0, LOOP, "hrtimer_expire_exit", 0xa0, 0, 0, HARDIRQ)
    t.typed(3000, 0, LOOP, "irq_handler_exit", 24, 0, 1, HARDIRQ)
    t.typed(3000, 0, LOOP, "softirq_entry", 9, 0, 0, SOFTIRQ)
    t.typed(3100, 0, LOOP, "softirq_exit", 9, 0, 0, SOFTIRQ)
    t.typed(3200, 0, LOOP, "sched_wakeup", 9)
    t.file("info/kallsyms", "ffffffff81001000 T handle\n")
    return differ([
        "2100 0:1000-3000:irq_handler 24 1:1000-3000:hrtimer_expire handle 0:3000-3100:softirq RCU"
        " | irq_handler 24 2.00 us: hrtimer_expire handle 2.00 us, softirq RCU 100 ns"],
                  causes(test, t, (900, 3150)))


@case
def held_locks(test):
    """The longest lock that keeps the CPU, of this CPU; one that was waited for comes first."""
    t = Locks()
    t.file("info/kallsyms", "ffffffff81001000 T handle\nffffffff82001000 D lock_a\n"
           "ffffffff82002000 D lock_b\nffffffff82003000 D end\n")
    a, b, other, site = 0xffffffff82001000, 0xffffffff82002000, 0xffffffff82002800, 0xffffffff81001010

    def held(cpu, begin, end, lock, family="spin"):
        t.acquire(begin, cpu, LOOP, family, lock, site, HARDIRQ)
        t.release(end, cpu, LOOP, family, lock, site, HARDIRQ)

    def entry(at):
        t.typed(at, 0, LOOP, "irq_handler_entry", 24, 0, 0xffffffff81001000, HARDIRQ)

    def leave(at):
        t.typed(at, 0, LOOP, "irq_handler_exit", 24, 0, 1, HARDIRQ)

    t.switch(100, 0, 0, "R", LOOP)
    held(1, 2000, 9000, other)      # not here
    held(0, 1100, 1990, other, "mutex")     # keeps no CPU
    held(0, 2010, 2090, a)
    entry(2100)
    held(0, 2200, 2700, b)
    leave(2800)
    # cut to the turn; nothing else was recorded
    held(0, 3900, 4300, a)
    # 600 ns of holding say less than 100 of waiting
    entry(5000)
    t.wait(5100, 0, LOOP, a, SPIN, HARDIRQ)
    t.waited(5200, 0, LOOP, a, 0, HARDIRQ)
    held(0, 5210, 5300, a)
    held(0, 5310, 5910, b)
    leave(6000)
    return differ([
        "700 0:2100-2800:irq_handler 24 | irq_handler 24 700 ns; holds spin lock lock_b for 500 ns "
        "at handle+0x10, 1.30 us that was not recorded",
        "0 | holds spin lock lock_a for 300 ns at handle+0x10, 1.00 us that was not recorded",
        "1000 0:5000-6000:irq_handler 24 | irq_handler 24 1.00 us; waits for spin lock lock_a for "
        "100 ns at handle+0x10"],
                  causes(test, t, (1000, 3000), (4000, 5000), (4999, 6001)))


@case
def gaps(test):
    """Of turns in a gap nothing is sure; of those before and after it is."""
    t = Typed()
    t.switch(100, 0, 0, "R", LOOP)
    irq(t, 1000, 2000)
    t.cpu(0).lose(7)
    irq(t, 20000, 20500)
    return differ([
        "999 0:1000-1999:irq_handler 24 | irq_handler 24 999 ns",
        "0 lost | records were lost",
        "0 lost | records were lost",
        "500 0:20000-20500:irq_handler 24 | irq_handler 24 500 ns"],
                  causes(test, t, (900, 1999), (2500, 3000), (7000, 9000), (20000, 20600)))


@case
def preempted_softirq(test):
    """On PREEMPT_RT it is nobody's cause while its thread does not run."""
    t = Typed()
    t.switch(900, 0, 0, "R", 20)
    t.typed(1000, 0, 20, "softirq_entry", 1, 0, 0, SOFTIRQ)
    t.typed(1200, 0, 20, "sched_switch", LOOP, 120 << 16, 0x100 | 120 << 48, SOFTIRQ)
    irq(t, 2000, 2400)
    t.typed(5000, 0, LOOP, "sched_switch", 20, 120 << 16, 0x100 | 120 << 48)
    t.typed(5600, 0, 20, "softirq_exit", 1, 0, 0, SOFTIRQ)
    t.switch(6000, 0, 20, "S", LOOP)
    t.file("info/tasks", "20\tksoftirqd/0\n")
    return differ([
        "400 0:2000-2400:irq_handler 24 | irq_handler 24 400 ns",
        "1000 0:5000-6000:task ksoftirqd/0 20 1:5000-5600:softirq TIMER | "
        "task ksoftirqd/0 20 1.00 us: softirq TIMER 600 ns"],
                  causes(test, t, (1900, 2500), (4990, 6010)))


@case
def another_clock(test):
    """A trace by another clock explains nothing, and that is said."""
    t = Typed()
    t.switch(100, 0, 0, "R", LOOP)
    t.file("info/session", "clock\tmonotonic\n")
    said = causes(test, t, (200, 300), status=1)
    return [] if "its clock is 'monotonic', that of the turns 'tsc'" in "".join(said) else said


@case
def many_causes(test):
    """Of one turn: in time that does not grow with their square."""
    def seconds(n):
        t = Typed()
        t.switch(100, 0, 0, "R", LOOP)
        for i in range(n):
            irq(t, 1000 + 10 * i, 1005 + 10 * i)
        usage = os.times().children_user
        got = causes(test, t, (900, 1100 + 10 * n))
        if not got[0].startswith("%d " % (5 * n)):
            raise ValueError(got[0][:100])
        return os.times().children_user - usage
    few, many = seconds(8000), seconds(64000)
    return ["%.2f s for 8000, %.2f s for 64000" % (few, many)] if many > 24 * few + 1 else []
