#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""How fast ft report is, and its peak memory; and how fast babeltrace2 reads.

Usage: bench.py PROGRAM WORKDIR RECORDS

Prints lines of name<TAB>value<TAB>unit; a rate is millions of records in a second
of CPU time, of one thread; report.rate.2threads, those of the wide and of the compressed trace
are those with -j 2, in a second of the clock, and their .gain is how many times that of one
thread in the same run: they need two CPUs that have nothing else to do. The trace is like one of a busy machine: two CPUs, some 15 kinds of
section from two thousand call sites, a hundred thousand locks and as many that
are taken inside them, and a kernel with as many symbols as is usual. babeltrace2
gets the beginning of the same trace, and does nothing with what it reads. With names of
all these locks, the same trace is read again: report.rate.classes. Another
trace is wide: 64 CPUs, and ten thousand locks, five thousand tasks and two thousand
call sites that are used alike.

The first trace is also written as rows for ClickHouse (export.clickhouse.rate), and asked in SQL
(sql.rate, of sections that are summed up by call site). It is read once more when it is compressed: report.rate.compressed, and
trace.bytes.plain and trace.bytes.compressed, of its streams alone. It is a hard one to
compress: locks and times are drawn at random. dump.window.compressed is the whole trace by the
time that it takes to print ten microseconds of it.
"""

import array
import os
import random
import shutil
import subprocess
import sys

from gen_trace import HEADER, MAGIC, RECORD, Trace, event_id

KINDS = ("spin",) * 6 + ("mutex", "rwsem_read", "rwlock_read")
CPUS, LOCKS, SITES, BLOCK = 2, 100000, 2000, 2400
SYMBOLS, TEXT = 150000, 0xffffffff81000000
OTHER_RECORDS = 2000000     # for babeltrace2, which takes its time
PACKET = 4096


WIDE_CPUS, WIDE_LOCKS, WIDE_TASKS, WIDE_BLOCK = 64, 10000, 5000, 160
WIDE_RECORDS = 40000000
SLICE = 125 * 400           # ns that a packet of the wide trace has


def block(rng, cpu):
    """So many packets' worth of records, and when the last one was."""
    out, numbers, now = [], [], 0

    def emit(family, verb, lock, site):
        nonlocal now
        now += rng.randrange(20, 400)
        out.append((now, event_id(family, verb), 0, 0, 1000 * cpu + tid, lock,
                    site))

    while len(out) <= BLOCK * 125 - 4:
        if not numbers:         # each lock, then each again, in another order
            numbers = rng.sample(range(LOCKS), LOCKS)
        tid, number = rng.randrange(40), numbers.pop()
        lock = 0xffff888000000000 + 64 * number
        site = TEXT + 16 * int(SITES * rng.random() ** 3)
        outer = KINDS[number % len(KINDS)]      # a lock is of one kind
        emit(outer, "acquire", lock, site)
        if rng.random() < 0.3:
            emit("spin", "acquire", lock + 8, site + 4)
            emit("spin", "release", lock + 8, site + 8)
        emit(outer, "release", lock, site + 12)
    while len(out) < BLOCK * 125:       # no section crosses a block's end
        now += 1
        out.append((now, 1, 0, 0, tid, 0, 0))
    return out, now


def wide_block(rng, cpu):
    """In each packet, a CPU has locks and tasks that no other one has meanwhile."""
    out = []
    for packet in range(WIDE_BLOCK):
        now, turn = packet * SLICE, (cpu + packet) % WIDE_CPUS
        for _ in range(31):
            number = turn + WIDE_CPUS * rng.randrange(WIDE_LOCKS // WIDE_CPUS)
            tid = 1000 + turn + WIDE_CPUS * rng.randrange(WIDE_TASKS // WIDE_CPUS)
            lock = 0xffff888000000000 + 64 * number
            site = TEXT + 16 * rng.randrange(SITES)
            inner = lock + 8, site + 4, "spin"
            outer = lock, site, KINDS[number % len(KINDS)]
            for verb, what in (("acquire", outer), ("acquire", inner),
                               ("release", inner), ("release", outer)):
                now += rng.randrange(20, 380)
                out.append((now, event_id(what[2], verb), 0, 0, tid, *what[:2]))
        out.append((now + 1, 1, 0, 0, tid, 0, 0))
    return out, WIDE_BLOCK * SLICE


def write_cpu(path, trace, cpu, records, make):
    """The same blocks again and again, later each time: that is quick."""
    rng, seq, start = random.Random(cpu), 0, 10**9
    block_records, length = make(rng, cpu)
    times = [r[0] for r in block_records]
    words = array.array("Q", b"".join(RECORD.pack(*r) for r in block_records))
    with open(os.path.join(path, "cpu%d" % cpu), "wb") as f:
        while seq * 125 < records:
            words[::4] = array.array("Q", [start + t for t in times])
            data = words.tobytes()
            for at in range(0, len(data), 4000):
                f.write(HEADER.pack(MAGIC, trace.uuid, 0, cpu, words[at // 8],
                                    words[at // 8 + 496], PACKET * 8,
                                    PACKET * 8, seq, 0, cpu, trace.freq))
                f.write(data[at:at + 4000])
                seq += 1
            start += length + 1000
    return seq * 125, {r[5] for r in block_records if r[5]}


def write_trace(path, records, cpus, make):
    """Return: how many records, and of how many locks."""
    trace = Trace(freq=2400000000)
    trace.file("info/kallsyms", "".join(
        "%x t function_%d\n" % (TEXT + 64 * i, i) for i in range(SYMBOLS)) +
        "%x t __mutex_lock.constprop.0\n" % (TEXT + 64 * SYMBOLS))
    trace.write(path)
    written = [write_cpu(path, trace, cpu, records // cpus, make)
               for cpu in range(cpus)]
    return sum(n for n, _ in written), len(set.union(*(s for _, s in written)))


def write_names(path):
    """Of each lock, and of that inside of it: classes as a kernel has, few of many locks."""
    with open(os.path.join(path, "info", "locks"), "w", encoding="ascii") as f:
        f.write("lock names 1\n")
        for number in range(LOCKS):
            for inside in 0, 8:
                f.write("0x%x\tslab\t%d\t-\ttype_%d.lock_%d\n" % (
                    0xffff888000000000 + 64 * number + inside, 1 + number % 3 // 2,
                    number % 400, inside))


# A child's peak counts what its parent had when it forked: so a small parent.
MEASURE = """
import resource, subprocess, sys, time
start = time.monotonic()
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL,
               stderr=subprocess.DEVNULL)
took = time.monotonic() - start
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime + used.ru_stime, used.ru_maxrss, took)
"""


def measure_all(*command):
    """Seconds of the CPU, KiB of peak, seconds of the clock."""
    out = subprocess.run([sys.executable, "-c", MEASURE, *command], check=True,
                         stdout=subprocess.PIPE, text=True).stdout.split()
    return float(out[0]), int(out[1]), float(out[2])


def measure(*command):
    """Seconds of the CPU, not of the clock: others may be at work. KiB of peak."""
    return measure_all(*command)[:2]


def bench_threads(program, path, name, total, runs):
    """One thread and two in turn, so that what others do meets both."""
    clock, peak = {"1": [], "2": []}, 0
    for _ in range(runs):
        for threads, times in clock.items():
            _, used, took = measure_all(program, "report", "-j", threads, path)
            times.append(took)
            peak = max(peak, used)
    one, two = min(clock["1"]), min(clock["2"])
    print("report.rate%s.2threads\t%.2f\tmillion records/s" % (name, total / two / 1e6))
    print("report.rate%s.2threads.gain\t%.2f\ttimes" % (name, one / two))
    print("report.peak%s.2threads\t%.1f\tMiB" % (name, peak / 1024))


def read_with_babeltrace2(path):
    """Return: records a second of the beginning of the trace, or None."""
    if not shutil.which("babeltrace2"):
        return None
    part, records = path + ".part", 0
    os.makedirs(part, exist_ok=True)
    shutil.copy(os.path.join(path, "metadata"), part)
    for cpu in range(CPUS):
        with open(os.path.join(path, "cpu%d" % cpu), "rb") as f:
            data = f.read(OTHER_RECORDS // CPUS // 125 * PACKET)
        with open(os.path.join(part, "cpu%d" % cpu), "wb") as f:
            f.write(data)
        records += len(data) // PACKET * 125
    took, _ = measure("babeltrace2", "-o", "dummy", part)
    shutil.rmtree(part)
    return records / took


def stream_bytes(path):
    return sum(os.path.getsize(os.path.join(path, "cpu%d" % cpu)) for cpu in range(CPUS))


def bench_compressed(program, path, total, runs):
    small = path + ".compressed"
    shutil.rmtree(small, ignore_errors=True)
    try:
        measure(program, "export", "-f", "compressed", "-o", small, path)
        took, _ = min(measure(program, "report", "-j", "1", small) for _ in range(runs))
        bench_threads(program, small, ".compressed", total, runs)
        print("report.rate.compressed\t%.2f\tmillion records/s" % (total / took / 1e6))
        middle = total * 22e-9      # in seconds, or near to it
        took, _ = min(measure(program, "dump", "-j", "1", "--raw", "--from", "%.9f" % middle,
                              "--to", "%.9f" % (middle + 1e-5), small) for _ in range(runs))
        print("dump.window.compressed\t%.2f\tmillion records/s" % (total / took / 1e6))
        for name, where in ("plain", path), ("compressed", small):
            print("trace.bytes.%s\t%.2f\tbytes a record" % (name, stream_bytes(where) / total))
    finally:
        shutil.rmtree(small, ignore_errors=True)


QUERY = "select site, count(*), sum(length_ns), max(length_ns) from sections group by site"


def bench_tables(program, path, total, runs):
    """Rows for databases: records for ClickHouse, sections for one query of SQL."""
    took, _ = min(measure(program, "export", "-f", "clickhouse", "--table", "records", path)
                  for _ in range(runs))
    print("export.clickhouse.rate\t%.2f\tmillion rows/s" % (total / took / 1e6))
    sections = int(subprocess.run([program, "sql", "--tsv", path, "select count(*) from sections"],
                                  check=True, stdout=subprocess.PIPE, text=True).stdout.split()[1])
    took, _ = measure(program, "sql", path, QUERY)
    print("sql.rate\t%.2f\tmillion rows/s" % (sections / took / 1e6), flush=True)


def bench(program, path, name, records, *workload):
    """Return: how fast babeltrace2 is."""
    try:
        total, locks = write_trace(path, records, *workload)
        runs = 5 if records <= 40000000 else 2  # what others do only makes it slower
        best, peak = min(measure(program, "report", "-j", "1", path) for _ in range(runs))
        bench_threads(program, path, name, total, runs)
        if not name:
            bench_compressed(program, path, total, runs)
            bench_tables(program, path, total, runs)
            write_names(path)
            classes, _ = min(measure(program, "report", "-j", "1", path) for _ in range(runs))
            print("report.rate.classes\t%.2f\tmillion records/s" % (total / classes / 1e6))
            os.remove(os.path.join(path, "info", "locks"))
        print("report.records%s\t%.1f\tmillions" % (name, total / 1e6))
        print("report.locks%s\t%d\tlocks" % (name, locks))
        print("report.rate%s\t%.2f\tmillion records/s" % (name, total / best / 1e6))
        print("report.peak%s\t%.1f\tMiB" % (name, peak / 1024), flush=True)
        return None if name else read_with_babeltrace2(path)
    finally:
        if not os.getenv("KEEP"):
            shutil.rmtree(path, ignore_errors=True)


def main():
    program, path, records = sys.argv[1], sys.argv[2], int(sys.argv[3])
    other = bench(program, os.path.join(path, "bench"), "", records, CPUS, block)
    bench(program, os.path.join(path, "wide"), ".wide", min(records, WIDE_RECORDS),
          WIDE_CPUS, wide_block)
    if other:
        print("report.rate.babeltrace2\t%.2f\tmillion records/s" % (other / 1e6))


if __name__ == "__main__":
    main()
