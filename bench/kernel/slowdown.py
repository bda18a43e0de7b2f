#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Runs in the VM for bench/slowdown. Usage: slowdown.py MODULE FT SOURCES OUT

The virtual time of a guest that counts instructions goes on only with them, and while
the CPU is idle it runs ahead. So neither time of the clock nor a recorder that waits
would do: what counts is the CPU time of the workload's processes, and a ring for some
millions of records is read by nobody. One that ran full would make tracing cheaper; it
is an error.

Prints name, value, unit: for each way to look at locks the ratio of the workload's time
with it to that without, in the middle of ROUNDS, and for the trace how many records
there were in a thousand instructions of the workload. What others print is in OUT.
"""
import json
import os
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import time

MODULE, FT, SOURCES, OUT = sys.argv[1:5]
SLOTS = 1 << 23         # of 32 bytes
ROUNDS = 9
WORKLOADS = {
    "compile": ["gcc", "-std=gnu11", "-O2", "-D_GNU_SOURCE", "-DFT_VERSION=\"bench\"",
                "-iquote", SOURCES, "-I" + SOURCES + "/../include",
                "-I" + SOURCES + "/../include/uapi", "-c", "-o", "/tmp/o.o",
                SOURCES + "/analysis/order.c"],
    "hackbench": ["hackbench", "-g", "1", "-f", "5", "-l", "200"],
}
# Virtual ones, which are over soon.
BEGIN_SECONDS = 30      # another tool is idle at the latest
LOOKS_SECONDS = 12      # two times FT_IDLE_SECONDS, and more


def sh(*command):
    return subprocess.run(command, check=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True).stdout


def cost(command):
    """Seconds of virtual CPU time; a nanosecond is an instruction."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    sh(*command)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def status():
    return [line.split("\t") for line in sh(FT, "status", "--tsv").splitlines()]


def written():
    """Records in the rings; none may be lost."""
    rings = [row for row in status() if row[0] == "cpu"]
    if any(int(row[5]) for row in rings):
        sys.exit("slowdown: a ring was full: more slots, or less work")
    return sum(int(row[3]) for row in rings)


def traced(command):
    """All lock events are on: seconds, and records."""
    sh(FT, "enable", "locks", "--persist")
    try:
        before = written()
        took = cost(command)
        return took, written() - before
    finally:
        sh(FT, "disable", "--all")


def sensed(command):
    """The usual sensors: seconds, and what they counted. As they are all day: rows of call
    sites that nobody uses any more have been emptied, which takes two looks."""
    sh(FT, "sensors", "default")
    try:
        cost(command)
        time.sleep(LOOKS_SECONDS)
        took = cost(command)
        shown = json.loads(sh(FT, "sensors", "show", "--json"))
        return took, sum(sensor["all"]["count"] for sensor in shown["sensors"])
    finally:
        sh(FT, "sensors", "end", "*")
        # It waits until functions are no longer wrapped: they cost more when they are.
        sh(FT, "disable", "--all")


def beside(name, tool, command):
    """Another tool looks at locks: seconds, and how many call sites it told."""
    told = "%s/%s" % (OUT, name)
    with open(told, "w", encoding="utf-8") as out, subprocess.Popen(
            tool, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT) as process:
        time.sleep(BEGIN_SECONDS)
        if process.poll() is not None:
            sys.exit("slowdown: %s has ended: see %s" % (name, told))
        took = cost(command)
        process.send_signal(signal.SIGINT)
    with open(told, encoding="utf-8") as lines:
        return took, sum("+0x" in line for line in lines)


def klockstat(command):
    return beside("klockstat", ["klockstat"], command)


def perf_lock(command):
    return beside("perf_lock", ["perf", "lock", "contention", "-a", "-b"], command)


def has_bpf(perf):
    """Can perf lock count in the kernel? Not each is built so."""
    said = subprocess.run([perf, "lock", "contention", "-h"], check=False,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True).stdout
    return "--use-bpf" in said and "BUILD_BPF_SKEL" not in said


def ways():
    """Name of the row -> function"""
    source = dict(row[:2] for row in status() if len(row) > 1)["lock_source"]
    if "wrapped" not in source:
        return {"patch": traced, "patch.sensors": sensed}
    found = {"attach": traced, "sensors": sensed}
    if shutil.which("klockstat"):
        found["klockstat"] = klockstat
    else:
        print("slowdown: no klockstat: no row for it", file=sys.stderr)
    perf = shutil.which("perf")
    if perf and has_bpf(perf):
        found["perf_lock"] = perf_lock
    else:
        print("slowdown: no 'perf lock contention -b': no row for it", file=sys.stderr)
    return found


def main():
    sh("insmod", MODULE, "slots=%d" % SLOTS)
    looks = ways()
    for name, command in WORKLOADS.items():
        cost(command)           # all that it reads is in memory afterwards
        plain = []
        slow = {way: [] for way in looks}
        rate = []
        for _ in range(ROUNDS):
            plain.append(cost(command))
            for way, look in looks.items():
                took, counted = look(command)
                print("slowdown: %s: %.3f, %s: %.3f (%d)" % (
                    name, plain[-1], way, took, counted), file=sys.stderr)
                if not counted:
                    sys.exit("slowdown: %s: %s: saw nothing" % (name, way))
                slow[way].append(took)
                if look is traced:
                    rate.append(counted / plain[-1] / 1e6)
        for way, times in slow.items():
            row = "slowdown.%s.%s" % (name, way)
            print("%s\t%.3f\tratio" % (row, statistics.median(times) / statistics.median(plain)))
            if looks[way] is traced:
                print("%s.records\t%.2f\trecords per thousand instructions" % (
                    row, statistics.median(rate)))
    sh(FT, "unload")


os.environ["LC_ALL"] = "C"
main()
