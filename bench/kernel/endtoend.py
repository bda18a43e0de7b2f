#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Runs in the VM for bench/endtoend. Usage: endtoend.py FT [lttng]

Two processes, one on each CPU, pass a tracepoint (tests/modules/ft_points.c) in bursts,
one every 10 ms, while it is recorded into a file: how large can bursts be before a
record is lost? All have buffers of 4 MiB for each CPU, and one file system.

Prints name, value, unit; rates are of the fastest lossless try.
"""
import glob
import os
import shutil
import sys
import time

from recorders import CPUS, WORK, Cat, FtRecord, Lttng, TraceCmd, sh

FIRE = "/sys/module/ft_points/parameters/fire"
BURSTS = 200
PERIOD = 0.01
LARGEST = 1 << 20


def fire(burst):
    """Returns: seconds."""
    begin = time.monotonic()
    children = []
    for cpu in range(CPUS):
        pid = os.fork()
        if not pid:
            os.sched_setaffinity(0, {cpu})
            fd = os.open(FIRE, os.O_WRONLY)
            text = str(burst).encode()
            due = time.monotonic()
            for _ in range(BURSTS):
                os.write(fd, text)
                due += PERIOD
                time.sleep(max(0, due - time.monotonic()))
            os._exit(0)
        children.append(pid)
    for pid in children:
        os.waitpid(pid, 0)
    return time.monotonic() - begin


def attempt(recorder, burst):
    """Returns: records a second if none was lost, else 0."""
    shutil.rmtree(WORK + "/t", ignore_errors=True)
    shutil.rmtree(WORK + "/l", ignore_errors=True)
    for path in glob.glob(WORK + "/*"):
        os.unlink(path)
    recorder.begin()
    seconds = fire(burst)
    records, lost = recorder.end()
    wanted = burst * BURSTS * CPUS
    print("# %s: bursts of %d: %d lost, %.0f records/s" %
          (recorder.name, burst, lost, wanted / seconds), file=sys.stderr)
    if lost:
        return 0
    if records is not None and records != wanted:
        sys.exit("endtoend: %s has %d records of %d" % (recorder.name, records, wanted))
    recorder.bytes = sum(os.path.getsize(f) for f in glob.glob(recorder.files)) / wanted
    recorder.cost = recorder.cpu * 1e6 / wanted
    recorder.used = recorder.cpu
    return wanted / seconds


def fastest(recorder):
    best, burst, good = 0, 500, 0
    while burst <= LARGEST:
        rate = attempt(recorder, burst)
        if not rate:
            break
        # The CPUs have no more to give.
        if rate < best * 1.05:
            return max(best, rate)
        best, good, burst = rate, burst, burst * 2
    for share in (4, 2, 1):
        rate = attempt(recorder, good + good * share // 8) if good else 0
        if rate:
            return max(best, rate)
    return best


def idle(recorder):
    """Returns: the CPU time of a recording in which nothing happens: to begin and to end."""
    shutil.rmtree(WORK + "/t", ignore_errors=True)
    recorder.begin()
    time.sleep(BURSTS * PERIOD)
    recorder.end()
    return recorder.cpu


def main():
    os.makedirs(WORK, exist_ok=True)
    sh("mount", "-t", "tmpfs", "none", WORK)
    recorders = [FtRecord(), Cat(), TraceCmd()]
    if "lttng" in sys.argv[2:]:
        recorders.append(Lttng())
    ours = None
    for recorder in recorders:
        rate = fastest(recorder)
        if not rate:
            sys.exit("endtoend: %s always loses records" % recorder.name)
        ours = ours or rate
        print("endtoend.%s.rate\t%.2f\tof ft record's" % (recorder.name, rate / ours))
        print("endtoend.%s.bytes\t%.1f\tbytes a record" % (recorder.name, recorder.bytes))
        print("endtoend.%s.cpu\t%.2f\tof ft record's" %
              (recorder.name, recorder.cost / recorders[0].cost))
        if recorder is recorders[0]:
            used = recorder.used
            print("endtoend.ft.record.idle\t%.2f\tof ft record's" % (idle(recorder) / used))


main()
