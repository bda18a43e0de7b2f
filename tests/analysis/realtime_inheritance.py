# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""ft report --rt: what sched_pi_setprio says about priorities that tasks inherit."""

from realtime_inversions import HIGH, LOW, MIDDLE, MUTEX_ROW, PRIO, ROW, goes_on
from realtime_trace import LOCK, OTHER_LOCK, Tasks, realtime, shown

RT = "#1 SMP PREEMPT_RT"


def waits_elsewhere(family):
    """HIGH waits on CPU 1 from 1150 on, while MIDDLE runs on CPU 0 in place of LOW."""
    t = Tasks(PRIO, version=RT)
    t.switch(1000, 0, 0, "R", LOW)
    t.acquire(1010, 0, LOW, family, LOCK, 0x5000)
    t.switch(1050, 0, LOW, "R+", MIDDLE)
    t.switch(1100, 1, 0, "R", HIGH)
    t.wait(1150, 1, HIGH, LOCK, 0)
    return t


@realtime
def rt_told_before_it_runs(test):
    """Who waits gives up before the holder runs: that it had inherited is known if it is told."""
    bad = []
    for told, giver_prio in ((True, 20), (True, 21), (False, 20)):
        t = waits_elsewhere("mutex")
        if told:
            t.inherit(1155, 1, HIGH, LOW, 98, giver_prio, HIGH)
        t.switch(1160, 1, HIGH, "S", 0)
        t.waking(1170, 1, 0, HIGH)
        t.switch(1175, 1, 0, "R", HIGH)
        if told:
            t.inherit(1180, 1, HIGH, LOW, giver_prio)
        t.waited(1190, 1, HIGH, LOCK)
        t.acquire(1190, 1, HIGH, "mutex", LOCK, 0x6000)
        t.at(1300, 1, HIGH)
        t.at(1300, 0, MIDDLE)
        r = shown(test, t.write(test.path("rt")))
        want = told and giver_prio == 20
        bad += r.expect("rt_inversion", MUTEX_ROW, count=not want, inherited_count=want,
                        total=0 if want else 40, inherited_total=40 if want else 0)
        bad += r.expect("rt", "-", inheritance_known=told)
        if told == ("sched_pi_setprio" in r.text):
            bad.append("%s: what is missing: %s" % (told, r.text))
    return bad


@realtime
def rt_runner_inherits(test):
    """Who keeps the holder away has itself inherited a priority meanwhile: so long it is none."""
    t = waits_elsewhere("semaphore")
    t.switch(1160, 1, HIGH, "D", 0)
    t.inherit(1170, 2, 16, MIDDLE, 60, 10, 16)
    t.inherit(1200, 0, MIDDLE, MIDDLE, 10)
    t.switch(1230, 0, MIDDLE, "S", LOW)
    r = shown(test, goes_on(t, 1300, cpu=1).write(test.path("rt")))
    return r.expect("rt_inversion", ROW, count=1, total=50, inherited_count=0, runner="12",
                    runner_prio=60) + r.expect("rt_task", str(MIDDLE), prio=60)


@realtime
def rt_own_is_told(test):
    """What looks as if it was inherited is the task's own, says what it loses."""
    bad = []
    for own, want in ((98, True), (20, False)):
        t = waits_elsewhere("mutex")
        t.prio[LOW] = own                       # chrt
        t.inherit(1155, 1, HIGH, LOW, 98, 20, HIGH)
        t.switch(1160, 1, HIGH, "D", 0)
        t.switch(1200, 0, MIDDLE, "R+", LOW, 20)
        r = shown(test, goes_on(t, 1300, cpu=1, family="mutex").write(test.path("rt")))
        bad += r.expect("rt_inversion", MUTEX_ROW, count=not want, inherited_count=want)
        bad += r.expect("rt_task", str(LOW), prio=own)
    return bad


@realtime
def rt_inherits_no_more(test):
    """A higher priority of one that was told to inherit nothing is its own, though one waits."""
    t = Tasks(PRIO, version=RT)
    t.switch(1000, 0, 0, "R", LOW)
    t.acquire(1010, 0, LOW, "mutex", LOCK, 0x5000)
    t.wait(1020, 1, HIGH, LOCK, 0)
    t.inherit(1030, 0, LOW, LOW, 20)
    t.switch(1050, 0, LOW, "R+", MIDDLE)
    t.switch(1060, 0, MIDDLE, "S", LOW, 30)     # chrt
    t.at(1200, 0, LOW)
    r = shown(test, t.write(test.path("rt")))
    return r.expect("rt_task", str(LOW), prio=30)


@realtime
def rt_told_before_a_gap(test):
    """What was told before records were lost may not be so any more."""
    bad = []
    for lost, prio in ((0, 98), (3, 20)):
        t = Tasks(PRIO, version=RT)
        t.switch(1000, 0, 0, "R", LOW)
        t.acquire(1005, 1, 14, "mutex", OTHER_LOCK, 0x7000)
        t.wait(1006, 1, 16, OTHER_LOCK, 0)
        t.inherit(1010, 2, HIGH, LOW, 98, 20, HIGH)
        if lost:
            t.cpu(2).lose(lost)
        t.at(1020, 2, 15)
        t.switch(1050, 0, LOW, "R+", MIDDLE, left=20)
        t.switch(1100, 0, MIDDLE, "S", LOW, 20)
        t.at(1200, 0, LOW)
        r = shown(test, t.write(test.path("rt")), status=3 if lost else 0)
        bad += r.expect("rt_task", str(LOW), prio=prio)
    return bad
