#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""ft npt as any task runs it, and its event: npt.py BUILD FT

What a kernel does to it is tests/vm/npt.sh. Prints a line for each check, as
tests/lib.sh has it.
"""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from xml.etree import ElementTree

from runs import FT, WORK, main, run
from told import check, same

LAST = max(os.sched_getaffinity(0))
USUAL = ["--priority", "0", "--json"]


def npt(*args, **kwargs):
    return subprocess.run([FT, "npt", *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, check=False, timeout=300, **kwargs)


def measured(*args):
    done = npt(*USUAL, *args)
    if done.returncode or done.stderr:
        check("npt: " + " ".join(args), False, "status %d: %s" % (done.returncode, done.stderr))
    return json.loads(done.stdout)


def stat_of(pid):
    """What /proc/PID/stat has, from the state on."""
    with open("/proc/%d/stat" % pid, encoding="utf-8") as f:
        return f.read().rpartition(")")[2].split()


def test_numbers():
    """All turns are counted once, and what is said of them agrees."""
    m = measured("-n", "2000000", "-d", "100", "--long", "5000", "--top", "0")
    turns, bins = m["turns"], m["histogram"]
    same("npt: so many turns", 2000000, turns["count"])
    same("npt: each is in a bin", 2000000, sum(b["count"] for b in bins))
    order = [turns[k] for k in ("min_ns", "p50_ns", "p90_ns", "p99_ns", "p999_ns", "max_ns")]
    same("npt: quantiles are in order", sorted(order), order)
    same("npt: least and greatest are those of the bins", [True, True],
         [bins[0]["from_ns"] <= turns["min_ns"] < bins[0]["to_ns"],
          bins[-1]["from_ns"] <= turns["max_ns"] < bins[-1]["to_ns"]])
    middles = [(b["from_ns"] + b["to_ns"]) / 2 for b in bins]
    squares = sum(b["count"] * (v - turns["mean_ns"]) ** 2 for b, v in zip(bins, middles))
    check("npt: the deviation is that of the bins",
          abs((squares / turns["count"]) ** 0.5 - turns["stddev_ns"]) < 0.02 * turns["stddev_ns"] + 1,
          "%s, not %s" % (turns["stddev_ns"], (squares / turns["count"]) ** 0.5))
    surely = sum(b["count"] for b in bins if b["from_ns"] >= 5000)
    maybe = sum(b["count"] for b in bins if b["to_ns"] > 5000)
    check("npt: the long ones are those of the bins", surely <= m["long"]["count"] <= maybe,
          "%s, from %d to %d" % (m["long"], surely, maybe))
    lengths = [t["length_ns"] for t in m["longest"]]
    same("npt: all of them are told, the longest first", (m["long"]["count"], sorted(lengths)[::-1]),
         (len(lengths), lengths))
    if lengths:
        same("npt: the first is the greatest", turns["max_ns"], lengths[0])
    same("npt: on the last CPU that it may use", LAST, m["cpu"])


def test_longest():
    """Of more than are remembered, the longest are."""
    m = measured("-n", "1000000", "--long", "1", "--top", "0")
    lengths = [t["length_ns"] for t in m["longest"]]
    same("npt: all turns are long, and so many are remembered", (1000000, m["long"]["remembered"]),
         (m["long"]["count"], len(lengths)))
    longer = [b for b in m["histogram"] if b["from_ns"] > lengths[-1]]
    same("npt: the longest are remembered: with the greatest", m["turns"]["max_ns"], lengths[0])
    same("npt: the longest are remembered: all above the shortest of them",
         sum(b["count"] for b in longer), sum(n >= longer[0]["from_ns"] for n in lengths))


def test_duration():
    """It ends in the turn in which the time is over; the sum of all turns is the time."""
    m = measured("-d", "1")
    turns = m["turns"]
    check("npt: so long, and no turn more", 0 <= m["duration_ns"] - 1e9 <= turns["max_ns"] + 1, m["turns"])
    check("npt: the sum of the bins is the time",
          sum(b["count"] * b["from_ns"] for b in m["histogram"]) <= m["duration_ns"] <=
          sum(b["count"] * b["to_ns"] for b in m["histogram"]), m["turns"])
    check("npt: the mean is that", abs(turns["mean_ns"] * turns["count"] / m["duration_ns"] - 1) < 1e-3,
          m["turns"])


def wait_until(true):
    end = time.monotonic() + 60
    while not true() and time.monotonic() < end:
        time.sleep(0.02)
    return true()


def has_run(child, seconds):
    """Waits until it has had so much of a CPU: on a busy machine, that takes longer."""
    wait_until(lambda: child.poll() is not None or
               sum(map(int, stat_of(child.pid)[11:13])) >= seconds * os.sysconf("SC_CLK_TCK"))
    return child.poll() is None


def test_stopped():
    """A turn in which it did not run: it is found, at its time, and no shorter."""
    child = subprocess.Popen([FT, "npt", *USUAL, "-d", "100", "--top", "1"], text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    check("npt: it runs", has_run(child, 1))    # beyond its calibration
    begin = time.clock_gettime(time.CLOCK_MONOTONIC)
    child.send_signal(signal.SIGSTOP)
    check("npt: it is stopped", wait_until(lambda: stat_of(child.pid)[0] == "T"))
    stopped = time.clock_gettime(time.CLOCK_MONOTONIC)
    time.sleep(1)
    end = time.clock_gettime(time.CLOCK_MONOTONIC)
    child.send_signal(signal.SIGCONT)
    time.sleep(0.3)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=60)
    same("npt: ends at a signal, with what it has", (0, "", True),
         (child.returncode, err, json.loads(out)["interrupted"]))
    longest = json.loads(out)["longest"][0]
    check("npt: a turn as long as it was stopped", (end - stopped) * 1e9 <= longest["length_ns"],
          "%s, not %s" % (longest, end - stopped))
    check("npt: for less than its duration", json.loads(out)["duration_ns"] < 90e9, out[:100])
    if json.loads(out)["clock"] == "monotonic":
        check("npt: at that time", longest["begin_ticks"] <= stopped * 1e9 and
              begin * 1e9 <= longest["end_ticks"], longest)


def test_event():
    """Off, it is not recorded; on, each turn is, in order."""
    command = [FT, "npt", *USUAL, "-n", "20000", "--work", "event"]
    trace, _, said = run(["-e", "npt_turn"], command)
    # A thread that waits for the reader has a larger ring meanwhile: a second stream.
    records = sorted((r for r in trace.records if r.name == "npt_turn"), key=lambda r: r.ts)
    same("npt: each turn's event is recorded, and one before", list(range(20001)),
         [r.a for r in records])
    same("npt: and none is lost", 0, trace.lost)
    m = json.loads(said)
    same("npt: the work is said", ("event", 20000), (m["work"], m["turns"]["count"]))
    same("npt: before the first there was no turn", [0, 0], [r.b for r in records[:2]])
    lengths = [r.b * 1e9 / m["clock_hz"] for r in records[2:]]
    check("npt: the lengths are those of turns", m["turns"]["min_ns"] * 0.999 <= min(lengths) and
          max(lengths) <= m["turns"]["max_ns"] * 1.001, m["turns"])
    trace, _, said = run(["-e", "npt_turn"], [*command[:-1], "event-at"])
    same("npt: with the time of the turn: the same", (20001, "event-at"),
         (len(trace.of("npt_turn")), json.loads(said)["work"]))
    call = measured("-n", "20000", "--work", "call")
    check("npt: a system call makes turns longer", call["turns"]["p50_ns"] > call["calibration"]["p50_ns"],
          call)


def test_for_people():
    page = os.path.join(WORK, "npt.html")
    done = npt("-p", "0", "-n", "300000", "--long", "100", "--html", page)
    same("npt: a page", (0, "", ""), (done.returncode, done.stdout, done.stderr))
    with open(page, encoding="utf-8") as f:
        text = f.read()
    body = text[text.index("<body"):text.index("</body>") + 7]
    ElementTree.fromstring(body[:body.index("<script")] + "</body>" if "<script" in body else body)
    check("npt: it has the number of turns", "300\u202f000" in text, text[:200])
    done = npt("-p", "0", "-n", "300000")
    same("npt: as text", (0, ""), (done.returncode, done.stderr))
    check("npt: with the number of turns", " 300000 " in done.stdout, done.stdout)
    check("npt: and how to learn more", "--record DIR" in done.stdout or "\n0 turns of" in done.stdout,
          done.stdout)


def refused(name, says, *args, status=2, under=()):
    done = subprocess.run([*under, FT, "npt", *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, check=False, timeout=300)
    check("npt: " + name, done.returncode == status and says in done.stderr and not done.stdout,
          "status %d: %s" % (done.returncode, done.stderr))


def test_bad_input():
    refused("no such CPU", "there is no such CPU; there are ", "-C", "8000", status=1)
    refused("no such CPU at all", "no such CPU", "-C", "99999999999")
    other = min(os.sched_getaffinity(0))
    if other != LAST:
        refused("a CPU that is others'", "not allowed to (taskset, cpusets); there are %d" % other,
                "-C", str(LAST), "-p", "0", status=1, under=["taskset", "-c", str(other)])
    refused("a priority that there is not", "1 to 99", "-p", "100")
    refused("no limit", "--long 0", "--long", "0")
    refused("a limit beyond all", "--long 9223372036854775807", "--long", "9223372036854775807")
    refused("too long", "--duration", "-d", "1e300")
    refused("too short", "--duration", "-d", "1e-10")
    refused("events without a trace", "need --record", "-e", "sched_switch")
    refused("work that there is not", "--work cannot be 'sleep'", "--work", "sleep")
    refused("an operand", "operand", "true")
    refused("a page that cannot be written", "cannot write", "--html", "/nonexistent/x", "-d", "100", status=1)
    if os.geteuid() == 0:
        with tempfile.TemporaryDirectory() as place:
            os.chmod(place, 0o777)
            refused("no right to SCHED_FIFO", "--priority 0", "-d", "1", "--html", place + "/page", status=1,
                    under=["setpriv", "--reuid", "65534", "--clear-groups", "--bounding-set", "-all",
                           "--inh-caps", "-all"])
            same("npt: and no page is left", [], os.listdir(place))


def test_no_priority():
    """Whatever its caller has, 0 is none."""
    if os.geteuid():
        print("skip npt: no real-time priority: needs root")
        return
    child = subprocess.Popen(["chrt", "-f", "10", FT, "npt", *USUAL, "-d", "100"], text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    check("npt: it runs without a priority", has_run(child, 0.25))
    same("npt: it gives up its caller's priority", os.SCHED_OTHER, os.sched_getscheduler(child.pid))
    child.send_signal(signal.SIGINT)
    child.communicate(timeout=60)


def test_priority():
    """What it is while it measures; not in what it starts."""
    if os.geteuid():
        print("skip npt: real-time priority: needs root")
        return
    child = subprocess.Popen([FT, "npt", "-p", "3", "-d", "2"], stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE, text=True)
    time.sleep(0.2)
    seen = set()
    while child.poll() is None:
        try:
            seen.add((os.sched_getscheduler(child.pid), os.sched_getparam(child.pid).sched_priority))
            with open("/proc/%d/status" % child.pid) as f:
                locked = int(next(line for line in f if line.startswith("VmLck")).split()[1])
            if (os.SCHED_FIFO, 3) in seen:
                break
        except (ProcessLookupError, StopIteration):
            break
        time.sleep(0.02)
    out, _ = child.communicate(timeout=60)
    check("npt: it is SCHED_FIFO 3", (os.SCHED_FIFO, 3) in seen, seen)
    check("npt: its memory is locked", locked > 1000, locked)
    check("npt: it says so", "SCHED_FIFO 3" in out, out)


if __name__ == "__main__":
    main([test_numbers, test_longest, test_duration, test_stopped, test_event, test_for_people, test_bad_input, test_no_priority, test_priority])
