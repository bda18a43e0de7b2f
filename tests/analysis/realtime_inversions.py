# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""ft report --rt: priority inversions, against the truth."""

import re

from gen_trace import REALTIME, SOFTIRQ, SPIN
from realtime_trace import LOCK, NICE, OTHER_LOCK, Tasks, realtime, shown

LOW, MIDDLE, HIGH = 11, 12, 13
PRIO = {LOW: 98, MIDDLE: 60, HIGH: 20, 14: NICE, 15: NICE, 16: 10}
ROW = "13:semaphore:0xa0<0x6000"
MUTEX_ROW = "13:mutex:0xa0<0x6000"


def one_cpu(family="semaphore", boosted=None, until=1380, **more):
    """HIGH waits for LOW, and MIDDLE runs from 1080 on, unless LOW has got a higher priority."""
    t = Tasks(PRIO, **more)
    t.switch(1000, 0, 0, "R", LOW)
    t.acquire(1010, 0, LOW, family, LOCK, 0x5000)
    t.waking(1040, 0, LOW, HIGH)
    t.switch(1050, 0, LOW, "R+", HIGH)
    t.wait(1060, 0, HIGH, LOCK, 0)
    t.switch(1070, 0, HIGH, "D", LOW, boosted)
    t.waking(1075, 0, LOW, MIDDLE)
    if boosted is None:
        t.switch(1080, 0, LOW, "R+", MIDDLE)
        t.softirq(1100, 1110, 0, MIDDLE)
        t.switch(until, 0, MIDDLE, "S", LOW)
    return t


def goes_on(t, ts, cpu=0, family="semaphore", site=0x6000, left=None):
    """LOW, on CPU 0, gives the lock up, and HIGH gets it."""
    t.release(ts, 0, LOW, family, LOCK)
    t.waking(ts + 10, 0, LOW, HIGH)
    t.switch(ts + 20, cpu, LOW if not cpu else 0, "R+" if not cpu else "R", HIGH,
             left=left)
    t.waited(ts + 30, cpu, HIGH, LOCK)
    t.acquire(ts + 31, cpu, HIGH, family, LOCK, site)
    t.release(ts + 40, cpu, HIGH, family, LOCK)
    t.at(ts + 100, cpu, HIGH)
    return t


@realtime
def rt_inversion(test):
    """The classic one: found, with who, where, and how long."""
    r = shown(test, goes_on(one_cpu(), 1400).write(test.path("rt")))
    return r.rows("rt_inversion", ROW) + r.expect(
        "rt_inversion", ROW, count=1, total=300, max=300, inherited_count=0, max_at=80,
        prio=20, holder="11", holder_prio=98, runner="12", runner_prio=60) + r.expect(
        "rt_blocking", ROW, count=1, max=370, holder="11", max_at=60, holder_unknown=0) + \
        r.expect("rt", "-", inversion_count=1, inversion_max=300, inherited_count=0,
                 cut_inversions=0, cut_waits=0) + \
        r.expect("rt_task", str(HIGH), latency=20, blocked=360, running=80) + \
        ([] if re.search(r"300\sns +300\sns +1 +1 +0 +task 13 +semaphore .* "
                         "task 11 +0xa0 +task 12 ", r.page)
         else ["not on the page: " + r.page]) + \
        ([] if "while task 12 ran (waiter rt 79, holder rt 1, it rt 39)" in r.text else
         ["not told: " + r.text])


@realtime
def rt_no_inversion_with_inheritance(test):
    """The same, but the holder inherits: the middle one does not run."""
    t = goes_on(one_cpu("mutex", 20, version="#1 SMP PREEMPT_RT"), 1400, family="mutex", left=20)
    r = shown(test, t.write(test.path("rt")))
    return r.rows("rt_inversion") + r.rows("rt_blocking", "13:mutex:0xa0<0x6000") + \
        r.expect("rt_task", str(LOW), prio=98) + \
        ["not told: " + word for word in ("none was observed", "raw spinlocks of PREEMPT_RT")
         if word not in r.text]


def two_cpus(prio, fair=False, flags=0, family="semaphore", **more):
    """HIGH waits on CPU 1 while MIDDLE runs on CPU 0; then LOW runs there, with that priority."""
    t = Tasks(PRIO, **more)
    if fair:
        t.prio[LOW] = NICE
    t.switch(1000, 0, 0, "R", LOW)
    t.acquire(1010, 0, LOW, family, LOCK, 0x5000)
    t.switch(1050, 0, LOW, "R+", MIDDLE)
    t.switch(1100, 1, 0, "R", HIGH)
    t.wait(1150, 1, HIGH, LOCK, flags)
    t.switch(1160, 1, HIGH, "D", 0)
    t.switch(1200, 0, MIDDLE, "R+", LOW, prio)
    return goes_on(t, 1300, cpu=1, family=family)


@realtime
def rt_inherited(test):
    """The holder runs again as it has got the waiter's priority: that is counted apart."""
    bad = []
    for prio, fair, want in ((20, False, True), (10, True, True), (21, False, False),
                             (None, False, False)):
        t = two_cpus(prio, fair, family="mutex", version="#1 SMP PREEMPT_RT Debian")
        r = shown(test, t.write(test.path("rt")))
        bad += r.expect("rt_inversion", MUTEX_ROW, count=not want, total=0 if want else 50,
                        inherited_count=want, inherited_total=50 if want else 0, max_at=150)
        if re.search(r"50\sns +50\sns +1 +%d +%d +task 13" % (not want, want), r.page) is None:
            bad.append("prio %s: not on the page: %s" % (prio, r.page))
        if ("shortened by inheritance" in r.text) != want:
            bad.append("prio %s: in words: %s" % (prio, r.text))
    return bad


@realtime
def rt_inversion_in_parts(test):
    """One of higher priority than the waiter in between does not count, but ends nothing."""
    t = one_cpu(until=1180)
    del t.streams[0].records[-1]
    t.switch(1180, 0, MIDDLE, "R+", 16)         # comes before the waiter
    t.switch(1250, 0, 16, "S", 14)              # and a fair one behind it
    t.switch(1300, 0, 14, "R+", 0)              # the idle task keeps nobody waiting
    t.switch(1350, 0, 0, "R", LOW)
    r = shown(test, goes_on(t, 1400).write(test.path("rt")))
    return r.expect("rt_inversion", ROW, count=1, total=150, max=150, runner="12")


@realtime
def rt_elsewhere(test):
    """What counts is the CPU in whose queue the holder is, also when it is moved."""
    t = Tasks(PRIO)
    t.switch(1000, 0, 0, "R", LOW)
    t.acquire(1010, 0, LOW, "semaphore", LOCK, 0x5000)
    t.switch(1050, 0, LOW, "R+", 16)            # of higher priority than the waiter
    t.switch(1055, 2, 0, "R", MIDDLE)           # elsewhere: it takes nothing from the holder
    t.switch(1100, 1, 0, "R", HIGH)
    t.wait(1150, 1, HIGH, LOCK, 0)
    t.switch(1160, 1, HIGH, "D", 0)
    t.migrate(1200, 1, 0, LOW, 2)
    t.switch(1270, 2, MIDDLE, "S", LOW)
    t.switch(1280, 2, LOW, "R+", 0)
    t.switch(1290, 0, 16, "S", LOW)
    r = shown(test, goes_on(t, 1300, cpu=1).write(test.path("rt")))
    return r.expect("rt_inversion", ROW, count=1, total=70, max_at=200)


@realtime
def rt_chain(test):
    """The holder waits itself, asleep: who holds that lock has to run."""
    t = Tasks(PRIO)
    t.switch(1000, 0, 0, "R", LOW)
    t.acquire(1010, 0, LOW, "semaphore", OTHER_LOCK, 0x5000)
    t.switch(1020, 0, LOW, "R+", 14)
    t.acquire(1030, 0, 14, "semaphore", LOCK, 0x7000)
    t.wait(1040, 0, 14, OTHER_LOCK, 0)
    t.switch(1050, 0, 14, "D", HIGH)
    t.wait(1060, 0, HIGH, LOCK, 0)
    t.switch(1070, 0, HIGH, "D", LOW)
    t.switch(1080, 0, LOW, "R+", MIDDLE)
    t.switch(1180, 0, MIDDLE, "S", LOW)
    t.release(1190, 0, LOW, "semaphore", OTHER_LOCK)
    t.waking(1191, 0, LOW, 14)
    t.switch(1200, 0, LOW, "S", 14)
    t.waited(1205, 0, 14, OTHER_LOCK)
    t.acquire(1206, 0, 14, "semaphore", OTHER_LOCK, 0x7000)
    t.release(1210, 0, 14, "semaphore", LOCK)
    t.waking(1220, 0, 14, HIGH)
    t.switch(1230, 0, 14, "R+", HIGH)
    t.waited(1240, 0, HIGH, LOCK)
    t.acquire(1241, 0, HIGH, "semaphore", LOCK, 0x6000)
    t.at(1300, 0, HIGH)
    r = shown(test, t.write(test.path("rt")))
    # and the one it waited for runs on for 9 before it, when it is woken
    return r.expect("rt_inversion", ROW, count=2, total=109, max=100, holder="11",
                    holder_lock="0xb0", runner="12") + \
        r.expect("rt_blocking", ROW, holder="14") + \
        ([] if "in the end for task 11, which holds 0xb0," in r.text else ["not told: " + r.text])


@realtime
def rt_cycle(test):
    """Two that wait for each other: a deadlock; no task could end it by running."""
    t = Tasks(PRIO)
    t.switch(1000, 0, 0, "R", HIGH)
    t.acquire(1010, 0, HIGH, "semaphore", LOCK)
    t.switch(1020, 0, HIGH, "S", LOW)
    t.acquire(1030, 0, LOW, "semaphore", OTHER_LOCK)
    t.wait(1040, 0, LOW, LOCK, 0)
    t.switch(1050, 0, LOW, "D", HIGH)
    t.wait(1060, 0, HIGH, OTHER_LOCK, 0)
    t.switch(1070, 0, HIGH, "D", MIDDLE)
    t.at(2000, 0, MIDDLE)
    r = shown(test, t.write(test.path("rt")))
    return r.rows("rt_inversion") + r.expect("rt", "-", cut_waits=2, cut_inversions=0)


@realtime
def rt_about_to_run(test):
    """A holder that was just woken, before a lower one: latency. Behind one: an inversion."""
    bad = []
    for holder, runner, want in ((50, 60, 0), (50, 40, 1), (50, 50, 1), (NICE, NICE + 5, 1),
                                 (50, NICE, 0), (50, 15, 0)):
        t = Tasks({**PRIO, LOW: holder, 15: runner})
        t.switch(1000, 0, 0, "R", LOW)
        t.acquire(1010, 0, LOW, "semaphore", LOCK, 0x5000)
        t.switch(1050, 0, LOW, "S", HIGH)
        t.wait(1060, 0, HIGH, LOCK, 0)
        t.switch(1070, 0, HIGH, "D", 15)        # the holder sleeps: nobody keeps it waiting
        t.waking(1100, 0, 15, LOW)
        t.switch(1130, 0, 15, "R+", LOW)
        r = shown(test, goes_on(t, 1300).write(test.path("rt")))
        if want:
            bad += r.expect("rt_inversion", ROW, count=1, total=30)
        else:
            bad += ["%d, %d: %s" % (holder, runner, b) for b in r.rows("rt_inversion")]
    return bad


@realtime
def rt_readers(test):
    """Of several readers, the one that has held the lock longest counts."""
    t = Tasks(PRIO)
    t.switch(1000, 0, 0, "R", LOW)
    t.acquire(1010, 0, LOW, "rwsem_read", LOCK, 0x5000)
    t.switch(1020, 1, 0, "R", 14)
    t.acquire(1025, 1, 14, "rwsem_read", LOCK, 0x7000)
    t.switch(1050, 0, LOW, "R+", HIGH)
    t.wait(1060, 0, HIGH, LOCK, 4)
    t.switch(1070, 0, HIGH, "D", MIDDLE)
    t.release(1100, 1, 14, "rwsem_read", LOCK)
    t.switch(1200, 0, MIDDLE, "S", LOW)
    t.release(1300, 0, LOW, "rwsem_read", LOCK)
    t.waking(1310, 0, LOW, HIGH)
    t.switch(1320, 0, LOW, "R+", HIGH)
    t.waited(1330, 0, HIGH, LOCK)
    t.acquire(1331, 0, HIGH, "rwsem_write", LOCK, 0x6000)
    t.at(1400, 0, HIGH)
    r = shown(test, t.write(test.path("rt")))
    row = "13:rwsem_write:0xa0<0x6000"
    return r.expect("rt_blocking", row, holder="11", total=270) + \
        r.expect("rt_inversion", row, count=1, total=130, holder="11", runner="12")


@realtime
def rt_holder_not_known(test):
    """Nobody was seen to take the lock: that is said, and no inversion is made up."""
    t = one_cpu()
    del t.streams[0].records[1]
    r = shown(test, goes_on(t, 1400).write(test.path("rt")))
    return r.rows("rt_inversion") + r.expect("rt_blocking", ROW, count=1, holder_unknown=1) + \
        ([] if "held by (not known)" in r.text and "holder" not in r["rt_blocking"][ROW] else
         ["a holder is told: " + r.text])


@realtime
def rt_cut(test):
    """What goes on at a gap, or at the end, is counted, and not how long it was."""
    t = one_cpu()
    t.streams[0].records.pop()
    t.cpu(0).lose(2)
    t.switch(1380, 0, MIDDLE, "S", LOW)
    r = shown(test, goes_on(t, 1400).write(test.path("rt")), status=3)
    bad = r.rows("rt_inversion") + r.rows("rt_blocking") + \
        r.expect("rt", "-", cut_inversions=1, inversion_count=0) + \
        r.expect("rt_task", str(HIGH), blocked=10, running=90)
    t = one_cpu()
    t.streams[0].records.pop()
    t.at(1390, 0, MIDDLE)
    r = shown(test, t.write(test.path("rt")))
    return bad + r.rows("rt_inversion") + r.rows("rt_blocking") + \
        r.expect("rt", "-", cut_inversions=1, cut_waits=1, inversion_count=0) + \
        r.expect("rt_task", str(HIGH), blocked=330, unknown=0)


@realtime
def rt_cut_elsewhere(test):
    """A gap of another CPU: the holder's wake-up may be in it."""
    bad = []
    for flags in (0, SPIN):     # a gap does not cut a wait of who spins on another CPU
        t = two_cpus(None, flags=flags)
        t.at(1160, 2, 15)
        t.cpu(2).lose(2)
        t.at(1190, 2, 15)
        r = shown(test, t.write(test.path("rt")), status=3)
        bad += r.rows("rt_inversion") + r.expect("rt", "-", inversion_count=0, cut_inversions=1)
    return bad


@realtime
def rt_longest(test):
    """Of many waits of one kind: number, sum, and of the longest when and who."""
    t, want = Tasks({**PRIO, 15: NICE}), []
    for i, length in enumerate((100, 400, 300)):
        at = 1000 + 2000 * i
        runner = (MIDDLE, 14, 15)[i]
        t.switch(at, 0, 0, "R", LOW)
        t.acquire(at + 10, 0, LOW, "semaphore", LOCK, 0x5000 + i)
        t.switch(at + 50, 0, LOW, "R+", HIGH)
        t.wait(at + 60, 0, HIGH, LOCK, 0)
        t.switch(at + 70, 0, HIGH, "D", runner)
        t.switch(at + 70 + length, 0, runner, "S", LOW)
        goes_on(t, at + 600)
        t.switch(at + 750, 0, HIGH, "S", LOW)
        t.switch(at + 800, 0, LOW, "S", 0)
        want.append(length)
    r = shown(test, t.write(test.path("rt")))
    return r.expect("rt_inversion", ROW, count=3, total=sum(want), max=400, runner="14",
                    max_at=2070) + \
        r.expect("rt_blocking", ROW, count=3, total=3 * 570, max=570, max_at=60)


@realtime
def rt_softirqs_of_tasks(test):
    """On PREEMPT_RT a softirq is its task's: it waits, holds, and is preempted like that."""
    bad = []
    for version, want in (("#1 SMP PREEMPT_RT Debian", 1), ("#1 SMP PREEMPT_DYNAMIC Debian", 0)):
        t = Tasks(PRIO, version=version)
        t.switch(1000, 0, 0, "R", LOW)
        t.acquire(1010, 0, LOW, "mutex", LOCK, 0x5000, SOFTIRQ)
        t.switch(1050, 0, LOW, "R+", HIGH)
        t.event(1052, 0, HIGH, "softirq_entry", 3, 0, SOFTIRQ)
        t.wait(1060, 0, HIGH, LOCK, REALTIME, SOFTIRQ)
        t.switch(1070, 0, HIGH, "D", MIDDLE)
        t.switch(1170, 0, MIDDLE, "S", LOW)
        t.release(1180, 0, LOW, "mutex", LOCK, ctx=SOFTIRQ)
        t.waking(1181, 0, LOW, HIGH)
        t.switch(1182, 0, LOW, "R+", HIGH)
        t.waited(1190, 0, HIGH, LOCK, ctx=SOFTIRQ)
        t.acquire(1191, 0, HIGH, "mutex", LOCK, 0x6000, SOFTIRQ)
        t.event(1197, 0, HIGH, "softirq_exit", 3, 0, SOFTIRQ)
        t.at(1300, 0, HIGH)
        r = shown(test, t.write(test.path("rt")))
        row = MUTEX_ROW
        if want:
            bad += r.expect("rt_inversion", row, count=1, total=100, holder="11") + r.expect(
                "rt_blocking", row, total=130, holder="11", holder_unknown=0) + r.expect(
                "rt_task", str(HIGH), running=10 + 110, blocked=10 + 111 + 8, interrupted=0)
        else:
            bad += r.rows("rt_inversion") + r.rows("rt_blocking")
    return bad


@realtime
def rt_spinlock_over_a_switch(test):
    """The scheduler's lock is its CPU's: the task that took it may be off, or asleep, meanwhile."""
    bad = []
    for family, version in (("raw_spin", "#1 SMP PREEMPT_RT"), ("spin", "#1 SMP PREEMPT_DYNAMIC")):
        for state in ("R+", "D"):
            t = Tasks({**PRIO, 15: NICE}, version=version)
            t.switch(990, 2, 0, "R", 14)
            t.acquire(995, 2, 14, "mutex", OTHER_LOCK, 0x7000)
            t.switch(998, 2, 14, "R+", 15)
            t.switch(1000, 0, 0, "R", LOW)
            t.switch(1050, 1, 0, "R", HIGH)
            if state == "D":
                t.wait(1060, 0, LOW, OTHER_LOCK, REALTIME)
            t.acquire(1100, 0, LOW, family, LOCK, 0x5000)
            t.wait(1110, 1, HIGH, LOCK, SPIN)
            t.switch(1120, 0, LOW, state, MIDDLE)
            t.release(1200, 0, MIDDLE, family, LOCK)
            t.waited(1205, 1, HIGH, LOCK)
            t.acquire(1206, 1, HIGH, family, LOCK, 0x6000)
            t.release(1210, 1, HIGH, family, LOCK)
            t.at(1300, 0, MIDDLE)
            t.at(1300, 1, HIGH)
            t.at(1300, 2, 15)
            r = shown(test, t.write(test.path("rt")))
            bad += r.rows("rt_inversion")
            bad += r.expect("rt", "-", inversion_count=0)
    return bad
