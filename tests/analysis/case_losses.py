# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Sections whose other end was not recorded: the trace begins or ends, records were lost,
or a task ended."""

from cases import begin, collect

CASES = []
case = collect(CASES)


@case
def cut_ends():
    """Sections that the beginning and the end of the trace cut."""
    t, truth = begin()
    t.release(100, 0, 5, "spin", 0xa0)
    t.release(110, 0, 5, "mutex", 0xb0)
    t.release(115, 1, 6, "semaphore", 0xc0)
    t.acquire(120, 0, 5, "spin", 0xa0)
    t.release(130, 0, 5, "spin", 0xa0)
    t.acquire(140, 0, 5, "rwsem_write", 0xd0)
    t.acquire(150, 0, 5, "spin", 0xa0)
    truth.section("spin", 10, 0)
    for family in ("spin", "mutex", "semaphore"):
        truth.cut(family, "start")
    truth.cut("rwsem_write", "end")
    truth.cut("spin", "end")
    truth.expect("balance", "0:spin", "unmatched_at_start", 1)
    truth.expect("balance", "0:spin", "open_at_end", 1)
    return t, truth


@case
def left_without_a_release():
    """Who comes in shows that the one before has left; an older stray is not its end."""
    t, truth = begin()
    for family, at in (("rwsem_write", 50), ("rwsem_read", 60)):    # releases are traced
        t.acquire(at, 0, 5, family, 0xe0)
        t.release(at + 5, 0, 5, family, 0xe0)
        truth.section(family, 5, 0)
    t.acquire(100, 0, 5, "rwsem_write", 0xa0)
    t.acquire(200, 1, 6, "rwsem_read", 0xa0)        # there is no writer now
    t.release(230, 1, 6, "rwsem_read", 0xa0)
    t.release(2300, 1, 4, "rwsem_read", 0xb0)       # from before the trace
    t.acquire(2310, 0, 5, "rwsem_read", 0xb0)
    t.acquire(2400, 1, 7, "rwsem_write", 0xb0)      # no reader
    t.release(2410, 1, 7, "rwsem_write", 0xb0)
    truth.section("rwsem_read", 30, 0)
    truth.section("rwsem_write", 10, 0)
    truth.cut("rwsem_write", "other")
    truth.cut("rwsem_read", "start")
    truth.cut("rwsem_read", "other")
    return t, truth


@case
def half_traced():
    """Releases are turned on after acquisitions, and off after them."""
    t, truth = begin()
    for family, cpu in (("spin", 0), ("mutex", 1)):
        t.acquire(100, cpu, 5 + cpu, family, 0xa0)        # released, not traced
        t.acquire(110, cpu, 5 + cpu, family, 0xb0)        # the same
        t.acquire(120, cpu, 5 + cpu, family, 0xa0)        # so that was released
        t.acquire(130, cpu, 5 + cpu, family, 0xc0)        # still held
        t.release(140, cpu, 5 + cpu, family, 0xc0)        # now releases are traced
        t.acquire(200, cpu, 5 + cpu, family, 0xd0)        # nothing else is held
        t.release(210, cpu, 5 + cpu, family, 0xd0)
        t.acquire(220, cpu, 5 + cpu, family, 0xd0)        # the last acquisition
        t.release(230, cpu, 5 + cpu, family, 0xd0)
        t.release(240, cpu, 5 + cpu, family, 0xa0)
        t.release(250, cpu, 5 + cpu, family, 0xa0)
        truth.section(family, 10, 2)
        truth.section(family, 10, 0)
        truth.section(family, 10, 0)
        truth.cut(family, "start", 3)
        truth.cut(family, "end", 2)
    truth.expect("balance", "0:spin", "unmatched_at_end", 2)
    truth.expect("balance", "0:spin", "open_other", 0)
    return t, truth


@case
def never_released():
    """More locks than can be held: the oldest go, and no memory with them."""
    t, truth = begin()
    for i in range(100):
        t.acquire(100 + i, 0, 5, "spin", 0x1000 + i)
        t.acquire(100 + i, 1, 6, "mutex", 0x1000 + i)
    t.acquire(1000, 0, 7, "spin", 0xa0)
    t.release(1010, 0, 7, "spin", 0xa0)
    truth.section("spin", 10, 63)
    truth.cut("spin", "other", 37)
    truth.cut("spin", "end", 63)
    truth.cut("mutex", "other", 36)
    truth.cut("mutex", "end", 64)
    return t, truth


def some_lost(**args):
    t, truth = begin(**args)
    t.acquire(90, 0, 4, "spin", 0xe0)
    t.release(95, 0, 4, "spin", 0xe0)
    t.acquire(100, 0, 5, "spin", 0xa0)
    t.acquire(101, 1, 6, "spin", 0xb0)
    t.acquire(102, 1, 6, "mutex", 0xc0)
    t.cpu(0).lose(7)
    t.acquire(110, 1, 7, "mutex", 0xf0)             # within the gap
    t.release(120, 1, 7, "mutex", 0xf0)
    t.acquire(130, 1, 8, "mutex", 0xf8)             # goes on after it
    t.release(200, 0, 5, "spin", 0xa0)              # the gap ends here
    t.acquire(210, 0, 5, "spin", 0xa0)
    t.release(215, 0, 5, "spin", 0xa0)
    t.release(220, 1, 6, "spin", 0xb0)              # another CPU's: whole
    t.release(230, 1, 6, "mutex", 0xc0)
    t.release(240, 1, 8, "mutex", 0xf8)
    t.acquire(250, 1, 6, "mutex", 0xc0)
    t.release(260, 1, 6, "mutex", 0xc0)
    truth.section("spin", 5, 0)
    truth.section("spin", 5, 0)
    truth.section("spin", 119, 0)
    truth.section("mutex", 10, 0)
    truth.cut("spin", "lost", 2)
    truth.cut("mutex", "lost", 6)
    truth.expect("trace", "-", "lost", 7)
    truth.expect("cpu", "0", "lost", 7)
    truth.expect("cpu", "0", "gaps", 1)
    truth.expect("cpu", "1", "lost", 0)
    return t, truth


@case
def lost():
    """Losses on one CPU cut its spinning sections, and all sleeping ones."""
    return some_lost()


@case
def lost_told_by_packets():
    """The same from a trace whose records do not tell where."""
    return some_lost(gaps=False)


@case
def lost_long_known():
    """Packets count losses early; only the records' gap says where they were."""
    t, truth = begin(per_packet=2, early=True)
    for at in (100, 200, 300):
        t.acquire(at, 0, 5, "spin", 0xa0)
        t.release(at + 10, 0, 5, "spin", 0xa0)
        truth.section("spin", 10, 0)
    t.acquire(400, 0, 5, "spin", 0xa0)
    t.cpu(0).lose(2)                                # a release, an acquisition
    t.release(900, 0, 5, "spin", 0xa0)              # no section of 500
    truth.cut("spin", "lost", 2)
    truth.expect("trace", "-", "lost", 2)
    return t, truth


def lost_ends(start, **args):
    t, truth = begin(**args)
    t.cpu(0).lose(3)
    t.release(100, 0, 5, "spin", 0xa0)
    t.acquire(110, 0, 5, "spin", 0xb0)
    t.release(120, 0, 5, "spin", 0xb0)
    t.acquire(130, 0, 5, "spin", 0xc0)
    t.cpu(0).cut()
    t.cpu(0).lose(2)
    t.cpu(0).cut(empty=True)
    truth.section("spin", 10, 0)
    truth.cut("spin", start)
    truth.cut("spin", "lost")
    truth.expect("trace", "-", "lost", 5)
    truth.expect("cpu", "0", "packets", 2)
    return t, truth


@case
def lost_at_the_ends():
    """Losses before the first record, and after the last: an empty packet."""
    return lost_ends("start")


@case
def lost_at_the_ends_told_by_packets():
    return lost_ends("lost", gaps=False)
