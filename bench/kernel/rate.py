#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Runs in the VM for bench/rate. Usage: rate.py FT RECORDER

The largest rate of events without a loss, while RECORDER (feather-trace, lttng or ftrace) writes
them into a file, found by halving to within 5 percent; for rings of several sizes, and twice, from
different beginnings. A timer interrupt each PERIOD passes a tracepoint (tests/modules/ft_paced.c).
In this VM a nanosecond is an instruction, and one CPU does it all: events, interrupts and the
recorder.

Prints name, value, unit.
"""
import errno
import os
import shutil
import sys

import recorders
from recorders import WORK, FtRecord, Lttng, TraceCmd, sh

RUN = "/sys/module/ft_paced/parameters/run"
PERIOD = 100000         # ns
SECONDS = 0.5
SIZES = 256, 1024, 4096         # KiB
WITHIN = 1.05
FIRST = 16, 23          # events of an interrupt, where the two searches begin
NAMES = {"feather-trace": FtRecord, "lttng": Lttng, "ftrace": TraceCmd}


def lossless(recorder, events):
    """A run: is each of its events in the file? Or can the CPU not even write as many?"""
    for name in os.listdir(WORK):
        path = WORK + "/" + name
        if os.path.isdir(path):
            shutil.rmtree(path)
        else:
            os.unlink(path)
    times = int(SECONDS * 1e9 / PERIOD)
    recorder.begin()
    late = False
    try:
        with open(RUN, "w", encoding="utf-8") as run:
            run.write("%d %d %d" % (PERIOD, events, times))
    except OSError as error:
        if error.errno != errno.ETIME:
            raise
        late = True
    records, lost = recorder.end()
    print("# %s, %d KiB: %d events in %d us: %s" % (
        recorder.name, recorders.KIB, events, PERIOD // 1000,
        "too many for the CPU" if late else "%d lost" % lost), file=sys.stderr, flush=True)
    if not lost and not late and records is not None and records != events * times:
        sys.exit("rate: %s has %d records of %d" % (recorder.name, records, events * times))
    return not lost and not late


def largest(recorder, first):
    """Returns: events of an interrupt, the most without a loss; the next higher lost some."""
    good, bad = 0, first
    while lossless(recorder, bad):
        good, bad = bad, bad * 2
    while not good:
        if bad == 1:
            sys.exit("rate: %s always loses events" % recorder.name)
        half = bad // 2
        if lossless(recorder, half):
            good = half
        else:
            bad = half
    while bad > good * WITHIN and bad > good + 1:
        middle = round((good * bad) ** 0.5)
        middle = min(max(middle, good + 1), bad - 1)
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
            rates.append(largest(recorder, first) * 1e6 / PERIOD)
            print("rate.kernel.%s.%s%dk\t%.0f\tevents per million instructions" % (
                name, which, size, rates[-1]), flush=True)
        if max(rates) > min(rates) * WITHIN:
            sys.exit("rate: %s, %d KiB: %.0f and %.0f differ by more than 5 percent" % (
                (name, size) + tuple(rates)))


main()
