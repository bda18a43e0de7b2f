# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""ft report --rt: what real-time tasks did, against the truth."""

import json
import random
import re

from gen_trace import HARDIRQ, MUTEX, SOFTIRQ, SPIN, Trace, WAITS
from options import rows_of

REALTIME = []


def realtime(f):
    REALTIME.append(f)
    return f


# The events of the scheduler and of interrupts, as module/event/typed.c has them.

TYPES = 'typealias integer { size = 16; align = 16; signed = true; } := prio_t;\n' \
    'typealias enum : uint16_t { "R" = 0, "S" = 1, "D" = 2, "X" = 0x80, "R+" = 0x100 } := state_t;\n' \
    'typealias enum : uint16_t { "OTHER" = 0, "FIFO" = 1, "RR" = 2, "DEADLINE" = 6 } := policy_t;\n'
WOKEN = ("tid_t task; policy_t task_policy; prio_t task_prio", "tid_t process; uint32_t target_cpu")
EVENTS = {
    "sched_switch": (100, "tid_t next; policy_t next_policy; prio_t next_prio",
                     "state_t prev_state; uint16_t _ft_unused_0; uint16_t _ft_unused_1; "
                     "prio_t prev_prio"),
    "sched_waking": (101, *WOKEN),
    "sched_wakeup": (102, *WOKEN),
    "sched_migrate_task": (103, WOKEN[0], "uint32_t orig_cpu; uint32_t dest_cpu"),
    "irq_handler_entry": (104, "uint32_t irq; uint32_t on_cpu", "word_t handler"),
    "irq_handler_exit": (105, "uint32_t irq; uint32_t on_cpu", "int64_t ret"),
    "softirq_entry": (106, "uint32_t vec; uint32_t on_cpu", "uint64_t _ft_unused_0"),
    "softirq_exit": (107, "uint32_t vec; uint32_t on_cpu", "uint64_t _ft_unused_0"),
    "irq_disable": (108, "word_t _a", "word_t _b"),
    "irq_enable": (109, "word_t _a", "word_t _b"),
    "preempt_disable": (110, "word_t _a", "word_t _b"),
    "preempt_enable": (111, "word_t _a", "word_t _b"),
}
STATES = {"R": 0, "S": 1, "D": 2, "X": 0x80, "R+": 0x100}
OTHER, FIFO, RR, DEADLINE = 0, 1, 2, 6
NICE = 120

LOCK, OTHER_LOCK = 0xa0, 0xb0


class Tasks(Trace):
    """prio: of each task, as the kernel counts; below 100 its policy is FIFO."""

    def __init__(self, prio=(), **more):
        super().__init__(events=[(n, name, a, b) for name, (n, a, b) in EVENTS.items()] +
                         list(WAITS), types=TYPES, **more)
        self.prio = {0: NICE, **dict(prio)}
        self.policy = {}

    def event(self, ts, cpu, tid, name, a, b=0, ctx=0):
        self.cpu(cpu).add(ts, EVENTS[name][0], tid, a, b, ctx)

    def word(self, tid, prio=None):
        prio = self.prio[tid] if prio is None else prio
        policy = self.policy.get(tid, FIFO if self.prio[tid] < 100 else OTHER)
        return tid | policy << 32 | (prio % 2**16) << 48

    def switch(self, ts, cpu, prev, state, to, prio=None, left=None):
        """prio: that `to` has now, if it is not its own; left: the same of prev"""
        left = self.prio[prev] if left is None else left
        self.event(ts, cpu, prev, "sched_switch", self.word(to, prio),
                   STATES[state] | (left % 2**16) << 48)

    def waking(self, ts, cpu, by, tid, ctx=0, name="sched_waking", target=0):
        self.event(ts, cpu, by, name, self.word(tid), tid | target << 32, ctx)

    def migrate(self, ts, cpu, by, tid, to):
        self.event(ts, cpu, by, "sched_migrate_task", self.word(tid), to << 32)

    def softirq(self, begin, end, cpu, tid):
        self.event(begin, cpu, tid, "softirq_entry", 1, 0, SOFTIRQ)
        self.event(end, cpu, tid, "softirq_exit", 1, 0, SOFTIRQ)

    def at(self, ts, cpu, tid):
        """It runs there, says a record."""
        self.cpu(cpu).add(ts, 1, tid, 0, 0)


class Tables(dict):
    """table, row, column: value"""

    def __init__(self, text):
        for table in ("rt", "rt_task", "rt_blocking", "rt_inversion", "rt_nonpreemptible", "trace"):
            self[table] = dict(rows_of(text, table))

    def expect(self, table, row, **want):
        """Numbers are compared as such; columns in ns by their name without _ns."""
        have = self[table].get(row)
        if have is None:
            return ["%s has no row %s, but %s" % (table, row, list(self[table]))]
        bad = []
        for column, value in want.items():
            got = have.get(column, have.get(column + "_ns"))
            if got != value and (isinstance(value, str) or got is None or float(got) != value):
                bad.append("%s %s: %s is %s, not %s" % (table, row, column, got, value))
        return bad

    def rows(self, table, *want):
        return [] if sorted(self[table]) == sorted(want) else \
            ["%s has rows %s, not %s" % (table, sorted(self[table]), sorted(want))]


def shown(test, path, *args, status=0):
    """The tables of --tsv. Other outputs say the same, or keep their promises."""
    r = test.ft("report", "--rt", "--tsv", "--top", "0", *args, path)
    if r.returncode != status or "Sanitizer" in r.stderr:
        raise ValueError("exit status %d: %s" % (r.returncode, r.stderr))
    j = test.ft("report", "--rt", "--json", "--top", "0", *args, path)
    tables = Tables(r.stdout)
    for table, rows in tables.items():
        got = {row["row"]: len(row) - 1 for row in json.loads(j.stdout)[table]}
        if got != {row: len(columns) for row, columns in rows.items()}:
            raise ValueError("--json has other rows of %s: %s" % (table, got))
    text = test.ft("report", "--rt", "--top", "0", *args, path)
    if text.returncode != status or "observed" not in text.stdout or \
            re.search(r"\bbounds?\b", text.stdout):
        raise ValueError("the text is no observation: %s%s" % (text.stdout, text.stderr))
    page = path + ".html"
    if test.ft("report", "--rt", "--html", page, *args, path).returncode != status:
        raise ValueError("the page fails")
    with open(page) as f:
        tables.page = re.sub(r"<[^>]*>", " ", f.read())
    wide = [line for line in text.stdout.splitlines() if len(line) > 100 and path not in line]
    if wide:
        raise ValueError("wider than 100 columns: " + wide[0])
    tables.text = text.stdout
    return tables


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
    r = test.ft("report", "--rt", t.write(test.path("none")))
    if r.returncode != 1 or \
            "no sched_switch was recorded" not in r.stderr or "ft record --locks -e" not in r.stderr:
        return ["%d: %s" % (r.returncode, r.stderr)]
    t = Tasks({5: 49})
    t.switch(1000, 0, 0, "R", 5)
    t.switch(1100, 0, 5, "S", 0)
    r = shown(test, t.write(test.path("less")))
    return r.expect("rt", "-", wakings_known=0, interrupts_known=0, waits_known=0,
                    holders_known=0) + [
        "not told: " + word for word in ("sched_waking", "irq_handler_*", "contention_begin",
                                         "--locks", "preemptirq") if word not in r.text]


# --- inversions

LOW, MIDDLE, HIGH = 11, 12, 13
PRIO = {LOW: 98, MIDDLE: 60, HIGH: 20, 14: NICE, 15: NICE, 16: 10}
ROW = "13:semaphore:0xa0<0x6000"


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
        ([] if re.search(r"300\sns +300\sns +1 +0 +task 13 +semaphore .* task 11 +task 12 ", r.page)
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


def two_cpus(prio, fair=False, flags=0):
    """HIGH waits on CPU 1 while MIDDLE runs on CPU 0; then LOW runs there, with that priority."""
    t = Tasks(PRIO)
    if fair:
        t.prio[LOW] = NICE
    t.switch(1000, 0, 0, "R", LOW)
    t.acquire(1010, 0, LOW, "semaphore", LOCK, 0x5000)
    t.switch(1050, 0, LOW, "R+", MIDDLE)
    t.switch(1100, 1, 0, "R", HIGH)
    t.wait(1150, 1, HIGH, LOCK, flags)
    t.switch(1160, 1, HIGH, "D", 0)
    t.switch(1200, 0, MIDDLE, "R+", LOW, prio)
    return goes_on(t, 1300, cpu=1)


@realtime
def rt_inherited(test):
    """The holder runs again as it has got the waiter's priority: that is counted apart."""
    bad = []
    for prio, fair, want in ((20, False, True), (10, True, True), (21, False, False),
                             (None, False, False)):
        r = shown(test, two_cpus(prio, fair).write(test.path("rt")))
        bad += r.expect("rt_inversion", ROW, count=not want, total=0 if want else 50,
                        inherited_count=want, inherited_total=50 if want else 0, max_at=150)
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
    return r.expect("rt_inversion", ROW, count=2, total=109, max=100, holder="11", runner="12") + \
        r.expect("rt_blocking", ROW, holder="14")


@realtime
def rt_circle(test):
    """Two that wait for each other: a deadlock, which nobody's running would end."""
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
    r = shown(test, goes_on(t, 1400).write(test.path("gap")), status=3)
    bad = r.rows("rt_inversion") + r.rows("rt_blocking") + \
        r.expect("rt", "-", cut_inversions=1, inversion_count=0) + \
        r.expect("rt_task", str(HIGH), blocked=10, running=90)
    t = one_cpu()
    t.streams[0].records.pop()
    t.at(1390, 0, MIDDLE)
    r = shown(test, t.write(test.path("end")))
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
        path = t.write(test.path("hostile"))
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


# --- by chance, against a model that looks at every moment

class Model:
    """Tasks on two CPUs, each with its own queue; locks of semaphores, without inheritance.

    It goes from moment to moment, writes the records of what it does, and counts what each task
    does and who keeps whom waiting, by the states that it has itself.
    """

    LOCKS = (LOCK, OTHER_LOCK)

    def __init__(self, seed, cpus=2, tasks=9):
        self.rng = random.Random(seed)
        self.prio = {tid: self.rng.choice((5, 20, 40, 60, 98, NICE)) for tid in range(1, tasks + 1)}
        self.trace = Tasks(self.prio)
        self.on = {cpu: 0 for cpu in range(cpus)}
        self.where = {tid: self.rng.randrange(cpus) for tid in self.prio}
        self.state = {tid: "asleep" for tid in self.prio}
        self.waits, self.held, self.since = {}, {lock: None for lock in self.LOCKS}, {}
        self.known = set()              # whose policy a record has told
        self.ticks = {tid: {} for tid in self.prio}
        self.blocked = {}               # (task, lock): lengths
        self.inverted = {}              # the same, of waits that are over
        self.episode = {}               # task: [holder, ticks]
        self.ended = {}                 # task: ticks of those in its wait
        self.now = 1000

    def queue(self, cpu):
        return sorted((tid for tid in self.prio if self.where[tid] == cpu and
                       self.state[tid] in ("running", "preempted", "latency")),
                      key=lambda tid: (self.prio[tid], self.state[tid] != "running", tid))

    # What is true for a moment, or begins with one.

    def holder(self, tid):
        """Who has to run so that a task gets on; None: it is asleep, or runs."""
        seen = set()
        while tid in self.waits and tid not in seen:
            seen.add(tid)
            tid = self.held[self.waits[tid]]
            if tid is None:
                return None
            if self.state[tid] != "asleep":
                return tid
        return None

    def inverts(self, tid):
        holder = self.holder(tid)
        if holder is None or self.state[holder] == "running":
            return False
        runner = self.on[self.where[holder]]
        if not runner or self.prio[runner] <= self.prio[tid]:
            return False
        return self.state[holder] == "preempted" or self.prio[runner] <= self.prio[holder] or \
            (self.prio[runner] >= 100 and self.prio[holder] >= 100)

    def end_episode(self, tid):
        if tid in self.episode:
            self.ended.setdefault(tid, []).append(self.episode.pop(tid)[1])

    def tick(self, ticks):
        for tid in self.known:
            state = self.state[tid]
            if tid in self.waits and state in ("asleep", "running"):
                state = "blocked"
            self.ticks[tid][state] = self.ticks[tid].get(state, 0) + ticks
        for tid in self.waits:
            if tid in self.known and self.inverts(tid):
                self.episode.setdefault(tid, [self.holder(tid), 0])[1] += ticks
        self.now += ticks

    def look(self):
        """Inversions end whose holder runs now, or is another one."""
        for tid in list(self.episode):
            holder = self.holder(tid)
            if holder is None or holder != self.episode[tid][0] or self.state[holder] == "running":
                if holder is not None or not self.sleeps(self.episode[tid][0]):
                    self.end_episode(tid)

    def sleeps(self, tid):
        return self.state[tid] == "asleep"

    # What is done.

    def switch(self, cpu, leaves):
        prev, queue = self.on[cpu], self.queue(cpu)
        to = queue[0] if queue else 0
        if to == prev and leaves == "R+":
            return
        self.trace.switch(self.now, cpu, prev, leaves, to)
        if prev and leaves == "R+":
            self.state[prev] = "preempted"
        if to:
            self.state[to] = "running"
            if self.prio[to] < 100:
                self.known.add(to)
        self.on[cpu] = to
        self.look()
        self.tick(1)

    def reschedule(self):
        for cpu, tid in self.on.items():
            queue = self.queue(cpu)
            if queue and (not tid or self.prio[queue[0]] < self.prio[tid]):
                self.switch(cpu, "R+" if tid else "R")
                if self.on[cpu] in self.waits:
                    self.got(self.on[cpu])

    def sleep(self, tid, how):
        cpu = self.where[tid]
        self.state[tid] = "asleep"
        self.switch(cpu, how)
        if self.on[cpu] in self.waits:
            self.got(self.on[cpu])

    def wake(self, tid, cpu):
        self.state[tid] = "latency"
        if self.prio[tid] < 100:
            self.known.add(tid)
        self.trace.waking(self.now, cpu, self.on[cpu], tid)
        self.look()
        self.tick(2)

    def take(self, tid):
        lock = self.rng.choice(self.LOCKS)
        if tid in (self.held[lock], self.held[OTHER_LOCK]):     # in one order: no deadlock
            return
        if self.held[lock] is None:
            self.held[lock] = tid
            self.trace.acquire(self.now, self.where[tid], tid, "semaphore", lock, 0x6000)
            return
        self.waits[tid], self.since[tid] = lock, self.now
        self.ended.pop(tid, None)
        self.trace.wait(self.now, self.where[tid], tid, lock, 0)
        self.tick(3)
        self.sleep(tid, "D")

    def got(self, tid):
        """It runs again, and has the lock, unless somebody was faster."""
        lock = self.waits[tid]
        if self.held[lock] is not None:
            self.tick(1)
            self.sleep(tid, "D")
            return
        self.end_episode(tid)
        del self.waits[tid]
        self.held[lock] = tid
        self.trace.waited(self.now, self.where[tid], tid, lock)
        self.trace.acquire(self.now, self.where[tid], tid, "semaphore", lock, 0x6000)
        if self.prio[tid] < 100:
            self.blocked.setdefault((tid, lock), []).append(self.now - self.since[tid])
            self.inverted.setdefault((tid, lock), []).extend(self.ended.pop(tid, []))

    def give(self, tid):
        for lock in self.LOCKS:
            if self.held[lock] == tid:
                self.held[lock] = None
                self.trace.release(self.now, self.where[tid], tid, "semaphore", lock)
                for other in list(self.episode):
                    if self.holder(other) != self.episode[other][0]:
                        self.end_episode(other)
                self.tick(1)
                for waiter in sorted(w for w in self.waits if self.waits[w] == lock and
                                     self.state[w] == "asleep"):
                    self.wake(waiter, self.where[tid])
                return True
        return False

    def step(self):
        cpu = self.rng.choice(list(self.on))
        tid, what = self.on[cpu], self.rng.random()
        sleepers = [t for t in self.prio if self.state[t] == "asleep" and t not in self.waits]
        if sleepers and what < 0.5:
            self.wake(self.rng.choice(sleepers), cpu)
        elif tid and what < 0.75:
            self.take(tid)
        elif tid and what < 0.85:
            self.give(tid)
        elif tid and what < 0.9:
            self.sleep(tid, "S")
        self.reschedule()
        self.tick(self.rng.randrange(1, 30))

    def run(self, steps):
        for cpu in self.on:             # it is seen from here on
            self.trace.switch(self.now, cpu, 0, "R", 0)
        for _ in range(steps):
            self.step()
        for cpu, tid in self.on.items():
            self.trace.at(self.now, cpu, tid)
        return self


@realtime
def rt_by_chance(test):
    """Hundreds of waits and inversions, each of which the model has counted itself."""
    bad, inversions = [], 0
    for seed in range(20):
        m = Model(seed, cpus=1 + seed % 3).run(1500)
        r = shown(test, m.trace.write(test.path("chance")))
        for tid in m.known:
            want = {state: m.ticks[tid].get(state, 0) for state in
                    ("running", "preempted", "latency", "blocked")}
            bad += ["%d: %s" % (seed, b) for b in r.expect("rt_task", str(tid), **want)]
        rows = {}
        for (tid, lock), lengths in m.blocked.items():
            row = "%d:semaphore:%#x<0x6000" % (tid, lock)
            bad += ["%d: %s" % (seed, b) for b in r.expect(
                "rt_blocking", row, count=len(lengths), total=sum(lengths), max=max(lengths))]
            if m.inverted[tid, lock]:
                rows[row] = m.inverted[tid, lock]
        bad += ["%d: %s" % (seed, b) for b in r.rows("rt_inversion", *rows)]
        for row, lengths in rows.items():
            bad += ["%d: %s" % (seed, b) for b in r.expect(
                "rt_inversion", row, count=len(lengths), total=sum(lengths), max=max(lengths),
                inherited_count=0)]
            inversions += len(lengths)
    return bad + ([] if inversions >= 100 else ["only %d inversions were made" % inversions])
