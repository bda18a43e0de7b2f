# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""A small machine with CPUs, tasks, interrupts and locks, that runs by chance.

It knows each critical section and each wait as it happens, and writes only what a
tracer would: records from some moment on, some of them lost.
"""

import random

from gen_trace import (FAMILIES, HARDIRQ, MUTEX, READ, SOFTIRQ, SPIN, SPINNING,
                       WAITS, WRITE, Trace, event_id)
from known import Known

SITES = [0xffffffff81000000 + 0x40 * i for i in range(40)]
ROOM = 3            # so many hold a semaphore at a time
FLAGS = {"spin": SPIN, "rwlock_read": SPIN | READ, "rwlock_write": SPIN | WRITE,
         "mutex": MUTEX, "semaphore": 0, "rwsem_read": READ,
         "rwsem_write": WRITE}


class Section:
    def __init__(self, family, lock, site, cpu, task, start, ctx):
        self.family, self.lock, self.site = family, lock, site
        self.cpu, self.task, self.start, self.ctx = cpu, task, start, ctx
        self.end = self.doubt = None
        self.seen_start = self.seen_end = False


class Wait:
    def __init__(self, family, lock, cpu, task, ctx, since, holders):
        self.family, self.lock, self.cpu = family, lock, cpu
        self.task, self.ctx = task, ctx
        self.since, self.holders = since, holders   # as records tell
        self.begin = self.end = self.site = None    # begin, end: if recorded


class Machine:
    def __init__(self, seed, cpus=3, tasks=8, steps=4000, losses=0):
        self.rng = random.Random(seed)
        self.now = self.rng.randrange(10**6, 10**12)
        self.contend = not losses and seed % 4 != 0
        self.trace = Trace(freq=self.rng.choice([10**9, 2999999999, 10**7]),
                           per_packet=self.rng.choice([1, 7, 125]),
                           gaps=seed % 3 != 0, early=seed % 3 == 1,
                           events=WAITS if self.contend else ())
        self.cpus, self.steps = cpus, steps
        self.current = list(range(1, cpus + 1))
        self.waiting = list(range(cpus + 1, tasks + 1))
        self.ctx = [0] * cpus
        self.spins = [[] for _ in range(cpus)]  # waits of a CPU, by context
        self.blocked = {}                       # task: its wait
        self.held, self.done, self.waits = [], [], []
        self.recording = False
        self.read = False       # a rwsem's reader was seen to release it
        self.losing = [0] * cpus        # records of a CPU still to be lost
        self.gaps = []                  # [cpu, last before, first after, lost]
        self.last = [0] * cpus
        self.losses = losses
        for cpu in range(cpus):
            self.trace.cpu(cpu)

    # The tracer.

    def put(self, cpu, event, a, b):
        """Return: whether the record got into the trace."""
        if not self.recording:
            return False
        stream = self.trace.cpu(cpu)
        if self.losing[cpu] and self.last[cpu]:
            if not any(g[0] == cpu and g[2] is None for g in self.gaps):
                self.gaps.append([cpu, self.last[cpu], None, 0])
            next(g for g in self.gaps if g[0] == cpu and g[2] is None)[3] += 1
            stream.lose(1)
            self.losing[cpu] -= 1
            return False
        for gap in self.gaps:
            if gap[0] == cpu and gap[2] is None:
                gap[2] = self.now
        self.last[cpu] = self.now
        stream.add(self.now, event, self.current[cpu], a, b, self.ctx[cpu])
        return True

    def record(self, cpu, section, verb):
        return self.put(cpu, event_id(section.family, verb), section.lock,
                        section.site)

    # Locks.

    def spinning(self, cpu):
        return [s for s in self.held
                if s.cpu == cpu and s.family in SPINNING]

    def busy(self, cpu, family, lock):
        busy = [s for s in self.held if s.lock == lock]
        if family.endswith("read"):
            # a second reading that comes before any release was seen is left out
            busy = [s for s in busy if not s.family.endswith("read") or
                    (family == "rwsem_read" and not self.read and
                     s.task == self.current[cpu])]
        if family == "semaphore" and len(busy) < ROOM:
            busy = []
        return busy

    def acquire(self, cpu, family, lock):
        task = self.current[cpu]
        if len(self.held) > 40:
            return None
        # one from before the trace could not be told from a stray one
        if family == "rwsem_read" and not self.recording:
            return None
        busy = self.busy(cpu, family, lock)
        if busy:
            if self.contend and self.rng.random() < 0.5:
                self.wait(cpu, family, lock, busy)
            return None
        s = Section(family, lock, self.rng.choice(SITES), cpu, task, self.now,
                    self.ctx[cpu])
        s.seen_start = self.record(cpu, s, "acquire")
        self.held.append(s)
        return s

    def release(self, cpu, s):
        if s.family == "rwlock_read":   # a CPU's latest is released first
            s = [o for o in self.held if o.lock == s.lock and o.cpu == cpu][-1]
        elif s.family in ("rwsem_read", "semaphore"):       # a task's latest
            s = [o for o in self.held if o.lock == s.lock and o.task == s.task][-1]
        s.end, s.seen_end = self.now, self.record(cpu, s, "release")
        self.read |= s.seen_end and s.family == "rwsem_read"
        self.held.remove(s)
        self.done.append(s)

    # Waiting.

    def begins(self, cpu, wait, flags):
        if self.put(cpu, 300, wait.lock, flags) and wait.begin is None:
            wait.begin = self.now

    def wait(self, cpu, family, lock, busy):
        """The lock is not free: spin, or sleep, until it is."""
        known = [s for s in self.held if s.lock == lock and s.seen_start]
        wait = Wait(family, lock, cpu, self.current[cpu], self.ctx[cpu],
                    self.now, known)
        if family in SPINNING:
            # whoever spins for one that spins could do so forever
            if any(s.cpu == cpu or self.spins[s.cpu] for s in busy):
                return
            self.spins[cpu].append(wait)
            self.begins(cpu, wait, FLAGS[family])
        elif any(t not in self.blocked for t in self.waiting) and \
                not self.spinning(cpu):
            if family == "mutex" and self.rng.random() < 0.6:
                self.begins(cpu, wait, MUTEX | SPIN)    # tries so at first
                self.now += 7
            self.begins(cpu, wait, FLAGS[family])
            self.blocked[wait.task] = wait
            self.now += 1
            self.switch(cpu, [t for t in self.waiting
                              if t not in self.blocked])
        self.waits.append(wait)

    def wake(self, cpu, wait):
        """Return: whether the wait is over, and this CPU's task goes on."""
        free = not self.busy(cpu, wait.family, wait.lock)
        if not free and self.rng.random() < 0.8:
            return False
        if self.put(cpu, 301, wait.lock, 0 if free else (-4) % 2**64):
            wait.end = self.now
        self.now += 1
        if free and len(self.held) <= 40:
            s = self.acquire(cpu, wait.family, wait.lock)
            wait.site = s.site if s.seen_start else None
        return True

    # The machine.

    def switch(self, cpu, candidates):
        if self.spinning(cpu) or not candidates:
            return
        task = self.rng.choice(candidates)
        i = self.waiting.index(task)
        before = self.current[cpu]
        self.waiting[i], self.current[cpu] = before, task
        wait = self.blocked.get(task)
        if not wait:
            return
        if self.wake(cpu, wait):
            del self.blocked[task]
        else:
            self.waiting[i], self.current[cpu] = task, before

    def interrupt(self, cpu):
        """In an interrupt: take and release its own locks, or leave."""
        rng = self.rng
        mine = [s for s in self.spinning(cpu) if s.ctx]
        if mine and rng.random() < 0.6:
            self.release(cpu, rng.choice(mine))
        elif not mine and rng.random() < 0.5:
            self.ctx[cpu] = 0
        else:
            self.acquire(cpu, *self.some_lock(SPINNING))

    def some_lock(self, families):
        family = self.rng.choice(families)
        kind = family.split("_")[0]
        return family, 0xffff888000000000 + 0x1000 * hash_kind(kind) + \
            64 * self.rng.randrange(5)

    def step(self):
        rng = self.rng
        self.now += rng.choice([2, 3, 50, 700, 6000, 20000])
        cpu = rng.randrange(self.cpus)
        task = self.current[cpu]
        if self.recording and rng.random() < self.losses:
            self.losing[cpu] += rng.randrange(1, 6)
        if not self.ctx[cpu] and rng.random() < 0.05:
            self.ctx[cpu] = rng.choice([SOFTIRQ, HARDIRQ, HARDIRQ | SOFTIRQ])
            return
        if self.spins[cpu] and self.spins[cpu][-1].ctx == self.ctx[cpu]:
            wait = self.spins[cpu].pop()
            if not self.wake(cpu, wait):
                self.spins[cpu].append(wait)
            return
        if self.ctx[cpu]:
            self.interrupt(cpu)
            return
        what = rng.random()
        mine = [s for s in self.held if
                (s.cpu == cpu if s.family in SPINNING else
                 s.task == task)]
        if what < 0.15:
            self.switch(cpu, self.waiting)
        elif what < 0.6 and mine:
            # mostly the last, sometimes another
            self.release(cpu, mine[-1] if rng.random() < 0.7 else
                         rng.choice(mine))
        else:
            family, lock = self.some_lock(FAMILIES)
            if family in SPINNING or not self.spinning(cpu):
                self.acquire(cpu, family, lock)

    def run(self):
        for i in range(self.steps):
            self.recording = i > self.steps // 10
            self.step()
        for cpu, _, after, n in self.gaps:
            if after is None:           # an empty packet reports late losses
                stream = self.trace.cpu(cpu)
                stream.discarded -= n
                stream.cut()
                stream.discarded += n
                stream.cut(empty=True)
        return self.trace, Known(self.trace, self.done + self.held, self.waits,
                                 self.gaps)


def hash_kind(kind):
    return ["spin", "rwlock", "mutex", "semaphore", "rwsem"].index(kind)
