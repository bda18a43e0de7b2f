# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Traces of made-up workloads, to be compared: the same one with other chances,
or one of which something is different on purpose.

Sections come in bursts, and those of a burst are alike: as in a kernel, they are
not independent.
"""

import random

from gen_trace import Trace

BASE = 0xffffffff81000000
SPIN, MUTEX, RWSEM = 0, 1, 2
KINDS = ["spin", "mutex", "rwsem_read"]
FUNCTIONS = ["do_work", "do_read", "do_write", "do_sync"]


def kallsyms(slide=0, functions=FUNCTIONS):
    lines = ["%016x T _text" % (BASE + slide)]
    lines += ["%016x T %s" % (BASE + slide + 0x1000 * (i + 1), name)
              for i, name in enumerate(functions)]
    lines.append("%016x T _etext" % (BASE + slide + 0x100000))
    return "\n".join(lines) + "\n"


class Workload:
    """What one trace is made with; all in nanoseconds of its clock."""

    def __init__(self, seed, seconds=4.0, bursts=400, per_burst=6, scale=1.0,
                 freq=10**9, slide=0, functions=FUNCTIONS, kernel="6.1.0-a",
                 tail=1.0, offset=0):
        self.seed, self.rng = seed, random.Random(seed)
        self.seconds, self.bursts, self.per_burst = seconds, bursts, per_burst
        self.scale, self.freq, self.tail = scale, freq, tail
        self.slide, self.functions = slide, functions
        self.kernel, self.offset = kernel, offset

    def length(self, like):
        """A section's length in a burst whose sections are so long."""
        ns = like * self.rng.lognormvariate(0, 0.5)
        if self.rng.random() < 0.02:
            ns *= 20 * self.tail
        return ns * self.scale

    def lock(self, which):
        """That this function takes."""
        return 0xffff888000001000

    def slower(self, which):
        """How much longer it holds it than others."""
        return 1

    def burst(self, trace, at):
        rng = self.rng
        like = rng.choice([300, 800, 2500]) * rng.lognormvariate(0, 0.3)
        kind = rng.choices(KINDS, [8, 3, 1])[0]
        which = rng.randrange(len(self.functions))
        site = (BASE + self.slide + 0x1000 * (which + 1) + 0x24 + self.offset +
                0x10 * KINDS.index(kind))
        lock = self.lock(which)
        for _ in range(max(1, int(rng.expovariate(1 / self.per_burst)))):
            ticks = max(1, int(self.length(like) * self.slower(which) * self.freq / 1e9))
            trace.acquire(at, 0, 7, kind, lock, site=site)
            trace.release(at + ticks, 0, 7, kind, lock)
            at += ticks + int(rng.expovariate(1 / 400) * self.freq / 1e9) + 1
        return at

    def trace(self):
        """The same each time."""
        self.rng = random.Random(self.seed)
        t = Trace(freq=self.freq)
        end = int(self.seconds * self.freq)
        n = max(1, int(self.rng.gauss(self.bursts, self.bursts**0.5)))
        at = 1
        for start in sorted(self.rng.randrange(end) for _ in range(n)):
            at = self.burst(t, max(at, start))
        t.cpu(0).add(max(at, end), 1, 7, 0, 0)      # a mark at the end
        t.file("info/kallsyms", kallsyms(self.slide, self.functions))
        t.file("info/session", "kernel_release\t%s\nkernel_version\t#1 %s\n" %
               (self.kernel, self.kernel))
        return t
