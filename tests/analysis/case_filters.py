# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Traces made by hand for filters, names, gaps and limits.

A case returns a trace, its truth, and arguments of ft report where it needs some.
"""

from cases import begin, collect
from gen_trace import HARDIRQ, SPIN, WAITS

CASES = []
case = collect(CASES)


# Losses.

@case
def gap_wraps():
    """More gaps than the field of the record can number."""
    t, truth = begin()
    for i in range(600):
        t.acquire(1000 * i + 1, 0, 5, "spin", 0xa0)
        if i % 2:
            t.cpu(0).lose(1)
            truth.cut("spin", "lost", 2)
        else:
            truth.section("spin", 10, 0)
        t.release(1000 * i + 11, 0, 5, "spin", 0xa0)
    truth.expect("trace", "-", "lost", 300)
    truth.expect("cpu", "0", "gaps", 300)
    return t, truth


@case
def gap_times():
    """When records were lost, on which CPU; one gap goes on to the end."""
    t, truth = begin()
    t.acquire(1000, 0, 5, "spin", 0xa0)
    t.release(1010, 0, 5, "spin", 0xa0)
    t.acquire(1050, 1, 6, "spin", 0xb0)
    t.release(1060, 1, 6, "spin", 0xb0)
    t.cpu(0).lose(3)
    t.acquire(2000, 0, 5, "spin", 0xa0)
    t.release(2010, 0, 5, "spin", 0xa0)
    t.cpu(1).cut()
    t.cpu(1).lose(2)
    t.cpu(1).cut(empty=True)
    truth.section("spin", 10)
    truth.section("spin", 10)
    truth.section("spin", 10)
    truth.expect("trace", "-", "lost", 5)
    truth.checks.append(lambda have: [] if {
        (v["cpu"], v["begin_ns"], v.get("end_ns"))
        for (table, _), v in have.items() if table == "gap"} == {
        ("0", "10.000", "1000.000"), ("1", "60.000", None)}
        else ["gaps are wrong"])
    truth.expect("bound", "gap", "refused", 0)
    return t, truth


@case
def gaps_bounded():
    """More gaps than are kept are counted."""
    t, truth = begin()
    for i in range(1200):
        t.acquire(1000 * i + 1, 0, 5, "spin", 0xa0)
        t.release(1000 * i + 2, 0, 5, "spin", 0xa0)
        t.cpu(0).lose(1)
        truth.section("spin", 1)
    t.acquire(5000000, 0, 5, "spin", 0xa0)
    t.release(5000001, 0, 5, "spin", 0xa0)
    truth.section("spin", 1)
    truth.expect("trace", "-", "lost", 1200)
    truth.expect("bound", "gap", "refused", 200)
    return t, truth


# Symbols, names, internal locks.

KALLSYMS = """ffffffff81000000 T _text
ffffffff81001000 T outer_function
ffffffff81001100 t __mutex_lock.constprop.0
ffffffff81001200 T down
ffffffff81001300 T download
ffffffff81001400 T rwsem_wake
ffffffff81001500 t twice
ffffffff81001600 T between
ffffffff81001700 t twice
ffffffff81001800 T _etext
ffffffff82000000 D tasklist_lock
ffffffff82000040 D other_lock
ffffffff82000100 D _end
ffffffffc0000000 t in_module	[mod]
"""
BASE = 0xffffffff81000000
LOCK = 0xffffffff82000000


def named():
    t, truth = begin()
    t.file("info/kallsyms", KALLSYMS)
    t.file("info/tasks", "5\tmake\n6\tcc1\n7\tmake\nx\ty\n")
    return t, truth


def internal_trace():
    t, truth = named()
    t.acquire(100, 0, 5, "spin", 0xa0, site=BASE + 0x1010)
    t.acquire(110, 0, 5, "spin", 0xb0, site=BASE + 0x1110)      # wait_lock
    t.acquire(120, 0, 5, "spin", 0xc0, site=BASE + 0x1010)      # in between
    t.release(130, 0, 5, "spin", 0xc0)
    t.release(140, 0, 5, "spin", 0xb0)
    t.acquire(150, 0, 5, "spin", 0xd0, site=BASE + 0x1210)      # of a semaphore
    t.release(160, 0, 5, "spin", 0xd0)
    t.acquire(170, 0, 5, "spin", 0xe0, site=BASE + 0x1310)      # "download"
    t.release(180, 0, 5, "spin", 0xe0)
    t.release(200, 0, 5, "spin", 0xa0)
    t.acquire(300, 0, 5, "spin", 0xf0, site=BASE + 0x1500)      # returns to there
    t.release(310, 0, 5, "spin", 0xf0)
    return t, truth


@case
def internal_left_out():
    """What the slow path of a sleeping lock takes counts in no depth."""
    t, truth = internal_trace()
    for length, depth, offset in ((100, 0, 0x1010), (10, 1, 0x1010),
                                  (10, 1, 0x1310)):
        truth.section("spin", length, depth, site=BASE + offset)
    for length, offset in ((30, 0x1110), (10, 0x1210), (10, 0x1500)):
        truth.section("spin", length, None, None, site=BASE + offset)
    truth.expect("trace", "-", "internal_known", 1)
    truth.expect("family", "spin", "internal", 3)
    outer, inner = BASE + 0x1010, BASE + 0x1310
    truth.expect("order", "spin:0x%x>spin:0x%x" % (outer, outer), "count", 1)
    truth.expect("order", "spin:0x%x>spin:0x%x" % (outer, inner), "count", 1)
    truth.checks.append(lambda have: ["internal locks are ordered"] if sum(
        t == "order" for t, _ in have) != 2 else [])
    return t, truth


@case
def internal_no_site():
    """A lock without a site is none, also after one that shares its place in the cache."""
    t, truth = named()
    for at, site in ((100, 1466), (200, 0)):    # map_hash(1466) % 8192 is 0
        t.acquire(at, 0, 5, "spin", 0xa0, site=site)
        t.release(at + 10, 0, 5, "spin", 0xa0)
        truth.section("spin", 10, 0, site=site)
    truth.expect("family", "spin", "internal", 0)
    return t, truth


@case
def internal_lost():
    """One that a loss has cut is not there any more, neither in depths."""
    t, truth = named()
    t.acquire(100, 0, 5, "spin", 0xb0, site=BASE + 0x1110)      # wait_lock
    t.cpu(0).lose(1)
    t.acquire(200, 0, 5, "spin", 0xa0, site=BASE + 0x1010)
    t.acquire(210, 0, 5, "spin", 0xc0, site=BASE + 0x1010)
    t.release(220, 0, 5, "spin", 0xc0)
    t.release(300, 0, 5, "spin", 0xa0)
    truth.section("spin", 100, 0, site=BASE + 0x1010)
    truth.section("spin", 10, 1, site=BASE + 0x1010)
    truth.cut("spin", "lost")
    truth.expect("trace", "-", "lost", 1)
    truth.expect("trace", "-", "internal_known", 1)
    return t, truth


@case
def internal_left_in():
    """--internal counts them."""
    t, truth = internal_trace()
    for length, depth, offset in ((100, 0, 0x1010), (30, 1, 0x1110),
                                  (10, 2, 0x1010), (10, 1, 0x1210),
                                  (10, 1, 0x1310), (10, 0, 0x1500)):
        truth.section("spin", length, depth, site=BASE + offset)
    truth.expect("family", "spin", "internal", 0)
    return t, truth, ["--internal"]


@case
def names():
    """Symbols of call sites and static locks, names of tasks."""
    t, truth = named()
    t.acquire(100, 0, 5, "spin", LOCK, site=BASE + 0x1010)
    t.release(110, 0, 5, "spin", LOCK)
    t.acquire(120, 0, 8, "spin", LOCK + 0x48, site=BASE + 0x1100)
    t.release(130, 0, 8, "spin", LOCK + 0x48)
    t.acquire(140, 0, 8, "spin", 0xffff888000001000, site=0xffffffffc0000010)
    t.release(150, 0, 8, "spin", 0xffff888000001000)
    for site in (BASE + 0x1010, BASE + 0x1100, 0xffffffffc0000010):
        truth.section("spin", 10, site=site)
    for table, row, column, value in (
            ("lock", "spin:0x%x" % LOCK, "symbol", "tasklist_lock"),
            ("lock", "spin:0x%x" % (LOCK + 0x48), "symbol", "other_lock+0x8"),
            ("lock", "spin:0xffff888000001000", "symbol", "0xffff888000001000"),
            ("site", "spin:0x%x" % (BASE + 0x1010), "symbol",
             "outer_function+0x10"),
            # a call at the very end of a function returns behind it
            ("site", "spin:0x%x" % (BASE + 0x1100), "symbol",
             "outer_function+0x100"),
            ("site", "spin:0xffffffffc0000010", "symbol",
             "in_module+0x10 [mod]"),
            ("task", "spin:5", "name", "make")):
        truth.expect(table, row, column, value)
    truth.checks.append(lambda have: ["a task without a name has one"]
                        if "name" in have["task", "spin:8"] else [])
    return t, truth


# Filters: what is selected is reported, what pairs is not affected.

def filtered(name, args, *chosen):
    """The sections of this trace by number; those that args select."""
    def make():
        t, truth = named()
        sections = (
            # start, end, cpu, tid, family, lock, site, ctx, depth
            (1000, 1500, 0, 5, "spin", LOCK, BASE + 0x1010, 0, 0),
            (1100, 1200, 0, 5, "spin", 0xb0, BASE + 0x1600, 0, 1),
            (1300, 1310, 0, 5, "spin", 0xc0, BASE + 0x1501, HARDIRQ, 1),
            (2000, 2100, 1, 6, "mutex", 0xd0, BASE + 0x1010, 0, 0),
            (3000, 3300, 3, 7, "rwsem_read", LOCK + 0x40, BASE + 0x1720, 0, 0),
            (4000, 4400, 2, 8, "spin", 0xb0, BASE + 0x1020, 0, 0),
        )
        records = []
        for start, end, cpu, tid, family, lock, site, ctx, _ in sections:
            records.append((start, cpu, tid, family, "acquire", lock, site, ctx))
            records.append((end, cpu, tid, family, "release", lock, site, ctx))
        for record in sorted(records):
            t.lock(*record)
        truth.detailed = True
        for i in chosen:
            start, end, _, tid, family, lock, site, ctx, depth = sections[i]
            truth.section(family, end - start, depth, site=site, lock=lock,
                          task="hardirq" if ctx else str(tid), ctx=ctx)
        if 0 in chosen or 1 in chosen:
            truth.expect("order", "spin:0x%x>spin:0x%x" %
                         (BASE + 0x1010, BASE + 0x1600), "count", 1)
        truth.expect("trace", "-", "filtered", 1)
        truth.expect("balance", "0:spin", "acquires", 3)
        truth.expect("trace", "-", "records", 12)
        return t, truth, args
    make.__name__ = "filter_" + name
    case(make)


filtered("cpu", ["--cpu", "1-2"], 3, 5)
filtered("cpus", ["--cpu", "0,3"], 0, 1, 2, 4)
filtered("from", ["--from", "0.000001"], 3, 4, 5)      # 1 us after the start
filtered("to", ["--to", "0.000001"], 0, 1, 2)
filtered("from_to", ["--from", "1e-7", "--to", "2e-6"], 1, 2, 3)
filtered("task", ["--task", "6"], 3)
filtered("task_not_interrupts", ["--task", "5"], 0, 1)
filtered("task_by_name", ["--task", "make"], 0, 1, 4)
filtered("site_by_address", ["--site", hex(BASE + 0x1010)], 0, 3)
filtered("site_by_symbol", ["--site", "outer_function"], 0, 3, 5)
filtered("site_by_place", ["--site", "outer_function+0x20"], 5)
# a return address that is the first of the next function is the last of this
filtered("site_of_two", ["--site", "twice"], 1, 2, 4)
filtered("site_not_the_one_before", ["--site", "between"])
filtered("lock_by_symbol", ["--lock", "tasklist_lock"], 0)
filtered("lock_by_address", ["--lock", "0xb0"], 1, 5)
filtered("lock_with_offset", ["--lock", "tasklist_lock+0x0"], 0)
filtered("family", ["--family", "mutex,rwsem_read"], 3, 4)
filtered("several", ["--family", "spin", "--cpu", "2"], 5)
filtered("nothing", ["--family", "mutex", "--cpu", "2"])


@case
def filter_waits():
    """Waits are selected as the sections that they are for."""
    t, truth = begin(events=WAITS)
    for at, cpu, tid, lock in ((100, 0, 5, 0xa0), (200, 1, 6, 0xb0)):
        t.wait(at, cpu, tid, lock, SPIN)
        t.waited(at + 30, cpu, tid, lock)
        t.acquire(at + 31, cpu, tid, "spin", lock, site=0x1000 + lock)
        t.release(at + 41, cpu, tid, "spin", lock)
    truth.section("spin", 10, site=0x10b0)
    truth.wait("spin", 30, 0xb0, "6", 0x10b0)
    return t, truth, ["--site", "0x10b0"]


@case
def filter_rate():
    """The rate is that of the time that --from and --to leave."""
    t, truth = begin()
    for i in range(10):
        t.acquire(10**9 * i, 0, 5, "spin", 0xa0)
        t.release(10**9 * i + 10, 0, 5, "spin", 0xa0)
    for i in (4, 5):
        truth.section("spin", 10)
    truth.expect("family", "spin", "per_second", "1.000")
    return t, truth, ["--from", "4", "--to", "6"]


@case
def below():
    """--below: limits of one's own, to the nanosecond."""
    t, truth = begin(freq=3 * 10**9)
    for i, length in enumerate((1499, 1500, 1501, 30000)):
        t.acquire(10**6 * i, 0, 5, "spin", 0xa0)
        t.release(10**6 * i + length, 0, 5, "spin", 0xa0)
        truth.section("spin", length)
    truth.expect("family", "spin", "below_0.5us", 1)
    truth.expect("family", "spin", "below_10us", 3)
    truth.expect("family", "spin", "below_13us", 4)
    truth.expect("family", "spin", "below_5us", 3)
    return t, truth, ["--below", "0.5,10,13,5"]


@case
def from_between_ticks():
    """A time between two ticks: what began before it is left out."""
    t, truth = begin(freq=7 * 10**8)        # a tick is 1.43 ns
    t.acquire(1000, 0, 5, "spin", 0xa0)
    t.acquire(1001, 1, 6, "spin", 0xb0)
    t.release(1100, 0, 5, "spin", 0xa0)
    t.release(1200, 1, 6, "spin", 0xb0)
    truth.section("spin", 199, 0, lock=0xb0)
    truth.expect("trace", "-", "filtered", 1)
    return t, truth, ["--from", "0.000000001"]


@case
def last_ticks():
    """The last ticks that 64 bits can count."""
    t, truth = begin(freq=4 * 10**9, offset_s=0)
    truth.foreign = False       # babeltrace2 cannot
    top = 2**64 - 1
    t.acquire(top - 30, 0, 5, "spin", 0xa0)
    t.acquire(top - 20, 1, 6, "mutex", 0xb0)
    t.release(top - 10, 0, 5, "spin", 0xa0)
    t.release(top, 1, 6, "mutex", 0xb0)
    truth.section("spin", 20)
    truth.section("mutex", 20)
    return t, truth
