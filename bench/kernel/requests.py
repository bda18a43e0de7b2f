#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Runs in the VM for bench/kernel/run requests. Usage: requests.py FT PROGRAMS [lttng]

What tracing adds to a request: of a datagram and its answer over the loopback device
(pingpong.c), and of tbench with small messages, by the CPU time of client and server in a window
of WINDOW seconds. In this VM a nanosecond is an instruction. Rings hold the window, and nobody
reads them meanwhile. Between windows the client is stopped.

Prints name, value, unit.
"""
import os
import re
import signal
import subprocess
import sys
import time

FT, PROGRAMS = sys.argv[1:3]
TRACING = "/sys/kernel/tracing"
LOAD = "/usr/share/dbench/client.txt"
LOAD_LINES = 300
LARGEST = 8192          # bytes of a tbench message that is kept: one segment
WARM = 0.05
WINDOW = 0.1
SCHED = ["sched_switch", "sched_waking", "sched_wakeup", "irq_handler_entry", "irq_handler_exit",
         "softirq_raise", "softirq_entry", "softirq_exit"]


def sh(*command):
    return subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True).stdout


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def write(path, text, flags=os.O_TRUNC | os.O_CREAT):
    """One call, without a seek: files of tracefs have none at their end."""
    fd = os.open(path, os.O_WRONLY | flags)
    os.write(fd, text.encode())
    os.close(fd)


def counter(path, group, name):
    """Of /proc/net/snmp and netstat, which have a line of names above that of values."""
    names, values = (line.split() for line in read(path).splitlines() if line.startswith(group))
    return int(values[names.index(name)])


def as_any():
    os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


def packets():
    """Of the loopback device: TCP's acknowledgements are among them."""
    return int(re.search(r"lo: *\d+ +(\d+)", read("/proc/net/dev")).group(1))


class Workload:
    """As any task. Its client and its server; requests() counts what both have sent."""

    def __init__(self, client, server):
        self.pids = client, server
        self.go_on(False)

    def go_on(self, on):
        os.kill(self.pids[0], signal.SIGCONT if on else signal.SIGSTOP)

    def instructions(self):
        return sum(int(read("/proc/%d/schedstat" % pid).split()[0]) for pid in self.pids)


def child(pid):
    """The latest: tbench tries its server first. It works, so it stays."""
    for _ in range(100):
        pids = read("/proc/%d/task/%d/children" % (pid, pid)).split()
        time.sleep(0.2)
        if pids and pids == read("/proc/%d/task/%d/children" % (pid, pid)).split():
            return int(pids[-1])
    sys.exit("requests: process %d has no child" % pid)


class Udp(Workload):
    name = "udp"

    def __init__(self):
        self.process = subprocess.Popen([PROGRAMS + "/pingpong"], preexec_fn=as_any)
        super().__init__(self.process.pid, child(self.process.pid))

    def requests(self):
        return counter("/proc/net/snmp", "Udp:", "OutDatagrams") / 2

    def end(self):
        self.process.kill()
        self.process.wait()


def small(line):
    words = line.split()
    if words[0] in ("ReadX", "WriteX"):
        return int(words[3]) <= LARGEST
    return words[0] != "Deltree"        # which sends nothing


class Tbench(Workload):
    """Requests and answers of one segment each."""
    name = "tbench"

    def __init__(self):
        lines = [line for line in open(LOAD, encoding="utf-8") if small(line)][:LOAD_LINES]
        write("/tmp/load.txt", "".join(lines))
        self.server = subprocess.Popen(["tbench_srv"], stdout=subprocess.DEVNULL, preexec_fn=as_any)
        time.sleep(0.2)
        self.client = subprocess.Popen(["tbench", "-t", "100000", "-c", "/tmp/load.txt", "1", "127.0.0.1"],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                       preexec_fn=as_any)
        client = child(self.client.pid)
        super().__init__(client, child(self.server.pid))

    def requests(self):
        return counter("/proc/net/netstat", "TcpExt:", "TCPOrigDataSent") / 2

    def end(self):
        for pid in self.pids:
            os.kill(pid, signal.SIGKILL)
        for process in self.client, self.server:
            process.kill()
            process.wait()


class Nothing:
    """No tracer; and what each one does: open() and close() are around a window."""

    def begin(self, what):
        pass

    def end(self):
        pass

    def open(self):
        pass

    def close(self):
        return 0

    def window(self, workload):
        """Returns: instructions and events of a request, and its packets."""
        workload.go_on(True)
        time.sleep(WARM)
        self.open()
        self.begun = time.time()
        sent = packets()
        requests, instructions = workload.requests(), workload.instructions()
        time.sleep(WINDOW)
        instructions = workload.instructions() - instructions
        requests = workload.requests() - requests
        sent = packets() - sent
        self.ended = time.time()
        workload.go_on(False)
        return instructions / requests, self.close() / requests, sent / requests


class Counted(Nothing):
    """count(): so many events so far. To ask for that makes some, too."""

    def open(self):
        before, self.base = self.count(), self.count()
        self.base += self.base - before

    def close(self):
        return self.count() - self.base


class Ours(Counted):
    name = "feather-trace"

    def begin(self, what):
        events = SCHED if what == "sched" else ["locks"]
        sh(FT, "enable", "--persist", ",".join(events))
        if what == "locks":
            self.functions = [line.split("\t")[0] for line in sh(FT, "functions", "--tsv").splitlines()
                              if "\tdirect" in line]

    def count(self):
        rings = [row.split("\t") for row in sh(FT, "status", "--tsv").splitlines() if row.startswith("cpu\t")]
        if any(int(row[5]) for row in rings):
            sys.exit("requests: a ring of ours was full")
        return sum(int(row[3]) for row in rings)

    def end(self):
        sh(FT, "disable", "--all")


class Ftrace(Counted):
    """Its events; for locks the function tracer, at the functions that ours wraps."""
    name = "ftrace"

    def __init__(self, functions):
        self.functions = functions

    def begin(self, what):
        write(TRACING + "/buffer_size_kb", "65536")
        if what == "sched":
            for event in SCHED:
                write(TRACING + "/set_event", event + "\n", os.O_APPEND)
            return
        for function in self.functions:
            write(TRACING + "/set_ftrace_filter", function + "\n", os.O_APPEND)
        write(TRACING + "/current_tracer", "function")

    def count(self):
        stats = read(TRACING + "/per_cpu/cpu0/stats")
        of = {name: int(n) for name, n in re.findall(r"^([a-z ]+): (\d+)$", stats, re.M)}
        if of["overrun"] or of["dropped events"]:
            sys.exit("requests: ftrace's ring was full")
        return of["entries"]

    def end(self):
        write(TRACING + "/set_event", "")
        write(TRACING + "/current_tracer", "nop")
        write(TRACING + "/set_ftrace_filter", "")
        write(TRACING + "/trace", "")
        write(TRACING + "/buffer_size_kb", "64")


class Lttng(Nothing):
    """Its events; for locks its kprobes, at the functions that ours wraps."""
    name = "lttng"

    def __init__(self, functions):
        self.functions = functions

    def begin(self, what):
        sh("rm", "-rf", "/tmp/lttng")
        sh("lttng", "create", "bench", "--output=/tmp/lttng")
        sh("lttng", "enable-channel", "--kernel", "--subbuf-size=32M", "--num-subbuf=2", "bench")
        if what == "sched":
            sh("lttng", "enable-event", "--kernel", "--channel=bench",
               ",".join(SCHED).replace("softirq_", "irq_softirq_"))
        else:
            for function in self.functions:
                sh("lttng", "enable-event", "--kernel", "--channel=bench", "--probe=" + function, function)
        sh("lttng", "start")

    def close(self):
        """It tells no number while it records, but each event has a time."""
        sh("lttng", "stop")
        said = sh("lttng", "list", "bench")
        lost = re.findall(r"Discarded events: *(\d+)", said)
        if not lost or any(int(n) for n in lost):
            sys.exit("requests: LTTng's ring was full:\n" + said)
        sh("lttng", "destroy", "bench")
        return sh("babeltrace2", "--begin=%.9f" % self.begun, "--end=%.9f" % self.ended,
                  "/tmp/lttng").count("\n")


def row(name, value, unit):
    print("request.%s\t%.2f\t%s" % (name, value, unit), flush=True)


def measure(workload, what, tracer, plain):
    tracer.begin(what)
    instructions, events, sent = tracer.window(workload)
    tracer.end()
    if events < 1:
        sys.exit("requests: %s, %s: %s recorded %.2f events a request" % (
            workload.name, what, tracer.name, events))
    name = "%s.%s.%s" % (workload.name, what, tracer.name)
    row(name + ".events", events, "events")
    row(name + ".added", instructions - plain, "instructions")
    row(name + ".event", (instructions - plain) / events, "instructions")
    row(name + ".ratio", instructions / plain, "ratio")
    row(name + ".packets", sent, "packets")


def main():
    # Who measures is not kept waiting, nor what it calls.
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50))
    ours = Ours()
    ours.begin("locks")
    ours.end()
    others = [Ftrace(ours.functions)]
    if "lttng" in sys.argv[3:]:
        others.append(Lttng(ours.functions))
    print("# locks: %d functions" % len(ours.functions), file=sys.stderr)
    for kind in Udp, Tbench:
        workload = kind()
        plain, _, sent = Nothing().window(workload)
        row(workload.name + ".none", plain, "instructions")
        row(workload.name + ".none.packets", sent, "packets")
        for what in "sched", "locks":
            for tracer in [ours] + others:
                measure(workload, what, tracer, plain)
        again = Nothing().window(workload)[0]
        if abs(again - plain) > plain / 50:
            sys.exit("requests: %s took %.0f instructions at first and %.0f in the end" % (
                workload.name, plain, again))
        workload.end()


main()
