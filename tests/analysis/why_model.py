# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""ft why by chance, against a model that knows at each moment what everybody does, and why."""

import random

from gen_trace import HARDIRQ, MUTEX, SOFTIRQ
from realtime_trace import Tasks
from typed_trace import SOFTIRQS
from why_trace import leaves, taken_apart, why

LOCKS = [0xa0, 0xb0, 0xc0, 0xd0, 0xe0]


class Thing:
    """A section or a wait. owner: a task, or (CPU, depth) of an interrupt"""

    def __init__(self, kind, start, lock, tid, owner):
        self.kind, self.start, self.lock, self.tid, self.owner = kind, start, lock, tid, owner
        self.ticks, self.end = {}, None

    def key(self):
        return self.kind, self.start, self.lock, self.tid


class Model:
    """Tasks take locks in one order, wait for them asleep or not, are preempted, moved, woken by
    each other and by interrupts. Each record has a time of its own, and each tick is counted."""

    def __init__(self, seed, cpus, tasks, wakeups):
        self.rng, self.wakeups = random.Random(seed), wakeups
        self.trace = Tasks()
        self.on = {cpu: 0 for cpu in range(cpus)}
        self.inside = {cpu: [] for cpu in range(cpus)}  # interrupts: [name, number, lock]
        self.where = {tid: self.rng.randrange(cpus) for tid in range(1, tasks + 1)}
        self.state = {tid: "asleep" for tid in self.where}
        self.label, self.sleep_number = {}, {tid: 0 for tid in self.where}
        self.waker = {}                 # (task, sleep): who
        self.want = {}                  # task: lock
        self.held = {lock: None for lock in LOCKS}
        self.open, self.done = [], []
        self.now = 1000

    # What is true at this moment.

    def of_interrupts(self, stack):
        hard = [i for i in stack if i[0] == "irq_handler"]
        if hard:
            return ("interrupt", "irq_handler %d" % hard[0][1])
        return ("softirq", "softirq %s" % SOFTIRQS.get(stack[0][1], stack[0][1]))

    def path(self, tid):
        state, cpu = self.state[tid], self.where[tid]
        if state == "running" and self.inside[cpu]:
            return (self.of_interrupts(self.inside[cpu]),)
        if state in ("preempted", "ready"):
            return ((state, self.on[cpu]),)
        if tid in self.want:
            holder = self.held[self.want[tid]]
            here = ("spinning" if state == "running" else "waiting", self.want[tid], holder)
            return (here,) + (self.path(holder) if holder else ())
        if state == "running":
            return (("running",),)
        return (("asleep", self.label[tid], tid, self.sleep_number[tid]),)

    def path_of(self, thing):
        if isinstance(thing.owner, int):
            return self.path(thing.owner)
        cpu, depth = thing.owner
        deeper = self.inside[cpu][depth:]
        return (self.of_interrupts(deeper),) if deeper else (("running",),)

    def tick(self, ticks):
        for thing in self.open:
            path = self.path_of(thing)
            thing.ticks[path] = thing.ticks.get(path, 0) + ticks
        self.now += ticks

    # What begins and ends.

    def begin(self, kind, lock, tid, owner):
        self.open.append(Thing(kind, self.now, lock, tid, owner))

    def end(self, kind, lock, tid):
        thing = [t for t in self.open if t.kind == kind and t.lock == lock and t.tid == tid][0]
        self.open.remove(thing)
        thing.end = self.now
        counted, thing.ticks = thing.ticks, {}
        for path, n in counted.items():
            path = tuple(self.woken(part) for part in path)
            thing.ticks[path] = thing.ticks.get(path, 0) + n
        self.done.append(thing)

    def woken(self, part):
        """Who has woken, as far as it was known when all was over."""
        if part[0] != "asleep":
            return part
        cause = "uninterruptible" if part[1] == "D" else "asleep"
        return (cause, part[1], self.waker.get(part[2:]))

    # What is done; ctx is what the CPU does, which a record says.

    def ctx(self, cpu):
        return sum({HARDIRQ if i[0] == "irq_handler" else SOFTIRQ for i in self.inside[cpu]})

    def switch(self, cpu, how):
        prev = self.on[cpu]
        queue = [t for t in self.where if self.where[t] == cpu and
                 self.state[t] in ("preempted", "ready")]
        to = self.rng.choice(queue) if queue else 0
        if not to and (how == "R+" or not prev):
            return
        self.trace.switch(self.now, cpu, prev, how, to)
        if prev and how == "R+":
            self.state[prev] = "preempted"
        elif prev:
            self.state[prev], self.label[prev] = "asleep", how
            self.sleep_number[prev] += 1
        if to:
            self.state[to] = "running"
        self.on[cpu] = to
        self.tick(1)

    def wake(self, cpu, tid):
        stack = self.inside[cpu]
        self.trace.waking(self.now, cpu, self.on[cpu], tid, self.ctx(cpu))
        by = self.of_interrupts(stack)[1] if stack else self.on[cpu] or None
        self.waker[tid, self.sleep_number[tid]] = by
        self.state[tid] = "ready"
        self.tick(1)
        if self.wakeups:
            to = self.rng.choice(list(self.on))
            self.trace.waking(self.now, cpu, self.on[cpu], tid, self.ctx(cpu), "sched_wakeup", to)
            self.where[tid] = to
            self.tick(1)

    def migrate(self, cpu):
        queued = [t for t in self.where if self.state[t] in ("preempted", "ready")]
        if queued:
            tid, to = self.rng.choice(queued), self.rng.choice(list(self.on))
            self.trace.migrate(self.now, cpu, self.on[cpu], tid, to)
            self.where[tid] = to
            self.tick(1)

    def enter(self, cpu):
        stack = self.inside[cpu]
        name = "irq_handler" if stack or self.rng.random() < 0.5 else "softirq"
        number = self.rng.randrange(1, 4)
        stack.append([name, number, None])
        self.trace.event(self.now, cpu, self.on[cpu], name + "_entry", number, 0, self.ctx(cpu))
        self.tick(1)

    def leave(self, cpu):
        name, number, lock = self.inside[cpu][-1]
        if lock:
            self.trace.release(self.now, cpu, self.on[cpu], "spin", lock, ctx=self.ctx(cpu))
            self.end("held", lock, self.on[cpu])
            self.inside[cpu][-1][2] = None
        else:
            self.trace.event(self.now, cpu, self.on[cpu], name + "_exit", number, 0, self.ctx(cpu))
            self.inside[cpu].pop()
        self.tick(1)

    def lock_in_interrupt(self, cpu):
        stack = self.inside[cpu]
        if stack[-1][2]:
            return
        stack[-1][2] = 0x1000 + 0x10 * cpu + len(stack)
        self.trace.acquire(self.now, cpu, self.on[cpu], "spin", stack[-1][2], ctx=self.ctx(cpu))
        self.begin("held", stack[-1][2], self.on[cpu], (cpu, len(stack)))
        self.tick(1)

    def acquire(self, cpu, tid, lock):
        self.held[lock] = tid
        self.trace.acquire(self.now, cpu, tid, "mutex", lock)
        self.begin("held", lock, tid, tid)
        self.tick(1)

    def take(self, cpu, tid):
        mine = [lock for lock in LOCKS if self.held[lock] == tid]
        free = [lock for lock in LOCKS if not mine or lock > mine[-1]]
        if not free:
            return
        lock = free[0] if mine and self.rng.random() < 0.7 else self.rng.choice(free)
        if self.held[lock] is None:
            self.acquire(cpu, tid, lock)
            return
        self.trace.wait(self.now, cpu, tid, lock, MUTEX)
        self.want[tid] = lock
        self.begin("waited", lock, tid, tid)
        self.tick(1)

    def try_again(self, cpu, tid):
        """It waits, and has a CPU."""
        lock = self.want[tid]
        if self.held[lock] is None:
            self.trace.waited(self.now, cpu, tid, lock)
            self.end("waited", lock, tid)
            del self.want[tid]
            self.tick(1)
            if self.held[lock] is None:
                self.acquire(cpu, tid, lock)
        elif self.rng.random() < 0.6:
            self.switch(cpu, self.rng.choice("SD"))
        elif self.rng.random() < 0.3:       # it has spun, and will sleep
            self.trace.wait(self.now, cpu, tid, lock, MUTEX)
            self.tick(1)

    def give(self, cpu, tid):
        mine = [lock for lock in LOCKS if self.held[lock] == tid]
        if not mine:
            return
        lock = self.rng.choice(mine)
        self.trace.release(self.now, cpu, tid, "mutex", lock)
        self.held[lock] = None
        self.end("held", lock, tid)
        self.tick(1)
        for waiter in [t for t in self.want if self.want[t] == lock and self.state[t] == "asleep"]:
            self.wake(cpu, waiter)

    def step(self):
        cpu = self.rng.choice(list(self.on))
        tid, what = self.on[cpu], self.rng.random()
        sleepers = [t for t in self.state if self.state[t] == "asleep"]
        if self.inside[cpu]:
            if what < 0.2 and len(self.inside[cpu]) < 3:
                self.enter(cpu)
            elif what < 0.4 and sleepers:
                self.wake(cpu, self.rng.choice(sleepers))
            elif what < 0.6:
                self.lock_in_interrupt(cpu)
            else:
                self.leave(cpu)
        elif what < 0.1:
            self.enter(cpu)
        elif what < 0.35 and sleepers:
            self.wake(cpu, self.rng.choice(sleepers))
        elif what < 0.4:
            self.migrate(cpu)
        elif what < 0.45 or not tid:
            self.switch(cpu, "R+")
        elif tid in self.want:
            self.try_again(cpu, tid)
        elif what < 0.7:
            self.take(cpu, tid)
        elif what < 0.86:
            self.give(cpu, tid)
        else:
            self.switch(cpu, self.rng.choice("SD"))
        self.tick(self.rng.randrange(30))

    def run(self, steps):
        for cpu in self.on:
            self.trace.switch(self.now, cpu, 0, "R", 0)
        self.tick(1)
        for _ in range(steps):
            self.step()
        for cpu, tid in self.on.items():
            self.trace.at(self.now, cpu, tid)
        return self


def by_cause(paths):
    sums = {}
    for path, n in paths.items():
        sums[path[0][0]] = sums.get(path[0][0], 0) + n
    return sums


@why
def why_by_chance(test):
    """Every section and wait of random traces: each path of each chain, tick by tick."""
    bad, deepest = [], 0
    for seed in range(12):
        m = Model(seed, 1 + seed % 3, 6 + seed, seed % 2).run(2000)
        r = taken_apart(test, m.trace.write(test.path("why")), "--limit", "100000", "--top", "0")
        have = {}
        for kind in ("held", "waited"):
            for item in r[kind]["longest"]:
                key = kind, item["at_ns"] + 1000, int(item["lock"], 16), item["task"]
                have[key] = item["ticks"], leaves(item)
        want = {t.key(): (t.end - t.start, {p: n for p, n in t.ticks.items() if n})
                for t in m.done}
        if have != want:
            wrong = sorted(k for k in set(have) | set(want) if have.get(k) != want.get(k))
            bad.append("%d: %d of %d differ: %s: %s, not %s" % (
                seed, len(wrong), len(want), wrong[0], have.get(wrong[0]), want.get(wrong[0])))
        for kind in ("held", "waited"):
            sums = {}
            for thing in m.done:
                if thing.kind == kind:
                    for cause, n in by_cause(thing.ticks).items():
                        sums[cause] = sums.get(cause, 0) + n
            got = {c: n for c, n in r[kind]["all"]["causes"].items() if n}
            if got != {c: n for c, n in sums.items() if n}:
                bad.append("%d: all %s: %s, not %s" % (seed, kind, got, sums))
        deepest = max([deepest] + [len(p) for t in m.done for p in t.ticks])
    return bad + ([] if deepest >= 4 else ["no chain is longer than %d" % deepest])
