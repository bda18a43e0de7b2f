# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Traces at the limits: empty packets, none at all, the greatest times and sums, odd clocks,
addresses of 0."""

from cases import begin, collect

CASES = []
case = collect(CASES)


@case
def empty_packet():
    """Packets without records, without losses: nothing happens."""
    t, truth = begin()
    t.acquire(100, 0, 5, "spin", 0xa0)
    t.cpu(0).cut()
    t.cpu(0).cut(empty=True)
    t.cpu(0).cut(empty=True)
    t.release(150, 0, 5, "spin", 0xa0)
    truth.section("spin", 50, 0)
    truth.expect("cpu", "0", "packets", 4)
    return t, truth


@case
def no_records():
    """Streams with nothing in them."""
    t, truth = begin()
    t.cpu(0)
    t.cpu(3).cut(empty=True)
    truth.expect("trace", "-", "records", 0)
    truth.expect("trace", "-", "duration_ns", "0.000")
    truth.expect("trace", "-", "cpus", 2)
    return t, truth


@case
def huge_times():
    """Timestamps on both sides of 2^63, and a section of half of that."""
    t, truth = begin(freq=4 * 10**9, offset_s=0)
    top = 2**63
    t.acquire(top - 2**62, 0, 5, "mutex", 0xa0)
    t.acquire(top - 10, 0, 5, "spin", 0xb0)
    t.release(top + 10, 0, 5, "spin", 0xb0)
    t.release(top + 2**60, 0, 5, "mutex", 0xa0)
    truth.section("spin", 20, 0, both=1)
    truth.section("mutex", 2**62 + 2**60, 0)
    return t, truth


@case
def huge_sums():
    """Three sections of half of all times: their sum is more than 64 bits of ns."""
    t, truth = begin()
    for cpu in range(3):
        t.acquire(100, cpu, 5 + cpu, "mutex", 0xa0 + cpu)
        t.release(100 + 2**63, cpu, 5 + cpu, "mutex", 0xa0 + cpu)
        truth.section("mutex", 2**63)
    truth.foreign = False       # babeltrace2 has no such times
    most = "18446744073709551615"
    for table, row in (("family", "mutex"), ("group", "sleeping")):
        truth.expect(table, row, "total_ns", most + ".999")
        truth.expect(table, row, "total_saturated", 1)
    truth.expect("site", "mutex:0x1000", "total_ns", most + ".000")
    truth.expect("site", "mutex:0x1000", "total_saturated", 1)
    truth.expect("site", "mutex:0x1000", "mean_ns", "6148914691236517205.000")
    truth.checks.append(lambda have: ["a lock's total is said to be more than it is"]
                        if "total_saturated" in have["lock", "mutex:0xa0"] else [])
    return t, truth


@case
def odd_clock():
    """A clock that is no whole number of ticks a nanosecond; its limits."""
    t, truth = begin(freq=2400000123)
    at = 10**12
    for length in (1, 7, 120, 12000, 12001, 31200, 31201, 31202, 10**9):
        t.acquire(at, 0, 5, "spin", 0xa0)
        t.release(at + length, 0, 5, "spin", 0xa0)
        truth.section("spin", length, 0)
        at += length + 100
    return t, truth


@case
def same_time():
    """Records of one tick: in the order of their stream, then of CPUs."""
    t, truth = begin()
    t.acquire(100, 0, 5, "mutex", 0xa0)
    t.release(100, 0, 5, "mutex", 0xa0)
    t.acquire(100, 1, 6, "mutex", 0xa0)
    t.release(100, 1, 6, "mutex", 0xa0)
    truth.section("mutex", 0, 0)
    truth.section("mutex", 0, 0)
    return t, truth


@case
def far_apart():
    """Months between records: CPUs go on in the order of time, and one that waited for
    a lock, because its clock was thought to be early, still comes before all of that."""
    t, truth = begin(freq=10**12)   # so that there is room for nanoseconds
    far = 1 << 61       # for five streams it is
    t.acquire(1000, 0, 5, "spin", 0xa0)
    t.acquire(1900, 1, 6, "spin", 0xa0)     # in vain: it waits until all others are far
    t.acquire(2600, 1, 7, "mutex", 0xc0)
    t.release(far + 10, 2, 7, "mutex", 0xc0)
    t.acquire(far + 20, 3, 8, "mutex", 0xd0)
    t.release(far + 25, 4, 8, "mutex", 0xd0)
    t.release(far + 30, 0, 5, "spin", 0xa0)
    t.acquire(2 * far + 5, 2, 9, "mutex", 0xe0)
    t.release(2 * far + 6, 0, 9, "mutex", 0xe0)
    t.acquire(3 * far + 1, 1, 9, "mutex", 0xe0)
    t.release(3 * far + 9, 2, 9, "mutex", 0xe0)
    truth.section("mutex", far + 10 - 2600, both=1)
    truth.section("mutex", 5)
    truth.section("mutex", 1)
    truth.section("mutex", 8, both=1)
    truth.section("spin", far + 30 - 1000)
    truth.cut("spin", "end", 1)
    return t, truth


@case
def lock_zero():
    """Address 0 and site 0 are addresses like any other; so is tid -1."""
    t, truth = begin()
    t.acquire(100, 0, -1, "mutex", 0, site=0)
    t.acquire(105, 0, -1, "spin", 0, site=0)
    t.release(106, 0, -1, "spin", 0)
    t.release(110, 0, -1, "mutex", 0)
    truth.section("mutex", 10, 0, site=0)
    truth.section("spin", 1, 0, both=1, site=0)
    return t, truth


@case
def other_events():
    """Marks among the locks count as records and nothing else."""
    t, truth = begin()
    t.acquire(100, 0, 5, "spin", 0xa0)
    t.cpu(0).add(110, 1, 5, 1, 2)
    t.release(120, 0, 5, "spin", 0xa0)
    truth.section("spin", 20, 0)
    truth.expect("trace", "-", "records", 3)
    truth.expect("trace", "-", "unknown", 0)
    return t, truth


@case
def small_packets():
    """A packet a record: everything crosses a packet's end."""
    t, truth = begin(per_packet=1)
    for i in range(200):
        t.acquire(1000 * i, i % 3, 5, "mutex", 0xa0)
        t.release(1000 * i + 3 * i, i % 3, 5, "mutex", 0xa0)
        truth.section("mutex", 3 * i, 0)
    return t, truth
