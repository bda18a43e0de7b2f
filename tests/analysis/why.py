# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""ft why, against the truth, by hand."""

from gen_trace import HARDIRQ, MUTEX, PROCESS, SOFTIRQ, SPIN
from realtime_trace import Tasks
from why_trace import leaves, taken_apart, why

A, B, C = 0xa0, 0xb0, 0xc0
RUNNING = (("running",),)


def item(r, kind, lock, task):
    found = [i for i in r[kind]["longest"] if int(i["lock"], 16) % PROCESS == lock and
             i["task"] == task]
    if len(found) != 1:
        raise ValueError("%s of %#x by %d are %d, not one" % (kind, lock, task, len(found)))
    return found[0]


def expect(r, kind, lock, task, want):
    have = leaves(item(r, kind, lock, task))
    return [] if have == want else ["%s %#x by %d: %s, not %s" % (kind, lock, task, have, want)]


@why
def why_each_cause(test):
    """A section of which a part is of each cause, with who and what."""
    t = Tasks()
    t.switch(1000, 0, 9, "S", 5)
    t.acquire(1050, 0, 5, "mutex", A)
    t.event(1100, 0, 5, "softirq_entry", 1, 0, SOFTIRQ)
    t.event(1105, 0, 5, "irq_handler_entry", 24, 0, HARDIRQ)
    t.event(1110, 0, 5, "irq_handler_exit", 24, 0, HARDIRQ)
    t.event(1130, 0, 5, "softirq_exit", 1, 0, SOFTIRQ)
    t.wait(1200, 0, 5, B, MUTEX)
    t.switch(1250, 0, 5, "D", 6)
    t.waking(1400, 0, 6, 5)
    t.switch(1420, 0, 6, "R+", 5)
    t.waited(1430, 0, 5, B)
    t.acquire(1431, 0, 5, "mutex", B)
    t.switch(1500, 0, 5, "R+", 7)
    t.switch(1540, 0, 7, "S", 5)
    t.switch(1600, 0, 5, "D", 6)
    t.event(1899, 0, 6, "irq_handler_entry", 33, 0, HARDIRQ)
    t.waking(1900, 0, 6, 5, HARDIRQ)
    t.event(1901, 0, 6, "irq_handler_exit", 33, 0, HARDIRQ)
    t.switch(1910, 0, 6, "R+", 5)
    t.switch(1920, 0, 5, "S", 6)
    t.waking(1930, 0, 6, 5)
    t.switch(1930, 0, 6, "R+", 5)
    t.release(1950, 0, 5, "mutex", B)
    t.release(1960, 0, 5, "mutex", A)
    t.at(2000, 0, 5)
    r = taken_apart(test, t.write(test.path("why")))
    return expect(r, "held", A, 5, {
        RUNNING: 50 + 70 + 70 + 60 + 10 + 30, (("softirq", "softirq TIMER"),): 25,
        (("interrupt", "irq_handler 24"),): 5, (("spinning", B, None),): 50 + 10,
        (("waiting", B, None),): 150, (("ready", 6),): 30, (("preempted", 7),): 40,
        (("uninterruptible", "D", "irq_handler 33"),): 300, (("asleep", "S", 6),): 10}) + [
            "the text does not say: %s" % words for words in (
                "preempted by task 7", "in softirq TIMER", "in irq_handler 24", "asleep in S, woken "
                "by task 6", "asleep in D, woken by irq_handler 33", "waiting for the mutex 0xb0",
                "held by nobody that is known", "woken, waiting for a CPU that has task 6",
                "held: mutex 0xa0 at 0x1000")
            if words not in r["text"] or words not in r["page"]]


def chain(t, n, now=1000):
    """Task 1 holds the first of n locks; each other one holds one, and waits for that before."""
    for tid in range(1, n + 1):
        t.switch(now, tid - 1, 0, "R", tid)
    for tid in range(1, n + 1):
        now += 10
        t.acquire(now, tid - 1, tid, "mutex", 0x100 * tid, 0x5000 + tid)
    for tid in range(2, n + 1):
        now += 10
        t.wait(now, tid - 1, tid, 0x100 * (tid - 1), MUTEX)
        t.switch(now, tid - 1, tid, "D", 0)
    return now


def unchain(t, n, now):
    """All get on, one after the other."""
    for tid in range(1, n + 1):
        now += 10
        if tid > 1:
            t.switch(now, tid - 1, 0, "R", tid)
            t.waited(now, tid - 1, tid, 0x100 * (tid - 1))
            t.acquire(now, tid - 1, tid, "mutex", 0x100 * (tid - 1))
            t.release(now, tid - 1, tid, "mutex", 0x100 * (tid - 1))
        t.release(now, tid - 1, tid, "mutex", 0x100 * tid)
        if tid < n:
            t.waking(now, tid - 1, tid, tid + 1)
    t.at(now + 10, 0, 1)


@why
def why_chain_of_four(test):
    """The holder that four wait for, through each other, is taken apart for each."""
    t = Tasks()
    now = chain(t, 5)
    t.switch(now + 100, 0, 1, "R+", 7)
    t.switch(now + 500, 0, 7, "S", 1)
    t.switch(now + 800, 0, 1, "D", 0)
    t.waking(now + 1100, 3, 0, 1)
    t.switch(now + 1100, 0, 0, "R", 1)
    unchain(t, 5, now + 1190)
    r = taken_apart(test, t.write(test.path("why")), "--waits")
    above = tuple(("waiting", 0x100 * tid, tid) for tid in range(4, 0, -1))
    have = leaves(item(r, "waited", 0x400, 5))
    want = {above + RUNNING: 100 + 300 + 100, above + (("preempted", 7),): 400,
            above + (("uninterruptible", "D", None),): 300}
    return ["%s: %s, not %s" % (path, have.get(path), ticks) for path, ticks in want.items()
            if have.get(path) != ticks] + (["--holds is not left out"] if "held" in r else [])


@why
def why_long_chain(test):
    """A chain may be as long as it likes; beyond 64 it is cut, and that is said."""
    t = Tasks()
    now = chain(t, 80)
    unchain(t, 80, now + 1000)
    r = taken_apart(test, t.write(test.path("why")), "--waits", "--limit", "100")
    deepest = max(leaves(item(r, "waited", 0x100 * 79, 80)), key=len)
    below = max(leaves(item(r, "waited", 0x100 * 40, 41)), key=len)
    bad = [] if len(deepest) == 64 and deepest[-1][-1] == "cut" else \
        ["a chain of %d ends with %s" % (len(deepest), deepest[-1])]
    bad += [] if len(below) == 41 and below[-1] == ("running",) else \
        ["a chain of %d ends with %s" % (len(below), below[-1])]
    return bad + ([] if ": the chain is longer" in r["text"] else ["not told"])


@why
def why_cycle(test):
    """Two tasks wait for each other; a timeout lets one go on."""
    t = Tasks()
    t.switch(1000, 0, 0, "R", 5)
    t.switch(1000, 1, 0, "R", 6)
    t.acquire(1010, 0, 5, "mutex", A)
    t.acquire(1020, 1, 6, "mutex", B)
    t.wait(1030, 0, 5, B, MUTEX)
    t.switch(1040, 0, 5, "D", 0)
    t.wait(1050, 1, 6, A, MUTEX)
    t.switch(1060, 1, 6, "D", 0)
    t.waking(1500, 0, 0, 6)
    t.switch(1500, 1, 0, "R", 6)
    t.waited(1510, 1, 6, A, -4)
    t.release(1520, 1, 6, "mutex", B)
    t.waking(1530, 1, 6, 5)
    t.switch(1530, 0, 0, "R", 5)
    t.waited(1540, 0, 5, B)
    t.acquire(1540, 0, 5, "mutex", B)
    t.release(1550, 0, 5, "mutex", B)
    t.release(1560, 0, 5, "mutex", A)
    r = taken_apart(test, t.write(test.path("why")))
    return expect(r, "waited", A, 6, {
        (("spinning", A, 5), ("waiting", B, 6, "cycle")): 10 + 10,
        (("waiting", A, 5), ("waiting", B, 6, "cycle")): 440}) + expect(
        r, "waited", B, 5, {
            (("spinning", B, 6),) + RUNNING: 10, (("waiting", B, 6),) + RUNNING: 10 + 10,
            (("waiting", B, 6), ("spinning", A, 5, "cycle")): 10 + 10,
            (("waiting", B, 6), ("waiting", A, 5, "cycle")): 440, (("waiting", B, None),): 10,
            (("spinning", B, None),): 10}) + (
        [] if ": a cycle" in r["text"] else ["the text has no cycle"])


@why
def why_holder_moves(test):
    """Its holder goes to another CPU: who runs there keeps it from running."""
    t = Tasks()
    t.switch(1000, 0, 0, "R", 5)
    t.switch(1000, 1, 0, "R", 8)
    t.acquire(1010, 0, 5, "mutex", A)
    t.switch(1100, 0, 5, "R+", 7)
    t.migrate(1150, 1, 8, 5, 1)
    t.switch(1300, 1, 8, "R+", 5)
    t.release(1400, 1, 5, "mutex", A)
    r = taken_apart(test, t.write(test.path("why")))
    return expect(r, "held", A, 5, {
        RUNNING: 90 + 100, (("preempted", 7),): 50, (("preempted", 8),): 150})


@why
def why_others_release(test):
    """A semaphore that another thread gives up while who took it sleeps, or runs."""
    t = Tasks()
    t.switch(1000, 0, 0, "R", 5)
    t.switch(1000, 1, 0, "R", 6)
    t.acquire(1010, 0, 5, "posix_sem", A)
    t.switch(1100, 0, 5, "S", 0)
    t.release(1300, 1, 6, "posix_sem", A)
    t.waking(1400, 1, 6, 5)
    t.switch(1410, 0, 0, "R", 5)
    t.acquire(1500, 0, 5, "posix_sem", B)
    t.release(1600, 1, 6, "posix_sem", B)
    r = taken_apart(test, t.write(test.path("why")))
    return expect(r, "held", A, 5, {RUNNING: 90, (("asleep", "S", None),): 200}) + \
        expect(r, "held", B, 5, {RUNNING: 100})


@why
def why_late(test):
    """A reader's section whose end was found out later: nobody looked what the task did then."""
    t = Tasks()
    t.switch(1000, 0, 0, "R", 5)
    t.switch(1000, 1, 0, "R", 6)
    t.acquire(1010, 0, 5, "rwsem_read", A)
    t.release(1100, 1, 6, "rwsem_read", A)
    t.acquire(1200, 1, 6, "rwsem_write", A)
    t.release(1300, 1, 6, "rwsem_write", A)
    r = taken_apart(test, t.write(test.path("why")))
    return expect(r, "held", A, 5, {(("unknown",),): 90}) + \
        expect(r, "held", A, 6, {RUNNING: 100})


@why
def why_no_sleep(test):
    """Who was about to sleep when a signal came did not: it was preempted, or went on waiting."""
    t = Tasks()
    t.switch(1000, 0, 0, "R", 5)
    t.waking(1000, 1, 6, 7)
    t.acquire(1010, 0, 5, "mutex", A)
    t.switch(1100, 0, 5, "S", 8)
    t.switch(1150, 0, 8, "S", 5)
    t.wait(1200, 0, 5, B, MUTEX)
    t.switch(1200, 0, 5, "D", 8)
    t.switch(1300, 0, 8, "S", 5)
    t.waited(1310, 0, 5, B, -4)
    t.release(1400, 0, 5, "mutex", A)
    r = taken_apart(test, t.write(test.path("why")))
    return expect(r, "held", A, 5, {RUNNING: 90 + 50 + 90, (("preempted", 0),): 50,
                                    (("waiting", B, None),): 100, (("spinning", B, None),): 10})


@why
def why_clocks_differ(test):
    """An acquisition that is stamped before the release in front of it began after that."""
    t = Tasks()
    t.switch(1000, 0, 0, "R", 5)
    t.switch(1000, 1, 0, "R", 6)
    t.acquire(1010, 0, 5, "mutex", A)
    t.wait(1100, 1, 6, A, MUTEX)
    t.waited(1180, 1, 6, A)
    t.acquire(1190, 1, 6, "mutex", A)
    t.release(1200, 0, 5, "mutex", A)
    t.release(1300, 1, 6, "mutex", A)
    r = taken_apart(test, t.write(test.path("why")))
    return expect(r, "held", A, 5, {RUNNING: 190}) + expect(r, "held", A, 6, {RUNNING: 100}) + \
        expect(r, "waited", A, 6, {(("spinning", A, 5),) + RUNNING: 80,
                                   (("spinning", A, None),): 20})


@why
def why_readers(test):
    """Who writes waits for readers: that which has held it longest is taken apart."""
    t = Tasks()
    for cpu, tid in enumerate((5, 6, 7)):
        t.switch(1000, cpu, 0, "R", tid)
    t.acquire(1010, 0, 5, "rwsem_read", A)
    t.acquire(1020, 1, 6, "rwsem_read", A)
    t.wait(1030, 2, 7, A, 4)
    t.switch(1040, 2, 7, "D", 0)
    t.switch(1100, 0, 5, "R+", 8)
    t.switch(1200, 0, 8, "S", 5)
    t.release(1250, 0, 5, "rwsem_read", A)
    t.switch(1300, 1, 6, "S", 0)
    t.waking(1400, 0, 5, 6)
    t.switch(1400, 1, 0, "R", 6)
    t.release(1450, 1, 6, "rwsem_read", A)
    t.waking(1450, 1, 6, 7)
    t.switch(1460, 2, 0, "R", 7)
    t.waited(1460, 2, 7, A)
    t.acquire(1460, 2, 7, "rwsem_write", A)
    t.release(1500, 2, 7, "rwsem_write", A)
    r = taken_apart(test, t.write(test.path("why")))
    first, second = ("waiting", A, 5), ("waiting", A, 6)
    return expect(r, "waited", A, 7, {
        (("spinning", A, 5),) + RUNNING: 10, (first,) + RUNNING: 60 + 50,
        (first, ("preempted", 8)): 100, (second,) + RUNNING: 50 + 50,
        (second, ("asleep", "S", 5)): 100, (("ready", 0),): 10}) + expect(
        r, "held", A, 5, {RUNNING: 90 + 50, (("preempted", 8),): 100})


@why
def why_spinning(test):
    """A spinning lock: who waits runs, but for its holder, which an interrupt has interrupted."""
    t = Tasks()
    t.switch(1000, 0, 0, "R", 5)
    t.switch(1000, 1, 0, "R", 6)
    t.acquire(1010, 0, 5, "spin", A)
    t.wait(1020, 1, 6, A, SPIN)
    t.event(1030, 0, 5, "irq_handler_entry", 24, 0, HARDIRQ)
    t.acquire(1040, 0, 5, "spin", B, ctx=HARDIRQ)
    t.event(1050, 0, 5, "irq_handler_entry", 25, 0, HARDIRQ)
    t.event(1070, 0, 5, "irq_handler_exit", 25, 0, HARDIRQ)
    t.wait(1080, 0, 5, C, SPIN, HARDIRQ)
    t.waited(1095, 0, 5, C, 0, HARDIRQ)
    t.acquire(1095, 0, 5, "spin", C, ctx=HARDIRQ)
    t.release(1096, 0, 5, "spin", C, ctx=HARDIRQ)
    t.release(1100, 0, 5, "spin", B, ctx=HARDIRQ)
    t.event(1130, 0, 5, "irq_handler_exit", 24, 0, HARDIRQ)
    t.release(1200, 0, 5, "spin", A)
    t.waited(1200, 1, 6, A)
    t.acquire(1200, 1, 6, "spin", A)
    t.release(1250, 1, 6, "spin", A)
    r = taken_apart(test, t.write(test.path("why")), "--limit", "20")
    in_24 = (("interrupt", "irq_handler 24"),)
    bad = expect(r, "waited", A, 6, {(("spinning", A, 5),) + RUNNING: 10 + 70,
                                     (("spinning", A, 5),) + in_24: 100})
    bad += expect(r, "held", A, 5, {RUNNING: 20 + 70, in_24: 100})
    bad += expect(r, "held", B, 5, {RUNNING: 10 + 10 + 5, (("spinning", C, None),): 15,
                                    (("interrupt", "irq_handler 25"),): 20})
    bad += expect(r, "waited", C, 5, {(("spinning", C, None),): 15})
    return bad


@why
def why_unknown(test):
    """What nobody knows is unknown: before the first switch, and for a program in a gap."""
    t = Tasks()
    t.acquire(1000, 0, 5, "mutex", A)
    t.at(1100, 0, 5)
    t.switch(1300, 1, 0, "R", 6)
    t.at(1350, 0, 5)
    t.switch(1400, 0, 5, "R+", 7)
    t.switch(1500, 0, 7, "S", 5)
    t.release(1600, 0, 5, "mutex", A)
    r = taken_apart(test, t.write(test.path("why")))
    bad = expect(r, "held", A, 5, {(("unknown",),): 350, RUNNING: 50 + 100,
                                   (("preempted", 7),): 100})
    t = Tasks()
    t.switch(1000, 0, 0, "R", 5)
    t.switch(1000, 1, 0, "R", 6)
    t.acquire(1100, 0, 5, "pthread_mutex", A)
    t.switch(1200, 0, 5, "S", 0)
    t.at(1300, 1, 6)
    t.cpu(1).lose(3)
    t.at(1500, 1, 6)
    t.switch(1600, 0, 0, "R", 5)
    t.release(1700, 0, 5, "pthread_mutex", A)
    r = taken_apart(test, t.write(test.path("why")), status=3)
    bad += expect(r, "held", A, 5, {RUNNING: 200, (("asleep", "S", None),): 100,
                                    (("unknown",),): 300})
    return bad


@why
def why_program_waits(test):
    """A thread waits for a mutex of its program: what the kernel says of both is beside it."""
    t = Tasks()
    t.programs = ((65000, "contention_begin", "word_t _lock", "uint64_t _flags"),
                  (65001, "contention_end", "word_t _lock", "int64_t _ret"))
    t.switch(1000, 0, 0, "R", 5)
    t.switch(1000, 1, 0, "R", 6)
    t.acquire(1010, 0, 5, "pthread_mutex", A)
    t.thread(1).add(1100, 65000, 6, PROCESS | A, 128 | 0x3000 << 8)
    t.switch(1120, 1, 6, "S", 0)
    t.switch(1200, 0, 5, "R+", 8)
    t.switch(1500, 0, 8, "S", 5)
    t.release(1600, 0, 5, "pthread_mutex", A)
    t.waking(1610, 0, 5, 6)
    t.switch(1620, 1, 0, "R", 6)
    t.thread(1).add(1630, 65001, 6, PROCESS | A, 0)
    t.acquire(1630, 1, 6, "pthread_mutex", A)
    t.release(1640, 1, 6, "pthread_mutex", A)
    r = taken_apart(test, t.write(test.path("why")))
    lock = PROCESS | A
    return expect(r, "waited", A, 6, {
        (("spinning", lock, 5),) + RUNNING: 20, (("waiting", lock, 5),) + RUNNING: 80 + 100,
        (("waiting", lock, 5), ("preempted", 8)): 300, (("waiting", lock, None),): 10,
        (("ready", 0),): 10, (("spinning", lock, None),): 10})


@why
def why_summed_up(test):
    """All sections of a lock, of a site, by cause; and only those that were asked for."""
    t = Tasks()
    t.switch(1000, 0, 0, "R", 5)
    for i in range(30):
        now = 2000 + 1000 * i
        t.acquire(now, 0, 5, "mutex", A if i % 3 else B, 0x1000 + i % 2)
        t.switch(now + 100, 0, 5, "D", 0)
        t.waking(now + 140, 1, 6, 5)
        t.switch(now + 150, 0, 0, "R", 5)
        t.release(now + 200 + i, 0, 5, "mutex", A if i % 3 else B)
    path = t.write(test.path("why"))
    r = taken_apart(test, path, "--holds", "--limit", "3")
    rows = {row["lock"]: row for row in r["held"]["rows"]}
    bad = ["%s: %s" % (lock, rows[lock]) for lock, n, total in (
        ("0xa0", 20, 4000 + sum(i for i in range(30) if i % 3)),
        ("0xb0", 10, 2000 + sum(range(0, 30, 3))))
        if rows[lock]["count"] != n or rows[lock]["ticks"] != total or
        rows[lock]["causes"]["uninterruptible"] != 40 * n]
    if [i["ticks"] for i in r["held"]["longest"]] != [229, 228, 227]:
        bad.append("the longest are %s" % [i["ticks"] for i in r["held"]["longest"]])
    r = taken_apart(test, path, "--by", "site", "--top", "1")
    if [row["site"] for row in r["held"]["rows"]] != ["0x1001"]:
        bad.append("by site: %s" % r["held"]["rows"])
    r = taken_apart(test, path, "--lock", "0xb0", "--from", "0.000005", "--to", "0.000008")
    if [i["at_ns"] for i in r["held"]["longest"]] != [7000]:
        bad.append("chosen: %s" % r["held"]["longest"])
    if "75.7 % running, 19.4 % asleep in D, 4.9 % woken, without a CPU" not in r["text"]:
        bad.append("the text has no shares: " + r["text"])
    return bad


@why
def why_needs_switches(test):
    """Without the scheduler's events nothing can be said, and the command says what to do."""
    t = Tasks()
    t.acquire(1000, 0, 5, "mutex", A)
    t.release(1100, 0, 5, "mutex", A)
    r = test.ft("why", t.write(test.path("why")))
    if r.returncode != 1 or "no sched_switch was recorded" not in r.stderr or \
            "ft record --locks -e 'sched_*,irq_*,softirq_*,local_timer_*,reschedule_*,call_function_*'" \
            not in r.stderr:
        return ["%d: %s" % (r.returncode, r.stderr)]
    t = Tasks()
    t.switch(1000, 0, 0, "R", 5)
    t.acquire(1000, 0, 5, "mutex", A)
    t.release(1100, 0, 5, "mutex", A)
    r = taken_apart(test, t.write(test.path("why")))
    return ["not told: " + word for word in ("sched_waking", "irq_handler_*", "softirq_*",
                                             "contention_begin")
            if word not in r["text"] or word not in r["page"]]


@why
def why_many_parts(test):
    """So many preempt it that not all are told apart: the sums stay exact."""
    t = Tasks()
    t.switch(1000, 0, 0, "R", 1)
    t.acquire(1000, 0, 1, "mutex", A)
    for i in range(400):
        t.switch(2000 + 20 * i, 0, 1, "R+", 1000 + i)
        t.switch(2010 + 20 * i, 0, 1000 + i, "S", 1)
    t.release(20000, 0, 1, "mutex", A)
    r = taken_apart(test, t.write(test.path("why")))
    parts = item(r, "held", A, 1)["parts"]
    rest = [p for p in parts if p.get("others")]
    small = "%d smaller parts" % (len(parts) - 12)
    if small not in r["text"] or small not in r["page"]:
        return ["the text or the page has no %s: %s" % (small, r["text"])]
    return [] if len(rest) == 1 and rest[0]["ticks"] == 10 * (400 - (len(parts) - 2)) and \
        len(parts) < 300 else ["%d parts, of which others: %s" % (len(parts), rest)]


@why
def why_nanoseconds(test):
    """Whatever the clock: parts in nanoseconds, each rounded, add up to the whole."""
    t = Tasks(freq=2999999957)
    now = 1000
    for tid in (1, 2):
        t.switch(now, tid - 1, 0, "R", tid)
    t.acquire(now, 0, 1, "mutex", A)
    t.wait(now, 1, 2, A, MUTEX)
    t.switch(now + 1, 1, 2, "D", 0)
    for i in range(40):
        t.switch(now + 7 + i, 0, 1, "R+", 100 + i)
        now += 11 + 5 * i
        t.switch(now + i, 0, 100 + i, "S", 1)
    t.waking(now + 100, 0, 1, 2)
    t.release(now + 103, 0, 1, "mutex", A)
    t.switch(now + 103, 1, 0, "R", 2)
    t.waited(now + 104, 1, 2, A)
    t.acquire(now + 105, 1, 2, "mutex", A)
    t.release(now + 109, 1, 2, "mutex", A)
    r = taken_apart(test, t.write(test.path("why")))
    length = item(r, "held", A, 1)
    return [] if length["ns"] == length["ticks"] * 10**9 // 2999999957 else [str(length)]


@why
def why_many_holders(test):
    """A wait with hundreds of holders, each with hundreds of parts: memory has an end."""
    t = Tasks(per_packet=1000)
    t.switch(1000, 1, 0, "R", 1)
    t.wait(1000, 1, 1, A, MUTEX)
    t.switch(1001, 1, 1, "D", 0)
    now = 2000
    for holder in range(100, 180):
        t.switch(now, 0, 0, "R", holder)
        t.acquire(now, 0, holder, "mutex", A)
        for i in range(150):
            now += 10
            t.switch(now, 0, holder, "R+", 1000 + i)
            t.switch(now + 5, 0, 1000 + i, "S", holder)
        now += 10
        t.release(now, 0, holder, "mutex", A)
        t.switch(now, 0, holder, "S", 0)
        now += 10
    t.waking(now, 0, 0, 1)
    t.switch(now, 1, 0, "R", 1)
    t.waited(now + 10, 1, 1, A)
    t.acquire(now + 10, 1, 1, "mutex", A)
    t.release(now + 20, 1, 1, "mutex", A)
    r = taken_apart(test, t.write(test.path("why")), "--waits")
    parts = item(r, "waited", A, 1)["parts"]
    rest = {(p["depth"], p["cause"]) for p in parts if p.get("others")}
    return [] if 8192 <= len(parts) < 8192 + 200 and {(0, "waiting"), (1, "preempted")} <= rest else \
        ["%d parts, of which others: %s" % (len(parts), rest)]
