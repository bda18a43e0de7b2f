# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Semaphores that were held before the trace or over a gap, by several: whatever the report
makes of a release, none of its sections is one that never was."""

import csv
import io
import random

from gen_trace import PROCESS, PROGRAMS, Trace

SEMAPHORES = []
STEPS, SEMS, UNITS = 3000, 9, 5
BEGIN = 10**6       # before it nothing is recorded


def semaphores(f):
    SEMAPHORES.append(f)
    return f


class Units:
    """One semaphore, by chance. @fifo: another task releases, the oldest unit first; else
    each task its own, the latest first, and it may hold several."""

    def __init__(self, rng, family, number, fifo):
        self.rng, self.family, self.fifo = rng, family, fifo
        self.lock = 0xa000 + 64 * number
        self.tasks = range(100 * number + 101, 100 * number + 107)
        self.releaser = 100 * number + 150
        self.held, self.true = [], {}

    def step(self, now):
        """Return: (task, verb), or None: nothing happens"""
        task = self.rng.choice(self.tasks)
        mine = [h for h in self.held if self.fifo or h[0] == task]
        if mine and self.rng.random() < 0.5:
            unit = mine[0 if self.fifo else -1]
            self.held.remove(unit)
            self.true[unit[0], self.lock, unit[1]] = now
            return self.releaser if self.fifo else task, "release"
        if len(self.held) == UNITS:
            return None
        self.held.append((task, now))
        return task, "acquire"


def by_chance(test, seed, family, before=True, losses=0.0, fifo=(True, False)):
    """Return: the sections that the report should not have, or lacks if it can know all."""
    rng = random.Random(seed)
    t = Trace(per_packet=rng.choice([1, 7, 125]))
    sems = [Units(rng, family, i, fifo[i % len(fifo)]) for i in range(SEMS)]
    now, losing = BEGIN - STEPS * 20 if before else BEGIN, [0, 0]
    streams = [t.thread(i) if family in PROGRAMS else t.cpu(i) for i in range(2)]
    for i, stream in enumerate(streams):
        stream.add(BEGIN - 2 + i, 1, 99, 0, 0)
    for _ in range(STEPS * (2 if before else 1)):
        now += rng.randrange(5, 35)
        sem, cpu = rng.choice(sems), rng.randrange(2)
        done = sem.step(now)
        if not done or now < BEGIN:
            continue
        if rng.random() < losses:
            losing[cpu] = rng.randrange(1, 4)
        if losing[cpu]:
            losing[cpu] -= 1
            streams[cpu].lose(1)
            continue
        t.lock(now, cpu, done[0], family, done[1], sem.lock)
    for stream in streams:
        stream.add(now + 1, 1, 99, 0, 0)
    r = test.ft("export", "-f", "csv", t.write(test.path("units")))
    have = {(int(row["tid"]), int(row["lock"], 16) & ~PROCESS,
             round(float(row["start_ns"])) + BEGIN - 2):
            round(float(row["end_ns"])) + BEGIN - 2
            for row in csv.DictReader(io.StringIO(r.stdout))}
    true = {key: end for sem in sems for key, end in sem.true.items()}
    bad = ["seed %d: task %d, %#x, from %d to %d, not %s" % (seed, *key, end, true.get(key))
           for key, end in have.items() if true.get(key) != end]
    if not before and not losses and have != true:
        bad.append("seed %d: %d sections, not %d" % (seed, len(have), len(true)))
    elif set(fifo) == {False} and len(have) < (len(true) / 4 if losses else 700):
        bad.append("seed %d: only %d of %d sections" % (seed, len(have), len(true)))
    return bad


def seeds(test, *args, **kwargs):
    return [line for seed in range(6) for line in by_chance(test, seed, *args, **kwargs)]


@semaphores
def semaphore_units_from_before(test):
    """Units that were held when the trace began."""
    return seeds(test, "semaphore")


@semaphores
def semaphore_units_over_gaps(test):
    """And units of before a gap, or taken in it: of the kernel and of programs."""
    return seeds(test, "semaphore", losses=0.005) + \
        seeds(test, "posix_sem", before=False, losses=0.005)


@semaphores
def semaphore_units_of_their_own(test):
    """Whoever releases what they acquired loses none of it, whatever was held before."""
    return seeds(test, "semaphore", fifo=(False,)) + \
        seeds(test, "semaphore", fifo=(False,), losses=0.001) + \
        seeds(test, "semaphore", fifo=(False,), before=False)


@semaphores
def semaphore_units_of_programs(test):
    """Programs are traced from their beginning: all is known, whoever releases."""
    return seeds(test, "posix_sem", before=False)
