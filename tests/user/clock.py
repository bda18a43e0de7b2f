#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""The clock of ft run: clock.py BUILD FT

A program (clock.c) brackets its events by the wall clock, and measures the TSC. The
metadata must make the same of the records' times.
"""
import os
import re
import subprocess
import sys
import tempfile

from told import check, run_all, same
from trace import Trace

BUILD, FT = (os.path.abspath(p) for p in sys.argv[1:3])
SOURCE = "/sys/devices/system/clocksource/clocksource0/current_clocksource"

# How well ft can set one clock against the other, in ns. What keeps us from running
# makes the brackets wider by itself.
SLACK = 1000000
# Where ft may not ask the kernel, it measures: on a machine that is busy each of two
# readings has been seen to be wrong by 0.7 us, in three seconds. A part in a million is
# never right.
EXACT = 5e-7


def record(directory):
    out = os.path.join(directory, "trace")
    done = subprocess.run([FT, "run", "-o", out, "-e", "looked", "--", BUILD + "/clock"],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                          timeout=300, text=True)
    same("clock: ft run", 0, done.returncode)
    with open(out + "/metadata") as f:
        meta = f.read()
    clock = {key: int(value) for key, value in
             re.findall(r"\b(freq|offset_s|offset) = (-?\d+);", meta)}
    is_tsc = 'description = "TSC"' in meta
    return Trace(out), clock, is_tsc, [line.split() for line in done.stdout.splitlines()]


def test_clock():
    with tempfile.TemporaryDirectory(prefix="ft-clock-") as directory:
        trace, clock, is_tsc, said = record(directory)
        brackets = [(int(b), int(a)) for kind, b, a in said if kind == "event"]
        wrong = []
        for r, (before, after) in zip(trace.records, brackets):
            seconds, ticks = divmod(clock["offset"] + r.ts, clock["freq"])
            at = (clock["offset_s"] + seconds) * 10**9 + ticks * 10**9 // clock["freq"]
            if not before - SLACK <= at <= after + SLACK:
                wrong.append("%d: %d is not in %d..%d" % (r.a, at, before, after))
        same("clock: all events", len(brackets), len(trace.records))
        check("clock: a record's wall clock time is when it was", brackets and not wrong,
              "; ".join(wrong[:3]))

    name = "clock: it runs as fast as the kernel says"
    with open(SOURCE) as f:
        source = f.read().strip()
    if not is_tsc or source != "tsc":
        print("skip %s: the kernel's clock is %s" % (name, source))
        return
    least, most = [(int(b), int(a)) for kind, b, a in said if kind == "hz"][0]
    check(name, least * (1 - EXACT) <= clock["freq"] <= most * (1 + EXACT),
          "%d Hz, measured %d to %d" % (clock["freq"], least, most))


sys.exit(run_all([test_clock], sys.argv[3:]))
