#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""ft run --flight: the latest records, and the moments that they are written at:
flight.py BUILD FT

Runs programs (flight.c) and compares snapshots with what they did. Prints a line for each
check, as tests/lib.sh has it.
"""
import collections
import os
import shutil
import signal
import subprocess
import time

from runs import BUILD, FT, WORK, main, said_by
from told import check, same
from trace import Trace

OUT = os.path.join(WORK, "flight")
PROGRAM = BUILD + "/flight"
TRIES = 10       # where a machine that is too busy makes the recorder lose records


def fly(options, command, **kwargs):
    """Return: exit status, what was said, the snapshots."""
    shutil.rmtree(OUT, ignore_errors=True)
    done = subprocess.run([FT, "run", "--flight", "-o", OUT] + options + ["--"] + command,
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, check=False, text=True, timeout=300,
                          **kwargs)
    return done.returncode, done.stderr, snapshots()


def snapshots():
    names = sorted(os.listdir(OUT), key=int) if os.path.exists(OUT) else []
    return [Trace(os.path.join(OUT, n)) for n in names
            if os.path.exists(os.path.join(OUT, n, "info", "tasks"))]


def counts(trace):
    """Of each thread of the program: the numbers of its ticks, in order."""
    got = collections.defaultdict(list)
    for r in sorted(trace.of("tick"), key=lambda r: r.ts):
        got[r.a].append(r.b)
    return got


def is_one_stretch(numbers, last):
    return numbers == list(range(numbers[0], last + 1)) if numbers else False


def test_crash():
    """The last records of each thread of a program that died, with its name."""
    slots, ticks = 16384, 60000
    for _ in range(TRIES):
        status, said, taken = fly(["-e", "*", "-s", str(slots)],
                                  [PROGRAM, "crash", str(ticks)])
        if taken and not taken[-1].lost:
            break
    same("crash: the command's status", 128 + signal.SIGSEGV, status)
    same("crash: one snapshot", 1, len(taken))
    trace = taken[0]
    same("crash: why, and how it ended", ("crash", "signal 11"),
         (trace.session("snapshot"), trace.session("command_status")))
    got = counts(trace)
    same("crash: a thread that did little, long ago, has all it did", list(range(10)),
         got[0])
    check("crash: the others' last records, in one stretch", all(
        is_one_stretch(got[i], ticks - 1) for i in (1, 2, 3)),
        {i: (n[:1], n[-1:], len(n)) for i, n in got.items()})
    check("crash: of one that ended early, only what no other thread has cut", not got[4] or
          is_one_stretch(got[4], 299), got[4])
    check("crash: as many as the ring keeps", all(
        slots * 3 // 4 <= len(got[i]) <= slots for i in (1, 2, 3)),
        {i: len(n) for i, n in got.items()})
    same("crash: threads have their names", ["worker-%d" % i for i in range(4)],
         sorted(names_of_threads(trace) - {"worker-4"}))
    begin = int(trace.session("window_begin"))
    check("crash: the window is where all threads are whole", all(
        min(r.ts for r in trace.records if r.a == i) <= begin or got[i][0] == 0 or
        not [r for r in trace.records if r.a == i and r.ts < begin]
        for i in (1, 2, 3)) and begin < max(r.ts for r in trace.records), begin)
    check("crash: it is said", "snapshot 1 (crash)" in said and "complete for" in said, said)
    done = subprocess.run(["babeltrace2", trace.path, "-o", "dummy"], check=False,
                          stderr=subprocess.PIPE, text=True)
    same("crash: other readers open it", (0, ""), (done.returncode, done.stderr))


def names_of_threads(trace):
    with open(trace.path + "/info/tasks") as f:
        names = dict(line.rstrip("\n").split("\t") for line in f)
    return {names.get(str(r.tid)) for r in trace.records}


def test_crash_soon():
    """Between two looks at what lives: threads have their names all the same."""
    for _ in range(TRIES):
        _, _, taken = fly(["-e", "*"], [PROGRAM, "crash", "10"])
        got = names_of_threads(taken[0])
        if got == {"worker-%d" % i for i in range(4)}:
            break
    same("crash: a program that does not live long: names", ["worker-%d" % i for i in range(4)],
         sorted(map(str, got)))


def test_crash_busy():
    """Others start programs all the time; they are not the command's."""
    with subprocess.Popen(["sh", "-c", "while :; do env true; done"]) as others:
        kinds = [[t.session("snapshot") for t in fly(["-e", "*"], [PROGRAM, "crash", "10"])[2]]
                 for _ in range(20)]
        others.kill()
    same("crash: on a busy machine: one snapshot", [["crash"]] * 20, kinds)


def test_crash_names():
    """Call sites of a process that is gone are named."""
    status, _, taken = fly(["--locks"], [PROGRAM, "locked"])
    same("crash: by abort()", 128 + signal.SIGABRT, status)
    text = said_by("report", taken[0].path)
    check("crash: call sites are named", "lock_here" in text, text)


def test_crash_beside():
    """Others go on: the crash has a snapshot, and so has the end."""
    _, _, taken = fly(["-e", "*"], ["sh", "-c", "sleep 1 & exec %s crash 10" % PROGRAM])
    same("crash: beside others that go on: at once, and at the end", ["crash", "exit"],
         [t.session("snapshot") for t in taken])


def wait_until(true, seconds=60):
    end = time.monotonic() + seconds
    while not true() and time.monotonic() < end:
        time.sleep(0.02)
    return true()


def start(options, command):
    shutil.rmtree(OUT, ignore_errors=True)
    return subprocess.Popen([FT, "run", "--flight", "-o", OUT] + options + ["--"] + command,
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True)


def tick(ft, n):
    ft.stdin.write("%d\n" % n)
    ft.stdin.flush()
    return ft.stdout.readline() == "done\n"


def test_signal():
    """Nothing is written until a signal asks for it; what is written stays in the rings."""
    with start(["-e", "*"], [PROGRAM, "lines"]) as ft:
        tick(ft, 100)
        same("signal: nothing is written before it", [], os.listdir(OUT))
        ft.send_signal(signal.SIGUSR1)
        check("signal: a snapshot", wait_until(lambda: len(snapshots()) == 1))
        tick(ft, 100)
        ft.send_signal(signal.SIGUSR1)
        check("signal: another one", wait_until(lambda: len(snapshots()) == 2))
        tick(ft, 100)
        _, said = ft.communicate(timeout=60)
    taken = snapshots()
    same("signal: and one at the end", ["signal", "signal", "exit"],
         [t.session("snapshot") for t in taken])
    same("signal: each has all until then", [list(range(n)) for n in (100, 200, 300)],
         [counts(t)[0] for t in taken])
    same("signal: the command runs on", ["running", "running", "0"],
         [t.session("command_status") for t in taken])
    same("signal: exit status", (0, 3), (ft.returncode, said.count("all since the start")))


def test_interrupted():
    """Ctrl-C ends the command by a signal, too: that is no crash."""
    with start(["-e", "*"], [PROGRAM, "lines"]) as ft:
        tick(ft, 100)
        ft.send_signal(signal.SIGINT)
        ft.wait(timeout=60)
    taken = snapshots()
    same("interrupted: a snapshot of the end", (["exit"], 128 + signal.SIGINT),
         ([t.session("snapshot") for t in taken], ft.returncode))
    same("interrupted: with all that was done", [list(range(100))],
         [counts(t)[0] for t in taken])


def test_signal_without():
    """The same signal to a recording that is no flight recorder."""
    shutil.rmtree(OUT, ignore_errors=True)
    with subprocess.Popen([FT, "run", "-o", OUT, "-e", "*", "--", PROGRAM, "lines"], text=True,
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as ft:
        tick(ft, 100)
        ft.send_signal(signal.SIGUSR1)
        said = ft.stderr.readline()
        tick(ft, 100)
        ft.communicate(timeout=60)
    check("signal: no flight recorder: says so", "no flight recorder (--flight)" in said, said)
    same("signal: no flight recorder: goes on", (0, list(range(200))),
         (ft.returncode, counts(Trace(OUT))[0]))


def test_burst():
    """What does not fit is lost and counted, and forgotten once it is past."""
    with start(["-e", "*", "-s", "1k"], [PROGRAM, "lines"]) as ft:
        tick(ft, 2000000)
        ft.send_signal(signal.SIGUSR1)
        check("burst: a snapshot", wait_until(lambda: len(snapshots()) == 1))
        # On a busy machine ft may not come to it for a second, in which more is lost.
        for n in range(2, 12):
            for _ in range(40):
                tick(ft, 100)
                time.sleep(0.05)
            ft.send_signal(signal.SIGUSR1)
            wait_until(lambda: len(snapshots()) == n)
            if not snapshots()[-1].lost:
                break
        _, said = ft.communicate(timeout=60)
    taken = snapshots()
    check("burst: more than is free is lost, and counted", taken[0].lost > 0 and
          "LOST" in said, said)
    same("burst: not by who comes long after it", 0, min(t.lost for t in taken))
    same("burst: exit status", 3, ft.returncode)


def test_short():
    """A thread that ends after the moment of a snapshot, and before its ring is copied."""
    status, _, taken = fly(["-e", "*", "--block=60000", "--when", "spike", "--times", "20"],
                           [PROGRAM, "short", "3000"])
    same("short threads: nothing is lost", (0, [0] * 21), (status, [t.lost for t in taken]))


def test_many():
    """With --block, more threads than large rings: the small ones are trimmed, too."""
    status, _, taken = fly(["-e", "*", "-s", "512", "--block=5000"],
                           [PROGRAM, "many", "258"])
    same("many threads: nothing is lost", (0, [0]), (status, [t.lost for t in taken]))


def test_ended():
    """The beginning of what an ended thread did is in its small ring, which stays full."""
    status, _, taken = fly(["-e", "*"], [PROGRAM, "ended", "300"])
    same("ended: it has all that it did", (0, [list(range(300))]),
         (status, [counts(t)[1] for t in taken]))


def test_nothing():
    status, said, taken = fly(["-e", "*"], [BUILD + "/emit", "threads", "0"])
    same("nothing in the rings: no snapshot, no directory", (0, [], False),
         (status, taken, os.path.exists(OUT)))
    check("nothing in the rings: it is said", "the rings are empty" in said, said)


def test_directory():
    """One that is not empty is refused; --force replaces snapshots, nothing else."""
    command = [BUILD + "/emit", "threads", "3"]
    fly(["-e", "*"], command)
    again = [FT, "run", "--flight", "-o", OUT, "-e", "*", "--"] + command
    done = subprocess.run(again, stderr=subprocess.PIPE, check=False, text=True)
    check("directory exists: refused", done.returncode == 125 and "not empty" in done.stderr,
          done.stderr)
    shutil.copytree(OUT + "/1", OUT + "/2")
    done = subprocess.run(again[:3] + ["--force"] + again[3:], stderr=subprocess.PIPE,
                          check=False, text=True)
    same("directory exists: --force replaces all snapshots", (0, ["1"]),
         (done.returncode, os.listdir(OUT)))
    with open(OUT + "/1/mine", "w"):
        pass
    done = subprocess.run(again[:3] + ["--force"] + again[3:], stderr=subprocess.PIPE,
                          check=False, text=True)
    check("directory exists: --force does not remove what is no trace",
          done.returncode == 125 and os.path.exists(OUT + "/1/mine") and
          "mine" in done.stderr, done.stderr)


def test_disk_full():
    """A snapshot that does not fit fails, and says so; the command has run to its end."""
    if os.geteuid():
        print("skip disk full: needs root")
        return
    out = os.path.join(WORK, "full")
    os.makedirs(out, exist_ok=True)
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", "mount -t tmpfs -o size=300k none %s; exec \"$@\"" %
         out, "sh", FT, "run", "--flight", "-e", "*", "-o", out, "--", "sh", "-c",
         "%s/emit flood 40000; echo ran" % BUILD], stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, check=False, text=True, timeout=120)
    same("disk full: the status is ft's own", (125, "ran\n"),
         (done.returncode, done.stdout))
    check("disk full: it is said once", done.stderr.count(": it ends with") == 1 and
          "snapshot 1 is not complete" in done.stderr, done.stderr)


def test_directory_gone():
    """A snapshot that has no place: the program goes on, and nothing says to read it."""
    status, said, taken = fly(["-e", "*"], ["sh", "-c", "rm -r %s; exec %s/emit threads 3" %
                                            (OUT, BUILD)])
    check("directory removed: no snapshot, and it is said", (status, taken) == (125, []) and
          "cannot make the directory" in said and "next:" not in said, said)


def test_at():
    """Events with a time that their program had read before (the rings keep what is compared)."""
    _, said, taken = fly(["-e", "*", "--block=60000"], [BUILD + "/emit", "at"])
    trace = taken[-1] if taken else None
    if not trace or trace.session("clock") != "tsc":
        check("at: a trace", trace is not None, said)
        print("skip at: its times: the clock takes a call")
        return
    two = sorted(trace.of("two"), key=lambda r: r.ts)
    same("at: each is there, in order", list(range(1000)), [r.b for r in two])
    # The first in a ring is compared with nothing.
    same("at: each has its time", [],
         [r for r, last in zip(two[1:], two) if r.ts != r.a and r.stream == last.stream])
    first, past, between, late = trace.of("one")
    four, more = trace.of("four")[0], trace.of("four_more")[0]
    check("at: a time before the last record's is not taken", past.a == 1 and past.ts > two[-1].ts,
          (past, two[-1]))
    check("at: nor one before a record that came between", late.a < between.ts <= late.ts,
          (between, late))
    same("at: four words, both records", (four.a, four.a, 30, 40), (four.ts, more.ts, more.a, more.b))
    check("at: the first has a time", first.ts < two[0].ts, (first, two[0]))


TESTS = [test_crash,
         test_at,
         test_crash_soon,
         test_crash_busy,
         test_crash_names,
         test_crash_beside,
         test_signal, test_interrupted, test_signal_without,
         test_burst,
         test_short,
         test_many, test_ended,
         test_nothing,
         test_directory,
         test_disk_full,
         test_directory_gone]


main(TESTS)
