# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Traces made by hand with waits for locks.

A case returns a trace, its truth, and arguments of ft report where it needs some.
"""

from cases import absent, begin, collect
from gen_trace import FAMILIES, HARDIRQ, MUTEX, READ, REALTIME, SOFTIRQ, SPIN, WAITS, WRITE

CASES = []
case = collect(CASES)


@case
def wait_for_holder():
    """Waiter, holder, both call sites; the holder is that of the beginning."""
    t, truth = begin(events=WAITS)
    t.acquire(100, 0, 5, "spin", 0xa0, site=0x1111)
    t.wait(110, 1, 6, 0xa0, SPIN)
    t.release(200, 0, 5, "spin", 0xa0)
    t.acquire(201, 2, 7, "spin", 0xa0, site=0x3333)     # came in between
    t.release(210, 2, 7, "spin", 0xa0)
    t.waited(220, 1, 6, 0xa0)
    t.acquire(221, 1, 6, "spin", 0xa0, site=0x2222)
    t.release(240, 1, 6, "spin", 0xa0)
    truth.section("spin", 100, site=0x1111)
    truth.section("spin", 9, site=0x3333)
    truth.section("spin", 19, site=0x2222)
    truth.wait("spin", 110, 0xa0, "6", 0x2222, ("spin", 0x1111))
    truth.expect("trace", "-", "waits_known", 1)
    return t, truth


@case
def wait_spins_then_sleeps():
    """A mutex spins and then sleeps: begin, begin, end are one wait."""
    t, truth = begin(events=WAITS)
    t.acquire(100, 0, 5, "mutex", 0xa0, site=0x1111)
    t.wait(110, 1, 6, 0xa0, MUTEX | SPIN)
    t.wait(130, 1, 6, 0xa0, MUTEX)
    t.wait(150, 2, 6, 0xa0, MUTEX | SPIN)       # on another CPU, once more
    t.release(200, 0, 5, "mutex", 0xa0)
    t.waited(210, 2, 6, 0xa0)
    t.acquire(211, 2, 6, "mutex", 0xa0, site=0x2222)
    t.release(240, 2, 6, "mutex", 0xa0)
    truth.section("mutex", 100, site=0x1111)
    truth.section("mutex", 29, site=0x2222)
    truth.wait("mutex", 100, 0xa0, "6", 0x2222, ("mutex", 0x1111))
    return t, truth


@case
def wait_for_ages():
    """Waits whose sum fits into ticks, but not into 64 bits of ns: output for programs
    says so."""
    t, truth = begin(freq=10**7, offset_s=0, events=WAITS)
    long = 2**57
    for cpu in range(3):
        t.wait(100, cpu, 50 + cpu, 0xd0, READ)
    for cpu in range(3):
        t.waited(100 + long, cpu, 50 + cpu, 0xd0)
        t.acquire(101 + long, cpu, 50 + cpu, "rwsem_read", 0xd0, site=0x2222)
        t.release(102 + long, cpu, 50 + cpu, "rwsem_read", 0xd0)
        truth.section("rwsem_read", 1, site=0x2222)
        truth.wait("rwsem_read", long, 0xd0, str(50 + cpu), 0x2222)
    row, most = "rwsem_read:0x2222<rwsem_read:?", "18446744073709551615.999"
    for table, of, column in (("family", "rwsem_read", "wait_total"),
                              ("group", "sleeping", "wait_total"),
                              ("site", "rwsem_read:0x2222", "wait_total"),
                              ("lock", "rwsem_read:0xd0", "wait_total"),
                              ("waited", row, "total")):
        truth.expect(table, of, column + "_ns", most)
        truth.expect(table, of, column + "_saturated", 1)
    truth.people = False        # they see the whole sum
    truth.foreign = False       # babeltrace2 has no such times
    return t, truth


@case
def wait_of_each_kind():
    """Families by the flags; with an acquisition, by that."""
    t, truth = begin(events=WAITS)
    flags = {"spin": SPIN, "rwlock_read": SPIN | READ,
             "rwlock_write": SPIN | WRITE, "mutex": MUTEX, "semaphore": 0,
             "rwsem_read": READ, "rwsem_write": WRITE}
    for i, family in enumerate(FAMILIES):
        t.wait(1000 * i, 0, 5, 0xa0 + i, flags[family])
        t.waited(1000 * i + 10 + i, 0, 5, 0xa0 + i, ret=-4)
        truth.wait(family, 10 + i, 0xa0 + i, "5")
    t.wait(9000, 0, 5, 0xf0, 8)                 # of a real-time mutex
    t.waited(9050, 0, 5, 0xf0)
    t.acquire(9051, 0, 5, "spin", 0xf0)         # was a spinlock, it turns out
    t.release(9060, 0, 5, "spin", 0xf0)
    truth.wait("spin", 50, 0xf0, "5", 0x1000)
    truth.section("spin", 9)
    return t, truth


@case
def wait_inside_of_a_wait():
    """On PREEMPT_RT a reader waits for a mutex in the lock: two waits, none is cut."""
    t, truth = begin(events=WAITS)
    t.acquire(100, 0, 5, "rwsem_write", 0xa0, site=0x1111)
    t.wait(110, 1, 6, 0xa0, REALTIME | READ)
    t.wait(120, 1, 6, 0xa8, REALTIME)
    t.release(200, 0, 5, "rwsem_write", 0xa0)
    t.waited(205, 1, 6, 0xa8)
    t.waited(210, 1, 6, 0xa0)
    t.acquire(211, 1, 6, "rwsem_read", 0xa0, site=0x2222)
    t.release(240, 1, 6, "rwsem_read", 0xa0)
    truth.section("rwsem_write", 100, site=0x1111)
    truth.section("rwsem_read", 29, site=0x2222)
    truth.wait("rwsem_read", 100, 0xa0, "6", 0x2222, ("rwsem_write", 0x1111))
    truth.wait("mutex", 85, 0xa8, "6")
    return t, truth


@case
def wait_in_the_queue_of_a_rwlock():
    """Who waits for a rwlock waits for the spinlock inside, too, if others do: two waits, none
    is cut. The outer one is over when the lock is had."""
    t, truth = begin(events=WAITS)
    t.acquire(100, 0, 5, "rwlock_write", 0xa0, site=0x1111)
    t.wait(110, 1, 6, 0xa0, SPIN | WRITE)
    t.wait(115, 1, 6, 0xa4, SPIN)
    t.wait(120, 2, 7, 0xa0, SPIN | READ)
    t.wait(121, 2, 7, 0xa4, SPIN)
    t.waited(150, 1, 6, 0xa4)
    t.release(200, 0, 5, "rwlock_write", 0xa0)
    t.waited(210, 1, 6, 0xa0)
    t.acquire(211, 1, 6, "rwlock_write", 0xa0, site=0x2222)
    t.waited(215, 2, 7, 0xa4)
    t.release(240, 1, 6, "rwlock_write", 0xa0)
    t.waited(245, 2, 7, 0xa0)
    t.acquire(246, 2, 7, "rwlock_read", 0xa0, site=0x3333)
    t.release(250, 2, 7, "rwlock_read", 0xa0)
    truth.section("rwlock_write", 100, site=0x1111)
    truth.section("rwlock_write", 29, site=0x2222)
    truth.section("rwlock_read", 4, site=0x3333)
    truth.wait("spin", 35, 0xa4, "6")
    truth.wait("spin", 94, 0xa4, "7")
    truth.wait("rwlock_write", 100, 0xa0, "6", 0x2222, ("rwlock_write", 0x1111))
    truth.wait("rwlock_read", 125, 0xa0, "7", 0x3333, ("rwlock_write", 0x1111))
    return t, truth


@case
def wait_for_the_raw_lock_inside():
    """Who waits for a lock that sleeps spins on its raw lock, at the same address, and on
    others: the wait goes on; its holder is the holder of that lock, and theirs is not."""
    t, truth = begin(events=WAITS, version="#1 SMP PREEMPT_RT Debian")
    t.acquire(100, 0, 5, "rt_spin", 0xa0, site=0x1111)
    t.acquire(105, 2, 9, "raw_spin", 0xa0, site=0x3333)
    t.wait(106, 1, 6, 0xa0, SPIN)
    t.release(108, 2, 9, "raw_spin", 0xa0)
    t.waited(109, 1, 6, 0xa0)
    t.acquire(110, 1, 6, "raw_spin", 0xa0, site=0x2221)
    t.wait(112, 1, 6, 0xa0, REALTIME)
    t.release(115, 1, 6, "raw_spin", 0xa0)
    t.wait(120, 1, 6, 0xf0, SPIN)               # of the scheduler
    t.waited(122, 1, 6, 0xf0)
    t.acquire(123, 1, 6, "raw_spin", 0xf0, site=0x2223)
    t.release(125, 1, 7, "raw_spin", 0xf0)
    t.release(190, 0, 5, "rt_spin", 0xa0)
    t.wait(200, 1, 6, 0xa0, SPIN)
    t.waited(204, 1, 6, 0xa0)
    t.acquire(205, 1, 6, "raw_spin", 0xa0, site=0x2222)
    t.waited(210, 1, 6, 0xa0)
    t.wait(212, 1, 6, 0xf8, SPIN)               # on the way back
    t.waited(214, 1, 6, 0xf8)
    t.release(216, 1, 6, "raw_spin", 0xa0)
    t.acquire(220, 1, 6, "rt_spin", 0xa0, site=0x4444)
    t.release(240, 1, 6, "rt_spin", 0xa0)
    truth.section("rt_spin", 90, site=0x1111)
    truth.section("rt_spin", 20, site=0x4444)
    truth.section("raw_spin", 3, site=0x3333)
    truth.section("raw_spin", 5, site=0x2221)
    truth.section("raw_spin", 2, site=0x2223)
    truth.section("raw_spin", 11, site=0x2222)
    truth.wait("raw_spin", 3, 0xa0, "6", 0x2221, ("raw_spin", 0x3333))
    truth.wait("raw_spin", 2, 0xf0, "6", 0x2223)
    truth.wait("raw_spin", 4, 0xa0, "6", 0x2222)
    truth.wait("raw_spin", 2, 0xf8, "6")
    truth.wait("rt_spin", 98, 0xa0, "6", 0x4444, ("rt_spin", 0x1111))
    absent(truth, "order")
    return t, truth


@case
def wait_in_interrupts():
    """A task waits, and the interrupts on top of it do, for the same lock."""
    t, truth = begin(events=WAITS)
    t.acquire(100, 0, 5, "spin", 0xa0, site=0x1111)
    t.wait(110, 1, 6, 0xa0, SPIN)
    t.wait(120, 1, 6, 0xa0, SPIN, ctx=SOFTIRQ)
    t.wait(130, 1, 6, 0xb0, SPIN, ctx=SOFTIRQ | HARDIRQ)
    t.waited(135, 1, 6, 0xb0, ctx=SOFTIRQ | HARDIRQ)
    t.acquire(136, 1, 6, "spin", 0xb0, site=0x4444, ctx=SOFTIRQ | HARDIRQ)
    t.release(138, 1, 6, "spin", 0xb0, ctx=SOFTIRQ | HARDIRQ)
    t.release(150, 0, 5, "spin", 0xa0)
    t.waited(160, 1, 6, 0xa0, ctx=SOFTIRQ)
    t.acquire(161, 1, 6, "spin", 0xa0, site=0x3333, ctx=SOFTIRQ)
    t.release(170, 1, 6, "spin", 0xa0, ctx=SOFTIRQ)
    t.waited(180, 1, 6, 0xa0)
    t.acquire(181, 1, 6, "spin", 0xa0, site=0x2222)
    t.release(190, 1, 6, "spin", 0xa0)
    truth.section("spin", 50, site=0x1111)
    truth.section("spin", 2, site=0x4444)
    truth.section("spin", 9, site=0x3333)
    truth.section("spin", 9, site=0x2222)
    truth.wait("spin", 5, 0xb0, "hardirq", 0x4444)
    truth.wait("spin", 40, 0xa0, "softirq", 0x3333, ("spin", 0x1111))
    truth.wait("spin", 70, 0xa0, "6", 0x2222, ("spin", 0x1111))
    absent(truth, "order")
    return t, truth


@case
def wait_for_readers():
    """Of several readers, the holder is who came first."""
    t, truth = begin(events=WAITS)
    t.acquire(100, 0, 5, "rwsem_read", 0xa0, site=0x1111)
    t.acquire(110, 1, 6, "rwsem_read", 0xa0, site=0x2222)
    t.wait(120, 0, 7, 0xa0, WRITE)
    t.release(130, 0, 5, "rwsem_read", 0xa0)
    t.wait(140, 0, 8, 0xa0, READ)
    t.release(150, 1, 6, "rwsem_read", 0xa0)
    t.waited(160, 1, 7, 0xa0)
    t.acquire(161, 1, 7, "rwsem_write", 0xa0, site=0x3333)
    t.release(170, 1, 7, "rwsem_write", 0xa0)
    t.waited(180, 1, 8, 0xa0, ret=-4)           # given up, and tried once more
    t.acquire(185, 1, 8, "rwsem_read", 0xa0, site=0x4444)
    t.release(190, 1, 8, "rwsem_read", 0xa0)
    truth.section("rwsem_read", 5, site=0x4444)
    truth.section("rwsem_read", 30, site=0x1111)
    truth.section("rwsem_read", 40, site=0x2222)
    truth.section("rwsem_write", 9, site=0x3333)
    truth.wait("rwsem_write", 40, 0xa0, "7", 0x3333, ("rwsem_read", 0x1111))
    truth.wait("rwsem_read", 40, 0xa0, "8", None, ("rwsem_read", 0x2222))
    return t, truth


@case
def wait_cut():
    """Waits of which one end is missing, or that end twice."""
    t, truth = begin(events=WAITS)
    t.waited(100, 0, 5, 0xa0)                   # began before
    t.wait(110, 0, 5, 0xb0, MUTEX)              # no end, the task goes on
    t.wait(120, 0, 5, 0xc0, MUTEX)
    t.waited(130, 0, 5, 0xc0)                   # and no acquisition
    t.wait(140, 0, 6, 0xd0, MUTEX)              # to the end
    truth.wait("mutex", 10, 0xc0, "5")
    for why in ("start", "other", "end"):
        truth.expect("wait", "-", "cut_" + why, 1)
    truth.expect("wait", "-", "cut_lost", 0)
    return t, truth


@case
def wait_for_spinning_readers():
    """The same where nobody sleeps."""
    t, truth = begin(events=WAITS)
    t.acquire(100, 0, 5, "rwlock_read", 0xa0, site=0x1111)
    t.acquire(110, 1, 6, "rwlock_read", 0xa0, site=0x2222)
    t.wait(120, 2, 7, 0xa0, SPIN | WRITE)
    t.release(130, 0, 5, "rwlock_read", 0xa0)
    t.release(150, 1, 6, "rwlock_read", 0xa0)
    t.waited(160, 2, 7, 0xa0)
    t.acquire(161, 2, 7, "rwlock_write", 0xa0, site=0x3333)
    t.release(170, 2, 7, "rwlock_write", 0xa0)
    truth.section("rwlock_read", 30, site=0x1111)
    truth.section("rwlock_read", 40, site=0x2222)
    truth.section("rwlock_write", 9, site=0x3333)
    truth.wait("rwlock_write", 40, 0xa0, "7", 0x3333, ("rwlock_read", 0x1111))
    return t, truth


@case
def wait_lost():
    """Losses cut waits that sleep, and those that spin on that CPU."""
    t, truth = begin(events=WAITS)
    t.wait(90, 2, 9, 0xe0, SPIN)                # goes on beside the whole gap
    t.wait(95, 0, 10, 0xf0, SPIN)               # where records are lost
    t.wait(100, 0, 5, 0xa0, MUTEX)
    t.wait(101, 1, 6, 0xb0, MUTEX)              # may go on on any CPU
    t.wait(102, 2, 7, 0xc0, SPIN)               # on its own
    t.cpu(0).lose(2)
    t.wait(110, 1, 8, 0xd0, MUTEX)              # begins and ends in the gap
    t.waited(120, 1, 8, 0xd0)
    t.waited(150, 2, 7, 0xc0)
    t.waited(200, 0, 5, 0xa0)                   # the gap ends here
    t.waited(210, 1, 6, 0xb0)
    t.wait(220, 0, 5, 0xa0, MUTEX)
    t.waited(230, 0, 5, 0xa0)
    t.waited(240, 0, 10, 0xf0)
    t.waited(250, 2, 9, 0xe0)
    truth.wait("spin", 48, 0xc0, "7")
    truth.wait("spin", 160, 0xe0, "9")
    truth.wait("mutex", 10, 0xa0, "5")
    truth.expect("wait", "-", "cut_lost", 8)
    truth.expect("trace", "-", "lost", 2)
    truth.expect("trace", "-", "complete", 0)
    return t, truth


@case
def wait_of_idle_tasks():
    """Idle tasks have the number 0 on all CPUs."""
    t, truth = begin(events=WAITS)
    t.wait(100, 0, 0, 0xa0, SPIN)
    t.wait(110, 1, 0, 0xa0, SPIN)
    t.waited(130, 0, 0, 0xa0)
    t.acquire(131, 0, 0, "spin", 0xa0)
    t.release(140, 0, 0, "spin", 0xa0)
    t.waited(170, 1, 0, 0xa0)
    truth.section("spin", 9)
    truth.wait("spin", 30, 0xa0, "0", 0x1000)
    truth.wait("spin", 60, 0xa0, "0")
    return t, truth


@case
def wait_between_many():
    """Many locks: what waits for them makes tables grow while sections are on their way
    into the same tables."""
    t, truth = begin(events=WAITS)
    truth.detailed = True
    for n in range(100):
        t.acquire(100 * n + 1, 0, 5, "spin", 0x1000 + 8 * n)
        t.release(101 * n + 1, 0, 5, "spin", 0x1000 + 8 * n)
        t.wait(100 * n + 50, 1, 6 + n, 0x9000 + 8 * n, SPIN)
        truth.section("spin", n, lock=0x1000 + 8 * n, task="5")
    for n in range(100):
        t.waited(20000, 1, 6 + n, 0x9000 + 8 * n)
        truth.wait("spin", 19950 - 100 * n, 0x9000 + 8 * n, str(6 + n))
    return t, truth


@case
def no_waits():
    """Without the events there are no columns of waits."""
    t, truth = begin()
    t.acquire(100, 0, 5, "spin", 0xa0)
    t.release(110, 0, 5, "spin", 0xa0)
    truth.section("spin", 10)
    truth.expect("trace", "-", "waits_known", 0)
    absent(truth, "wait")
    truth.checks.append(lambda have: [
        "%s has %s" % (row, c) for row, v in have.items() for c in v
        if c.startswith("wait_")])
    return t, truth
