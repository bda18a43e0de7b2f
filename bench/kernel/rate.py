#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Runs in the VM for bench/rate. Usage: rate.py FT RECORDER

The largest rate of events without a loss, while RECORDER (feather-trace, lttng or ftrace) writes
them into a file, found by halving to within 5 percent; for rings of several sizes, and twice, from
different beginnings. A timer interrupt passes a tracepoint BURST times (tests/modules/ft_paced.c),
and what is looked for is the pause between two interrupts. In this VM a nanosecond is an
instruction, and one CPU does it all: events, interrupts and the recorder.

Prints name, value, unit.
"""
import errno
import math
import os
import shutil
import sys

import recorders
from recorders import WORK, FtRecord, Lttng, TraceCmd, sh

RUN = "/sys/module/ft_paced/parameters/run"
BURST = 256
# A run: many times as long as a recorder sleeps between two looks. LTTng's does for 200 ms.
SECONDS = {"ft.record": 0.5, "trace-cmd": 0.5, "lttng": 2.5}
SIZES = 256, 1024, 4096         # KiB
WITHIN = 1.05
FIRST = 100, 137        # events per million instructions, where the two searches begin
LEAST = 0.1
NAMES = {"feather-trace": FtRecord, "lttng": Lttng, "ftrace": TraceCmd}


def lossless(recorder, rate):
    """A run: is each of its events in the file? Or can the CPU not even write as many?"""
    for name in os.listdir(WORK):
        path = WORK + "/" + name
        if os.path.isdir(path):
            shutil.rmtree(path)
        else:
            os.unlink(path)
    period = round(BURST * 1e6 / rate)
    times = math.ceil(SECONDS[recorder.name] * 1e9 / period)
    recorder.begin()
    late = False
    try:
        with open(RUN, "w", encoding="utf-8") as run:
            run.write("%d %d %d" % (period, BURST, times))
    except OSError as error:
        if error.errno != errno.ETIME:
            raise
        late = True
    records, lost = recorder.end()
    print("# %s, %d KiB: %.0f a million instructions: %s" % (
        recorder.name, recorders.KIB, rate, "too many for the CPU" if late else "%d lost" % lost),
          file=sys.stderr, flush=True)
    if not lost and not late and records is not None and records != BURST * times:
        sys.exit("rate: %s has %d records of %d" % (recorder.name, records, BURST * times))
    return not lost and not late


def largest(recorder, first):
    """Returns: the largest rate without a loss; one that is 5 percent higher had some."""
    good, bad = 0, first
    while lossless(recorder, bad):
        good, bad = bad, bad * 2
    while not good:
        if bad < LEAST:
            sys.exit("rate: %s always loses events" % recorder.name)
        if lossless(recorder, bad / 2):
            good = bad / 2
        else:
            bad /= 2
    while bad > good * WITHIN:
        middle = math.sqrt(good * bad)
        if lossless(recorder, middle):
            good = middle
        else:
            bad = middle
    return good


def main():
    name = sys.argv[2]
    recorder = NAMES[name]()
    os.makedirs(WORK, exist_ok=True)
    sh("mount", "-t", "tmpfs", "none", WORK)
    for size in SIZES:
        recorders.KIB = size
        rates = []
        for which, first in zip(("", "again."), FIRST):
            rates.append(largest(recorder, first))
            print("rate.kernel.%s.%s%dk\t%.0f\tevents per million instructions" % (
                name, which, size, rates[-1]), flush=True)
        if max(rates) > min(rates) * WITHIN:
            sys.exit("rate: %s, %d KiB: %.0f and %.0f differ by more than 5 percent" % (
                (name, size) + tuple(rates)))


main()
