# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Traces made by hand, each with what the report must say of it."""

from gen_trace import HARDIRQ, SOFTIRQ, WAITS, Trace
from model import Truth

CASES = []


def collect(cases):
    """A decorator that puts a case into a list."""
    def case(f):
        cases.append(f)
        return f
    return case


def begin(**args):
    t = Trace(**args)
    return t, Truth(t)


def absent(truth, table):
    """The truth is that this table is empty."""
    truth.checks.append(lambda have: [
        "there is a row %s %s" % key for key in have if key[0] == table])


case = collect(CASES)


@case
def nested():
    """Locks within locks, released in reverse order."""
    t, truth = begin()
    t.acquire(1000, 0, 5, "spin", 0xa0, site=0x1111)
    t.acquire(1010, 0, 5, "spin", 0xb0, site=0x2222)
    t.acquire(1020, 0, 5, "rwlock_write", 0xc0, site=0x3333)
    t.release(1050, 0, 5, "rwlock_write", 0xc0)
    t.release(1060, 0, 5, "spin", 0xb0)
    t.release(6000, 0, 5, "spin", 0xa0)
    truth.section("spin", 5000, 0, site=0x1111)     # not below 5 us
    truth.section("spin", 50, 1, site=0x2222)
    truth.section("rwlock_write", 30, 2, site=0x3333)
    truth.expect("trace", "-", "records", 6)
    truth.expect("trace", "-", "duration_ns", "5000.000")
    truth.expect("trace", "-", "lost", 0)
    truth.expect("balance", "0:spin", "difference", 0)
    truth.expect("family", "spin", "per_second", "400000.000")
    return t, truth


@case
def hand_over_hand():
    """The first lock is given up before the second."""
    t, truth = begin()
    t.acquire(100, 0, 5, "spin", 0xa0)
    t.acquire(110, 0, 5, "spin", 0xb0)
    t.release(120, 0, 5, "spin", 0xa0)
    t.acquire(130, 0, 5, "spin", 0xc0)
    t.release(140, 0, 5, "spin", 0xb0)
    t.release(150, 0, 5, "spin", 0xc0)
    truth.section("spin", 20, 0)
    truth.section("spin", 30, 1)
    truth.section("spin", 20, 1)
    return t, truth


@case
def realtime():
    """With PREEMPT_RT a task that holds a spinlock can be preempted by another one,
    which is not nested in it, and both may sleep; readers may come again."""
    t, truth = begin(version="#1 SMP PREEMPT_RT Debian")
    t.acquire(100, 0, 5, "rt_spin", 0xa0, site=0x1111)
    t.acquire(200, 0, 6, "rt_spin", 0xb0, site=0x2222)
    t.acquire(210, 0, 6, "mutex", 0xc0)
    t.acquire(220, 0, 6, "rt_rwlock_read", 0xd0)
    t.acquire(230, 0, 6, "rt_rwlock_read", 0xd0)
    t.release(250, 0, 6, "rt_rwlock_read", 0xd0)
    t.release(260, 0, 6, "rt_rwlock_read", 0xd0)
    t.release(290, 0, 6, "mutex", 0xc0)
    t.release(300, 0, 5, "rt_spin", 0xa0)
    t.acquire(400, 0, 5, "rt_rwlock_write", 0xd0)
    t.release(450, 0, 5, "rt_rwlock_write", 0xd0)
    t.release(500, 0, 6, "rt_spin", 0xb0)
    truth.section("rt_spin", 200, 0, site=0x1111)
    truth.section("rt_spin", 300, 0, site=0x2222)
    truth.section("mutex", 80, 1)
    truth.section("rt_rwlock_read", 40, 2)
    truth.section("rt_rwlock_read", 20, 3)
    truth.section("rt_rwlock_write", 50, 0)
    truth.expect("balance", "0:rt_spin", "difference", 0)
    return t, truth


@case
def raw_inside():
    """The raw lock inside of a lock that sleeps has the same address: they are never paired."""
    t, truth = begin(version="#1 SMP PREEMPT_RT Debian")
    t.acquire(100, 0, 5, "rt_spin", 0xa0, site=0x1111)
    t.acquire(110, 0, 5, "raw_spin", 0xa0, site=0x2222)
    t.release(120, 0, 5, "raw_spin", 0xa0)
    t.acquire(130, 1, 6, "raw_spin", 0xa0, site=0x3333)     # while another one holds 0xa0
    t.acquire(140, 0, 5, "mutex", 0xb0)
    t.acquire(145, 0, 5, "raw_spin", 0xb0, site=0x4444)
    t.release(150, 0, 5, "mutex", 0xb0)                     # the mutex, not what is in it
    t.release(160, 0, 7, "raw_spin", 0xb0)                  # by the next task: it is the CPU's
    t.release(170, 1, 6, "raw_spin", 0xa0)
    t.acquire(180, 0, 5, "raw_spin", 0xa0, site=0x2222)
    t.release(190, 0, 5, "rt_spin", 0xa0)
    t.release(200, 0, 5, "raw_spin", 0xa0)
    t.release(210, 0, 5, "raw_spin", 0xc0)                  # of neither
    truth.section("rt_spin", 90, 0, site=0x1111)
    truth.section("raw_spin", 10, 0, 1, site=0x2222)
    truth.section("raw_spin", 40, 0, site=0x3333)
    truth.section("mutex", 10, 1)
    truth.section("raw_spin", 15, 0, 2, site=0x4444)
    truth.section("raw_spin", 20, 0, 1, site=0x2222)
    truth.cut("raw_spin", "end")
    truth.expect("balance", "0:raw_spin", "difference", -1)
    truth.expect("balance", "0:rt_spin", "difference", 0)
    absent(truth, "inversion")
    return t, truth


@case
def raw_inside_in_both_orders():
    """Two locks that sleep, each with the raw lock of the other one inside: the addresses are
    those of an inversion, and it is none."""
    t, truth = begin(version="#1 SMP PREEMPT_RT Debian")
    for at, outer, inner in ((100, ("rt_spin", 0xa0), ("raw_spin", 0xb0)),
                             (200, ("rt_spin", 0xb0), ("raw_spin", 0xa0))):
        t.acquire(at, 0, 5, *outer, site=0x1000 + at)
        t.acquire(at + 10, 0, 5, *inner, site=0x2000 + at)
        t.release(at + 20, 0, 5, *inner)
        t.release(at + 50, 0, 5, *outer)
        truth.section(outer[0], 50, 0, site=0x1000 + at)
        truth.section(inner[0], 10, 0, 1, site=0x2000 + at)
    absent(truth, "inversion")
    return t, truth


@case
def read_recursion():
    """A CPU reads a rwlock twice: the latest acquisition goes first."""
    t, truth = begin()
    t.acquire(100, 0, 5, "rwlock_read", 0xa0)
    t.acquire(110, 0, 5, "rwlock_read", 0xa0, ctx=HARDIRQ)
    t.release(115, 0, 5, "rwlock_read", 0xa0, ctx=HARDIRQ)
    t.release(190, 0, 5, "rwlock_read", 0xa0)
    truth.section("rwlock_read", 90, 0)
    truth.section("rwlock_read", 5, 1)
    return t, truth


@case
def depth_of_spinlocks():
    """Of a spinlock, the spinlocks that were held are counted, too, without rwlocks."""
    t, truth = begin()
    t.acquire(100, 0, 5, "rwlock_read", 0xa0)
    t.acquire(110, 0, 5, "spin", 0xb0)
    t.acquire(120, 0, 5, "rwlock_write", 0xc0)
    t.acquire(130, 0, 5, "spin", 0xd0)
    t.release(140, 0, 5, "spin", 0xd0)
    t.release(150, 0, 5, "rwlock_write", 0xc0)
    t.release(160, 0, 5, "spin", 0xb0)
    t.release(170, 0, 5, "rwlock_read", 0xa0)
    t.acquire(200, 0, 5, "rwlock_write", 0xc0)
    t.acquire(210, 0, 5, "rwlock_write", 0xc0)      # as if it had been released
    t.acquire(220, 0, 5, "spin", 0xd0)
    t.release(230, 0, 5, "spin", 0xd0)
    t.release(240, 0, 5, "rwlock_write", 0xc0)
    for family, length, depth, spin in (
            ("rwlock_read", 70, 0, None), ("spin", 50, 1, 0), ("rwlock_write", 30, 2, None),
            ("spin", 10, 3, 1), ("rwlock_write", 30, 0, None), ("spin", 10, 1, 0)):
        truth.section(family, length, depth, spin=spin)
    truth.cut("rwlock_write", "other")
    return t, truth


@case
def interrupt():
    """An interrupt nests in a section, and holds other locks."""
    t, truth = begin()
    t.acquire(100, 0, 5, "spin", 0xa0)
    t.acquire(110, 0, 5, "spin", 0xb0, ctx=SOFTIRQ)
    t.acquire(120, 0, 5, "spin", 0xc0, ctx=SOFTIRQ | HARDIRQ)
    t.release(130, 0, 5, "spin", 0xc0, ctx=SOFTIRQ | HARDIRQ)
    t.release(140, 0, 5, "spin", 0xb0, ctx=SOFTIRQ)
    t.release(200, 0, 5, "spin", 0xa0)
    for length, depth in ((100, 0), (30, 1), (10, 2)):
        truth.section("spin", length, depth)
    return t, truth


@case
def same_lock_two_cpus():
    """Spinning locks are paired on their CPU, however records interleave."""
    t, truth = begin()
    t.acquire(100, 0, 5, "rwlock_read", 0xa0)
    t.acquire(101, 1, 6, "rwlock_read", 0xa0)
    t.release(150, 0, 5, "rwlock_read", 0xa0)
    t.release(181, 1, 6, "rwlock_read", 0xa0)
    truth.section("rwlock_read", 50, 0)
    truth.section("rwlock_read", 80, 0)
    truth.expect("balance", "1:rwlock_read", "acquires", 1)
    return t, truth


@case
def mutex_wanders():
    """A task takes its mutexes along to other CPUs; depth is the task's."""
    t, truth = begin()
    t.acquire(100, 2, 5, "mutex", 0xa0)
    t.acquire(200, 0, 5, "mutex", 0xb0)
    t.acquire(250, 0, 6, "mutex", 0xc0)             # another task: depth 0
    t.acquire(260, 0, 6, "spin", 0xd0)              # with it: both is 2
    t.release(270, 0, 6, "spin", 0xd0)
    t.release(300, 1, 5, "mutex", 0xb0)
    t.release(400, 1, 6, "mutex", 0xc0)
    t.release(500, 0, 5, "mutex", 0xa0)
    truth.section("mutex", 400, 0)
    truth.section("mutex", 100, 1)
    truth.section("mutex", 150, 0)
    truth.section("spin", 10, 0, both=1)
    truth.expect("balance", "2:mutex", "difference", 1)
    truth.expect("balance", "all:mutex", "difference", 0)
    return t, truth


@case
def idle_tasks():
    """Each CPU's idle task is number 0, and they are not the same."""
    t, truth = begin()
    t.acquire(100, 0, 0, "rwsem_read", 0xa0)
    t.acquire(110, 1, 0, "rwsem_read", 0xa0)
    t.release(130, 0, 0, "rwsem_read", 0xa0)
    t.release(170, 1, 0, "rwsem_read", 0xa0)
    truth.section("rwsem_read", 30, 0)
    truth.section("rwsem_read", 60, 0)
    return t, truth


@case
def semaphore_by_another():
    """up() by others, a task or an interrupt, may be of units from before the trace: it makes
    no section, but the oldest one is not held any more."""
    t, truth = begin()
    t.release(50, 1, 7, "semaphore", 0xa0)
    t.acquire(100, 0, 5, "semaphore", 0xa0)
    t.acquire(110, 1, 6, "semaphore", 0xa0)
    t.acquire(120, 0, 5, "mutex", 0xb0)             # still holds it: depth 1
    t.release(125, 0, 5, "mutex", 0xb0)
    t.release(200, 1, 7, "semaphore", 0xa0)
    t.release(300, 1, 7, "semaphore", 0xa0, ctx=HARDIRQ)
    t.acquire(400, 0, 5, "mutex", 0xb0)             # and now no more
    t.release(405, 0, 5, "mutex", 0xb0)
    truth.section("mutex", 5, 1)
    truth.section("mutex", 5, 0)
    truth.cut("semaphore", "start", 3)
    truth.cut("semaphore", "end", 2)                # no acquisition comes behind them
    return t, truth


@case
def semaphore_holder_in_doubt():
    """Whose semaphore another task released is no holder that others wait for."""
    t, truth = begin(events=WAITS)
    t.acquire(100, 0, 5, "semaphore", 0xa0, site=0x1111)
    t.acquire(110, 1, 6, "semaphore", 0xa0, site=0x2222)
    t.release(120, 1, 7, "semaphore", 0xa0)
    t.wait(130, 1, 8, 0xa0, 0)
    t.release(140, 1, 6, "semaphore", 0xa0)
    t.waited(150, 1, 8, 0xa0)
    t.acquire(151, 1, 8, "semaphore", 0xa0, site=0x3333)
    t.release(160, 1, 8, "semaphore", 0xa0)
    truth.section("semaphore", 30, site=0x2222)
    truth.section("semaphore", 9, site=0x3333)
    truth.wait("semaphore", 20, 0xa0, "8", 0x3333, ("semaphore", 0x2222))
    truth.cut("semaphore", "start", 2)
    return t, truth


@case
def semaphores_in_doubt_make_room():
    """Many that others release take no room from what a task really holds."""
    t, truth = begin()
    t.acquire(100, 0, 5, "mutex", 0xa0)
    for i in range(70):
        t.acquire(1000 + 10 * i, 0, 5, "semaphore", 0x1000 + 64 * i)
        t.release(1005 + 10 * i, 1, 7, "semaphore", 0x1000 + 64 * i)
    t.release(2000, 0, 5, "mutex", 0xa0)
    truth.section("mutex", 1900)
    truth.cut("semaphore", "start", 139)
    truth.cut("semaphore", "end")
    return t, truth


@case
def semaphore_own_first():
    """Several tasks are in; who was in comes out, and nobody else for it."""
    t, truth = begin()
    t.acquire(100, 0, 5, "semaphore", 0xa0)
    t.acquire(110, 1, 6, "semaphore", 0xa0)
    t.acquire(115, 1, 6, "semaphore", 0xa0)
    t.acquire(118, 1, 6, "semaphore", 0xa0, ctx=SOFTIRQ)
    t.release(120, 1, 6, "semaphore", 0xa0)
    t.release(126, 1, 6, "semaphore", 0xa0, ctx=SOFTIRQ)
    t.release(130, 1, 6, "semaphore", 0xa0)
    t.release(200, 0, 5, "semaphore", 0xa0)
    for length, depth in ((5, 1), (8, 2), (20, 0), (100, 0)):
        truth.section("semaphore", length, depth)
    return t, truth


@case
def semaphore_from_before():
    """A release by whom nobody saw acquire may be of before the trace: no section is made
    of it, and the section that it could have ended counts if its own task ends it."""
    t, truth = begin()
    t.acquire(100, 0, 5, "semaphore", 0xa0)
    t.release(120, 1, 4, "semaphore", 0xa0)         # of before the trace
    t.release(150, 0, 5, "semaphore", 0xa0)
    truth.section("semaphore", 50)
    t.acquire(200, 0, 5, "semaphore", 0xb0)
    t.release(220, 1, 4, "semaphore", 0xb0)         # perhaps
    t.acquire(300, 0, 5, "semaphore", 0xb0)         # so it was released then
    t.release(340, 0, 5, "semaphore", 0xb0)
    truth.section("semaphore", 40)
    t.acquire(400, 0, 5, "semaphore", 0xc0)
    t.release(420, 1, 4, "semaphore", 0xc0)         # never settled
    truth.cut("semaphore", "start", 4)
    truth.cut("semaphore", "end")                   # no acquisition comes behind it
    return t, truth


@case
def semaphore_and_losses():
    """What was acquired before a gap is not released by somebody else's behind it."""
    t, truth = begin()
    t.release(50, 1, 4, "semaphore", 0xa0)          # known to do so, but not now
    t.acquire(100, 1, 4, "semaphore", 0xa0)
    t.cpu(1).lose(2)
    t.acquire(150, 1, 9, "mutex", 0xf0)
    t.release(155, 1, 9, "mutex", 0xf0)
    t.acquire(200, 0, 5, "semaphore", 0xa0)
    t.release(220, 1, 4, "semaphore", 0xa0)
    t.release(250, 0, 5, "semaphore", 0xa0)
    truth.section("mutex", 5)
    truth.section("semaphore", 50)
    truth.cut("semaphore", "start")
    truth.cut("semaphore", "lost", 2)
    truth.expect("trace", "-", "lost", 2)
    return t, truth


@case
def rwsem_downgrade():
    """A writer becomes a reader: two sections."""
    t, truth = begin()
    t.acquire(100, 0, 5, "rwsem_write", 0xa0)
    t.release(150, 0, 5, "rwsem_write", 0xa0)
    t.acquire(151, 0, 5, "rwsem_read", 0xa0)
    t.acquire(160, 1, 6, "rwsem_read", 0xa0)
    t.release(171, 0, 5, "rwsem_read", 0xa0)
    t.release(190, 1, 6, "rwsem_read", 0xa0)
    truth.section("rwsem_write", 50, 0)
    truth.section("rwsem_read", 20, 0)
    truth.section("rwsem_read", 30, 0)
    return t, truth


@case
def rwsem_not_owner():
    """A reader's lock is released by another task, seen by the next writer."""
    t, truth = begin()
    t.acquire(100, 0, 5, "rwsem_read", 0xa0)
    t.acquire(105, 1, 6, "rwsem_read", 0xa0)
    t.release(140, 1, 9, "rwsem_read", 0xa0)        # for 5
    t.release(150, 1, 6, "rwsem_read", 0xa0)        # its own
    t.acquire(200, 1, 7, "rwsem_write", 0xa0)
    t.release(210, 1, 7, "rwsem_write", 0xa0)
    t.acquire(3000, 0, 5, "rwsem_read", 0xb0)       # seen at the end only
    t.release(3033, 1, 9, "rwsem_read", 0xb0)
    truth.section("rwsem_read", 40, 0)
    truth.section("rwsem_read", 45, 0)
    truth.section("rwsem_read", 33, 0)
    truth.section("rwsem_write", 10, 0)
    return t, truth


@case
def rwsem_cut_reader():
    """A reader from before the trace does not take another's section."""
    t, truth = begin()
    t.acquire(100, 0, 5, "rwsem_read", 0xa0)
    t.release(120, 1, 4, "rwsem_read", 0xa0)        # began before the trace
    t.release(150, 0, 5, "rwsem_read", 0xa0)
    t.acquire(160, 0, 7, "rwsem_read", 0xa0)
    t.release(190, 0, 7, "rwsem_read", 0xa0)
    truth.section("rwsem_read", 50, 0)
    truth.section("rwsem_read", 30, 0)
    truth.cut("rwsem_read", "start")
    return t, truth


@case
def rwsem_reads_twice():
    """A task reads a rwsem inside of its own reading: the latest goes first."""
    t, truth = begin()
    t.acquire(50, 0, 5, "rwsem_read", 0xb0)
    t.release(55, 0, 5, "rwsem_read", 0xb0)
    t.acquire(100, 0, 5, "rwsem_read", 0xa0)
    t.acquire(110, 1, 5, "rwsem_read", 0xa0)
    t.release(150, 1, 5, "rwsem_read", 0xa0)
    t.release(190, 0, 5, "rwsem_read", 0xa0)
    truth.section("rwsem_read", 5)
    truth.section("rwsem_read", 40, 1)
    truth.section("rwsem_read", 90)
    return t, truth


@case
def number_used_again():
    """A task ends with a lock, and another gets its number: the lock counts as held by
    that one, until somebody else takes it; it makes no section."""
    t, truth = begin()
    t.acquire(50, 0, 9, "mutex", 0xa0)
    t.release(55, 0, 9, "mutex", 0xa0)
    t.acquire(100, 0, 5, "mutex", 0xa0)             # and ends
    t.acquire(5000, 1, 5, "mutex", 0xb0)            # another one
    t.release(5010, 1, 5, "mutex", 0xb0)
    t.acquire(6000, 0, 6, "mutex", 0xa0)
    t.release(6020, 0, 6, "mutex", 0xa0)
    t.acquire(9000, 1, 5, "mutex", 0xb0)
    t.release(9030, 1, 5, "mutex", 0xb0)
    truth.section("mutex", 5)
    truth.section("mutex", 10, 1)
    truth.section("mutex", 20)
    truth.section("mutex", 30)
    truth.cut("mutex", "other")
    return t, truth


@case
def acquired_again():
    """A release is missing though nothing was lost; and one is too many."""
    t, truth = begin()
    for family, at in (("spin", 50), ("mutex", 60)):    # releases are traced
        t.acquire(at, 0, 5, family, 0xe0)
        t.release(at + 5, 0, 5, family, 0xe0)
        truth.section(family, 5, 0)
    t.acquire(100, 0, 5, "spin", 0xa0)
    t.acquire(120, 0, 5, "spin", 0xa0)              # drops the first
    t.release(130, 0, 5, "spin", 0xa0)
    t.acquire(200, 0, 5, "mutex", 0xb0)
    t.acquire(210, 1, 6, "mutex", 0xb0)             # drops the other task's
    t.release(240, 1, 6, "mutex", 0xb0)
    t.release(300, 0, 5, "spin", 0xc0)              # from before the trace
    t.release(310, 0, 5, "spin", 0xc0)              # cannot be
    t.acquire(4000, 0, 5, "spin", 0xe0)
    t.release(4005, 0, 5, "spin", 0xe0)
    truth.section("spin", 5, 0)
    truth.section("spin", 10, 0)
    truth.section("mutex", 30, 0)
    truth.cut("spin", "other", 2)
    truth.cut("spin", "start")
    truth.cut("mutex", "other")
    return t, truth


@case
def two_families_at_one_address():
    """A lock that begins with another one: each has its own release."""
    t, truth = begin()
    t.acquire(100, 0, 5, "spin", 0xa0)
    t.acquire(110, 0, 5, "rwlock_read", 0xa0)
    t.release(120, 0, 5, "spin", 0xa0)
    t.release(140, 0, 5, "rwlock_read", 0xa0)
    truth.section("spin", 20, 0)
    truth.section("rwlock_read", 30, 1)
    return t, truth
