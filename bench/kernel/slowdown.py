#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Runs in the VM for bench/slowdown. Usage: slowdown.py MODULE FT SOURCES

The virtual time of a guest that counts instructions goes on only with them, and while
the CPU is idle it runs ahead. So neither time of the clock nor a recorder that waits
would do: what counts is the CPU time of the workload's processes, and a ring for some
millions of records is read by nobody. One that ran full would make tracing cheaper; it
is an error.

Prints name, value, unit: the ratios, in the middle of ROUNDS, and how many records
there were in a thousand instructions of the workload.
"""
import os
import resource
import statistics
import subprocess
import sys

MODULE, FT, SOURCES = sys.argv[1:4]
SLOTS = 1 << 23         # of 32 bytes
ROUNDS = 3
WORKLOADS = {
    "compile": ["gcc", "-std=gnu11", "-O2", "-D_GNU_SOURCE", "-DFT_VERSION=\"bench\"",
                "-iquote", SOURCES, "-I" + SOURCES + "/../include",
                "-I" + SOURCES + "/../include/uapi", "-c", "-o", "/tmp/o.o",
                SOURCES + "/analysis/order.c"],
    "hackbench": ["hackbench", "-g", "1", "-f", "5", "-l", "200"],
}


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


def records():
    """How many were written; none may be lost."""
    rows = [line.split("\t") for line in sh(FT, "status", "--tsv").splitlines()]
    rings = [row for row in rows if row[0] == "cpu"]
    if any(int(row[5]) for row in rings):
        sys.exit("slowdown: a ring was full: more slots, or less work")
    return sum(int(row[3]) for row in rings)


def traced(command):
    """Seconds, and records."""
    sh(FT, "enable", "locks", "--persist")
    try:
        before = records()
        took = cost(command)
        return took, records() - before
    finally:
        sh(FT, "disable", "--all")


def main():
    sh("insmod", MODULE, "slots=%d" % SLOTS)
    how = dict(line.split("\t")[:2] for line in sh(FT, "status", "--tsv").splitlines()
               if "\t" in line)["lock_source"]
    how = "attach" if "wrapped" in how else "patch"
    for name, command in WORKLOADS.items():
        cost(command)           # all that it reads is in memory afterwards
        plain, slow, rate = [], [], []
        for _ in range(ROUNDS):
            plain.append(cost(command))
            took, written = traced(command)
            slow.append(took)
            rate.append(written / plain[-1] / 1e6)
            print("slowdown: %s: %.3f, then %.3f and %d records" % (
                name, plain[-1], took, written), file=sys.stderr)
        if not min(rate):
            sys.exit("slowdown: %s: no records" % name)
        row = "slowdown.%s.%s" % (name, how)
        print("%s\t%.3f\tratio" % (row, statistics.median(slow) / statistics.median(plain)))
        print("%s.records\t%.2f\trecords per thousand instructions" % (
            row, statistics.median(rate)))
    sh(FT, "unload")


os.environ["LC_ALL"] = "C"
main()
