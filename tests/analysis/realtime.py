# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""ft report --rt: what real-time tasks did, against the truth."""

import random
import re

from gen_trace import HARDIRQ, MUTEX, REALTIME as REALTIME_MUTEX, SOFTIRQ, SPIN
from realtime_trace import EVENTS, LOCK, NICE, OTHER_LOCK, REALTIME, Tasks, realtime, shown
from typed_trace import DEADLINE, FIFO, OTHER, RR

PRIO = {11: 98, 14: NICE}
LOW = 11


# --- what tasks do

@realtime
def rt_states(test):
    """Each state, with interrupts that nest, by hand."""
    t = Tasks({5: 49, 6: NICE, 7: 10, 9: NICE})
    t.switch(1000, 0, 9, "S", 5)
    t.event(1100, 0, 5, "softirq_entry", 1, 0, SOFTIRQ)
    t.event(1105, 0, 5, "irq_handler_entry", 24, 0, HARDIRQ)
    t.event(1110, 0, 5, "irq_handler_exit", 24, 0, HARDIRQ)
    t.event(1130, 0, 5, "softirq_exit", 1, 0, SOFTIRQ)
    t.wait(1200, 0, 5, LOCK, MUTEX)             # it spins first
    t.softirq(1210, 1215, 0, 5)                 # an interrupt is none of the wait
    t.switch(1250, 0, 5, "D", 6)
    t.waking(1400, 0, 6, 5)
    t.switch(1420, 0, 6, "R+", 5)
    t.waited(1430, 0, 5, LOCK)
    t.acquire(1431, 0, 5, "mutex", LOCK)
    t.switch(1500, 0, 5, "R+", 7)
    t.switch(1540, 0, 7, "S", 5)
    t.switch(1600, 0, 5, "S", 6)
    t.waking(1900, 0, 6, 5, HARDIRQ)
    t.switch(1910, 0, 6, "R+", 5)
    t.at(2000, 0, 5)
    r = shown(test, t.write(test.path("rt")))
    return r.rows("rt_task", "5", "7") + r.expect(
        "rt_task", "5", policy="FIFO", prio=49, running=390, preempted=40, latency=30,
        latency_max=20, wakeups=2, blocked=205, asleep=300, interrupted=35, unknown=0) + r.expect(
        "rt_task", "7", prio=10, running=40, asleep=460, unknown=0) + r.expect(
        "rt_blocking", "5:mutex:0xa0<0x1000", count=1, total=230, max=230, holder_unknown=1) + \
        ([] if re.search(r"task 5 +FIFO 50 ", r.text) else ["the text has no task 5: " + r.text])


@realtime
def rt_policies(test):
    """A fair task with an inherited priority is none; one that becomes one counts from then on."""
    t = Tasks({5: 49, 6: NICE, 7: NICE, 8: -1, 9: 30})
    t.policy.update({8: DEADLINE, 9: RR})
    t.switch(1000, 0, 6, "R+", 7, prio=20)      # inherited
    t.switch(1100, 0, 7, "R+", 8, left=20)
    t.switch(1200, 0, 8, "S", 9)
    t.switch(1300, 0, 9, "S", 5)
    t.policy[5] = OTHER
    t.waking(1400, 0, 5, 5)                     # it says that its policy is another one now
    t.switch(1500, 0, 5, "S", 6)
    t.policy[5] = FIFO
    t.waking(1600, 0, 6, 5)
    t.switch(1700, 0, 6, "R+", 5)
    t.at(1800, 0, 5)
    r = shown(test, t.write(test.path("rt")))
    return r.rows("rt_task", "5", "8", "9") + \
        r.expect("rt_task", "5", running=200, latency=100, asleep=0, unknown=0) + \
        r.expect("rt_task", "8", policy="DEADLINE", prio=-1, running=100, asleep=600) + \
        r.expect("rt_task", "9", policy="RR", prio=30, running=100, asleep=500)


@realtime
def rt_number_comes_again(test):
    """What another task of the same number does later is not the first one's."""
    t = Tasks({5: 49, 6: NICE})
    t.switch(1000, 0, 6, "S", 5)
    t.switch(1100, 0, 5, "X", 6)
    t.policy[5], t.prio[5] = OTHER, NICE
    t.switch(1300, 0, 6, "S", 5)
    t.switch(1500, 0, 5, "S", 6)
    t.at(2000, 0, 6)
    r = shown(test, t.write(test.path("rt")))
    return r.expect("rt_task", "5", running=100, asleep=0, unknown=0)


@realtime
def rt_not_known(test):
    """Where records are missing, nobody knows what a task did; that is told, too."""
    t = Tasks({5: 49, 6: NICE})
    t.switch(1000, 0, 6, "S", 5)
    t.at(1100, 0, 5)
    t.cpu(0).lose(3)
    t.at(1300, 0, 5)
    t.switch(1400, 0, 5, "S", 6)
    t.at(1500, 0, 6)
    r = shown(test, t.write(test.path("rt")), status=3)
    return r.expect("rt_task", "5", running=200, asleep=100, unknown=200) + \
        ([] if "what it did for 200 ns is not known" in r.text else ["not told: " + r.text])


@realtime
def rt_filtered(test):
    """--from and --to cut states; --task and --lock select rows; --cpu is refused."""
    t = Tasks({5: 49, 6: NICE, 7: 30})
    t.switch(1000, 0, 6, "S", 5)
    t.wait(1100, 0, 5, LOCK, 0)
    t.waited(1200, 0, 5, LOCK)
    t.acquire(1200, 0, 5, "semaphore", LOCK)
    t.wait(1300, 0, 5, OTHER_LOCK, 0)
    t.waited(1350, 0, 5, OTHER_LOCK)
    t.acquire(1350, 0, 5, "semaphore", OTHER_LOCK)
    t.switch(1500, 0, 5, "S", 7)
    t.at(2000, 0, 7)
    path = t.write(test.path("rt"))
    r = shown(test, path, "--from", "0.00000025", "--to", "0.0000006")
    bad = r.expect("rt_task", "5", running=200, blocked=50, asleep=100, unknown=0)
    bad += r.expect("rt_task", "7", running=100, unknown=0)
    bad += r.rows("rt_blocking", "5:semaphore:0xb0<0x1000")
    r = shown(test, path, "--task", "7")
    bad += r.rows("rt_task", "7") + r.rows("rt_blocking")
    r = shown(test, path, "--lock", "0xa0")
    bad += r.rows("rt_task", "5", "7") + r.rows("rt_blocking", "5:semaphore:0xa0<0x1000")
    r = test.ft("report", "--rt", "--cpu", "0", path)
    if r.returncode != 2 or "--rt and --cpu exclude each other" not in r.stderr:
        bad.append("--cpu: %d, %s" % (r.returncode, r.stderr))
    return bad


@realtime
def rt_needs_switches(test):
    """Without the scheduler's events nothing can be said; without others, less."""
    t = Tasks({5: 49})
    t.acquire(1000, 0, 5, "mutex", LOCK)
    r = test.ft("report", "--rt", t.write(test.path("rt")))
    if r.returncode != 1 or \
            "no sched_switch was recorded" not in r.stderr or "ft record --locks -e" not in r.stderr:
        return ["%d: %s" % (r.returncode, r.stderr)]
    t = Tasks({5: 49})
    t.switch(1000, 0, 0, "R", 5)
    t.switch(1100, 0, 5, "S", 0)
    r = shown(test, t.write(test.path("rt")))
    return r.expect("rt", "-", wakings_known=0, interrupts_known=0, waits_known=0,
                    holders_known=0) + [
        "not told: " + word for word in ("sched_waking", "irq_handler_*", "contention_begin",
                                         "--locks", "preemptirq:preempt_", "preemptirq:irq_",
                                         "PI futexes")
        if word not in r.text or word not in r.page]


@realtime
def rt_half_of_preemptirq(test):
    """Of preemption and interrupts each is told if it is missing."""
    bad = []
    for have, other in (("preempt", "irq"), ("irq", "preempt")):
        t = Tasks(PRIO)
        t.switch(1000, 0, 0, "R", LOW)
        t.event(1010, 0, LOW, have + "_disable", 0x7000)
        t.event(1050, 0, LOW, have + "_enable", 0x7000)
        r = shown(test, t.write(test.path("rt")))
        bad += r.expect("rt", "-", preempt_off_known=have == "preempt", irq_off_known=have == "irq")
        for shown_as in (r.text, r.page):
            if "preemptirq:%s_" % other not in shown_as or "preemptirq:%s_" % have in shown_as:
                bad.append("%s: it tells something else: %s" % (have, shown_as))
        if not re.search(r"40\sns +40\sns +1 +%s_off +0 " % have, r.page):
            bad.append("not on the page: " + r.page)
    return bad


@realtime
def rt_short_lives(test):
    """Of tasks that were none and have ended, nothing is kept: more than there is room for."""
    t = Tasks(PRIO)
    t.switch(1000, 0, 0, "R", 1000)
    for tid in range(1000, 270000):
        t.switch(1001 + tid, 0, tid, "X", tid + 1)
    r = test.ft("report", "--rt", "--tsv", t.write(test.path("rt")))
    return [] if "rt\t-\trefused\t0\n" in r.stdout else ["refused: " + r.stdout[:2000]]


# --- no preemption

@realtime
def rt_kept(test):
    """Sections of spinning locks, and what preemptirq has; those of PREEMPT_RT are others."""
    def trace(**more):
        t = Tasks(PRIO, **more)
        t.switch(1000, 0, 0, "R", LOW)
        t.acquire(1100, 0, LOW, "spin", LOCK, 0x5000)
        t.release(1150, 0, LOW, "spin", LOCK)
        t.acquire(1200, 0, LOW, "spin", LOCK, 0x5010)
        t.release(1290, 0, LOW, "spin", LOCK)
        t.event(1300, 1, 14, "irq_disable", 0x7000)
        t.event(1310, 1, 14, "irq_disable", 0x7010)     # they do not nest
        t.event(1360, 1, 14, "irq_enable", 0x7020)
        t.event(1370, 1, 14, "irq_enable", 0x7020)
        t.event(1380, 1, 14, "preempt_disable", 0x7000)
        t.cpu(1).lose(1)
        t.event(1400, 1, 14, "preempt_enable", 0x7000)
        return t.write(test.path("rt"))
    r = shown(test, trace(), status=3)
    bad = r.rows("rt_nonpreemptible", "spin", "irq_off", "preempt_off") + r.expect(
        "rt_nonpreemptible", "spin", count=2, total=140, max=90, max_at=200, site="0x5010") + \
        r.expect("rt_nonpreemptible", "irq_off", count=1, total=60, max_at=300, cpu=1) + \
        r.expect("rt_nonpreemptible", "preempt_off", count=0)
    r = shown(test, trace(version="#1 SMP PREEMPT_RT Debian"), status=3)
    return bad + r.rows("rt_nonpreemptible", "irq_off", "preempt_off")


@realtime
def rt_kept_raw(test):
    """On PREEMPT_RT these are sections of raw spinlocks, if there are events of them: those of
    the lock around one, at the same address, are none. What is missing is told, or not."""
    bad = []
    for raw, more in (True, {}), (False, {"raw": False}):
        t = Tasks(PRIO, version="#1 SMP PREEMPT_RT Debian", **more)
        t.switch(1000, 0, 0, "R", LOW)
        t.acquire(1100, 0, LOW, "rt_spin", LOCK, 0x5000)
        if raw:
            t.acquire(1110, 0, LOW, "raw_spin", LOCK, 0x5010)
            t.release(1140, 0, LOW, "raw_spin", LOCK)
            t.acquire(1150, 0, LOW, "raw_spin", OTHER_LOCK, 0x5020)
        t.switch(1160, 0, LOW, "R+", 14)
        if raw:
            t.release(1170, 0, 14, "raw_spin", OTHER_LOCK)
        t.switch(1300, 0, 14, "S", LOW)
        t.release(1400, 0, LOW, "rt_spin", LOCK)
        t.at(1500, 0, LOW)
        r = shown(test, t.write(test.path("rt")))
        bad += r.rows("rt_nonpreemptible", *["raw_spin"] * raw)
        if raw:
            bad += r.expect("rt_nonpreemptible", "raw_spin", count=2, total=50, max=30, max_at=110,
                            site="0x5010", cpu=0)
        if ("raw spinlocks of PREEMPT_RT: it has no events of them" in r.text) == raw:
            bad.append("raw=%s: what is missing: %s" % (raw, r.text))
    return bad


@realtime
def rt_blocked_by_raw(test):
    """A wait for a lock goes on while its task waits for the raw one inside of it; without
    call sites, these waits are rows of their own."""
    t = Tasks({**PRIO, 13: 20}, version="#1 SMP PREEMPT_RT Debian")
    t.switch(1000, 0, 0, "R", LOW)
    t.acquire(1010, 0, LOW, "mutex", LOCK, 0x5000)
    t.switch(1050, 1, 0, "R", 13)
    t.wait(1100, 1, 13, LOCK, REALTIME_MUTEX)
    t.wait(1110, 1, 13, LOCK, SPIN)
    t.waited(1130, 1, 13, LOCK)
    t.switch(1150, 1, 13, "D", 0)
    t.release(1300, 0, LOW, "mutex", LOCK)
    t.waking(1310, 0, LOW, 13)
    t.switch(1320, 1, 0, "R", 13)
    t.waited(1350, 1, 13, LOCK)
    t.at(1500, 1, 13)
    t.at(1500, 0, LOW)
    r = shown(test, t.write(test.path("rt")))
    return r.rows("rt_blocking", "13:mutex:0xa0<0x0", "13:raw_spin:0xa0<0x0") + r.expect(
        "rt_blocking", "13:mutex:0xa0<0x0", count=1, total=250, holder=str(LOW)) + r.expect(
        "rt_blocking", "13:raw_spin:0xa0<0x0", count=1, total=20, holder_unknown=1)


@realtime
def rt_kept_by_nobody(test):
    """The idle task is left by switches alone: it is no section; what leads to it ends there."""
    t = Tasks(PRIO)
    t.switch(1000, 0, 0, "R", LOW)
    t.event(1010, 0, LOW, "preempt_disable", 0x7000)
    t.switch(1030, 0, LOW, "S", 0)
    t.event(1040, 0, 0, "preempt_disable", 0x7000)
    t.switch(1900, 0, 0, "R", LOW)
    t.event(1910, 0, LOW, "preempt_enable", 0x7000)
    r = shown(test, t.write(test.path("rt")))
    return r.rows("rt_nonpreemptible", "preempt_off") + r.expect(
        "rt_nonpreemptible", "preempt_off", count=1, total=20)


@realtime
def rt_kept_filtered(test):
    """--task and --site select what is off, too; it is of no lock."""
    t = Tasks(PRIO)
    t.switch(1000, 0, 0, "R", LOW)
    t.acquire(1001, 0, LOW, "semaphore", LOCK, 0x5000)
    t.release(1002, 0, LOW, "semaphore", LOCK)
    for at, tid, site in ((1010, LOW, 0x7000), (1100, LOW, 0x7100), (1200, 14, 0x7000)):
        if tid == 14:
            t.switch(1190, 0, LOW, "S", 14)
        t.event(at, 0, tid, "preempt_disable", site)
        t.event(at + 10, 0, tid, "preempt_enable", site)
        t.event(at + 20, 0, tid, "irq_disable", site)
        t.event(at + 25, 0, tid, "irq_enable", site)
    path, bad = t.write(test.path("rt")), []
    for args, count in (((), 3), (("--task", str(LOW)), 2), (("--site", "0x7000"), 2),
                        (("--task", "14", "--site", "0x7000"), 1), (("--lock", "0xa0"), 0),
                        (("--family", "semaphore"), 0), (("--from", "0.00000015"), 1)):
        r = shown(test, path, *args)
        for row, length in (("preempt_off", 10), ("irq_off", 5)):
            bad += ["%s: %s" % (args, b) for b in r.expect(
                "rt_nonpreemptible", row, count=count, total=count * length)]
    return bad


# --- what may come in any trace

@realtime
def rt_hostile(test):
    """Any words in any order: an answer that does not contradict itself."""
    bad = []
    for seed in range(12):
        rng = random.Random(seed)
        t = Tasks()
        for i in range(3000):
            tid = rng.choice((0, 1, 2, 3, 4, -1, 2**31 - 1))
            cpu, ctx = rng.randrange(3), rng.choice((0, 0, 0, SOFTIRQ, HARDIRQ))
            ts, kind = 1000 + 10 * i, rng.randrange(10)
            task = rng.choice((0, 1, 2, 3, 4, 2**32 - 1, 2**31)) | \
                rng.choice((0, 1, 2, 6, 65535)) << 32 | rng.randrange(2**16) << 48
            if kind < 5:
                t.event(ts, cpu, tid, rng.choice(list(EVENTS)), task,
                        rng.choice((0, 1, 2, 0x80, 0x100, 2**64 - 1, rng.randrange(2**64))), ctx)
            elif kind < 7:
                family = rng.choice(("mutex", "semaphore", "rwsem_read", "spin"))
                t.lock(ts, cpu, tid, family, rng.choice(("acquire", "release")),
                       rng.choice((0, LOCK, OTHER_LOCK)), 0x5000, ctx)
            elif kind < 9:
                rng.choice((t.wait, t.waited))(ts, cpu, tid, rng.choice((0, LOCK, OTHER_LOCK)),
                                               rng.choice((0, MUTEX)), ctx)
            elif not rng.randrange(20):
                t.at(ts, cpu, tid)
                t.cpu(cpu).lose(1)
        path = t.write(test.path("rt"))
        r = shown(test, path, status=3)
        length = float(r["trace"]["-"]["duration_ns"])
        for row, c in r["rt_task"].items():
            states = sum(float(c[s + "_ns"]) for s in ("running", "preempted", "latency", "blocked",
                                                        "asleep", "interrupted", "unknown"))
            if states > length:
                bad.append("%d: task %s was there longer than the trace: %s" % (seed, row, c))
        for row, c in r["rt_inversion"].items():
            both = float(c["total_ns"]) + float(c["inherited_total_ns"])
            if both > float(r["rt_blocking"][row]["total_ns"]):
                bad.append("%d: inverted longer than blocked: %s" % (seed, c))
    return bad
