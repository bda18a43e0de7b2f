# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""ft why: locks on the way into other ones, in interrupts, of idle tasks, and at one time."""

from gen_trace import HARDIRQ, MUTEX, SOFTIRQ, SPIN
from realtime_trace import Tasks
from why import A, B, C, RUNNING, expect, item
from why_trace import leaves, taken_apart, why

RT = "#1 SMP PREEMPT_RT"


@why
def why_spins_inside(test):
    """A spinlock on the way into a mutex: who spins for it does so, and who has it runs."""
    t = Tasks()
    for cpu, tid in enumerate((5, 6, 7)):
        t.switch(1000, cpu, 0, "R", tid)
    t.acquire(1010, 0, 5, "mutex", A)
    t.acquire(1020, 2, 7, "spin", B)
    t.wait(1100, 1, 6, A, MUTEX)
    t.wait(1110, 1, 6, B, SPIN)
    t.event(1120, 2, 7, "irq_handler_entry", 24, 0, HARDIRQ)
    t.event(1130, 2, 7, "irq_handler_exit", 24, 0, HARDIRQ)
    t.release(1150, 2, 7, "spin", B)
    t.waited(1150, 1, 6, B)
    t.acquire(1150, 1, 6, "spin", B)
    t.at(1155, 1, 6)
    t.release(1160, 1, 6, "spin", B)
    t.switch(1170, 1, 6, "D", 0)
    t.release(1300, 0, 5, "mutex", A)
    t.waking(1300, 0, 5, 6)
    t.switch(1300, 1, 0, "R", 6)
    t.waited(1310, 1, 6, A)
    r = taken_apart(test, t.write(test.path("why")))
    for_b = {(("spinning", B, 7),) + RUNNING: 30,
             (("spinning", B, 7), ("interrupt", "irq_handler 24")): 10}
    return expect(r, "waited", B, 6, for_b) + expect(r, "held", B, 6, {RUNNING: 10}) + expect(
        r, "waited", A, 6, {**for_b, (("spinning", A, 5),) + RUNNING: 10 + 10 + 10,
                            (("waiting", A, 5),) + RUNNING: 130, (("spinning", A, None),): 10})


@why
def why_spins_inside_rt(test):
    """On PREEMPT_RT the two have one address."""
    t = Tasks(version=RT)
    for cpu, tid in enumerate((5, 6, 7)):
        t.switch(1000, cpu, 0, "R", tid)
    t.acquire(1010, 0, 5, "spin", A)
    t.acquire(1020, 2, 7, "raw_spin", A)
    t.wait(1100, 1, 6, A, 8)
    t.wait(1110, 1, 6, A, SPIN)
    t.release(1150, 2, 7, "raw_spin", A)
    t.waited(1150, 1, 6, A)
    t.acquire(1150, 1, 6, "raw_spin", A)
    t.release(1160, 1, 6, "raw_spin", A)
    t.switch(1160, 1, 6, "D", 0)
    t.release(1300, 0, 5, "spin", A)
    t.waking(1300, 0, 5, 6)
    t.switch(1300, 1, 0, "R", 6)
    t.waited(1300, 1, 6, A)
    t.acquire(1300, 1, 6, "spin", A)
    r = taken_apart(test, t.write(test.path("why")))
    have = sorted((i["ticks"], leaves(i)) for i in r["waited"]["longest"])
    inner = {(("spinning", A, 7),) + RUNNING: 40}
    want = [(40, inner), (200, {**inner, (("spinning", A, 5),) + RUNNING: 10 + 10,
                                (("waiting", A, 5),) + RUNNING: 140})]
    held = [leaves(i) for i in r["held"]["longest"] if i["task"] == 6]
    return ([] if have == want else ["waited: %s, not %s" % (have, want)]) + \
        ([] if held == [{RUNNING: 10}] else ["held: %s" % held])


@why
def why_holder_in_interrupt(test):
    """Who holds it is an interrupt: what the task does that it has interrupted says nothing."""
    t = Tasks()
    t.switch(1000, 0, 0, "R", 5)
    t.switch(1000, 1, 0, "R", 6)
    t.event(1010, 0, 5, "irq_handler_entry", 24, 0, HARDIRQ)
    t.acquire(1020, 0, 5, "spin", A, ctx=HARDIRQ)
    t.wait(1030, 1, 6, A, SPIN)
    t.release(1100, 0, 5, "spin", A, ctx=HARDIRQ)
    t.waited(1100, 1, 6, A)
    t.event(1110, 0, 5, "irq_handler_exit", 24, 0, HARDIRQ)
    r = taken_apart(test, t.write(test.path("why")))
    return expect(r, "waited", A, 6, {(("spinning", A, "interrupt"),): 70}) + (
        [] if "held by an interrupt from" in r["text"] else ["the text has no interrupt"])


@why
def why_rt_softirq(test):
    """On PREEMPT_RT a softirq is its task's: what is acquired in it is the task's."""
    t = Tasks(version=RT)
    t.switch(1000, 0, 0, "R", 5)
    t.event(1010, 0, 5, "softirq_entry", 1, 0, SOFTIRQ)
    t.acquire(1020, 0, 5, "spin", A, ctx=SOFTIRQ)
    t.switch(1100, 0, 5, "R+", 7)
    t.switch(1150, 0, 7, "S", 5)
    t.release(1200, 0, 5, "spin", A, ctx=SOFTIRQ)
    t.event(1210, 0, 5, "softirq_exit", 1, 0, SOFTIRQ)
    r = taken_apart(test, t.write(test.path("why")))
    return expect(r, "held", A, 5, {RUNNING: 130, (("preempted", 7),): 50})


@why
def why_idle(test):
    """An idle task holds a lock, is interrupted, and another one waits for it."""
    t = Tasks()
    t.switch(1000, 0, 5, "S", 0)
    t.switch(1000, 1, 0, "R", 6)
    t.acquire(1010, 0, 0, "spin", A)
    t.wait(1020, 1, 6, A, SPIN)
    t.event(1030, 0, 0, "irq_handler_entry", 24, 0, HARDIRQ)
    t.event(1050, 0, 0, "irq_handler_exit", 24, 0, HARDIRQ)
    t.release(1100, 0, 0, "spin", A)
    t.waited(1100, 1, 6, A)
    r = taken_apart(test, t.write(test.path("why")))
    in_24 = (("interrupt", "irq_handler 24"),)
    above = (("spinning", A, 0),)
    return expect(r, "held", A, 0, {RUNNING: 70, in_24: 20}) + expect(
        r, "waited", A, 6, {above + RUNNING: 60, above + in_24: 20})


@why
def why_interrupt_without_end(test):
    """A section of an interrupt whose end is missing is cut, and is not the next interrupt's."""
    t = Tasks()
    t.switch(1000, 0, 0, "R", 5)
    t.event(1010, 0, 5, "irq_handler_entry", 24, 0, HARDIRQ)
    t.acquire(1020, 0, 5, "spin", A, ctx=HARDIRQ)
    t.acquire(1040, 0, 5, "mutex", B)
    t.event(1100, 0, 5, "irq_handler_entry", 24, 0, HARDIRQ)
    t.acquire(1110, 0, 5, "spin", C, ctx=HARDIRQ)
    t.release(1120, 0, 5, "spin", C, ctx=HARDIRQ)
    t.event(1130, 0, 5, "irq_handler_exit", 24, 0, HARDIRQ)
    t.release(1200, 0, 5, "mutex", B)
    r = taken_apart(test, t.write(test.path("why")))
    bad = expect(r, "held", C, 5, {RUNNING: 10}) + expect(
        r, "held", B, 5, {RUNNING: 130, (("interrupt", "irq_handler 24"),): 30}) + (
        [] if r["cut_sections"] == 1 else ["%d are cut" % r["cut_sections"]])
    t = Tasks()
    t.switch(1000, 0, 0, "R", 5)
    for i in range(1000):
        t.acquire(1010 + 10 * i, 0, 5, "spin", 0x100 * (i + 1), ctx=HARDIRQ)
        t.at(1015 + 10 * i, 0, 5)
    t.acquire(20000, 0, 5, "mutex", A)
    t.release(20010, 0, 5, "mutex", A)
    r = taken_apart(test, t.write(test.path("why")))
    return bad + (["%d are refused" % r["refused"]] if r["refused"] else [])


@why
def why_one_time(test):
    """Two contexts with one lock at one time; a section and a wait; two sections of one task."""
    t = Tasks()
    t.switch(1000, 0, 0, "R", 5)
    t.wait(1010, 0, 5, A, SPIN)
    t.event(1010, 0, 5, "irq_handler_entry", 24, 0, HARDIRQ)
    t.wait(1010, 0, 5, A, SPIN, HARDIRQ)
    t.waited(1020, 0, 5, A, 0, HARDIRQ)
    t.event(1020, 0, 5, "irq_handler_exit", 24, 0, HARDIRQ)
    t.waited(1050, 0, 5, A)
    t.acquire(1100, 0, 5, "mutex", B)
    t.wait(1100, 0, 5, B, MUTEX)
    t.switch(1110, 0, 5, "D", 0)
    t.waking(1150, 0, 0, 5)
    t.switch(1150, 0, 0, "R", 5)
    t.waited(1150, 0, 5, B, -4)
    t.release(1200, 0, 5, "mutex", B)
    t.acquire(1300, 0, 5, "spin", C)
    t.release(1300, 0, 5, "spin", C)
    t.acquire(1300, 0, 5, "spin", C)
    t.release(1330, 0, 5, "spin", C)
    path = t.write(test.path("why"))
    r = taken_apart(test, path, "--limit", "20")
    last = taken_apart(test, path, "--holds", "--lock", hex(C), "--limit", "1")
    both = [(kind, i["context"], i["ticks"], leaves(i)) for kind in ("waited", "held")
            for i in r[kind]["longest"] if int(i["lock"], 16) in (A, C)]
    spins = (("spinning", A, None),)
    want = [("waited", "task", 40, {spins: 30, (("interrupt", "irq_handler 24"),): 10}),
            ("waited", "hardirq", 10, {spins: 10}), ("held", "task", 30, {RUNNING: 30}),
            ("held", "task", 0, {})]
    return ([] if both == want else ["%s, not %s" % (both, want)]) + \
        expect(last, "held", C, 5, {RUNNING: 30}) + \
        expect(r, "waited", B, 5, {(("spinning", B, 5, "cycle"),): 10,
                                   (("waiting", B, 5, "cycle"),): 40}) + \
        expect(r, "held", B, 5, {(("spinning", B, 5, "cycle"),): 10,
                                 (("waiting", B, 5, "cycle"),): 40, RUNNING: 50})


@why
def why_later_task(test):
    """A wait in an interrupt of a task that has the CPU later: of that one."""
    t = Tasks()
    t.switch(1000, 0, 0, "R", 5)
    for now, tid, lock in ((1100, 5, A), (1300, 6, B)):
        t.event(now, 0, tid, "irq_handler_entry", 24, 0, HARDIRQ)
        t.acquire(now + 5, 0, tid, "spin", C, ctx=HARDIRQ)
        t.wait(now + 10, 0, tid, lock, SPIN, HARDIRQ)
        t.waited(now + 30, 0, tid, lock, 0, HARDIRQ)
        t.release(now + 40, 0, tid, "spin", C, ctx=HARDIRQ)
        t.event(now + 50, 0, tid, "irq_handler_exit", 24, 0, HARDIRQ)
        if tid == 5:
            t.switch(1200, 0, 5, "S", 6)
    path = t.write(test.path("why"))
    r, holds = taken_apart(test, path), taken_apart(test, path, "--holds")
    return [bad for tid, lock in ((5, A), (6, B)) for bad in
            expect(r, "waited", lock, tid, {(("spinning", lock, None),): 20}) +
            expect(r, "held", C, tid, {RUNNING: 15, (("spinning", lock, None),): 20}) +
            expect(holds, "held", C, tid, {RUNNING: 15, (("spinning", lock, None),): 20})]


@why
def why_times(test):
    """How often a part began, and how many were cut."""
    t = Tasks()
    t.switch(1000, 0, 0, "R", 5)
    t.release(1005, 0, 5, "mutex", B)
    t.acquire(1010, 0, 5, "mutex", A)
    for now in (1100, 1200):
        t.at(now - 10, 0, 5)
        t.switch(now, 0, 5, "R+", 7)
        t.at(now + 10, 0, 7)
        t.switch(now + 20, 0, 7, "S", 5)
    t.release(1300, 0, 5, "mutex", A)
    t.acquire(1310, 0, 5, "mutex", B)
    t.waited(1320, 0, 5, C)
    t.wait(1330, 0, 5, A, MUTEX)
    t.at(1340, 0, 5)
    r = taken_apart(test, t.write(test.path("why")))
    times = {p["cause"]: p["times"] for p in item(r, "held", A, 5)["parts"]}
    bad = [] if times == {"running": 3, "preempted": 2} else ["times: %s" % times]
    return bad + ([] if (r["cut_sections"], r["cut_waits"]) == (2, 2) else
                  ["cut: %d, %d" % (r["cut_sections"], r["cut_waits"])])
