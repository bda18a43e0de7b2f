# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""ft report --rt by chance, against a model that looks at every moment."""

import random

from realtime_trace import LOCK, NICE, OTHER_LOCK, Tasks, realtime, shown


class Model:
    """Tasks on two CPUs, each with its own queue; locks of semaphores, without inheritance.

    It goes from moment to moment, writes the records of what it does, and counts what each task
    does and who keeps whom waiting, by the states that it has itself.
    """

    LOCKS = (LOCK, OTHER_LOCK)

    def __init__(self, seed, cpus=2, tasks=9, wakeups=False):
        self.wakeups, self.coming = wakeups, set()      # who is woken, and in no queue yet
        self.rng = random.Random(seed)
        self.prio = {tid: self.rng.choice((5, 20, 40, 60, 98, NICE)) for tid in range(1, tasks + 1)}
        self.trace = Tasks(self.prio)
        self.on = {cpu: 0 for cpu in range(cpus)}
        self.where = {tid: self.rng.randrange(cpus) for tid in self.prio}
        self.state = {tid: "asleep" for tid in self.prio}
        self.waits, self.held, self.since = {}, {lock: None for lock in self.LOCKS}, {}
        self.known = set()              # whose policy a record has told
        self.ticks = {tid: {} for tid in self.prio}
        self.blocked = {}               # (task, lock): lengths
        self.inverted = {}              # the same, of waits that are over
        self.episode = {}               # task: [holder, ticks]
        self.ended = {}                 # task: ticks of those in its wait
        self.now = 1000

    def queue(self, cpu):
        return sorted((tid for tid in self.prio if self.where[tid] == cpu and
                       self.state[tid] in ("running", "preempted", "latency")),
                      key=lambda tid: (self.prio[tid], self.state[tid] != "running", tid))

    # What is true for a moment, or begins with one.

    def holder(self, tid):
        """Who has to run so that a task gets on; None: it is asleep, or runs."""
        seen = set()
        while tid in self.waits and tid not in seen:
            seen.add(tid)
            tid = self.held[self.waits[tid]]
            if tid is None:
                return None
            if self.state[tid] != "asleep":
                return tid
        return None

    def inverts(self, tid):
        holder = self.holder(tid)
        if holder is None or self.state[holder] == "running" or holder in self.coming:
            return False
        runner = self.on[self.where[holder]]
        if not runner or self.prio[runner] <= self.prio[tid]:
            return False
        return self.state[holder] == "preempted" or self.prio[runner] <= self.prio[holder] or \
            (self.prio[runner] >= 100 and self.prio[holder] >= 100)

    def end_episode(self, tid):
        if tid in self.episode:
            self.ended.setdefault(tid, []).append(self.episode.pop(tid)[1])

    def tick(self, ticks):
        for tid in self.known:
            state = self.state[tid]
            if tid in self.waits and state in ("asleep", "running"):
                state = "blocked"
            self.ticks[tid][state] = self.ticks[tid].get(state, 0) + ticks
        for tid in self.waits:
            if tid in self.known and self.inverts(tid):
                self.episode.setdefault(tid, [self.holder(tid), 0])[1] += ticks
        self.now += ticks

    def look(self):
        """Inversions end whose holder runs now, or is another one."""
        for tid in list(self.episode):
            holder = self.holder(tid)
            if holder is None or holder != self.episode[tid][0] or self.state[holder] == "running":
                if holder is not None or not self.sleeps(self.episode[tid][0]):
                    self.end_episode(tid)

    def sleeps(self, tid):
        return self.state[tid] == "asleep"

    # What is done.

    def switch(self, cpu, leaves):
        prev, queue = self.on[cpu], self.queue(cpu)
        to = queue[0] if queue else 0
        if to == prev and leaves == "R+":
            return
        self.trace.switch(self.now, cpu, prev, leaves, to)
        if prev and leaves == "R+":
            self.state[prev] = "preempted"
        if to:
            self.state[to] = "running"
            if self.prio[to] < 100:
                self.known.add(to)
        self.on[cpu] = to
        self.look()
        self.tick(1)

    def reschedule(self):
        for cpu, tid in self.on.items():
            queue = self.queue(cpu)
            if queue and (not tid or self.prio[queue[0]] < self.prio[tid]):
                self.switch(cpu, "R+" if tid else "R")
                if self.on[cpu] in self.waits:
                    self.got(self.on[cpu])

    def sleep(self, tid, how):
        cpu = self.where[tid]
        self.state[tid] = "asleep"
        self.switch(cpu, how)
        if self.on[cpu] in self.waits:
            self.got(self.on[cpu])

    def wake(self, tid, cpu):
        self.state[tid] = "latency"
        if self.prio[tid] < 100:
            self.known.add(tid)
        self.trace.waking(self.now, cpu, self.on[cpu], tid)
        self.look()
        if self.wakeups:
            self.coming.add(tid)
        self.tick(2)
        if self.wakeups:                # a CPU has it in its queue now
            self.coming.discard(tid)
            self.trace.waking(self.now, cpu, self.on[cpu], tid, name="sched_wakeup",
                              target=self.where[tid])
            self.tick(3)

    def take(self, tid):
        lock = self.rng.choice(self.LOCKS)
        if tid in (self.held[lock], self.held[OTHER_LOCK]):     # in one order: no deadlock
            return
        if self.held[lock] is None:
            self.held[lock] = tid
            self.trace.acquire(self.now, self.where[tid], tid, "semaphore", lock, 0x6000)
            return
        self.waits[tid], self.since[tid] = lock, self.now
        self.ended.pop(tid, None)
        self.trace.wait(self.now, self.where[tid], tid, lock, 0)
        self.tick(3)
        self.sleep(tid, "D")

    def got(self, tid):
        """It runs again, and has the lock, unless somebody was faster."""
        lock = self.waits[tid]
        if self.held[lock] is not None:
            self.tick(1)
            self.sleep(tid, "D")
            return
        self.end_episode(tid)
        del self.waits[tid]
        self.held[lock] = tid
        self.trace.waited(self.now, self.where[tid], tid, lock)
        self.trace.acquire(self.now, self.where[tid], tid, "semaphore", lock, 0x6000)
        if self.prio[tid] < 100:
            self.blocked.setdefault((tid, lock), []).append(self.now - self.since[tid])
            self.inverted.setdefault((tid, lock), []).extend(self.ended.pop(tid, []))

    def give(self, tid):
        for lock in self.LOCKS:
            if self.held[lock] == tid:
                self.held[lock] = None
                self.trace.release(self.now, self.where[tid], tid, "semaphore", lock)
                for other in list(self.episode):
                    if self.holder(other) != self.episode[other][0]:
                        self.end_episode(other)
                self.tick(1)
                for waiter in sorted(w for w in self.waits if self.waits[w] == lock and
                                     self.state[w] == "asleep"):
                    self.wake(waiter, self.where[tid])
                return True
        return False

    def step(self):
        cpu = self.rng.choice(list(self.on))
        tid, what = self.on[cpu], self.rng.random()
        sleepers = [t for t in self.prio if self.state[t] == "asleep" and t not in self.waits]
        if sleepers and what < 0.5:
            self.wake(self.rng.choice(sleepers), cpu)
        elif tid and what < 0.75:
            self.take(tid)
        elif tid and what < 0.85:
            self.give(tid)
        elif tid and what < 0.9:
            self.sleep(tid, "S")
        self.reschedule()
        self.tick(self.rng.randrange(1, 30))

    def run(self, steps):
        for cpu in self.on:             # it is seen from here on
            self.trace.switch(self.now, cpu, 0, "R", 0)
        for _ in range(steps):
            self.step()
        for cpu, tid in self.on.items():
            self.trace.at(self.now, cpu, tid)
        return self


@realtime
def rt_by_chance(test):
    """Hundreds of waits and inversions, each of which the model has counted itself."""
    bad, inversions = [], 0
    for seed in range(20):
        m = Model(seed, cpus=1 + seed % 3, wakeups=seed % 2).run(1500)
        r = shown(test, m.trace.write(test.path("rt")))
        for tid in m.known:
            want = {state: m.ticks[tid].get(state, 0) for state in
                    ("running", "preempted", "latency", "blocked")}
            bad += ["%d: %s" % (seed, b) for b in r.expect("rt_task", str(tid), **want)]
        rows = {}
        for (tid, lock), lengths in m.blocked.items():
            row = "%d:semaphore:%#x<0x6000" % (tid, lock)
            bad += ["%d: %s" % (seed, b) for b in r.expect(
                "rt_blocking", row, count=len(lengths), total=sum(lengths), max=max(lengths))]
            if m.inverted[tid, lock]:
                rows[row] = m.inverted[tid, lock]
        bad += ["%d: %s" % (seed, b) for b in r.rows("rt_inversion", *rows)]
        for row, lengths in rows.items():
            bad += ["%d: %s" % (seed, b) for b in r.expect(
                "rt_inversion", row, count=len(lengths), total=sum(lengths), max=max(lengths),
                inherited_count=0)]
            inversions += len(lengths)
    return bad + ([] if inversions >= 100 else ["only %d inversions were made" % inversions])
