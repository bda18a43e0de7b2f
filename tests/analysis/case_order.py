# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Traces made by hand for the order of locks, and what is inside of sections.

A case returns a trace, its truth, and arguments of ft report where it needs some.
"""

from cases import absent, begin, collect
from gen_trace import HARDIRQ, NMI, SOFTIRQ

CASES = []
case = collect(CASES)


# The order of locks.

def inversion(truth, number, **columns):
    for column, value in columns.items():
        truth.expect("inversion", str(number), column, value)


@case
def inverted():
    """A then B here, B then A there, on other CPUs, by other tasks."""
    t, truth = begin()
    for at, cpu, first, then in ((100, 0, 0xa0, 0xb0), (200, 1, 0xb0, 0xa0),
                                 (300, 1, 0xb0, 0xa0), (400, 0, 0xa0, 0xc0)):
        t.acquire(at, cpu, 5, "spin", first, site=0x1000 + first)
        t.acquire(at + 10, cpu, 5, "spin", then, site=0x2000 + then)
        t.release(at + 20, cpu, 5, "spin", then)
        t.release(at + 50, cpu, 5, "spin", first)
        truth.section("spin", 50, 0, site=0x1000 + first)
        truth.section("spin", 10, 1, site=0x2000 + then)
    inversion(truth, 0, lock_a="0xa0", lock_b="0xb0", locks=1,
              there_outer="spin:0x10a0", there_inner="spin:0x20b0",
              there_count=1, there_context="task",
              back_outer="spin:0x10b0", back_inner="spin:0x20a0",
              back_count=2, back_context="task")
    truth.expect("order", "spin:0x10b0>spin:0x20a0", "count", 2)
    truth.expect("order", "spin:0x10a0>spin:0x20c0", "count", 1)
    return t, truth


@case
def inverted_many():
    """The same four places with many locks are one inversion."""
    t, truth = begin()
    at = 1000
    for i in range(50):
        for first, then in ((0, 8), (8, 0)):
            t.acquire(at, 0, 5, "mutex", 0xa000 + 16 * i + first,
                      site=0x1000 + first)
            t.acquire(at + 1, 0, 5, "mutex", 0xa000 + 16 * i + then,
                      site=0x2000 + then)
            t.release(at + 2, 0, 5, "mutex", 0xa000 + 16 * i + then)
            t.release(at + 3, 0, 5, "mutex", 0xa000 + 16 * i + first)
            truth.section("mutex", 3, 0, site=0x1000 + first)
            truth.section("mutex", 1, 1, site=0x2000 + then)
            at += 10
    inversion(truth, 0, locks=50, there_count=50, back_count=50,
              lock_a="0xa000", lock_b="0xa008")
    truth.checks.append(lambda have: ["there are two inversions"]
                        if ("inversion", "1") in have else [])
    return t, truth


@case
def not_inverted():
    """Interrupts on top of a section, hand over hand, readers: no order."""
    t, truth = begin()
    t.acquire(100, 0, 5, "spin", 0xa0)
    t.acquire(110, 0, 5, "spin", 0xb0, ctx=HARDIRQ)     # not inside of a0
    t.acquire(111, 0, 5, "spin", 0xb8, ctx=NMI)
    t.release(113, 0, 5, "spin", 0xb8, ctx=NMI)
    t.release(120, 0, 5, "spin", 0xb0, ctx=HARDIRQ)
    t.release(130, 0, 5, "spin", 0xa0)
    t.acquire(200, 0, 5, "spin", 0xb0)
    t.acquire(210, 0, 5, "spin", 0xa0, site=0x3000)
    t.release(220, 0, 5, "spin", 0xb0)
    t.release(230, 0, 5, "spin", 0xa0)
    t.acquire(300, 1, 6, "mutex", 0xe0)                 # another task's
    t.acquire(310, 1, 7, "mutex", 0xe8)
    t.release(320, 1, 7, "mutex", 0xe8)
    t.release(330, 1, 6, "mutex", 0xe0)
    t.acquire(400, 1, 6, "rwlock_read", 0xc0)           # twice the same lock
    t.acquire(410, 1, 6, "rwlock_read", 0xc0, site=0x4000)
    t.release(420, 1, 6, "rwlock_read", 0xc0)
    t.release(430, 1, 6, "rwlock_read", 0xc0)
    for length, depth, site in ((30, 0, 0x1000), (20, 0, 0x1000),
                                (10, 1, 0x1000), (20, 1, 0x3000),
                                (2, 2, 0x1000)):
        truth.section("spin", length, depth, site=site)
    truth.section("mutex", 30)
    truth.section("mutex", 10)
    truth.section("rwlock_read", 30)
    truth.section("rwlock_read", 10, 1, site=0x4000)
    for context, n in (("task", 3), ("hardirq", 1), ("softirq", 0), ("nmi", 1)):
        truth.expect("family", "spin", context, n)
    truth.expect("order", "spin:0x1000>spin:0x3000", "count", 1)
    truth.expect("order", "rwlock_read:0x1000>rwlock_read:0x4000", "count", 1)
    truth.checks.append(lambda have: ["there are more pairs"] if sum(
        t == "order" for t, _ in have) != 2 else [])
    absent(truth, "inversion")
    return t, truth


@case
def spin_in_mutex():
    """A spinlock inside a mutex is ordered after it, not after another task's."""
    t, truth = begin()
    t.acquire(100, 0, 5, "mutex", 0xa0, site=0x1111)
    t.acquire(110, 1, 5, "spin", 0xb0, site=0x2222)     # the task wandered
    t.release(120, 1, 5, "spin", 0xb0)
    t.acquire(130, 1, 6, "spin", 0xb0, site=0x3333)
    t.release(140, 1, 6, "spin", 0xb0)
    t.release(200, 1, 5, "mutex", 0xa0)
    truth.section("mutex", 100, site=0x1111)
    truth.section("spin", 10, 0, both=1, site=0x2222)
    truth.section("spin", 10, 0, site=0x3333)
    truth.expect("order", "mutex:0x1111>spin:0x2222", "count", 1)
    truth.checks.append(lambda have: ["there are more pairs"] if sum(
        t == "order" for t, _ in have) != 1 else [])
    return t, truth


@case
def interrupt_in_mutex():
    """What an interrupt takes is not ordered after what the task holds."""
    t, truth = begin()
    t.acquire(100, 0, 5, "mutex", 0xa0, site=0x1111)
    t.acquire(110, 0, 5, "spin", 0xb0, site=0x2222, ctx=SOFTIRQ)
    t.release(120, 0, 5, "spin", 0xb0, ctx=SOFTIRQ)
    t.release(200, 0, 5, "mutex", 0xa0)
    truth.section("mutex", 100, site=0x1111)
    truth.section("spin", 10, 0, both=1, site=0x2222)
    truth.checks.append(lambda have: ["there is an order"] if any(
        t == "order" for t, _ in have) else [])
    return t, truth


@case
def deeper_than_ordered():
    """Beyond eight locks held, the rest is counted and not ordered."""
    t, truth = begin()
    for i in range(12):
        t.acquire(100 + i, 0, 5, "spin", 0xa0 + i, site=0x1000 + i)
    for i in reversed(range(12)):
        t.release(200 - i, 0, 5, "spin", 0xa0 + i)
        truth.section("spin", 100 - 2 * i, i, site=0x1000 + i)
    for row in ("order", "inversion"):
        truth.expect("bound", row, "refused", 0)
    truth.expect("bound", "held", "refused", 1 + 2 + 3)
    truth.expect("order", "spin:0x1003>spin:0x100b", "count", 1)
    truth.checks.append(lambda have: [
        "too deep" for key in have if key == ("order",
                                              "spin:0x1002>spin:0x100b")])
    return t, truth


# What is inside.

@case
def inside_the_longest():
    """Nested, an interrupt, hand over hand: relative times, marks."""
    t, truth = begin()
    t.acquire(50, 0, 5, "spin", 0x90)                   # before
    t.acquire(100, 0, 5, "spin", 0xa0)
    t.release(105, 0, 5, "spin", 0x90)                  # not inside: began before
    t.acquire(110, 0, 5, "spin", 0xb0)
    t.acquire(120, 0, 5, "spin", 0xc0, ctx=HARDIRQ)
    t.release(125, 0, 5, "spin", 0xc0, ctx=HARDIRQ)
    t.release(130, 0, 5, "spin", 0xb0)
    t.acquire(150, 1, 6, "spin", 0xe0)                  # another CPU
    t.release(160, 1, 6, "spin", 0xe0)
    t.acquire(190, 0, 5, "spin", 0xd0)                  # goes on
    t.release(300, 0, 5, "spin", 0xa0)
    t.release(310, 0, 5, "spin", 0xd0)
    for length, depth in ((55, 0), (200, 1), (20, 1), (5, 2), (10, 0), (120, 1)):
        truth.section("spin", length, depth)
    truth.expect("longest", "spinning:0", "length_ns", "200.000")
    truth.expect("longest", "spinning:0", "begin_ns", "50.000")
    truth.expect("longest", "spinning:0", "inside", 2)
    rows = (("10.000", "20.000", "0xb0", 0), ("20.000", "5.000", "0xc0", 1),
            ("90.000", None, "0xd0", 0))
    for i, (start, length, lock, interrupt) in enumerate(rows):
        row = "spinning:0:%d" % i
        truth.expect("inside", row, "begin_ns", start)
        truth.expect("inside", row, "lock", lock)
        truth.expect("inside", row, "interrupt", interrupt)
        if length:
            truth.expect("inside", row, "length_ns", length)
    truth.expect("inside", "spinning:0:1", "context", "hardirq")
    truth.checks.append(lambda have: [
        x for x in ("what goes on has a length",)
        if "length_ns" in have["inside", "spinning:0:2"]] + [
        "too much is inside" for key in have
        if key == ("inside", "spinning:0:3")])
    return t, truth


@case
def inside_a_mutex():
    """All that its task does, on whatever CPU, and what interrupts it."""
    t, truth = begin()
    t.acquire(100, 0, 5, "mutex", 0xa0)
    t.acquire(110, 1, 5, "spin", 0xb0)                  # on another CPU
    t.release(120, 1, 5, "spin", 0xb0)
    t.acquire(130, 0, 6, "spin", 0xc0)                  # another task
    t.release(140, 0, 6, "spin", 0xc0)
    t.acquire(150, 1, 5, "spin", 0xd0, ctx=SOFTIRQ)     # interrupts the task
    t.release(160, 1, 5, "spin", 0xd0, ctx=SOFTIRQ)
    t.acquire(170, 1, 5, "rwsem_read", 0xe0)
    t.release(190, 1, 5, "rwsem_read", 0xe0)
    t.release(200, 1, 5, "mutex", 0xa0)
    truth.section("mutex", 100)
    truth.section("spin", 10, 0, both=1)
    truth.section("spin", 10, 0)
    truth.section("spin", 10, 0, both=1)
    truth.section("rwsem_read", 20, 1)
    truth.expect("longest", "sleeping:0", "inside", 3)
    for i, lock in enumerate(("0xb0", "0xd0", "0xe0")):
        truth.expect("inside", "sleeping:0:%d" % i, "lock", lock)
        truth.expect("inside", "sleeping:0:%d" % i, "interrupt", int(i == 1))
    return t, truth


@case
def inside_by_trylock():
    """A sleeping lock that did not sleep, inside a section of a spinning one."""
    t, truth = begin()
    t.acquire(100, 0, 5, "semaphore", 0xe0)             # of another time
    t.acquire(110, 1, 6, "semaphore", 0xe8)             # of another CPU
    t.acquire(200, 0, 5, "spin", 0xa0)
    t.acquire(210, 0, 5, "rwsem_read", 0xb0)
    t.acquire(215, 1, 6, "semaphore", 0xc0)
    t.release(220, 0, 5, "semaphore", 0xe0)
    t.release(225, 1, 6, "semaphore", 0xe8)
    t.release(230, 0, 5, "rwsem_read", 0xb0)
    t.release(240, 1, 6, "semaphore", 0xc0)
    t.release(300, 0, 5, "spin", 0xa0)
    truth.section("semaphore", 120)
    truth.section("semaphore", 115)
    truth.section("spin", 100, 0, both=1)
    truth.section("rwsem_read", 20, 1, both=2)
    truth.section("semaphore", 25, 1)
    truth.expect("longest", "spinning:0", "inside", 1)
    truth.expect("inside", "spinning:0:0", "lock", "0xb0")
    truth.expect("inside", "spinning:0:0", "length_ns", "20.000")
    return t, truth


@case
def inside_very_much():
    """More than is remembered: the latest, and how many there were."""
    t, truth = begin()
    t.acquire(1000, 0, 5, "mutex", 0xa0)
    for i in range(500):
        t.acquire(2000 + 10 * i, 0, 5, "spin", 0xb0)
        t.release(2001 + 10 * i, 0, 5, "spin", 0xb0)
        truth.section("spin", 1, 0, both=1)
    t.release(9000, 0, 5, "mutex", 0xa0)
    truth.section("mutex", 8000)
    truth.expect("longest", "sleeping:0", "inside", 500)
    truth.expect("inside", "sleeping:0:0", "begin_ns", "4720.000")
    truth.expect("inside", "sleeping:0:127", "begin_ns", "5990.000")
    return t, truth


def by_another(t, truth, task, at, inside, length, after):
    """A reader whom another task releases: so many sections before that, and after; a
    writer shows it later."""
    lock, other = 0x1000 + task, 0x2000 + task
    t.acquire(at, 0, task, "rwsem_read", lock)
    for i in range(inside):
        t.acquire(at + 10 + 3 * i, 0, task, "mutex", other)
        t.release(at + 11 + 3 * i, 0, task, "mutex", other)
        truth.section("mutex", 1, 1)
    t.acquire(at + length - 5, 0, task, "mutex", other)     # goes on
    t.release(at + length, 1, 9, "rwsem_read", lock)
    t.release(at + length + 15, 0, task, "mutex", other)
    truth.section("mutex", 20, 1)
    for i in range(after):
        t.acquire(at + 3000 + 3 * i, 0, task, "mutex", other)
        t.release(at + 3001 + 3 * i, 0, task, "mutex", other)
        truth.section("mutex", 1, 1)        # as far as anybody knows then
    t.acquire(at + 8000, 0, task, "mutex", 0x3000 + task)
    t.acquire(at + 8010, 1, 8, "rwsem_write", lock)
    t.release(at + 8020, 1, 8, "rwsem_write", lock)
    t.release(at + 9800, 0, task, "mutex", 0x3000 + task)
    truth.section("mutex", 1800, 1)
    truth.section("rwsem_write", 10)
    truth.section("rwsem_read", length)


@case
def inside_released_by_another():
    """A reader's end that was found out later: nothing is inside that began after it, what
    ended after it goes on, and what is not remembered is counted as far as it is known."""
    t, truth = begin()
    t.acquire(50, 0, 5, "rwsem_read", 0xe0)                 # releases are traced
    t.release(55, 0, 5, "rwsem_read", 0xe0)
    truth.section("rwsem_read", 5)
    for i, (inside, after, ended, shown) in enumerate((
            (10, 200, 0, 0), (150, 20, 150, 108), (2, 10, 2, 3))):
        row = "sleeping:%d" % i
        by_another(t, truth, 20 + i, 10000 * (i + 1), inside, 2000 - i, after)
        truth.expect("longest", row, "length_ns", "%d.000" % (2000 - i))
        truth.expect("longest", row, "inside", ended)
        truth.checks.append(lambda have, row=row, shown=shown: [
            "%s has %d inside, not %d" % (row, n, shown) for n in [sum(
                key[0] == "inside" and key[1].startswith(row + ":") for key in have)]
            if n != shown])
    truth.expect("inside", "sleeping:2:0", "length_ns", "1.000")
    truth.checks.append(lambda have: ["what goes on has a length"] if "length_ns" in
                        have["inside", "sleeping:2:2"] else [])
    return t, truth


@case
def inside_exactly():
    """As many as there were, of more than are remembered: what began before does not
    count, nor what ends inside of others only."""
    t, truth = begin()
    t.acquire(1000, 0, 5, "spin", 0xe0)             # hand over hand with the first
    t.acquire(1010, 0, 5, "spin", 0xa0)
    t.release(1020, 0, 5, "spin", 0xe0)
    truth.section("spin", 20)
    for i in range(200):
        t.acquire(2000 + 10 * i, 0, 5, "spin", 0xb0)
        t.release(2001 + 10 * i, 0, 5, "spin", 0xb0)
        truth.section("spin", 1, 1)
    t.release(9000, 0, 5, "spin", 0xa0)
    truth.section("spin", 7990, 1)
    truth.expect("longest", "spinning:0", "inside", 200)
    t.acquire(20000, 0, 5, "semaphore", 0xf8)       # and of a task
    t.acquire(20010, 0, 5, "mutex", 0xf0)
    t.release(20020, 0, 5, "semaphore", 0xf8)
    truth.section("semaphore", 20)
    for i in range(140):
        t.acquire(21000 + 10 * i, 0, 5, "spin", 0xb0)
        t.release(21001 + 10 * i, 0, 5, "spin", 0xb0)
        truth.section("spin", 1, 0, both=1)
    t.release(30000, 0, 5, "mutex", 0xf0)
    truth.section("mutex", 9990, 1)
    truth.expect("longest", "sleeping:0", "inside", 140)
    return t, truth


@case
def longest_two():
    """--longest takes the longest of each group, by length."""
    t, truth = begin()
    for i, length in enumerate((5, 70, 20, 90, 70, 1)):
        t.acquire(1000 * i, 0, 5, "spin", 0xa0 + i)
        t.release(1000 * i + length, 0, 5, "spin", 0xa0 + i)
        truth.section("spin", length)
    truth.expect("longest", "spinning:0", "lock", "0xa3")
    truth.expect("longest", "spinning:1", "lock", "0xa1")
    truth.checks.append(lambda have: ["a third one is there"]
                        if ("longest", "spinning:2") in have else [])
    return t, truth, ["--longest", "2"]


@case
def longest_none():
    t, truth = begin()
    t.acquire(100, 0, 5, "spin", 0xa0)
    t.release(200, 0, 5, "spin", 0xa0)
    truth.section("spin", 100)
    absent(truth, "longest")
    return t, truth, ["--longest", "0"]
