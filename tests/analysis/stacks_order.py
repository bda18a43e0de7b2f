# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Stacks of the edges of lock orders. Its tests are in STACKS."""

from pages import make_page
from stacks import (ACQUISITION, FAULT, PIPE, SECTION, TRY, WAIT, differ, new, report, stack,
                    stacks)

A, B, C = 0xffff888000001000, 0xffff888000002000, 0xffff888000003000
ONE, TWO, THREE = ("try_to_wake_up < wake_up_process < pipe_write < sys_write < entry",
                   "do_fault < entry", "pipe_write < sys_write < entry")


class Inside:
    """One mutex inside of another, again and again, on one CPU."""

    def __init__(self, known=None):
        self.t, self.at = new() if known is None else known, 1000

    def step(self, f, *args, **more):
        f(self.at, 0, *args, **more)
        self.at += 10

    def stack(self, tid, of, number, lock):
        if number:
            stack(self.t, self.at, 0, tid, of, number, lock)
            self.at += 10

    def take(self, outer, inner, tid, ends=(0, 0), begun=(0, 0), waited=0, sites=(PIPE, FAULT)):
        """With stacks of the outer and of the inner one: ends, begun; of the inner: waited."""
        self.step(self.t.acquire, tid, "mutex", outer, sites[0])
        self.stack(tid, ACQUISITION, begun[0], outer)
        if waited:
            self.step(self.t.wait, tid, inner, 32)
            self.step(self.t.waited, tid, inner)
            self.stack(tid, WAIT, waited, inner)
        self.step(self.t.acquire, tid, "mutex", inner, sites[1])
        self.stack(tid, ACQUISITION, begun[1], inner)
        self.step(self.t.release, tid, "mutex", inner)
        self.stack(tid, SECTION, ends[1], inner)
        self.step(self.t.release, tid, "mutex", outer)
        self.stack(tid, SECTION, ends[0], outer)
        return self


def paths(have, table="cycle_edge"):
    return {(e["outer_lock"], e["inner_lock"]):
            (e.get("outer_path"), e.get("inner_path")) for e in have[table]}


def of(outer, inner):
    return "0x%x" % outer, "0x%x" % inner


@stacks
def of_edges(test):
    """A in B here and B in A there, with both stacks, in text, JSON, TSV and page."""
    t = Inside().take(A, B, 5, ends=(1, 2)).take(B, A, 6, ends=(3, 0)).t
    have, _ = report(test, t)
    wrong = differ(paths(have), {of(A, B): (ONE, TWO), of(B, A): (THREE, None)})
    path = t.write(test.path("edges"))
    text = test.ft("report", path).stdout.split("cycle of 2", 1)[-1].splitlines()[1:12]
    wrong += differ([line.strip() for line in text if line.lstrip().startswith("in ")],
                    ["in " + ONE, "in " + TWO, "in " + THREE])
    tsv = test.ft("report", "--tsv", path).stdout.splitlines()
    wrong += differ(len([line for line in tsv if line.startswith("cycle_edge") and ONE in line]), 1)
    _, page, _ = make_page(test, path)
    return wrong + [w for w in (ONE, TWO, THREE, "held by way of")
                    if w.replace("<", "&lt;") not in page]


@stacks
def of_edges_waited(test):
    """What was waited for has the wait's stack, and not that of its end."""
    t = Inside().take(A, B, 5, waited=1, ends=(0, 2)).take(B, A, 6, begun=(2, 3)).t
    have, _ = report(test, t)
    return differ(paths(have), {of(A, B): (None, ONE), of(B, A): (TWO, THREE)})


@stacks
def of_edges_later(test):
    """The first time has none: that of a later one at the same places; never of others."""
    t = Inside().take(A, B, 5).take(B, A, 6)
    t.take(A, B, 7, ends=(3, 3), sites=(PIPE, TRY)).take(A, B, 8, ends=(3, 3), sites=(TRY, FAULT))
    t.take(A, C, 5, ends=(2, 2)).take(C, B, 5, ends=(2, 2)).take(A, B, 9, ends=(1, 2))
    t.take(A, B, 5, ends=(3, 3))
    have, _ = report(test, t.t)
    return differ(paths(have)[of(A, B)], (ONE, TWO)) + differ(paths(have)[of(B, A)], (None, None))


@stacks
def of_edges_many_times(test):
    """The inner lock is acquired a thousand times in one section, the stack is of the outer one."""
    many = Inside()
    t = many.t
    many.step(t.acquire, 5, "mutex", A, PIPE)
    for _ in range(1000):
        many.step(t.acquire, 5, "mutex", B, FAULT)
        many.step(t.release, 5, "mutex", B)
    many.step(t.release, 5, "mutex", A)
    many.stack(5, SECTION, 1, A)
    many.take(B, A, 6, ends=(2, 3))
    have, _ = report(test, t)
    return differ(paths(have), {of(A, B): (ONE, None), of(B, A): (TWO, THREE)})


@stacks
def of_edges_no_failed_wait(test):
    """A wait that got nothing is of no acquisition, nor one for a lock that is held already."""
    t = Inside()
    t.step(t.t.wait, 5, B, 32)
    t.step(t.t.waited, 5, B, -4)
    t.stack(5, WAIT, 1, B)
    t.take(A, B, 5).take(B, A, 6, ends=(2, 3))
    have, _ = report(test, t.t)
    return differ(paths(have), {of(A, B): (None, None), of(B, A): (TWO, THREE)})


@stacks
def of_edges_read_twice(test):
    """A reader that reads again: the end of the inner section is not that of the outer one."""
    t = Inside()
    for _ in range(2):
        t.step(t.t.acquire, 5, "rwlock_read", A, PIPE)
    t.step(t.t.acquire, 5, "mutex", B, FAULT)
    t.step(t.t.release, 5, "mutex", B)
    for number in (0, 1):
        t.step(t.t.release, 5, "rwlock_read", A)
        t.stack(5, SECTION, number, A)
    t.take(B, A, 6, ends=(2, 3))
    have, _ = report(test, t.t)
    return differ(paths(have), {of(A, B): (ONE, None), of(B, A): (TWO, THREE)})


@stacks
def of_edges_read_twice_often(test):
    """Both sections of such a reader are asked for once, so that others' are not forgotten."""
    t = Inside()
    t.step(t.t.acquire, 7, "mutex", C, PIPE)
    t.step(t.t.acquire, 7, "mutex", B, FAULT)
    t.step(t.t.release, 7, "mutex", B)
    for _ in range(2):
        t.step(t.t.acquire, 5, "rwlock_read", A, PIPE)
    for _ in range(40000):
        t.step(t.t.acquire, 5, "mutex", B, FAULT)
        t.step(t.t.release, 5, "mutex", B)
    for _ in range(2):
        t.step(t.t.release, 5, "rwlock_read", A)
    t.step(t.t.release, 7, "mutex", C)
    t.stack(7, SECTION, 1, C)
    t.take(B, C, 6, ends=(2, 3))
    have, _ = report(test, t.t)
    return differ(paths(have)[of(C, B)], (ONE, None)) + differ(paths(have)[of(B, C)], (TWO, THREE))


@stacks
def of_edges_lock_inside(test):
    """On PREEMPT_RT a sleeping lock begins with a raw spinlock, whose end is not the lock's."""
    t = Inside(new(version="#1 SMP PREEMPT_RT"))
    t.step(t.t.acquire, 5, "spin", A, PIPE)
    t.step(t.t.acquire, 5, "mutex", B, FAULT)
    t.step(t.t.release, 5, "mutex", B)
    t.step(t.t.acquire, 5, "raw_spin", A, TRY)
    t.step(t.t.release, 5, "raw_spin", A)
    t.step(t.t.release, 5, "spin", A)
    t.stack(5, SECTION, 1, A)
    t.take(B, A, 6, ends=(2, 3))
    have, _ = report(test, t.t)
    return differ(paths(have).get(of(A, B)), (ONE, None)) + \
        differ(paths(have).get(of(B, A)), (TWO, THREE))


@stacks
def of_edges_many_held(test):
    """More sections are held than there is room for: a later time has the stack, none is wrong."""
    t = Inside()
    for tid in range(100, 11100):
        locks = [A + 0x100000 + 0x1000 * tid + 8 * i for i in range(4)]
        for lock in locks:
            t.step(t.t.acquire, tid, "mutex", lock, PIPE)
    t.take(A, B, 5, ends=(1, 2)).take(B, A, 6, ends=(2, 3))
    have, _ = report(test, t.t)
    return differ(paths(have), {of(A, B): (ONE, TWO), of(B, A): (TWO, THREE)})


@stacks
def of_edges_nested(test):
    """Locks of a class in both orders have the stacks of both."""
    t = Inside().take(A, B, 5, ends=(1, 2)).take(B, A, 6, ends=(2, 3)).t
    t.file("info/locks", "lock names 1\n" +
           "".join("0x%x\tslab\t1\t-\tdentry.d_lock\n" % lock for lock in (A, B)))
    have, _ = report(test, t)
    e = have["nested_class"][0]
    return differ({k: e.get(k) for k in ("outer_path", "inner_path", "back_outer_path",
                                         "back_inner_path")},
                  {"outer_path": ONE, "inner_path": TWO, "back_outer_path": TWO,
                   "back_inner_path": THREE})
