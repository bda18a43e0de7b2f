# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Locks that can wait for each other for ever: cycles, classes nested within themselves, and
locks that interrupts take. Traces made by hand, with and without classes and calls."""

import json

from gen_trace import HARDIRQ, NMI, SOFTIRQ, Trace

CYCLES = []

TRY, SAVE, IRQ, BH, PLAIN = 0x7000, 0x7100, 0x7200, 0x7300, 0x7400
CALLS = """lock calls 1
_raw_spin_trylock\t0x7000
_raw_spin_lock_irqsave\t0x7100\t8
_raw_spin_lock_irq\t0x7200
_raw_spin_lock_bh\t0x7300
_raw_spin_lock\t0x7400\t8\t8
"""


def cycle(f):
    CYCLES.append(f)
    return f


class Nesting:
    """Locks within locks, one nesting after the other; sites are of the lock, if not given."""

    def __init__(self, **args):
        self.t, self.at, self.locks = Trace(**args), 1000, ""

    def take(self, *locks, tid=5, cpu=0, family="mutex", ctx=0, sites=None):
        """A lock is an address, or that and a family; the first is the outermost."""
        held = []
        for i, lock in enumerate(locks):
            lock, kind = lock if isinstance(lock, tuple) else (lock, family)
            site = (sites or {}).get(i, 0x100000 + lock)
            self.t.acquire(self.at, cpu, tid, kind, lock, site=site, ctx=ctx)
            held.append((kind, lock))
            self.at += 10
        for kind, lock in reversed(held):
            self.t.release(self.at, cpu, tid, kind, lock, ctx=ctx)
            self.at += 10
        return self

    def name(self, kind, types, text, *locks):
        for lock in locks:
            self.locks += "0x%x\t%s\t%d\t-\t%s\n" % (lock, kind, types, text)
        return self

    def report(self, test, *args, calls=None):
        if self.locks:
            self.t.file("info/locks", "lock names 1\n" + self.locks)
        if calls:
            self.t.file("info/lock_calls", calls)
        path = self.t.write(test.path("cycles"))
        r = test.ft("report", "--json", "--top", "0", *args, path)
        if r.returncode:
            raise ValueError("exit status %d: %s" % (r.returncode, r.stderr))
        self.said, self.path = r.stderr, path
        return json.loads(r.stdout)


def cycles(have):
    """Of each: how it was seen, and from where to where its links go, with how often."""
    out = []
    for c in have.get("cycle", []):
        edges = [e for e in have["cycle_edge"] if e["row"].split(":")[0] == c["row"]]
        out.append((c["seen"], [(e["from"], e["to"], e["count"]) for e in edges]))
    return out


def differ(have, want):
    return [] if have == want else ["%r, not %r" % (have, want)]


@cycle
def cycle_of_two(test):
    """A then B here, B then A there: by two tasks it was observed, by one alone it was not."""
    n = Nesting().take(0xa0, 0xb0).take(0xb0, 0xa0, tid=6).take(0xb0, 0xa0, tid=6)
    have = n.report(test)
    wrong = differ(cycles(have), [("observed", [("0xa0", "0xb0", 1), ("0xb0", "0xa0", 2)])])
    e = have["cycle_edge"][1]
    wrong += differ((e["outer"], e["inner"], e["tid"], e["context"], e["first_ns"]),
                    ("mutex:0x1000b0", "mutex:0x1000a0", 6, "task", 50))
    n = Nesting().take(0xa0, 0xb0).take(0xb0, 0xa0)
    return wrong + differ(cycles(n.report(test))[0][0], "one_task")


@cycle
def cycle_of_three_and_six(test):
    """Each is found once, from whatever lock it is entered, and the shorter one comes first."""
    n = Nesting()
    for i in (3, 0, 5, 1, 4, 2):
        n.take(0x10 + i, 0x10 + (i + 1) % 6, tid=5 + i)
    for i in range(3):
        n.take(0x80 + i, 0x80 + (i + 1) % 3, tid=5 + i)
    have = cycles(n.report(test))
    want = [[("0x8%d" % i, "0x8%d" % ((i + 1) % 3), 1) for i in range(3)],
            [("0x1%d" % i, "0x1%d" % ((i + 1) % 6), 1) for i in range(6)]]
    return differ(have, [("observed", edges) for edges in want])


@cycle
def cycle_of_seven(test):
    """Is none that is searched, nor is a long chain."""
    n = Nesting()
    for i in range(7):
        n.take(0x10 + i, 0x10 + (i + 1) % 7, tid=5 + i)
    for i in range(300):
        n.take(0x1000 + i, 0x1001 + i)
    return differ(cycles(n.report(test)), [])


@cycle
def cycle_is_minimal(test):
    """A cycle with a shorter one inside is left out; one that touches it in a lock is not."""
    n = Nesting().take(1, 2).take(2, 3).take(3, 1).take(2, 1, tid=6)
    n.take(3, 4).take(4, 5).take(5, 3)
    have = [[e[:2] for e in edges] for _, edges in cycles(n.report(test))]
    return differ(have, [[("0x1", "0x2"), ("0x2", "0x1")],
                         [("0x3", "0x4"), ("0x4", "0x5"), ("0x5", "0x3")]])


@cycle
def cycle_not_hidden(test):
    """One that was observed, by a shorter one that is possible only; one that needs no waiting
    writer, by a shorter one that needs one."""
    n = Nesting()
    for c in "abc":
        n.name("slab", 1, c + ".lock", *(int(c, 16) << 4 | i for i in range(0, 16, 8)))
    n.take(0xa0, 0xb0).take(0xb0, 0xc0, tid=6).take(0xc0, 0xa0, tid=7).take(0xb8, 0xa8)
    wrong = differ([(seen, len(edges)) for seen, edges in cycles(n.report(test))],
                   [("observed", 3), ("possible", 2)])
    # the shorter one was observed, too
    n.take(0xb8, 0xa8, tid=6).take(0xa8, 0xb8, tid=7)
    wrong += differ([(seen, len(edges)) for seen, edges in cycles(n.report(test))],
                    [("observed", 2)])
    r, w = "rwsem_read", "rwsem_write"
    n = Nesting().take((1, r), (2, r)).take((2, r), (1, r), tid=5)
    n.take((2, w), (3, w)).take((3, w), (1, w)).take((1, w))
    have = n.report(test)
    return wrong + differ([(c["length"], c["writers"]) for c in have["cycle"]],
                          [(3, 0), (2, 1)])


@cycle
def cycle_of_idle_tasks(test):
    """Each CPU has its own, and they have one number; so it is in their interrupts."""
    wrong = []
    for ctx in 0, SOFTIRQ, HARDIRQ:
        for cpu, want in ((1, "observed"), (0, "one_task")):
            n = Nesting().take(0xa0, 0xb0, tid=0, family="spin", ctx=ctx)
            n.take(0xb0, 0xa0, tid=0, cpu=cpu, family="spin", ctx=ctx)
            wrong += differ([seen for seen, _ in cycles(n.report(test))], [want])
    # the same pair of locks, by two of them
    n = Nesting().take(0xa0, 0xb0, tid=0, family="spin").take(0xb0, 0xa0, tid=0, family="spin")
    n.take(0xb0, 0xa0, tid=0, cpu=1, family="spin")
    return wrong + differ([seen for seen, _ in cycles(n.report(test))], ["observed"])


@cycle
def cycle_of_too_many_locks(test):
    """The search for the same locks is stopped: what it did not see is not known, and it is
    said."""
    n, wrong = Nesting(), []
    rows = [[base << 12 | i << 4 for i in range(20)] for base in range(1, 6)]
    for i, row in enumerate(rows + [[0x6000]]):
        n.name("slab", 1, "%c.lock" % (ord("a") + i), *row)
    n.name("slab", 1, "a.lock", 0x1ff0)
    for x, y in zip(rows, rows[1:]):
        for outer in x:
            for inner in y:
                n.take(outer, inner)
    for outer in rows[-1]:
        n.take(outer, 0x6000)
    n.take(0x6000, 0x1ff0)
    have = n.report(test)
    wrong += differ([(seen, len(edges)) for seen, edges in cycles(have)], [("unknown", 6)])
    wrong += differ((have["order_search"][0]["cut"], have["order_search"][0]["cut_locks"]), (0, 1))
    text, html = in_words(test, n)
    return wrong + ["it is not said: %s" % want for where, want in (
        (text, "cycle of 6, possible: not all locks of these classes were searched\n"),
        (text, "\nnot all cycles were searched for the same locks\n"),
        (html, "Not all cycles were searched for the same locks."),
        (html, "possible: not all locks were searched")) if want not in where]


@cycle
def cycle_search_stopped(test):
    """Where no cycle was found before that, it is said that there may be more."""
    n = Nesting()
    for i in range(30):
        for k in range(30):
            if i != k:
                n.take(0x100 + i, 0x100 + k, tid=5 + i, family="rwsem_read")
    n.path = n.t.write(test.path("cycles"))
    text, html = in_words(test, n)
    wrong = ["there is a cycle"] if "cycle of" in text else []
    if "\nthe search for cycles was stopped: there may be more\n" not in text:
        wrong.append("the text does not say it")
    if "The search for cycles was stopped: there may be more." not in html:
        wrong.append("the page does not say it")
    return wrong


@cycle
def cycle_of_classes(test):
    """Other locks of the same classes are possible only; the same ones were observed."""
    n = Nesting().name("slab", 1, "a.lock", 0xa0, 0xa8).name("slab", 1, "b.lock", 0xb0, 0xb8)
    n.take(0xa0, 0xb0).take(0xb8, 0xa8, tid=6)
    wrong = differ(cycles(n.report(test)),
                   [("possible", [("a.lock", "b.lock", 1), ("b.lock", "a.lock", 1)])])
    n.take(0xb0, 0xa0, tid=6)
    have = n.report(test)
    wrong += differ(cycles(have),
                    [("observed", [("a.lock", "b.lock", 1), ("b.lock", "a.lock", 2)])])
    wrong += differ([e["outer_lock"] for e in have["cycle_edge"]], ["0xa0", "0xb0"])
    # nor where the way does not come back to the first lock
    n = Nesting().name("slab", 1, "a.lock", 0xa0, 0xa8).name("slab", 1, "b.lock", 0xb0)
    n.take(0xa0, 0xb0).take(0xb0, 0xa8, tid=6)
    wrong += differ([c[0] for c in cycles(n.report(test))], ["possible"])
    # what may be of several types is no class
    n = Nesting().name("slab", 3, "PING+0x8", 0xa0, 0xa8).name("slab", 1, "b.lock", 0xb0, 0xb8)
    n.take(0xa0, 0xb0).take(0xb8, 0xa8, tid=6)
    return wrong + differ(cycles(n.report(test)), [])


@cycle
def cycle_of_three_classes(test):
    """Locks of three classes make one only where all three links are of the same ones."""
    n = Nesting()
    for c in "abc":
        n.name("slab", 1, c + ".lock", *(int(c, 16) << 4 | i for i in range(3)))
    n.take(0xa0, 0xb0).take(0xb0, 0xc0, tid=6).take(0xc1, 0xa0, tid=7)
    wrong = differ([c[0] for c in cycles(n.report(test))], ["possible"])
    n.take(0xb0, 0xc1, tid=6)
    return wrong + differ([c[0] for c in cycles(n.report(test))], ["observed"])


@cycle
def parent_and_child(test):
    """Of one class they are one finding, and no cycle; both orders are counted."""
    n = Nesting().name("slab", 1, "dentry.d_lock", *range(0xd00, 0xd40))
    for i in range(0, 60, 2):
        n.take(0xd00 + i, 0xd01 + i, sites={0: 0x111, 1: 0x222})
    have = n.report(test)
    wrong = differ(cycles(have), [])
    got = [(c["class"], c["seen"], c["count"], c["pairs"], c["inverted"], c["outer"])
           for c in have["nested_class"]]
    wrong += differ(got, [("dentry.d_lock", "possible", 30, 30, 0, "mutex:0x111")])
    n.take(0xd05, 0xd04, tid=6)
    have = n.report(test)
    got = [(c["class"], c["seen"], c["count"], c["pairs"], c["inverted"]) for c in
           have["nested_class"]]
    wrong += differ(got, [("dentry.d_lock", "observed", 31, 31, 1)])
    return wrong + differ(have.get("cycle", []), [])


@cycle
def trylocks(test):
    """They make no link, but are held as others are; without calls nobody can tell."""
    def made():
        n = Nesting().take(0xa0, 0xb0, family="spin", sites={0: PLAIN, 1: PLAIN + 8})
        return n.take(0xb0, 0xa0, family="spin", tid=6, cpu=1, sites={0: PLAIN, 1: TRY})
    have = made().report(test, calls=CALLS)
    wrong = differ(cycles(have), [])
    wrong += differ(have["order_search"][0]["trylocks"], 1)
    wrong += differ(sum(r["count"] for r in have["order"]), 2)
    wrong += differ(len(cycles(made().report(test))), 1)
    n = made().take(0xb0, 0xa0, family="spin", tid=6, cpu=1, sites={0: TRY, 1: PLAIN})
    return wrong + differ(len(cycles(n.report(test, calls=CALLS))), 1)


@cycle
def readers(test):
    """Readers wait for no readers, unless a writer waits in between; in interrupts not even so."""
    r, w = "rwsem_read", "rwsem_write"

    def made(first, then, back, end, **more):
        return Nesting().take((0xa0, first), (0xb0, then), **more) \
            .take((0xb0, back), (0xa0, end), tid=6, cpu=1, **more)
    wrong = differ(cycles(made(r, r, r, r).report(test)), [])
    # one writer's side is enough for each of the two locks
    have = made(w, r, w, r).report(test)
    wrong += differ([(c["seen"], c["writers"]) for c in have["cycle"]], [("observed", 0)])
    have = made(r, r, r, r).take((0xa0, w)).take((0xb0, w)).report(test)
    wrong += differ([(c["seen"], c["writers"]) for c in have["cycle"]], [("observed", 1)])
    # of one of them there are readers alone
    wrong += differ(cycles(made(r, r, r, r).take((0xa0, w)).report(test)), [])
    n = made("rwlock_read", "rwlock_read", "rwlock_read", "rwlock_read", ctx=SOFTIRQ)
    n.take((0xa0, "rwlock_write")).take((0xb0, "rwlock_write"))
    return wrong + differ(cycles(n.report(test)), [])


@cycle
def dense(test):
    """Many locks in all orders: the search ends, the shortest are there, and it is said."""
    n = Nesting()
    for i in range(20):
        for k in range(20):
            if i != k:
                n.take(0x100 + i, 0x100 + k, tid=5 + i)
    have = cycles(n.report(test))
    return differ((len(have), {len(edges) for _, edges in have}), (190, {2}))


def in_words(test, n):
    """Text and page of what was reported."""
    page = test.path("page.html")
    r = test.ft("report", "--html", page, n.path)
    if r.returncode:
        raise ValueError("exit status %d: %s" % (r.returncode, r.stderr))
    with open(page, encoding="utf-8") as f:
        return test.ft("report", n.path).stdout, f.read()


@cycle
def cycle_in_words(test):
    """Text and page have all of it."""
    n = Nesting().name("slab", 1, "a.lock", 0xa0, 0xa8).name("slab", 1, "b.lock", 0xb0)
    n.take(0xa0, 0xb0).take(0xb0, 0xa0, tid=6).take(0xa0, 0xa8).take(0xa0, 0xa8)
    n.name("slab", 1, "a.lock", 0xac).take(0xa8, 0xac)
    n.t.file("info/tasks", "6\tshe<b>lls\n")
    n.report(test)
    text, html = in_words(test, n)
    wrong = ["not in the text: %s" % want for want in
             ("cycle of 2, observed: the same locks, by several tasks\n    a.lock, then the next\n",
              "    b.lock, then the first\n",
              "by she<b>lls (6)", "a.lock: 3 times, 2 pairs of locks; none in both orders\n         2  0x",
              "does not tell trylocks") if want not in text]
    nested = [row for row in html.split("<tr") if
              "possible; 3 times, 2 pairs of locks, 0 in both orders" in row]
    wrong += differ([">2<" in row for row in nested], [True])
    return wrong + ["not on the page: %s" % want for want in
                    ("1 cycle in the lock order", "a.lock", "she&lt;b&gt;lls (6)",
                     "1 classes were nested") if want not in html]


# Interrupts.

def unsafe(have):
    return [(u["interrupt"], u["class"], u["certain"], u["same_lock"], u["inside_count"],
             u["on_count"], u["came"]) for u in have.get("irq_unsafe", [])]


def spin(lock, site, ctx=0, n=None):
    return (n or Nesting()).take(lock, family="spin", ctx=ctx, sites={0: site})


def held_by_an_interrupted(lock):
    """An interrupt comes while it is held."""
    n = Nesting()
    n.t.acquire(n.at, 0, 5, "spin", lock, site=PLAIN)
    n.t.acquire(n.at + 10, 0, 5, "spin", 0xb00, site=0x9008, ctx=HARDIRQ)
    n.t.release(n.at + 20, 0, 5, "spin", 0xb00, ctx=HARDIRQ)
    n.t.release(n.at + 30, 0, 5, "spin", lock)
    n.at += 100
    return n


@cycle
def unsafe_of_one_lock(test):
    """Also where it alone is selected, an interrupt with another lock makes it certain; that lock
    is no finding."""
    n = spin(0xa0, 0x9100, HARDIRQ, held_by_an_interrupted(0xa0))
    spin(0xb00, 0x9200, 0, n)
    for args in (), ("--lock", "0xa0"), ("--lock", "0xb00"):
        have = unsafe(n.report(test, *args, calls=CALLS))
        want = [] if "0xb00" in args else [("hardirq", "0xa0", 1, 1, 1, 1, 1)]
        if have != want:
            return ["with %r: %r, not %r" % (args, have, want)]
    return []


@cycle
def unsafe_in_hardirq(test):
    """A function that leaves interrupts on, and one of an interrupt: possible."""
    n = spin(0xa0, PLAIN, HARDIRQ, spin(0xa0, PLAIN + 8))
    have = n.report(test, calls=CALLS)
    wrong = differ(unsafe(have), [("hardirq", "0xa0", 0, 1, 1, 1, 0)])
    u = have["irq_unsafe"][0]
    wrong += differ((u["inside"], u["on"], u["on_tid"]), ("spin:0x7400", "spin:0x7408", 5))
    # without calls, or at a call that is none of them, nothing is known
    n = spin(0xa0, PLAIN, HARDIRQ, spin(0xa0, 0x9000))
    wrong += differ(unsafe(n.report(test, calls=CALLS)), [])
    n = spin(0xa0, PLAIN, HARDIRQ, spin(0xa0, PLAIN + 8))
    return wrong + differ(unsafe(n.report(test)), [])


@cycle
def safe_from_interrupts(test):
    """Interrupts turned off by the call, or by that of a lock that is held."""
    wrong = []
    for site in SAVE, SAVE + 8, IRQ:
        n = spin(0xa0, PLAIN, HARDIRQ, spin(0xa0, site))
        n.take(0xb0, 0xa0, family="spin", sites={0: site, 1: PLAIN})
        wrong += differ(unsafe(n.report(test, calls=CALLS)), [])
    # of softirqs alone they are off
    n = spin(0xa0, PLAIN, HARDIRQ, spin(0xa0, BH))
    wrong += differ(unsafe(n.report(test, calls=CALLS)),
                    [("hardirq", "0xa0", 0, 1, 1, 1, 0)])
    n = spin(0xa0, PLAIN, SOFTIRQ, spin(0xa0, BH))
    wrong += differ(unsafe(n.report(test, calls=CALLS)), [])
    n = spin(0xa0, PLAIN, SOFTIRQ, spin(0xa0, PLAIN + 8))
    wrong += differ(unsafe(n.report(test, calls=CALLS)),
                    [("softirq", "0xa0", 0, 1, 1, 1, 0)])
    # an interrupt that does not wait, and one that nothing can mask
    n = spin(0xa0, TRY, HARDIRQ, spin(0xa0, PLAIN))
    wrong += differ(unsafe(n.report(test, calls=CALLS)), [])
    n = spin(0xa0, PLAIN, NMI, spin(0xa0, PLAIN))
    return wrong + differ(unsafe(n.report(test, calls=CALLS)), [])


@cycle
def unsafe_for_certain(test):
    """An interrupt came while it was held: no call needs to be known, and it comes first."""
    n = spin(0xa0, PLAIN, HARDIRQ)
    n = spin(0xc0, PLAIN, HARDIRQ, spin(0xc0, PLAIN, n=n))
    n.t.acquire(n.at, 0, 5, "spin", 0xa0, site=0x9000)
    n.t.acquire(n.at + 10, 0, 5, "spin", 0xb0, site=0x9008, ctx=HARDIRQ)
    n.t.release(n.at + 20, 0, 5, "spin", 0xb0, ctx=HARDIRQ)
    n.t.release(n.at + 30, 0, 5, "spin", 0xa0)
    n.at += 100
    return differ(unsafe(n.report(test, calls=CALLS)),
                  [("hardirq", "0xa0", 1, 1, 1, 0, 1), ("hardirq", "0xc0", 0, 1, 1, 1, 0)])


@cycle
def unsafe_by_class(test):
    """Of other locks of the class, and of readers in an interrupt, which wait for writers."""
    n = spin(0xa0, PLAIN, HARDIRQ, spin(0xa8, PLAIN)).name("slab", 1, "a.lock", 0xa0, 0xa8)
    wrong = differ(unsafe(n.report(test, calls=CALLS)),
                   [("hardirq", "a.lock", 0, 0, 1, 1, 0)])
    # what is possible of one lock does not hide what is certain of another
    for more in False, True:
        n = spin(0xa0, 0x9100, HARDIRQ, held_by_an_interrupted(0xa8))
        n.name("slab", 1, "a.lock", 0xa0, 0xa8, 0xac)
        if more:
            spin(0xac, PLAIN, 0, spin(0xac, 0x9100, HARDIRQ, n))
        wrong += differ([u[:4] for u in unsafe(n.report(test, calls=CALLS))],
                        [("hardirq", "a.lock", 1, 0)])
    calls = "lock calls 1\n_raw_read_lock\t0x7500\n_raw_write_lock\t0x7600\n"
    for family, site, want in (("rwlock_read", 0x7500, 0), ("rwlock_write", 0x7600, 1)):
        n = Nesting().take(0xa0, family="rwlock_read", ctx=HARDIRQ, sites={0: 0x7500})
        n.take(0xa0, family=family, sites={0: site})
        wrong += differ(len(unsafe(n.report(test, calls=calls))), want)
    return wrong


@cycle
def unsafe_in_words(test):
    n = spin(0xa0, PLAIN, HARDIRQ, spin(0xa0, PLAIN + 8))
    n.report(test, calls=CALLS)
    text = test.ft("report", n.path).stdout
    wrong = ["not in the text: %s" % want for want in
             ("\nLocks that interrupts take, and others perhaps", "in hardirq: 0x7400",
              "0xa0: possible: by a function that leaves them on",
              "with hardirqs on: 0x7408") if want not in text]
    page = test.path("page.html")
    wrong += differ(test.ft("report", "--html", page, n.path).returncode, 0)
    with open(page, encoding="utf-8") as f:
        return wrong + ([] if "1 locks are taken by interrupts" in f.read()
                        else ["it is not on the page"])


@cycle
def bad_calls(test):
    """A file of calls that is damaged, or of another version, is said, and the rest is taken."""
    wrong = []
    for calls, said, n_cycles in (
            ("lock calls 2\n_raw_spin_trylock\t0x7000\n", "not of a version", 1),
            ("", "not of a version", 1),
            (CALLS + "no_such\t0x1\n_raw_spin_lock\n_raw_spin_lock\tx\n", "3 of its lines", 0),
            (CALLS + "_raw_spin_lock\t0x10\t-8\n_raw_spin_lock\t0x10\t0\n", "2 of its lines", 0),
            (CALLS + "_raw_spin_lock\t0xffffffffffffffff\t1\n", "1 of its lines", 0)):
        n = Nesting().take(0xa0, 0xb0, family="spin")
        n.take(0xb0, 0xa0, family="spin", tid=6, sites={1: TRY})
        n.t.file("info/lock_calls", calls)
        wrong += differ(len(cycles(n.report(test))), n_cycles)
        if said not in n.said:
            wrong.append("%r is not said of %r: %s" % (said, calls, n.said))
    return wrong
