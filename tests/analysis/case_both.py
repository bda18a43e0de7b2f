# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Traces made by hand that have the kernel's records and those of programs."""

from cases import absent, begin, collect
from gen_trace import HARDIRQ, MUTEX, PROCESS, SPIN, WAITS

CASES = []
case = collect(CASES)

# contention_begin and _end of programs, with ids that are other events of the kernel
OWN = ((16, "contention_begin", "word_t _lock", "word_t _flags"),
       (17, "contention_end", "word_t _lock", "word_t _result"),
       (300, "queue_push", "word_t _item", "word_t _unused"))
A_MUTEX = 0x80      # flags of a wait for a pthread mutex


def inside(truth, row, want):
    """What began inside of one of the longest: families, interrupt or not, lengths."""
    def check(have):
        got = []
        while ("inside", "%s:%d" % (row, len(got))) in have:
            r = have["inside", "%s:%d" % (row, len(got))]
            got.append((r["family"], int(r["interrupt"]), r["length_ns"]))
        return [] if got == want else ["inside of %s: %s, not %s" %
                                       (row, got, want)]
    truth.checks.append(check)


@case
def kernel_inside_program():
    """What the kernel does for a thread that holds a mutex of its program, and an
    interrupt: shown in it, but not nested in it."""
    t, truth = begin()
    t.acquire(1000, 0, 5, "pthread_mutex", 0xa0, site=0x1111)
    t.acquire(1100, 0, 5, "pthread_spin", 0xb0, site=0x2222)
    t.acquire(1200, 0, 5, "mutex", 0xc0, site=0x3333)
    t.acquire(1300, 0, 5, "spin", 0xd0, site=0x4444)
    t.release(1400, 0, 5, "spin", 0xd0)
    t.release(1500, 0, 5, "mutex", 0xc0)
    t.release(1600, 0, 5, "pthread_spin", 0xb0)
    t.acquire(1650, 1, 6, "spin", 0xe0, site=0x5555)        # of another task
    t.acquire(1700, 0, 5, "spin", 0xf0, site=0x6666, ctx=HARDIRQ)
    t.release(1710, 0, 5, "spin", 0xf0, ctx=HARDIRQ)
    t.release(1750, 1, 6, "spin", 0xe0)
    t.release(2000, 0, 5, "pthread_mutex", 0xa0)
    truth.detailed = True
    for family, length, depth, both, site, lock, task, ctx in (
            ("pthread_mutex", 1000, 0, 0, PROCESS | 0x1111, PROCESS | 0xa0, "5", 0),
            ("pthread_spin", 500, 1, 1, PROCESS | 0x2222, PROCESS | 0xb0, "5", 0),
            ("mutex", 300, 0, 0, 0x3333, 0xc0, "5", 0),
            ("spin", 100, 0, 1, 0x4444, 0xd0, "5", 0),
            ("spin", 100, 0, 0, 0x5555, 0xe0, "6", 0),
            ("spin", 10, 0, 0, 0x6666, 0xf0, "hardirq", HARDIRQ)):
        truth.section(family, length, depth, both, site=site, lock=lock, task=task,
                      ctx=ctx)
    truth.expect("order", "mutex:0x3333>spin:0x4444", "count", 1)
    truth.expect("order", "pthread_mutex:0x%x>pthread_spin:0x%x" %
                 (PROCESS | 0x1111, PROCESS | 0x2222), "count", 1)
    truth.expect("trace", "-", "cpus", 2)
    truth.expect("trace", "-", "streams", 1)
    truth.expect("longest", "program:0", "cpu", "thread0")
    inside(truth, "program:0", [
        ("pthread_spin", 0, "500.000"), ("mutex", 0, "300.000"),
        ("spin", 0, "100.000"), ("spin", 1, "10.000")])
    inside(truth, "program:1", [("mutex", 0, "300.000"), ("spin", 0, "100.000")])
    inside(truth, "sleeping:0", [("spin", 0, "100.000")])
    return t, truth


@case
def program_of_two_threads():
    """Depths are a thread's, and so is what is inside; a semaphore is anybody's."""
    t, truth = begin()
    t.acquire(100, 0, 5, "pthread_mutex", 0xa0)
    t.acquire(110, 1, 6, "pthread_mutex", 0xb0)
    t.acquire(120, 0, 6, "mutex", 0xc0)
    t.acquire(130, 0, 5, "posix_sem", 0xd0)
    t.release(140, 1, 6, "posix_sem", 0xd0)
    t.release(150, 0, 6, "mutex", 0xc0)
    t.release(160, 1, 6, "pthread_mutex", 0xb0)
    t.release(200, 0, 5, "pthread_mutex", 0xa0)
    truth.section("pthread_mutex", 100, 0, site=PROCESS | 0x1000)
    truth.section("pthread_mutex", 50, 0, site=PROCESS | 0x1000)
    truth.section("posix_sem", 10, 1, site=PROCESS | 0x1000)
    truth.section("mutex", 30, 0)
    inside(truth, "program:0", [("posix_sem", 0, "10.000")])
    inside(truth, "program:1", [("mutex", 0, "30.000")])
    return t, truth


@case
def program_posts_for_others():
    """A semaphore of a program has no units from before: the oldest ends, and it counts in
    depths until then."""
    t, truth = begin()
    t.release(50, 1, 7, "posix_sem", 0xa0)          # it is used as a signal, too
    t.acquire(100, 0, 5, "posix_sem", 0xa0)
    t.acquire(110, 1, 6, "posix_sem", 0xa0)
    t.acquire(120, 0, 5, "pthread_mutex", 0xb0)
    t.release(125, 0, 5, "pthread_mutex", 0xb0)
    t.release(200, 1, 7, "posix_sem", 0xa0)
    t.release(300, 1, 7, "posix_sem", 0xa0)
    t.acquire(400, 0, 5, "pthread_mutex", 0xb0)
    t.release(405, 0, 5, "pthread_mutex", 0xb0)
    for family, length, depth in (("posix_sem", 100, 0), ("posix_sem", 190, 0),
                                  ("pthread_mutex", 5, 1), ("pthread_mutex", 5, 0)):
        truth.section(family, length, depth, site=PROCESS | 0x1000)
    truth.cut("posix_sem", "start")
    return t, truth


@case
def program_ends():
    """What programs hold at the end is cut by it, as what the kernel holds is."""
    t, truth = begin()
    t.acquire(100, 0, 5, "pthread_mutex", 0xa0)
    t.release(110, 0, 5, "pthread_mutex", 0xa0)
    t.acquire(120, 0, 5, "pthread_mutex", 0xa0)
    t.acquire(130, 0, 5, "mutex", 0xb0)
    t.acquire(140, 0, 5, "mutex", 0xc0)
    t.release(150, 0, 5, "mutex", 0xc0)
    truth.section("pthread_mutex", 10, 0, site=PROCESS | 0x1000)
    truth.section("mutex", 10, 1, both=1)
    truth.cut("pthread_mutex", "end")
    truth.cut("mutex", "end")
    return t, truth


@case
def same_number_same_address():
    """A thread's number in a ring and a CPU's are not confused; nor are a lock of a
    program and one of the kernel at what looks like its address."""
    t, truth = begin()
    t.acquire(100, 1, 5, "spin", 0xa0)
    t.acquire(110, 1, 5, "pthread_spin", 0xa0)
    t.release(120, 1, 5, "spin", 0xa0)
    t.acquire(125, 1, 5, "pthread_mutex", 0xb0)
    t.release(130, 1, 5, "pthread_mutex", 0xb0)
    t.release(150, 1, 5, "pthread_spin", 0xa0)
    truth.section("spin", 20, 0)
    truth.section("pthread_spin", 40, 0, site=PROCESS | 0x1000)
    truth.section("pthread_mutex", 5, 1, site=PROCESS | 0x1000)
    return t, truth


@case
def kernel_loses():
    """Records that the kernel lost were none of programs."""
    t, truth = begin()
    t.acquire(100, 0, 5, "pthread_mutex", 0xa0)
    t.acquire(110, 0, 5, "mutex", 0xb0)
    t.cpu(0).lose(3)
    t.release(120, 0, 5, "mutex", 0xb0)
    t.release(200, 0, 5, "pthread_mutex", 0xa0)
    t.acquire(210, 0, 5, "mutex", 0xc0)
    t.release(215, 0, 5, "mutex", 0xc0)
    t.release(220, 0, 6, "pthread_spin", 0xd0)      # began before the trace
    truth.section("pthread_mutex", 100, 0, site=PROCESS | 0x1000)
    truth.section("mutex", 5, 0)
    truth.cut("mutex", "lost", 2)
    truth.cut("pthread_spin", "start")
    truth.expect("trace", "-", "lost", 3)
    return t, truth


@case
def program_loses():
    """And the other way round: of no ring, as a mutex may be any thread's."""
    t, truth = begin()
    t.acquire(100, 0, 5, "pthread_mutex", 0xa0)
    t.acquire(105, 1, 6, "pthread_mutex", 0xe0)
    t.acquire(110, 0, 5, "mutex", 0xb0)
    t.thread(0).lose(2)
    t.release(120, 0, 5, "mutex", 0xb0)
    t.release(200, 0, 5, "pthread_mutex", 0xa0)
    t.release(205, 1, 6, "pthread_mutex", 0xe0)
    truth.section("mutex", 10, 0)
    truth.cut("pthread_mutex", "lost", 4)
    truth.expect("trace", "-", "lost", 2)
    return t, truth


@case
def wait_within_wait():
    """A thread waits for a mutex of its program, and meanwhile for a spinlock and a
    mutex of the kernel: three waits."""
    t, truth = begin(events=WAITS, programs=OWN)
    lock = PROCESS | 0xa0
    t.acquire(100, 1, 6, "pthread_mutex", 0xa0, site=0x1111)
    t.acquire(105, 1, 6, "spin", 0xb0, site=0x2222)
    t.thread(0).add(110, 16, 5, lock, 0x3333 << 8 | A_MUTEX)
    t.wait(120, 0, 5, 0xb0, SPIN)
    t.release(130, 1, 6, "spin", 0xb0)
    t.waited(131, 0, 5, 0xb0)
    t.acquire(132, 0, 5, "spin", 0xb0, site=0x4444)
    t.release(140, 0, 5, "spin", 0xb0)
    t.wait(150, 0, 5, 0xc0, MUTEX)
    t.waited(155, 0, 5, 0xc0, ret=-4)
    t.release(200, 1, 6, "pthread_mutex", 0xa0)
    t.thread(0).add(210, 17, 5, lock, 0)
    t.acquire(211, 0, 5, "pthread_mutex", 0xa0, site=0x3333)
    t.release(220, 0, 5, "pthread_mutex", 0xa0)
    truth.section("pthread_mutex", 100, 0, site=PROCESS | 0x1111)
    truth.section("pthread_mutex", 9, 0, site=PROCESS | 0x3333)
    truth.section("spin", 25, 0, site=0x2222)
    truth.section("spin", 8, 0, site=0x4444)
    truth.wait("pthread_mutex", 100, lock, "5", PROCESS | 0x3333,
               ("pthread_mutex", PROCESS | 0x1111))
    truth.wait("spin", 11, 0xb0, "5", 0x4444, ("spin", 0x2222))
    truth.wait("mutex", 5, 0xc0, "5")
    truth.expect("wait", "-", "cut_other", 0)
    return t, truth


@case
def waits_and_losses():
    """A gap of the kernel's records cuts its waits, and none of a program."""
    t, truth = begin(events=WAITS, programs=OWN)
    lock = PROCESS | 0xa0
    t.thread(0).add(110, 16, 5, lock, 0x3333 << 8 | A_MUTEX)
    t.wait(120, 0, 5, 0xc0, MUTEX)
    t.cpu(0).lose(1)
    t.waited(155, 0, 5, 0xc0)
    t.thread(0).add(210, 17, 5, lock, 0)
    t.acquire(211, 0, 5, "pthread_mutex", 0xa0, site=0x3333)
    t.release(220, 0, 5, "pthread_mutex", 0xa0)
    truth.section("pthread_mutex", 9, 0, site=PROCESS | 0x3333)
    truth.wait("pthread_mutex", 100, lock, "5", PROCESS | 0x3333)
    truth.expect("wait", "-", "cut_lost", 2)
    truth.expect("trace", "-", "lost", 1)
    return t, truth


@case
def ids_of_their_own():
    """The same id is an event of the kernel here, one of a program there."""
    t, truth = begin(events=((300, "spin_like", "word_t _a", "word_t _b"),),
                     programs=OWN)
    t.thread(0).add(100, 300, 5, 1, 2)
    t.cpu(0).add(110, 300, 5, 3, 4)
    t.thread(0).add(120, 18, 5, 1, 2)           # a lock, but not of programs
    t.cpu(0).add(130, 64, 5, PROCESS | 1, 2)    # and the other way round
    truth.expect("trace", "-", "records", 4)
    truth.expect("trace", "-", "unknown", 2)
    truth.foreign = False       # events that no metadata describes: a damaged trace
    absent(truth, "site")
    return t, truth


@case
def handed_over():
    """A reader of a rwsem is released by another task, while threads hold locks of
    their program: those have nothing to do with it."""
    t, truth = begin()
    t.acquire(100, 0, 5, "pthread_mutex", 0xa0)
    t.acquire(110, 0, 5, "rwsem_read", 0xb0)
    t.release(130, 0, 5, "rwsem_read", 0xb0)
    t.acquire(140, 0, 5, "rwsem_write", 0xb0)
    t.release(150, 0, 5, "pthread_mutex", 0xa0)     # it keeps the rwsem
    t.release(170, 0, 5, "rwsem_write", 0xb0)
    truth.section("pthread_mutex", 50, 0, site=PROCESS | 0x1000)
    truth.section("rwsem_read", 20, 0)
    truth.section("rwsem_write", 30, 0)
    return t, truth
