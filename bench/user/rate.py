#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Runs for bench/rate user. Usage: rate.py PROGRAMS feather-trace|lttng...

The largest rate of events of one thread without a loss, while ft run or LTTng's consumer writes
them into files in memory, found by halving to within 5 percent: a rate is good if one of three
tries loses nothing, and the result is the median of three searches, for rings of several sizes. The program is paced.c.

Prints name, value, unit.
"""
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

PROGRAMS = sys.argv[1]
FT = PROGRAMS + "/userspace/ft"
SECONDS = 0.5
PERIOD = 1e-4           # of paced.c
TIMES = int(SECONDS / PERIOD)
SIZES = 256, 1024, 4096         # KiB
RECORD = 32
WITHIN = 1.05
FIRSTS = 80, 113, 160
TRIES = 3               # what else runs on this machine only takes away
TOO_LATE = 3
WORK = tempfile.mkdtemp(dir="/dev/shm")


def sh(*command):
    return subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True).stdout


def on_time(*command):
    """The writer, on the last CPU. Returns: whether it wrote them all when it should."""
    status = subprocess.run(["taskset", "-c", str(os.cpu_count() - 1), *command], check=False,
                            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                            stderr=subprocess.DEVNULL).returncode
    if status not in (0, TOO_LATE):
        sys.exit("rate: %s ended with status %d" % (command[0], status))
    return status == 0


class Ours:
    name = "feather-trace"

    def lossless(self, events, size):
        trace = WORK + "/ft"
        # The writer alone has its place.
        status = subprocess.run([FT, "run", "-o", trace, "--slots", str(size * 1024 // RECORD), "-e", "paced",
                                 "--", "taskset", "-c", str(os.cpu_count() - 1), PROGRAMS + "/paced",
                                 str(events), str(TIMES)], check=False, stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
        with open(trace + "/info/session", encoding="utf-8") as f:
            of = dict(line.rstrip("\n").split("\t")[:2] for line in f if "\t" in line)
        records, lost = int(of["records"]), int(of["lost"])
        shutil.rmtree(trace)
        if records + lost < events * TIMES:
            sys.exit("rate: ft run has %d records of %d, and %d lost" % (records, events * TIMES, lost))
        # Losses are status 3, too.
        return status == 0

    def end(self):
        pass


class Lttng:
    """A daemon of our own, not the system's."""
    name = "lttng"

    def __init__(self):
        os.environ.update(LTTNG_HOME=WORK, LTTNG_UST_REGISTER_TIMEOUT="-1")
        with open(WORK + "/log", "w", encoding="utf-8") as log:
            self.daemon = subprocess.Popen(["lttng-sessiond", "--no-kernel"], stdout=log, stderr=log)
        for _ in range(100):
            if not subprocess.run(["lttng", "--no-sessiond", "list"], check=False, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL).returncode:
                return
            time.sleep(0.1)
        sys.exit("rate: LTTng's daemon does not begin")

    def lossless(self, events, size):
        sh("lttng", "--no-sessiond", "create", "rate", "--output=" + WORK + "/l")
        sh("lttng", "enable-channel", "--userspace", "--subbuf-size=%dK" % (size // 4), "--num-subbuf=4", "c")
        sh("lttng", "enable-event", "--userspace", "--channel=c", "ft_bench:on")
        sh("lttng", "start")
        ok = on_time(PROGRAMS + "/paced_lttng", str(events), str(TIMES))
        sh("lttng", "stop")
        said = sh("lttng", "list", "rate")
        sh("lttng", "destroy", "rate")
        lost = re.findall(r"Discarded events: *(\d+)", said)
        if not lost:
            sys.exit("rate: LTTng does not tell what it lost:\n" + said)
        shutil.rmtree(WORK + "/l")
        return ok and not any(int(n) for n in lost)

    def end(self):
        self.daemon.terminate()
        self.daemon.wait()


def largest(recorder, size, first):
    """Returns: events in a period, the most without a loss."""
    def ok(events):
        good = any(recorder.lossless(events, size) for _ in range(TRIES))
        print("# %s, %d KiB: %d events in 100 us: %s" % (
            recorder.name, size, events, "none lost" if good else "some lost, or too late"),
              file=sys.stderr, flush=True)
        return good

    good, bad = 0, first
    while ok(bad):
        good, bad = bad, bad * 2
    while not good:
        if bad == 1:
            return 0
        half = bad // 2
        if ok(half):
            good = half
        else:
            bad = half
    while bad > good * WITHIN and bad > good + 1:
        middle = min(max(round((good * bad) ** 0.5), good + 1), bad - 1)
        if ok(middle):
            good = middle
        else:
            bad = middle
    return good


def main():
    for name in sys.argv[2:]:
        recorder = {"feather-trace": Ours, "lttng": Lttng}[name]()
        try:
            for size in SIZES:
                found = statistics.median(largest(recorder, size, first) for first in FIRSTS)
                print("rate.user.%s.%dk\t%.2f\tmillion events a second" % (
                    name, size, found / PERIOD / 1e6), flush=True)
        finally:
            recorder.end()


try:
    main()
finally:
    shutil.rmtree(WORK, ignore_errors=True)
