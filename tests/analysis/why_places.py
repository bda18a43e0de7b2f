# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""ft why: where tasks sleep, from the stacks that were recorded when they went to sleep."""

from gen_trace import MUTEX
from realtime_trace import Tasks
from stacks import ACQUISITION, STACK, text
from why_trace import taken_apart, why

LOCK, OTHER = 0xffff888000001000, 0xffff888000003000
SLEEP = 4

KALLSYMS = """ffffffff81000000 T _stext
ffffffff81001000 T hrtimer_nanosleep
ffffffff81002000 T folio_wait_bit_common
ffffffff81003000 T filemap_fault
ffffffff81004000 T __sched_text_start
ffffffff81004000 T __schedule
ffffffff81005000 T schedule
ffffffff81006000 T io_schedule
ffffffff81007000 T do_nanosleep
ffffffff81008000 T __sched_text_end
ffffffff81009000 T trace_helper
"""
_, NANOSLEEP, FOLIO, FAULT, SCHED, SCHEDULE, IO, DO, END, HELPER = (
    0xffffffff81000000 + i * 0x1000 + 0x20 for i in range(10))
NAP, READ, BARE, HELPED, NOT_SLEEP = 1, 2, 3, 4, 5
KNOWN = {NAP: (SCHED, SCHEDULE, DO, NANOSLEEP), READ: (SCHED, SCHEDULE, IO, FOLIO, FAULT),
         # Nothing is below the scheduler; another one's probe is above it, and it calls again.
         BARE: (SCHED, SCHEDULE), HELPED: (HELPER, SCHED, NANOSLEEP + 8, IO, FAULT),
         NOT_SLEEP: (NANOSLEEP, FAULT)}


class Sleepers(Tasks):
    def __init__(self, known=KNOWN, kallsyms=KALLSYMS):
        super().__init__()
        self.clock["events"] = [*self.clock["events"], STACK]
        if known is not None:
            self.file("info/stacks", text(known))
        if kallsyms:
            self.file("info/kallsyms", kallsyms)

    def stack(self, ts, cpu, tid, number, of=SLEEP, lock=0):
        self.cpu(cpu).add(ts, STACK[0], tid, of << 32 | number, lock)

    def sleeps(self, ts, length, number, state="S", tid=5):
        """From ts on, on CPU 0, where 6 runs meanwhile."""
        if number is not None:
            self.stack(ts, 0, tid, number)
        self.switch(ts, 0, tid, state, 6)
        self.waking(ts + length, 1, 20, tid)
        self.switch(ts + length + 1, 0, 6, "R+", tid)


def held(*sleeps, end=5000, **more):
    """Task 5 holds the lock from 1000 on; each sleep: when, how long, its stack, its state."""
    t = Sleepers(**more)
    t.switch(1000, 0, 9, "S", 5)
    t.acquire(1000, 0, 5, "mutex", LOCK)
    for one in sleeps:
        t.sleeps(*one)
    t.release(end, 0, 5, "mutex", LOCK)
    t.at(6000, 0, 5)
    return t


def read(test, t, *args):
    return taken_apart(test, t.write(test.path("why")), "--holds", *args)


def of(parts, depth=0):
    """(function, on I/O, state): ticks, of what is asleep"""
    found = {}
    for part in parts:
        if part["cause"] in ("asleep", "uninterruptible") and part.get("depth", depth) == depth:
            key = (part.get("asleep_in"), part.get("on_io"), part.get("state"))
            found[key] = found.get(key, 0) + part["ticks"]
    return found


def both(r, want):
    """The longest is taken apart like that, and so is its sum."""
    have = of(r["held"]["longest"][0]["parts"]), of(r["held"]["all"]["sleep"])
    return ["%s: %s" % (name, got) for name, got in zip(("parts", "sums"), have) if got != want]


@why
def why_asleep_where(test):
    """Each sleep has the function below the scheduler's, and I/O is told from other sleep."""
    t = held((1100, 300, READ, "D"), (1500, 400, NAP), (2000, 100, READ, "D"), (2200, 50, None))
    r = read(test, t)
    bad = both(r, {("folio_wait_bit_common", True, "D"): 400,
                   ("hrtimer_nanosleep", False, "S"): 400, (None, None, "S"): 50})
    return bad + ["%s is not shown" % words for words in (
        "asleep on I/O in folio_wait_bit_common (D), woken by task 20 (2 times)",
        "asleep in hrtimer_nanosleep (S), woken by task 20\n", "asleep in S, woken by task 20\n",
        "10.0 %  asleep on I/O in folio_wait_bit_common (D)\n" + 40 * " " +
        "woken by a task without a name\n")
        if words not in r["text"]] + [
        "the page has no %s" % words for words in (
            "asleep on I/O in folio_wait_bit_common (D), woken by task 20",
            "10.0 % asleep on I/O in folio_wait_bit_common (D), woken by a task")
        if words not in r["page"]]


@why
def why_asleep_one_function(test):
    """Calls from one function are one part, wherever in it they are; and one row of the sums."""
    known = {**KNOWN, 6: (SCHED, DO, NANOSLEEP + 0x40, FAULT)}
    r = read(test, held((1100, 300, NAP), (1500, 400, 6), known=known))
    bad = both(r, {("hrtimer_nanosleep", False, "S"): 700})
    asleep = [part for part in r["held"]["longest"][0]["parts"] if part["cause"] == "asleep"]
    return bad + ([] if len(asleep) == 1 and asleep[0]["times"] == 2 else ["%s" % asleep])


@why
def why_asleep_below_others(test):
    """What is above the scheduler does not count, nor what it calls further out."""
    r = read(test, held((1100, 300, HELPED)))
    return both(r, {("hrtimer_nanosleep", False, "S"): 300})


@why
def why_asleep_nowhere(test):
    """Nothing is invented: no such stack, no more of it, none of a sleep, no id."""
    want = {(None, None, "S"): 100}
    bad = []
    for number in (77, BARE, NOT_SLEEP, 0):
        bad += ["%d: %s" % (number, words)
                for words in both(read(test, held((1100, 100, number))), want)]
    return bad


@why
def why_asleep_without_symbols(test):
    """Without the scheduler's bounds, or any symbols, or stacks, it is not known where."""
    want = {(None, None, "S"): 100}
    bad = []
    for more in ({"known": None}, {"kallsyms": None},
                 {"kallsyms": KALLSYMS.replace("__sched_text_end", "other_end")},
                 {"kallsyms": KALLSYMS.replace("81008000 T __sched_text_end",
                                               "81003800 T __sched_text_end")},
                 {"kallsyms": KALLSYMS + "ffffffff8100a000 T __sched_text_start\n"}):
        bad += ["%s: %s" % (list(more), words)
                for words in both(read(test, held((1100, 100, NAP), **more)), want)]
    return bad


@why
def why_asleep_elsewhere(test):
    """A stack is of the next switch of its own task on its own CPU, and of no later one."""
    t = Sleepers()
    t.switch(1000, 0, 9, "S", 5)
    t.acquire(1000, 0, 5, "mutex", LOCK)
    t.stack(1050, 1, 8, READ)                   # another one, on another CPU
    t.sleeps(1100, 100, None)
    t.stack(1300, 0, 5, NAP, of=ACQUISITION, lock=OTHER)
    t.sleeps(1400, 100, None)
    t.sleeps(1600, 100, READ)
    t.sleeps(1800, 100, None)                   # that one is used up
    t.release(2000, 0, 5, "mutex", LOCK)
    t.at(3000, 0, 5)
    return both(read(test, t), {(None, None, "S"): 300, ("folio_wait_bit_common", True, "S"): 100})


@why
def why_asleep_in_a_chain(test):
    """Who holds what is waited for sleeps somewhere, too."""
    t = Sleepers()
    t.switch(900, 0, 9, "S", 7)
    t.acquire(1000, 0, 7, "mutex", LOCK)
    t.switch(1000, 1, 9, "S", 5)
    t.wait(1100, 1, 5, LOCK, MUTEX)
    t.stack(1150, 1, 5, NAP)                    # for the lock: that is told already
    t.switch(1150, 1, 5, "D", 8)
    t.sleeps(1200, 300, READ, "D", tid=7)
    t.release(1600, 0, 7, "mutex", LOCK)
    t.waking(1601, 0, 7, 5)
    t.switch(1610, 1, 8, "R+", 5)
    t.waited(1620, 1, 5, LOCK)
    t.at(3000, 1, 5)
    r = taken_apart(test, t.write(test.path("why")), "--waits")
    parts = r["waited"]["longest"][0]["parts"]
    bad = [] if of(parts, 1) == {("folio_wait_bit_common", True, "D"): 300} else \
        ["the holder's are %s" % of(parts, 1)]
    return bad + (["it waits at %s" % parts for part in parts
                   if part["cause"] == "waiting" and "asleep_in" in part])


@why
def why_asleep_to_the_end(test):
    """Another thread gives it up while who took it sleeps: where that is, is known nevertheless."""
    t = Sleepers()
    t.switch(1000, 0, 9, "S", 5)
    t.switch(1000, 1, 9, "S", 6)
    t.acquire(1010, 0, 5, "posix_sem", LOCK)
    t.stack(1100, 0, 5, NAP)
    t.switch(1100, 0, 5, "S", 9)
    t.release(1300, 1, 6, "posix_sem", LOCK)
    t.waking(1400, 1, 6, 5)
    t.at(3000, 1, 6)
    r = read(test, t)
    have = of(r["held"]["longest"][0]["parts"])
    return [] if have == {("hrtimer_nanosleep", False, "S"): 200} else ["%s" % have]


@why
def why_asleep_of_a_report(test):
    """Stacks of sleeps are no stacks of sections: the report does not take them for lost."""
    path = held((1100, 300, READ, "D"), (1500, 400, NAP)).write(test.path("why"))
    r = test.ft("report", path)
    page = path + ".html"
    bad = [] if not r.returncode and "stray" not in r.stderr else [r.stderr]
    if test.ft("report", "--html", page, path).returncode:
        bad.append("no page")
    with open(page) as f:
        return bad + ([] if "asleep on I/O in folio_wait_bit_common (D)" in f.read() else
                      ["not in the report's page"])
