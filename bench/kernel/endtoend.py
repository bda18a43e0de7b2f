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
import re
import shutil
import signal
import subprocess
import sys
import time

FT = sys.argv[1]
FIRE = "/sys/module/ft_points/parameters/fire"
TRACING = "/sys/kernel/tracing"
EVENT = TRACING + "/events/ft_points/ft_points_fire/enable"
WORK = "/run/bench"
CPUS = os.cpu_count()
BURSTS = 200
PERIOD = 0.01
KIB = 4096
LARGEST = 1 << 20


def sh(*command):
    return subprocess.run(command, check=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True).stdout


def read(path):
    with open(path) as f:
        return f.read()


def wait_until(what, condition):
    for _ in range(600):
        if condition():
            return
        time.sleep(0.05)
    sys.exit("endtoend: %s does not begin" % what)


def cpu_seconds(usage):
    return usage.ru_utime + usage.ru_stime


class Recorder:
    """begin() and end() return when it records, and when all is in its files."""

    def start(self, *command, **kwargs):
        return subprocess.Popen(command, stdin=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL, **kwargs)

    def wait(self, processes):
        return sum(cpu_seconds(os.wait4(p.pid, 0)[2]) for p in processes)


class FtRecord(Recorder):
    """ft record"""
    name = "ft.record"

    def begin(self):
        self.process = self.start(FT, "record", "-o", WORK + "/t", "-e",
                                  "tracepoint:ft_points_fire",
                                  stdout=subprocess.DEVNULL)
        wait_until(self.name, lambda: "active\t1" in sh(FT, "status", "--tsv"))

    def end(self):
        self.process.send_signal(signal.SIGINT)
        self.cpu = self.wait([self.process])
        self.files = WORK + "/t/cpu*"
        session = dict(line.split("\t")[:2] for line in
                       read(WORK + "/t/info/session").splitlines() if "\t" in line)
        return int(session["records"]), int(session["lost"])


class Cat(Recorder):
    """cat, a process for each CPU"""
    name = "cat"

    def begin(self):
        sh(FT, "enable", "tracepoint:ft_points_fire", "--persist")
        self.processes = [
            self.start("cat", "/dev/ft_trace%d" % cpu,
                       stdout=open(WORK + "/cpu%d" % cpu, "w")) for cpu in range(CPUS)]

    def end(self):
        books = [line.split("\t") for line in sh(FT, "status", "--tsv").splitlines()
                 if line.startswith("cpu\t")]
        sh(FT, "disable", "--all")
        self.cpu = self.wait(self.processes)
        self.files = WORK + "/cpu*"
        lost = sum(int(row[5]) for row in books)
        return sum(int(row[3]) for row in books), lost


class TraceCmd(Recorder):
    """trace-cmd record: the function tracer's rings"""
    name = "trace-cmd"

    def begin(self):
        self.process = self.start("trace-cmd", "record", "-q", "-b", str(KIB), "-o",
                                  WORK + "/trace.dat", "-e", "ft_points:ft_points_fire",
                                  stdout=subprocess.DEVNULL)
        wait_until(self.name, lambda: read(EVENT).startswith("1") and
                   read(TRACING + "/tracing_on").startswith("1"))

    def end(self):
        stats = [read(path) for path in glob.glob(TRACING + "/per_cpu/cpu*/stats")]
        lost = self.add(stats, "overrun|dropped events")
        self.process.send_signal(signal.SIGINT)
        self.cpu = self.wait([self.process])
        self.files = WORK + "/trace.dat"
        return self.add(stats, "entries|read events"), lost

    def add(self, stats, names):
        return sum(int(n) for text in stats for n in
                   re.findall(r"^(?:%s): (\d+)" % names, text, re.M))


class Lttng(Recorder):
    """LTTng's kernel tracer, which counts what it loses only"""
    name = "lttng"

    def daemons(self):
        ticks = os.sysconf("SC_CLK_TCK")
        total = 0
        for path in glob.glob("/proc/[0-9]*/stat"):
            try:
                comm, rest = read(path).rsplit(")", 1)
            except OSError:
                continue
            if "(lttng-" in comm:
                total += sum(int(n) for n in rest.split()[11:13]) / ticks
        return total

    def begin(self):
        sh("lttng", "create", "bench", "--output=" + WORK + "/l")
        sh("lttng", "enable-channel", "--kernel", "--subbuf-size=1M", "--num-subbuf=4",
           "bench")
        sh("lttng", "enable-event", "--kernel", "--channel=bench", "ft_points_fire")
        self.before = self.daemons()
        sh("lttng", "start")

    def end(self):
        sh("lttng", "stop")
        self.cpu = self.daemons() - self.before
        said = sh("lttng", "list", "bench")
        lost = [int(n) for n in re.findall(r"Discarded events: *(\d+)", said)]
        if not lost:
            sys.exit("endtoend: LTTng does not tell what it lost:\n" + said)
        sh("lttng", "destroy", "bench")
        self.files = WORK + "/l/kernel/bench_*"
        return None, sum(lost)


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


main()
