# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Traces made by hand of several processes: code is the same in all that run a file,
locks are others in each."""

from cases import begin, collect
from case_both import A_MUTEX, OWN
from gen_trace import event_id

CASES = []
case = collect(CASES)

SYMBOLS = "1000\t100\tdo_work\n4000\t8\tfirst\n4008\t8\tsecond\n"
PROGRAMS = ("process\t1\t701\t0\t0\tw\nprocess\t2\t702\t0\t0\tw\n"
            "process\t3\t703\t0\t0\tw\n"
            "file\t0\t/usr/bin/w\n" + SYMBOLS + "file\t1\t/usr/local/bin/w\n" + SYMBOLS +
            "object\t0\t1\t50000\t60000\t50000\t0\n"
            "object\t1\t2\t10000\t20000\t10000\t0\n"
            "object\t2\t3\t30000\t40000\t30000\t1\n")
BIAS = {1: 0x50000, 2: 0x10000, 3: 0x30000}
FIRST, SECOND = 0x4000, 0x4008


def at(process, addr):
    """An address of the file, as a record of the process has it."""
    return process << 48 | BIAS[process] + addr


def work(t, process, start, order):
    """The locks in that order, the outer one for 100, and a wait for it by another
    thread, of 40."""
    ring, tid = process - 1, 700 + process
    outer, inner = order

    def add(ts, verb, lock, site, thread=tid):
        t.thread(ring).add(ts, event_id("pthread_mutex", verb), thread,
                           at(process, lock), at(process, site))

    add(start, "acquire", outer, 0x1010 + (outer == SECOND))
    add(start + 10, "acquire", inner, 0x1020 + (outer == SECOND))
    add(start + 30, "release", inner, 0x1030)
    t.thread(ring).add(start + 60, 16, tid + 100, at(process, outer),
                       A_MUTEX | BIAS[process] + 0x1040 << 8)
    add(start + 100, "release", outer, 0x1030)
    t.thread(ring).add(start + 100, 17, tid + 100, at(process, outer), 0)
    add(start + 100, "acquire", outer, 0x1040, tid + 100)
    add(start + 107, "release", outer, 0x1030, tid + 100)


def labels(truth, table, column, want):
    def check(have):
        got = sorted(r[column] for (t, _), r in have.items() if t == table)
        return [] if got == sorted(want) else \
            ["%s of %s: %s, not %s" % (column, table, got, sorted(want))]
    truth.checks.append(check)


@case
def processes():
    """One row for a place of a file in all tables by call site; a row for the lock of
    each process, with a name that tells them apart; another file is another place."""
    t, truth = begin(programs=OWN)
    t.file("info/programs", PROGRAMS)
    truth.detailed = True
    for process, start, order in ((1, 1000, (FIRST, SECOND)), (2, 2000, (FIRST, SECOND)),
                                  (2, 3000, (SECOND, FIRST)), (3, 4000, (FIRST, SECOND)),
                                  (1, 5000, (SECOND, FIRST))):
        work(t, process, start, order)
        of = 3 if process == 3 else 1
        for lock, site, length, depth, tid in (
                (order[0], 0x1010 + (order[0] == SECOND), 100, 0, 0),
                (order[1], 0x1020 + (order[0] == SECOND), 20, 1, 0),
                (order[0], 0x1040, 7, 0, 100)):
            truth.section("pthread_mutex", length, depth, site=at(of, site),
                          lock=at(process, lock), task=str(700 + process + tid))
        truth.wait("pthread_mutex", 40, at(process, order[0]), str(800 + process),
                   site=at(of, 0x1040),
                   holder=("pthread_mutex", at(of, 0x1010 + (order[0] == SECOND))))
    for of, outer, inner, count in ((1, 0x1010, 0x1020, 2), (1, 0x1011, 0x1021, 2),
                                    (3, 0x1010, 0x1020, 1)):
        row = "pthread_mutex:0x%x>pthread_mutex:0x%x" % (at(of, outer), at(of, inner))
        truth.expect("order", row, "count", count)
    truth.expect("inversion", "0", "locks", 2)
    truth.expect("inversion", "0", "there_count", 2)
    truth.expect("inversion", "0", "back_count", 2)
    labels(truth, "site", "symbol", ["do_work+0x%x [w]" % n for n in
                                     (0x10, 0x11, 0x20, 0x21, 0x40, 0x10, 0x20, 0x40)])
    labels(truth, "lock", "symbol", ["%s [w] {w %d}" % (lock, 700 + process)
                                     for lock in ("first", "second")
                                     for process in (1, 2, 3)])
    return t, truth
