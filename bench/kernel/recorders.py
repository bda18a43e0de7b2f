# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Recorders of the tracepoint of tests/modules/ft_points.c, ours and others: what endtoend.py and
rate.py try. Each begins with rings of KIB kibibytes for each CPU, which is changed by setting it,
and its files are in WORK."""
import glob
import os
import re
import signal
import subprocess
import sys
import time

FT = sys.argv[1]
TRACING = "/sys/kernel/tracing"
EVENT = TRACING + "/events/ft_points/ft_points_fire/enable"
WORK = "/run/bench"
CPUS = os.cpu_count()
KIB = 4096
RECORD = 32             # bytes of one of ours


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
    sys.exit("bench: %s does not begin" % what)


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
                                  "tracepoint:ft_points_fire", "--slots", str(KIB * 1024 // RECORD),
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
        sh("lttng", "enable-channel", "--kernel", "--subbuf-size=%dK" % (KIB // 4),
           "--num-subbuf=4", "bench")
        sh("lttng", "enable-event", "--kernel", "--channel=bench", "ft_points_fire")
        self.before = self.daemons()
        sh("lttng", "start")

    def end(self):
        sh("lttng", "stop")
        self.cpu = self.daemons() - self.before
        said = sh("lttng", "list", "bench")
        lost = [int(n) for n in re.findall(r"Discarded events: *(\d+)", said)]
        if not lost:
            sys.exit("bench: LTTng does not tell what it lost:\n" + said)
        sh("lttng", "destroy", "bench")
        self.files = WORK + "/l/kernel/bench_*"
        return None, sum(lost)
