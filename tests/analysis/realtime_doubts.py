# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""ft report --rt: inversions that seem to be some and are none, and those that seem to be none."""

import json
import random

from gen_trace import MUTEX, SPIN
from realtime_inversions import HIGH, LOW, MIDDLE, MUTEX_ROW, PRIO, ROW, goes_on, one_cpu, two_cpus
from realtime_trace import LOCK, NICE, OTHER_LOCK, Tasks, realtime, shown
from sql import ask
from typed_trace import DEADLINE, OTHER


# --- a holder that is on its way

@realtime
def rt_woken_elsewhere(test):
    """From its waking until it is told where it wakes up, a holder is in no queue."""
    t = Tasks(PRIO)
    t.switch(1000, 0, 0, "R", LOW)
    t.waking(1001, 0, LOW, 15)
    t.waking(1002, 0, LOW, 15, name="sched_wakeup", target=2)
    t.acquire(1010, 0, LOW, "semaphore", LOCK, 0x5000)
    t.switch(1050, 0, LOW, "S", 14)             # a fair one, in whose queue it was
    t.switch(1100, 1, 0, "R", HIGH)
    t.wait(1150, 1, HIGH, LOCK, 0)
    t.switch(1160, 1, HIGH, "D", 0)
    t.prio[LOW] = NICE
    t.waking(1200, 1, 0, LOW)
    t.migrate(1230, 1, 0, LOW, 3)
    t.waking(1240, 3, 0, LOW, name="sched_wakeup", target=3)
    t.switch(1250, 3, 0, "R", LOW)
    t.release(1300, 3, LOW, "semaphore", LOCK)
    t.waking(1310, 3, LOW, HIGH)
    t.waking(1311, 1, 0, HIGH, name="sched_wakeup", target=1)
    t.switch(1320, 1, 0, "R", HIGH)
    t.waited(1330, 1, HIGH, LOCK)
    t.acquire(1331, 1, HIGH, "semaphore", LOCK, 0x6000)
    t.at(1400, 1, HIGH)
    r = shown(test, t.write(test.path("rt")))
    return r.rows("rt_inversion") + r.rows("rt_blocking", ROW)


@realtime
def rt_pushed(test):
    """A preempted holder is moved to where a lower one runs, which has only to notice."""
    t = Tasks(PRIO)
    t.switch(1000, 0, 0, "R", LOW)
    t.acquire(1010, 0, LOW, "semaphore", LOCK, 0x5000)
    t.switch(1050, 0, LOW, "R+", 16)
    t.switch(1055, 2, 0, "R", 14)
    t.switch(1100, 1, 0, "R", HIGH)
    t.wait(1150, 1, HIGH, LOCK, 0)
    t.switch(1160, 1, HIGH, "D", 0)
    t.migrate(1200, 1, 0, LOW, 2)
    t.switch(1240, 2, 14, "R+", LOW)
    t.switch(1245, 2, LOW, "R+", 14)            # now it is kept away
    t.switch(1265, 2, 14, "R+", LOW)
    t.release(1300, 2, LOW, "semaphore", LOCK)
    t.waking(1310, 2, LOW, HIGH)
    t.switch(1320, 1, 0, "R", HIGH)
    t.waited(1330, 1, HIGH, LOCK)
    t.acquire(1331, 1, HIGH, "semaphore", LOCK, 0x6000)
    t.at(1400, 1, HIGH)
    r = shown(test, t.write(test.path("rt")))
    return r.expect("rt_inversion", ROW, count=1, total=20)


@realtime
def rt_no_time(test):
    """A moment without length is no inversion."""
    t = Tasks(PRIO)
    t.switch(1000, 0, 0, "R", LOW)
    t.acquire(1010, 0, LOW, "semaphore", LOCK, 0x5000)
    t.switch(1050, 0, LOW, "R+", 16)
    t.switch(1100, 1, 0, "R", HIGH)
    t.wait(1150, 1, HIGH, LOCK, 0)
    t.switch(1200, 0, 16, "R+", MIDDLE)
    t.switch(1200, 0, MIDDLE, "S", LOW)
    r = shown(test, goes_on(t, 1300, cpu=1).write(test.path("rt")))
    return r.rows("rt_inversion") + r.expect("rt", "-", cut_inversions=0)


# --- priorities

@realtime
def rt_raised(test):
    """chrt raises the holder: that is no inheritance, which a semaphore does not know."""
    bad = []
    for version in ("#1 SMP PREEMPT_RT", "#1 SMP PREEMPT_DYNAMIC"):
        r = shown(test, two_cpus(20, version=version).write(test.path("rt")))
        bad += r.expect("rt_inversion", ROW, count=1, total=50, inherited_count=0)
    r = shown(test, two_cpus(20, family="mutex").write(test.path("rt")))
    return bad + r.expect("rt_inversion", MUTEX_ROW, count=1, inherited_count=0)


@realtime
def rt_own_priority(test):
    """Raised for good while nobody waits for it, a task has another priority of its own."""
    t = Tasks({**PRIO, 15: 98}, version="#1 SMP PREEMPT_RT")
    t.acquire(990, 1, 14, "mutex", OTHER_LOCK, 0x7000)
    t.wait(995, 1, 16, OTHER_LOCK, 0)
    t.switch(1000, 0, 0, "R", 15)
    t.prio[15] = 10
    t.waking(1010, 0, 15, 15)
    t.switch(1050, 0, 15, "S", LOW)
    t.acquire(1100, 0, LOW, "mutex", LOCK, 0x5000)
    t.wait(1110, 1, HIGH, LOCK, 0)
    t.switch(1120, 0, LOW, "R+", 15, left=20)
    t.switch(1150, 0, 15, "S", LOW, 20)
    t.at(1200, 0, LOW)
    r = shown(test, t.write(test.path("rt")))
    return r.expect("rt_task", "15", prio=10) + r.expect("rt_task", str(LOW), prio=98)


@realtime
def rt_stop_task(test):
    """The kernel's task that stops a CPU comes before those of DEADLINE, not after."""
    bad = []
    for name, want in (("migration/0", 0), ("rcu_preempt", 1)):
        t = Tasks({**PRIO, HIGH: -1, MIDDLE: 0})
        t.policy[HIGH] = DEADLINE
        t.switch(1000, 0, 0, "R", LOW)
        t.acquire(1010, 0, LOW, "semaphore", LOCK, 0x5000)
        t.switch(1050, 0, LOW, "R+", HIGH)
        t.wait(1060, 0, HIGH, LOCK, 0)
        t.switch(1070, 0, HIGH, "D", MIDDLE)
        t.switch(1270, 0, MIDDLE, "S", LOW)
        t = goes_on(t, 1300)
        t.file("info/tasks", "%d\t%s\n" % (MIDDLE, name))
        r = shown(test, t.write(test.path("rt")))
        bad += r.expect("rt_inversion", ROW, count=1, total=200) if want else \
            r.rows("rt_inversion")
    return bad


# --- policies

@realtime
def rt_no_more(test):
    """A task whose policy changes while it runs, or while it waits, is none from then on."""
    t = Tasks(PRIO)
    t.switch(1000, 0, 0, "R", HIGH)
    t.prio[HIGH] = NICE
    t.switch(1100, 0, HIGH, "S", 0)             # says that it is fair now
    t.at(1500, 0, 0)
    r = shown(test, t.write(test.path("rt")))
    bad = r.expect("rt_task", str(HIGH), running=100, asleep=0, unknown=0)
    t = one_cpu()
    t.streams[0].records.pop()
    t.policy[HIGH] = OTHER
    t.waking(1200, 0, MIDDLE, HIGH)             # a signal, while it waits
    t.switch(1380, 0, MIDDLE, "S", LOW)
    r = shown(test, goes_on(t, 1400).write(test.path("rt")))
    return bad + r.rows("rt_inversion") + r.rows("rt_blocking") + \
        r.expect("rt", "-", inversion_count=0, cut_inversions=1)


@realtime
def rt_before_the_trace(test):
    """A task that runs since before the trace is known when it leaves, or is woken."""
    bad = []
    for policy, prio, want in ((1, 20, 1), (OTHER, 20, 0), (OTHER, NICE, 0)):
        t = Tasks({**PRIO, HIGH: prio})
        t.policy[HIGH] = policy
        t.acquire(1010, 1, LOW, "semaphore", LOCK, 0x5000)
        t.switch(1050, 1, LOW, "R+", MIDDLE)
        t.wait(1060, 0, HIGH, LOCK, 0)
        t.switch(1070, 0, HIGH, "D", 0)
        t.switch(1170, 1, MIDDLE, "S", LOW)
        t.release(1180, 1, LOW, "semaphore", LOCK)
        t.waking(1190, 1, LOW, HIGH)
        t.switch(1200, 0, 0, "R", HIGH)
        t.waited(1210, 0, HIGH, LOCK)
        t.acquire(1211, 0, HIGH, "semaphore", LOCK, 0x6000)
        t.at(1300, 0, HIGH)
        r = shown(test, t.write(test.path("rt")))
        bad += r.expect("rt", "-", inversion_count=want, cut_inversions=0)
        bad += r.expect("rt_inversion", ROW, count=1, total=100) + r.rows("rt_blocking", ROW) \
            if want else r.rows("rt_inversion") + r.rows("rt_blocking")
    return bad


# --- many

@realtime
def rt_many_wait(test):
    """More wait than are looked at: they are blocked all the same. One that is dead does not."""
    t = Tasks({**PRIO, **{tid: 50 for tid in range(100, 170)}})
    t.acquire(900, 1, LOW, "semaphore", LOCK, 0x5000)
    at = 1000
    t.switch(at, 0, 0, "R", 100)
    for tid in range(100, 169):
        t.wait(at + 5, 0, tid, LOCK, 0)
        t.switch(at + 10, 0, tid, "D" if tid > 110 else "X", tid + 1)
        at += 10
    t.at(5000, 0, 169)
    r = shown(test, t.write(test.path("rt")))
    bad = r.expect("rt", "-", refused=0)
    for tid in range(111, 169):
        bad += r.expect("rt_task", str(tid), asleep=0, running=5)
    t = Tasks({**PRIO, **{tid: 50 for tid in range(100, 170)}})
    t.switch(1000, 0, 0, "R", 100)
    for i, tid in enumerate(range(100, 169)):
        t.wait(1005 + 10 * i, 0, tid, LOCK, 0)
        t.switch(1010 + 10 * i, 0, tid, "D", tid + 1)
    t.at(5000, 0, 169)
    r = shown(test, t.write(test.path("rt")))
    for i, tid in enumerate(range(100, 169)):
        bad += r.expect("rt_task", str(tid), asleep=0, running=5, blocked=3995 - 10 * i)
    return bad + r.expect("rt", "-", refused=5)


@realtime
def rt_executes(test):
    """A thread that executes a program has the number of its process from then on."""
    t = Tasks({**PRIO, 20: 30, 21: 30})
    t.switch(1000, 0, 0, "R", 21)
    t.event(1100, 0, 20, "sched_process_exec", 20 | 21 << 32)
    t.switch(1200, 0, 20, "S", 0)
    t.at(1500, 0, 0)
    r = shown(test, t.write(test.path("rt")))
    return r.rows("rt_task", "20", "21") + r.expect("rt_task", "20", running=100, asleep=300) + \
        r.expect("rt_task", "21", asleep=0)


@realtime
def rt_given_by_another(test):
    """Another task gives the semaphore up: who took it keeps nobody waiting any more."""
    t = one_cpu()
    t.switch(1005, 1, 0, "R", 14)
    t.release(1200, 1, 14, "semaphore", LOCK)
    t.waking(1390, 0, LOW, HIGH)
    t.switch(1400, 0, LOW, "R+", HIGH)
    t.waited(1410, 0, HIGH, LOCK)
    t.acquire(1411, 0, HIGH, "semaphore", LOCK, 0x6000)
    t.at(1500, 0, HIGH)
    r = shown(test, t.write(test.path("rt")))
    return r.expect("rt_inversion", ROW, count=1, total=120)


# --- acquisitions that are stamped before the release in front of them

def early(family, flags):
    t = Tasks(PRIO)
    t.switch(900, 0, 0, "R", LOW)
    t.switch(900, 1, 0, "R", HIGH)
    t.acquire(1000, 0, LOW, family, LOCK, 0x5000)
    t.wait(1200, 1, HIGH, LOCK, flags)
    t.waited(1960, 1, HIGH, LOCK)
    t.softirq(1962, 1966, 1, HIGH)
    t.acquire(1970, 1, HIGH, family, LOCK, 0x6000)
    t.release(2000, 0, LOW, family, LOCK)
    t.release(2400, 1, HIGH, family, LOCK)
    t.at(2500, 1, HIGH)
    return t


@realtime
def rt_early(test):
    """The wait, and what the task did, end with the release, as in the other tables."""
    bad = []
    for family, flags in ("spin", SPIN), ("mutex", MUTEX):
        path, row = early(family, flags).write(test.path("rt")), "13:%s:0xa0<0x6000" % family
        r = shown(test, path)
        bad += r.expect("rt_blocking", row, count=1, total=800, holder=str(LOW), max_at=300)
        bad += r.expect("rt_task", str(HIGH), blocked=796, running=800, interrupted=4, unknown=0)
        if family == "spin":
            bad += r.expect("rt_nonpreemptible", "spin", count=2, total=1400, max=1000)
        have = json.loads(test.ft("report", "--json", path).stdout)
        bad += ["the report has a wait of %s" % c["wait_total_ns"] for c in have["family"]
                if c["row"] == family and c["wait_total_ns"] != 800]
    return bad


@realtime
def rt_early_failed(test):
    """Nobody waited for the release behind a wait that was given up, or that ended later."""
    t = early("mutex", MUTEX)
    t.wait(2600, 1, HIGH, OTHER_LOCK, MUTEX)
    t.waited(2650, 1, HIGH, OTHER_LOCK, -4)
    t.acquire(2700, 0, LOW, "mutex", OTHER_LOCK, 0x5000)
    t.acquire(2790, 1, HIGH, "mutex", OTHER_LOCK, 0x6000)
    t.release(2800, 0, LOW, "mutex", OTHER_LOCK)
    t.wait(3000, 1, HIGH, LOCK, MUTEX)
    t.waited(3040, 1, HIGH, LOCK)
    t.acquire(3050, 1, HIGH, "mutex", LOCK, 0x6000)
    t.at(3100, 1, HIGH)
    r = shown(test, t.write(test.path("rt")))
    return r.expect("rt_task", str(HIGH), blocked=796 + 50 + 40, unknown=0,
                    interrupted=4, running=2200 - 890) + r.expect(
        "rt_blocking", "13:mutex:0xa0<0x6000", count=2, total=840)


def turns(rng):
    """Two tasks take turns at a lock, mostly stamped early; then they may wait for another one."""
    t = Tasks({5: 20, 6: 20})
    for cpu in 0, 1:
        t.switch(900, cpu, 0, "R", 5 + cpu)
    now = 1000
    for turn in range(60):
        family, flags, lock = rng.choice((("spin", SPIN, 0x1000), ("mutex", MUTEX, 0x2000)))
        cpu = turn % 2
        holder, waiter, released = (cpu, 5 + cpu), (1 - cpu, 6 - cpu), now + 1500
        got = released - rng.randrange(-100, 1500)      # beyond the bound, too
        t.acquire(now, *holder, family, lock, 0x5000)
        t.wait(now + rng.randrange(1, 50), *waiter, lock, flags)
        t.waited(max(got - rng.randrange(20), now + 50), *waiter, lock)
        t.acquire(max(got, now + 70), *waiter, family, lock, 0x6000)
        last = max(got, now + 70)
        if rng.randrange(2):
            t.wait(last + 5, *waiter, 0x3000, SPIN)
            t.waited(last + 30, *waiter, 0x3000)
            t.acquire(last + 31, *waiter, "spin", 0x3000, 0x7000)
            last += 40
            t.release(last, *waiter, "spin", 0x3000)
        t.release(released, *holder, family, lock)
        t.release(max(last, released) + 50, *waiter, family, lock)
        now = max(last, released) + 100
    return t


@realtime
def rt_waits_as_elsewhere(test):
    """Each row of a task's waits is what the same waits are in SQL."""
    bad = []
    for seed in range(4):
        path = turns(random.Random(seed)).write(test.path("rt%d" % seed))
        want = {(row["tid"], row["family"], row["lock"], row["site"]): (row["n"], row["ns"])
                for row in ask(test, path, "select tid, family, lock, site, count(*) as n, "
                               "sum(length_ns) as ns from waits group by tid, family, lock, site")}
        have = {}
        for row, c in shown(test, path)["rt_blocking"].items():
            tid, family, where = row.split(":")
            lock, site = where.split("<")
            have[int(tid), family, lock, site] = int(c["count"]), float(c["total_ns"])
        bad += ["%d: %s, not %s" % (seed, have, want)] if have != want or len(want) < 6 else []
    return bad


# --- records that come late, as their stream has waited for a release that did not come

def late(tasks):
    """CPU 1 acquires at 2000 what CPU 2 still has: its records come when others are at 3001."""
    t = Tasks(PRIO)
    for cpu, tid in tasks.items():
        t.switch(1000, cpu, 0, "R", tid)
    t.acquire(1500, 2, tasks[2], "spin", OTHER_LOCK, 0x5000)
    t.acquire(2000, 1, tasks[1], "spin", OTHER_LOCK, 0x5000)
    t.release(2001, 1, tasks[1], "spin", OTHER_LOCK)
    return t


def until_middle_sleeps(test, t):
    """Then LOW gives the lock up. Return: the report"""
    t.at(3100, 0, MIDDLE)
    t.switch(4000, 0, MIDDLE, "S", LOW)
    return shown(test, goes_on(t, 4100, cpu=3).write(test.path("rt")))


@realtime
def rt_late_waking(test):
    """It runs already, and so it is no waking from its next sleep."""
    t = late({0: HIGH, 1: LOW, 2: MIDDLE})
    t.switch(1100, 0, HIGH, "S", 0)
    t.waking(2100, 1, LOW, HIGH)
    t.waking(2200, 0, 0, HIGH, name="sched_wakeup")
    t.switch(2300, 0, 0, "R", HIGH)
    t.at(3100, 0, HIGH)
    t.switch(3500, 0, HIGH, "S", 0)
    t.waking(9000, 1, LOW, HIGH)
    t.waking(9010, 0, 0, HIGH, name="sched_wakeup")
    t.switch(9100, 0, 0, "R", HIGH)
    t.at(9200, 0, HIGH)
    r = shown(test, t.write(test.path("rt")))
    return r.expect("rt_task", str(HIGH), asleep=1100 + 5500, latency=100 + 100, wakeups=2,
                    latency_max=100, running=100 + 1200 + 100, preempted=0, unknown=0)


@realtime
def rt_late_waking_of_holder(test):
    """The holder has run since, and is kept from it now."""
    t = late({0: LOW, 1: 14, 2: 15, 3: HIGH})
    t.acquire(1010, 0, LOW, "semaphore", LOCK, 0x5000)
    t.switch(1100, 0, LOW, "S", 0)
    t.wait(1200, 3, HIGH, LOCK, 0)
    t.switch(1210, 3, HIGH, "D", 0)
    t.waking(2100, 1, 14, LOW)
    t.waking(2200, 0, 0, LOW, name="sched_wakeup")
    t.switch(2300, 0, 0, "R", LOW)
    t.switch(2500, 0, LOW, "R+", MIDDLE)
    r = until_middle_sleeps(test, t)
    return r.expect("rt_inversion", ROW, count=1, total=1500, max=1500, runner="12")


@realtime
def rt_late_switches(test):
    """It has been on that CPU before the one on which it runs now."""
    t = late({0: HIGH, 1: LOW, 2: MIDDLE})
    t.switch(1100, 0, HIGH, "S", 0)
    t.waking(2030, 1, LOW, HIGH)
    t.switch(2050, 1, LOW, "R+", HIGH)
    t.switch(2150, 1, HIGH, "S", LOW)
    t.waking(2200, 0, 0, HIGH, name="sched_wakeup")
    t.switch(2300, 0, 0, "R", HIGH)
    t.at(3100, 0, HIGH)
    t.switch(9000, 0, HIGH, "R+", 0)
    t.at(9100, 0, 0)
    r = shown(test, t.write(test.path("rt")))
    return r.expect("rt_task", str(HIGH), asleep=1100, latency=100, preempted=100,
                    running=100 + 100 + 6700)


@realtime
def rt_late_sleep(test):
    """It was woken from that already, says a record that has come before."""
    t = late({0: LOW, 1: HIGH, 2: MIDDLE})
    t.switch(2100, 1, HIGH, "S", 0)
    t.waking(2200, 0, LOW, HIGH)
    t.waking(2210, 0, LOW, HIGH, name="sched_wakeup")
    t.at(3100, 0, LOW)
    t.switch(9000, 0, LOW, "R+", HIGH)
    t.at(9100, 0, HIGH)
    r = shown(test, t.write(test.path("rt")))
    return r.expect("rt_task", str(HIGH), asleep=100, latency=6800, wakeups=1, preempted=0,
                    running=1100 + 100, unknown=0)


@realtime
def rt_late_priority(test):
    """The one that a later record has told stays."""
    t = late({0: LOW, 1: 14, 2: MIDDLE, 3: 15})
    t.switch(1100, 0, LOW, "S", 0)
    t.wait(1200, 3, 15, LOCK, MUTEX)
    t.waited(1300, 3, 15, LOCK)         # waits are seen: nobody has waited for that task
    t.waking(2100, 1, 14, LOW)
    t.prio[LOW] = 30
    t.waking(2200, 0, 0, LOW, name="sched_wakeup")
    t.switch(2300, 0, 0, "R", LOW)
    t.at(3100, 0, LOW)
    r = shown(test, t.write(test.path("rt")))
    return r.expect("rt_task", str(LOW), prio=30)


def holder_elsewhere(state, to):
    """HIGH waits on CPU 3 for LOW, which has left CPU 0 at 1100; CPU 1 is late."""
    t = late({0: LOW, 1: 14, 2: 15, 3: HIGH})
    t.acquire(1010, 0, LOW, "semaphore", LOCK, 0x5000)
    t.waking(1510, 2, 15, 15, name="sched_wakeup")
    t.switch(1100, 0, LOW, state, to)
    t.wait(1200, 3, HIGH, LOCK, 0)
    t.switch(1210, 3, HIGH, "D", 0)
    return t


@realtime
def rt_late_wakeup_of_one_that_inherits(test):
    """A priority that is inherited says nothing of whether the task is in a queue."""
    t = holder_elsewhere("S", MIDDLE)
    t.waking(2100, 2, 15, LOW)
    t.waking(2200, 1, 14, LOW, name="sched_wakeup")
    t.inherit(2300, 2, 15, LOW, 90)
    r = until_middle_sleeps(test, t)
    return r.expect("rt_inversion", ROW, count=1, total=1700, max=1700, runner="12")


@realtime
def rt_late_switches_of_one_that_inherits(test):
    """Nor of whether it has run where it was moved to. It keeps the priority."""
    t = holder_elsewhere("R+", 16)
    t.migrate(2100, 2, 15, LOW, 1)
    t.switch(2150, 1, 14, "R+", LOW)
    t.waking(2180, 1, LOW, MIDDLE)
    t.switch(2200, 1, LOW, "R+", MIDDLE)
    t.inherit(2300, 2, 15, LOW, 98, 30)
    t.at(3100, 1, MIDDLE)
    t.switch(4000, 1, MIDDLE, "R+", LOW, 30)
    t.switch(4050, 1, LOW, "R+", 0, left=30)
    t.switch(4060, 0, 16, "S", LOW, 30)
    r = shown(test, goes_on(t, 4100, cpu=3).write(test.path("rt")))
    return r.expect("rt_inversion", ROW, count=1, total=1700, max=1700, runner="12",
                    holder_prio=30)


@realtime
def rt_late_inheritance(test):
    """A later record has told which priority the task has now; its own is told here alone."""
    t = holder_elsewhere("R+", 16)
    t.inherit(2100, 1, 14, MIDDLE, 60, 10, 16)
    t.switch(2120, 0, 16, "S", MIDDLE, 30)
    r = until_middle_sleeps(test, t)
    return r.expect("rt_inversion", ROW, count=1, total=1880, max=1880, runner="12",
                    runner_prio=30) + r.expect("rt_task", str(MIDDLE), prio=60)


def slept_late():
    """HIGH sleeps and runs again on CPU 1, which is late: a waking at 2140 is read before."""
    t = late({0: LOW, 1: HIGH, 2: MIDDLE})
    t.waking(1510, 2, MIDDLE, MIDDLE, name="sched_wakeup")
    t.switch(2100, 1, HIGH, "S", 0)
    t.waking(2105, 1, 0, HIGH)
    t.waking(2106, 1, 0, HIGH, name="sched_wakeup", target=1)
    t.switch(2107, 1, 0, "R", HIGH)
    t.waking(2140, 0, LOW, HIGH)
    return t


@realtime
def rt_late_run(test):
    """It had slept, but was running when it was woken once more: then it runs, and is not ready."""
    t = slept_late()
    t.switch(2110, 1, HIGH, "R+", 14)
    t.switch(2120, 1, 14, "R+", HIGH)
    t.waking(2141, 0, LOW, HIGH, name="sched_wakeup", target=1)
    t.at(3100, 0, LOW)
    t.switch(9000, 1, HIGH, "S", 0)
    t.at(9100, 1, 0)
    r = shown(test, t.write(test.path("rt")))
    bad = r.expect("rt_task", str(HIGH), asleep=40 + 100, latency=0, wakeups=0, preempted=0,
                   running=1100 + 6893 - 10)
    t = late({0: HIGH, 1: LOW, 2: MIDDLE})
    t.switch(1100, 0, HIGH, "S", 0)
    t.waking(2100, 1, LOW, HIGH)
    t.waking(2101, 1, LOW, HIGH, name="sched_wakeup", target=1)
    t.switch(2107, 1, LOW, "R+", HIGH)
    t.waking(2140, 2, MIDDLE, HIGH)
    t.waking(2141, 2, MIDDLE, HIGH, name="sched_wakeup", target=1)
    t.at(3100, 0, 0)
    t.switch(9000, 1, HIGH, "S", LOW)
    t.at(9100, 1, LOW)
    r = shown(test, t.write(test.path("rt")))
    return bad + r.expect("rt_task", str(HIGH), asleep=1040 + 100, latency=0, wakeups=0,
                          preempted=0, running=100 + 6893)


@realtime
def rt_late_run_is_over(test):
    """It had left its CPU again before it was woken once more, or just when it was."""
    bad = []
    for left, state, want in (
            (2130, "S", {"asleep": 40, "latency": 6860, "wakeups": 1, "preempted": 0}),
            (2130, "R+", {"asleep": 40, "latency": 0, "wakeups": 0, "preempted": 6860}),
            (2150, "S", {"asleep": 40, "latency": 6850, "wakeups": 1, "preempted": 0})):
        t = slept_late()
        t.switch(left, 1, HIGH, state, MIDDLE)
        t.waking(2160, 1, MIDDLE, HIGH, name="sched_wakeup", target=1)
        t.at(3100, 0, LOW)
        t.switch(9000, 1, MIDDLE, "S", HIGH)
        t.at(9100, 1, HIGH)
        r = shown(test, t.write(test.path("rt")))
        bad += r.expect("rt_task", str(HIGH), running=1100 + left - 2107 + 100, **want)
    return bad
