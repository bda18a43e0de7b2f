# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Runs in the VM for bench/contended: python3 contended.py FT MODULES

The same work under perf, klockstat (of libbpf-tools) and ft, one after the other, as ft and BPF programs exclude
each other at a lock function. What they print is kept in $FT_OUT.
"""
import collections
import json
import os
import re
import signal
import subprocess
import sys
import time

FT, MODULES = sys.argv[1:3]
OUT = os.environ.get("FT_OUT", "/run")
WORK = "/run/contended"
ROWS = 10

# Many senders to a pipe (its mutex), renames in all directories (a mutex of the file system,
# semaphores of directories), and page faults and mappings in threads of one process (mmap_lock).
LOAD = """cd %s
hackbench -p -g 2 -f 8 -l 150 >/dev/null
stress-ng -q --rename 4 --rename-ops 2000 --temp-path %s
stress-ng -q --dir 2 --dir-ops 200 --temp-path %s
stress-ng -q --pthread 2 --pthread-ops 1500
""" % (WORK, WORK, WORK)
UNITS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9, "m": 60e9}


class Seen:
    """What a tool says of a call site, summed up."""

    def __init__(self, name):
        self.name, self.count, self.total, self.max = name, 0, 0, 0

    def add(self, count, total, most):
        self.count += count
        self.total += total
        self.max = max(self.max, most)


def note(*words):
    print("contended:", *words, file=sys.stderr)


def keep(name, text):
    with open(os.path.join(OUT, name), "w", encoding="utf-8") as f:
        f.write(text)
    return text


def function(symbol):
    """Of "pipe_write+0x50" and of GCC's parts of functions."""
    return re.sub(r"(\.(constprop|isra|part|cold)(\.\d+)?)*(\+0x.*)?$", "", symbol)


def load():
    subprocess.run(["sh", "-c", LOAD], check=True, stdin=subprocess.DEVNULL, stdout=sys.stderr)


def add_to(seen, symbol, *numbers):
    name = function(symbol)
    seen.setdefault(name, Seen(name)).add(*numbers)


def span(number, unit):
    return float(number) * UNITS[unit]


def perf():
    """Waits by caller, of the tracepoints contention_begin and contention_end."""
    data, seen = WORK + "/perf.data", {}
    bpf = subprocess.run(["perf", "lock", "contention", "-b", "true"], capture_output=True,
                         text=True, check=False)
    note("perf lock contention -b:", "works" if not bpf.returncode else
         bpf.stderr.strip().splitlines()[0].strip())
    subprocess.run(["perf", "lock", "record", "-q", "-m", "2048", "-o", data, "--", "sh", "-c",
                    LOAD], check=True, stdin=subprocess.DEVNULL, stdout=sys.stderr,
                   stderr=subprocess.DEVNULL)
    # Without this it takes the caller's caller for the caller.
    r = subprocess.run(["perf", "lock", "contention", "--stack-skip", "0", "-i", data],
                       capture_output=True, text=True, check=True)
    for line in keep("perf", r.stdout + r.stderr).splitlines():
        m = re.match(r"\s*(\d+)\s+" + 3 * r"([\d.]+) (\w+)\s+" + r"(\S+)\s+(\S+)", line)
        if m:
            add_to(seen, m[9], int(m[1]), span(m[2], m[3]), span(m[4], m[5]))
    os.unlink(data)
    return seen


def klockstat():
    """Acquisitions of mutexes and rwsems by caller, contended or not, and how long they were held."""
    waits, holds, into = {}, {}, None
    time_of = r"\s+([\d.]+) (ns|us|ms|s|m)"
    with open(os.path.join(OUT, "klockstat.err"), "w", encoding="utf-8") as err:
        p = subprocess.Popen(["klockstat", "-n", "100000"], stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=err, text=True)
    # It does not say when it has begun.
    time.sleep(15)
    if p.poll() is not None:
        note("klockstat does not work here: see klockstat.err")
        return {}, {}
    load()
    p.send_signal(signal.SIGINT)
    for line in keep("klockstat", p.communicate()[0]).splitlines():
        m = re.match(r"\s*(\S+)" + time_of + r"\s+(\d+)" + 2 * time_of + r"\s*$", line)
        if "Avg" in line:
            into = holds if "Hold" in line else waits
        elif m and into is not None:
            add_to(into, m[1], int(m[4]), span(m[7], m[8]), span(m[5], m[6]))
    return waits, holds


def report(trace, *args):
    r = subprocess.run([FT, "report", "--json", "--top", "0", *args, trace], capture_output=True,
                       text=True, check=False)
    if r.returncode not in (0, 3):
        sys.exit("ft report: %s" % r.stderr)
    return json.loads(r.stdout)


def ft():
    """Waits and holds by call site, and the classes of what was waited for there."""
    trace, waits, holds = WORK + "/t", {}, {}
    subprocess.run(["insmod", MODULES + "/feather_trace.ko"], check=True)
    r = subprocess.run([FT, "record", "--locks", "--stacks=waits", "--slots", "524288", "-o", trace,
                        "--", "sh", "-c", LOAD], stdin=subprocess.DEVNULL, stdout=sys.stderr, check=False)
    if r.returncode not in (0, 3):
        sys.exit("ft record: status %d" % r.returncode)
    for row in report(trace, "--by", "site", "--no-fold")["site"]:
        add_to(holds, row["symbol"], row["count"], float(row["total_ns"]),
               float(row.get("max_ns", 0)))
        if "wait_count" in row:
            add_to(waits, row["symbol"], row["wait_count"], float(row["wait_total_ns"]),
                   float(row.get("wait_max_ns", 0)))
    return trace, waits, holds


def class_of(trace, site):
    """Of the locks that were waited for there longest."""
    rows = report(trace, "--by", "class", "--site", site).get("class", [])
    rows = [r for r in rows if "wait_count" in r]
    if not rows:
        return "?"
    best = max(rows, key=lambda r: float(r["wait_total_ns"]))
    return best.get("class", best["row"])


def callers(trace):
    """What klockstat calls a site by: who calls the function that takes the lock."""
    longest, above = {}, {}
    for row in report(trace, "--by", "stack", "--no-fold").get("stack", []):
        path = [function(name) for name in row["path"].split(" < ")]
        while path and re.match(r"(__)?(mutex|rwsem|down|rt_mutex)_", path[0] + "_"):
            path.pop(0)
        total = float(row.get("wait_total_ns", 0))
        for site in path[:2] if len(path) > 1 else []:
            if total > longest.get(site, 0):
                longest[site], above[site] = total, path[1]
    return above


def cells(seen, site, least=0):
    s = seen.get(site)
    if not s or s.count <= least:
        return ["-"] * 3
    return ["%d" % s.count, "%.2f" % (s.total / 1e6), "%.2f" % (s.max / 1e6)]


def table(rows):
    print("| " + " | ".join(rows[0]) + " |")
    print("|---|---|" + "--:|" * (len(rows[0]) - 2))
    for row in rows[1:]:
        print("| " + " | ".join(row) + " |")


def main():
    os.makedirs(WORK, exist_ok=True)
    note("the work alone")
    load()
    note("perf")
    by_perf = perf()
    note("klockstat")
    by_klockstat, held_klockstat = klockstat()
    note("ft")
    trace, by_ft, held_ft = ft()
    above = callers(trace)
    names = collections.Counter({n: s.total for n, s in by_ft.items()})
    rows = [["lock", "site"] + ["%s: %s" % (tool, what) for tool, what in (
        ("ft", "waits"), ("ft", "total"), ("ft", "longest"),
        ("ft", "held"), ("ft", "longest hold"),
        ("perf", "waits"), ("perf", "total"), ("perf", "longest"),
        ("klockstat", "acquired"), ("klockstat", "total"), ("klockstat", "longest"),
        ("klockstat", "held"), ("klockstat", "longest hold"))]]
    for site, _ in names.most_common(ROWS):
        rows.append(["`%s`" % class_of(trace, site), "`%s`" % site] + cells(by_ft, site) +
                    cells(held_ft, site)[1:] + cells(by_perf, site) +
                    cells(by_klockstat, above.get(site)) +
                    cells(held_klockstat, above.get(site))[1:])
    table(rows)


main()
