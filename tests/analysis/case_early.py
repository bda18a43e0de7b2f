# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Traces made by hand with acquisitions that are stamped before the release in front
of them, as a processor does that reads its clock too early."""

from cases import begin, collect
from gen_trace import MUTEX, SPIN, WAITS

CASES = []
case = collect(CASES)


def early(truth, count, most):
    truth.expect("trace", "-", "early_acquisitions", count)
    truth.expect("trace", "-", "early_max_ns", "%d.000" % most)


@case
def early_spin():
    """It begins with the release; so does what comes behind it and says that it was
    before, also in the next packet; what says a later time keeps that."""
    t, truth = begin(per_packet=2)
    t.acquire(1000, 0, 5, "spin", 0xa0, site=0x1111)
    t.acquire(1900, 1, 6, "spin", 0xa0, site=0x2222)    # 100 early
    t.acquire(1950, 1, 6, "spin", 0xb0, site=0x3333)
    t.cpu(1).add(1960, 1, 6, 1, 2)
    t.release(1970, 1, 6, "spin", 0xb0)
    t.release(2000, 0, 5, "spin", 0xa0)
    t.release(2300, 1, 6, "spin", 0xa0)
    t.acquire(2400, 1, 6, "spin", 0xa0, site=0x2222)
    t.release(2410, 1, 6, "spin", 0xa0)
    truth.section("spin", 1000, 0, site=0x1111)
    truth.section("spin", 300, 0, site=0x2222)
    truth.section("spin", 0, 1, site=0x3333)
    truth.section("spin", 10, 0, site=0x2222)
    truth.expect("trace", "-", "records", 9)
    early(truth, 1, 100)
    return t, truth


def all_early(families):
    """Turns of two CPUs at one lock of each family, each acquisition 7 ns early."""
    t, truth = begin()
    for n, family in enumerate(families):
        for turn in range(4):
            cpu, at = turn % 2, 10000 * (n + 1) + 100 * turn
            t.acquire(at - 7 * bool(turn), cpu, 5 + cpu, family, 0xa0 + 8 * n)
            t.release(at + 100, cpu, 5 + cpu, family, 0xa0 + 8 * n)
            truth.section(family, 100)
        truth.cut(family, "other", 0)
    early(truth, 3 * len(families), 7)
    return t, truth


@case
def early_exclusive():
    """Every kind of lock that only one can hold, of the kernel."""
    return all_early(["spin", "rwlock_write", "mutex", "rwsem_write"])


@case
def early_program():
    """A mutex of a program: the threads' streams wait for one another, too."""
    t, truth = begin()
    t.acquire(1000, 0, 5, "pthread_mutex", 0xa0)
    t.acquire(1987, 1, 6, "pthread_mutex", 0xa0)        # 13 early
    t.release(2000, 0, 5, "pthread_mutex", 0xa0)
    t.release(2100, 1, 6, "pthread_mutex", 0xa0)
    truth.section("pthread_mutex", 1000, site=1 << 48 | 0x1000)
    truth.section("pthread_mutex", 100, site=1 << 48 | 0x1000)
    early(truth, 1, 13)
    return t, truth


@case
def early_readers():
    """A writer waits for all readers, and a reader for the writer; readers not for one
    another, and nobody for a counting semaphore."""
    t, truth = begin()
    t.acquire(1000, 0, 5, "rwlock_read", 0xa0)
    t.acquire(1100, 1, 6, "rwlock_read", 0xa0)
    t.acquire(1980, 2, 7, "rwlock_write", 0xa0)
    t.release(1990, 0, 5, "rwlock_read", 0xa0)
    t.release(2000, 1, 6, "rwlock_read", 0xa0)
    t.acquire(2495, 0, 5, "rwlock_read", 0xa0)
    t.release(2500, 2, 7, "rwlock_write", 0xa0)
    t.release(2600, 0, 5, "rwlock_read", 0xa0)
    t.acquire(3000, 0, 5, "semaphore", 0xb0)
    t.acquire(3010, 1, 6, "semaphore", 0xb0)
    t.release(3020, 0, 5, "semaphore", 0xb0)
    t.release(3040, 1, 6, "semaphore", 0xb0)
    for family, length in (("rwlock_read", 990), ("rwlock_read", 900),
                           ("rwlock_write", 500), ("rwlock_read", 100),
                           ("semaphore", 20), ("semaphore", 30)):
        truth.section(family, length)
    early(truth, 2, 20)
    return t, truth


@case
def early_in_a_row():
    """Two CPUs are early at the same lock: they go on in their order."""
    t, truth = begin()
    t.acquire(1000, 0, 5, "spin", 0xa0, site=0x1111)
    t.acquire(1900, 2, 7, "spin", 0xa0, site=0x2222)
    t.acquire(1950, 1, 6, "spin", 0xa0, site=0x3333)
    t.release(2000, 0, 5, "spin", 0xa0)
    t.release(2030, 2, 7, "spin", 0xa0)
    t.release(2100, 1, 6, "spin", 0xa0)
    truth.section("spin", 1000, site=0x1111)
    truth.section("spin", 30, site=0x2222)
    truth.section("spin", 70, site=0x3333)
    early(truth, 2, 100)
    return t, truth


@case
def early_twice():
    """Another CPU takes the lock as it is released: who was early waits once more, and
    is counted once."""
    t, truth = begin()
    t.acquire(1000, 0, 5, "spin", 0xa0, site=0x1111)
    t.acquire(1950, 1, 6, "spin", 0xa0, site=0x3333)
    t.release(2000, 0, 5, "spin", 0xa0)
    t.acquire(2000, 0, 5, "spin", 0xa0, site=0x2222)
    t.release(2040, 0, 5, "spin", 0xa0)
    t.release(2100, 1, 6, "spin", 0xa0)
    truth.section("spin", 1000, site=0x1111)
    truth.section("spin", 40, site=0x2222)
    truth.section("spin", 60, site=0x3333)
    early(truth, 1, 90)
    return t, truth


@case
def early_at_once():
    """Of the same tick, on a CPU with a lower number: in order, and not early."""
    t, truth = begin()
    for family, lock, at in (("spin", 0xa0, 0), ("mutex", 0xb0, 5000)):
        t.acquire(at + 1000, 1, 6, family, lock)
        t.acquire(at + 2000, 0, 5, family, lock)
        t.release(at + 2000, 1, 6, family, lock)
        t.release(at + 2100, 0, 5, family, lock)
        truth.section(family, 1000)
        truth.section(family, 100)
    early(truth, 0, 0)
    return t, truth


@case
def early_wait():
    """Whoever waited did so until the release."""
    t, truth = begin(events=WAITS)
    for family, flags, lock, at in (("spin", SPIN, 0xa0, 1000),
                                    ("mutex", MUTEX, 0xb0, 5000)):
        t.acquire(at, 0, 5, family, lock, site=0x1111)
        t.wait(at + 200, 1, 6, lock, flags)
        t.waited(at + 960, 1, 6, lock)
        t.acquire(at + 970, 1, 6, family, lock, site=0x2222)
        t.release(at + 1000, 0, 5, family, lock)
        t.release(at + 1400, 1, 6, family, lock)
        truth.section(family, 1000, site=0x1111)
        truth.section(family, 400, site=0x2222)
        truth.wait(family, 800, lock, 6, site=0x2222, holder=(family, 0x1111))
    early(truth, 2, 30)
    return t, truth


@case
def early_not_so_much():
    """More than a microsecond is no early clock: nothing is mended, and nothing hidden.
    Sections of CPUs whose clocks differ overlap; a mutex was not released."""
    t, truth = begin()
    t.acquire(1000, 0, 5, "spin", 0xa0)
    t.acquire(2000, 1, 6, "spin", 0xa0)
    t.acquire(2100, 1, 6, "mutex", 0xf0)
    t.release(2150, 1, 6, "mutex", 0xf0)
    t.release(3500, 0, 5, "spin", 0xa0)
    t.release(3600, 1, 6, "spin", 0xa0)
    t.acquire(5000, 0, 5, "mutex", 0xb0)
    t.acquire(6000, 1, 6, "mutex", 0xb0)
    t.release(6100, 1, 6, "mutex", 0xb0)
    t.release(9000, 0, 5, "mutex", 0xb0)
    truth.section("spin", 2500)
    truth.section("spin", 1600)
    truth.section("mutex", 50, both=1)
    truth.section("mutex", 100)
    truth.cut("mutex", "other", 1)
    truth.cut("mutex", "end", 1)
    early(truth, 0, 0)
    return t, truth


@case
def early_as_measured():
    """A recording that measured a greater bound is believed, twice that."""
    t, truth = begin(env={"acquire_early_ns": 800})
    for early_by, at in ((1590, 10000), (1610, 20000)):
        t.acquire(at, 0, 5, "spin", 0xa0)
        t.acquire(at + 3000 - early_by, 1, 6, "spin", 0xa0)
        t.release(at + 3000, 0, 5, "spin", 0xa0)
        t.release(at + 3100, 1, 6, "spin", 0xa0)
        truth.section("spin", 3000)
    truth.section("spin", 100)
    truth.section("spin", 1710)
    early(truth, 1, 1590)
    return t, truth


@case
def early_never_released():
    """The trace ends, or records are lost, while an acquisition waits."""
    t, truth = begin()
    t.acquire(1000, 0, 5, "mutex", 0xa0)
    t.acquire(1100, 1, 6, "mutex", 0xb0)
    t.cpu(1).lose(3)
    t.acquire(1150, 2, 7, "mutex", 0xb0)            # of a lock that the loss let go
    t.release(1160, 1, 6, "spin", 0xc0)
    t.release(1170, 2, 7, "mutex", 0xb0)
    t.acquire(2000, 0, 5, "spin", 0xd0)
    t.acquire(2010, 1, 6, "spin", 0xd0)
    truth.cut("mutex", "lost", 4)
    truth.cut("spin", "lost")
    truth.cut("spin", "end", 2)
    truth.expect("trace", "-", "lost", 3)
    early(truth, 0, 0)
    return t, truth
