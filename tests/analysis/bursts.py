#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""How often ft compare calls chance a change, and how often it finds a change.

Usage: bursts.py PROGRAM WORKDIR [PAIRS [ROW...]]

Compares PAIRS pairs (default: 40) of traces of 20 s of each process below, with few
sections and with many, which differ by chance only; then pairs of 10, 40 and 160 s without bursts in which a call
site is slower, with --limit 5. Prints a line for each: how many were called a change, how many
said that the traces are too short to tell.

Each ROW is the beginning of such lines: "bursts of 2.0 s at 6/s", "10 % slower"; only
these.
"""

import os
import random
import subprocess
import sys

from gen_trace import Trace
from workload import BASE, FUNCTIONS, kallsyms

SECOND = 10**9
RATES = (6, 10, 20, 30, 100, 300)       # sections a second, all sites, while quiet
LOUD = 4                # in a burst, so many times as often, and as long
KINDS = ["spin", "mutex"]


def steady(_rng, _length):
    """No bursts at all."""
    while True:
        yield SECOND, 1.0


def phases(rng, length):
    """Loud and quiet phases, as long as each other on average."""
    loud = rng.random() < 0.5
    while True:
        yield rng.expovariate(1 / length), LOUD if loud else 1.0
        loud = not loud


def bursts(rng, length):
    """Loud phases are rare."""
    loud = rng.random() < 0.2
    while True:
        yield rng.expovariate(1 / (length if loud else 4 * length)), \
            LOUD if loud else 1.0
        loud = not loud


def turns(rng, length):
    """Loud and quiet phases of always the same length."""
    loud, first = rng.random() < 0.5, rng.random()
    while True:
        yield first * length, LOUD if loud else 1.0
        loud, first = not loud, 1


def drift(rng, length):
    """Loudness wanders: its correlation falls to 1/e in this time."""
    step = length / 20
    keep, x = 1 - 1 / 20, rng.gauss(0, 1)
    while True:
        yield step, 2.0 ** x
        x = keep * x + (1 - keep**2)**0.5 * rng.gauss(0, 1)


def trace(process, seed, seconds=20, length=1.0, slower=1.0, rate=RATES[-1]):
    """slower: the first call site's sections are so many times as long."""
    rng, t, at, end = random.Random(seed), Trace(), 1, int(seconds * SECOND)
    for span, loud in process(rng, length * SECOND):
        until = min(end, at + span)
        while True:
            # the rate changes with the process, however seldom sections come
            next_at = at + int(rng.expovariate(rate * loud / SECOND)) + 1
            if next_at >= until:
                break
            at = next_at
            which = rng.randrange(len(FUNCTIONS))
            ns = int(2000 * loud * rng.lognormvariate(0, 0.5) *
                     (1 if which else slower)) + 1
            kind = KINDS[which % 2]
            t.acquire(at, 0, 7, kind, 0xffff888000001000 + 64 * which,
                      site=BASE + 0x1000 * (which + 1) + 0x24)
            t.release(at + ns, 0, 7, kind, 0xffff888000001000 + 64 * which)
            at += ns
        at = max(at, int(until))
        if at >= end:
            break
    t.cpu(0).add(at, 1, 7, 0, 0)
    t.file("info/kallsyms", kallsyms())
    t.file("info/session", "kernel_release\t6.1\nkernel_version\t#1\n")
    return t


def compare(program, work, *traces, args=()):
    paths = [t.write(os.path.join(work, "bursts%d" % i))
             for i, t in enumerate(traces)]
    out = subprocess.run([program, "compare", "--tsv", *args, *paths], check=True,
                         stdout=subprocess.PIPE, text=True).stdout
    return [line.split("\t") for line in out.splitlines()]


def outcome(program, work, seed, process, row=None, slower=1.0, args=(), **more):
    """Return: was anything (or this row) called a change, was it too short?"""
    rows = compare(program, work, trace(process, 2 * seed, **more),
                   trace(process, 2 * seed + 1, slower=slower, **more), args=args)
    rows = [r for r in rows if not row or r[1] == row]
    return any(r[3:] == ["changed", "1"] for r in rows), \
        any(r[3] == "verdict" and "too short to tell" in r[4] for r in rows)


def main():
    program, work = sys.argv[1:3]
    pairs = int(sys.argv[3]) if len(sys.argv) > 3 else 40
    rows = tuple(sys.argv[4:]) or ("",)
    os.makedirs(work, exist_ok=True)

    def tell(name, *args, **more):
        if not name.startswith(rows):
            return
        told = [outcome(program, work, seed, *args, **more) for seed in range(pairs)]
        print("%-34s %3d of %d changed, %3d too short to tell" %
              (name, sum(c for c, _ in told), pairs, sum(s for _, s in told)),
              flush=True)

    for process in steady, phases, bursts, turns, drift:
        for length in (0.1, 0.5, 1, 2, 3) if process != steady else (0,):
            for rate in RATES:
                tell("%s of %.1f s at %d/s in 20 s" % (process.__name__, length, rate),
                     process, length=length, rate=rate)
    for seconds in 10, 40, 160:
        for percent in 10, 20, 50:
            tell("%d %% slower for %d s" % (percent, seconds), steady,
                 row="spin:do_work+0x24", slower=1 + percent / 100, seconds=seconds,
                 args=("--limit", "5"))


if __name__ == "__main__":
    main()
