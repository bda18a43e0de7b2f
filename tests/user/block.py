#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""ft run --block: a full ring makes a program wait: block.py BUILD FT

Runs programs (block.c) and compares what is recorded with what they did. Prints a line
for each check, as tests/lib.sh has it.
"""
import collections
import ctypes
import os
import select
import shutil
import signal
import subprocess
import time

from instructions import HOLD_A_SLOT, SLOW_WAY, instructions
from runs import BUILD, FT, WORK, main, run
from told import check, same
from trace import Trace

OUT = os.path.join(WORK, "block")
LONG = "600000"      # ms: no test waits for so long
TICKS = 20000        # of block.c
BREAK_TICKS = 100    # the same
SILENCE = 1          # second: SILENCE_MS of beat.c

SEIZE, INTERRUPT, DETACH = 0x4206, 0x4207, 17     # of ptrace(2)
WALL = 0x40000000                                 # of waitpid(2)


def block(case, longest=LONG):
    """Return: the trace, of whom how many ticks there are, what the program said."""
    trace, said, told = run(["-e", "*", "-s", "128", "--block=" + longest],
                            [BUILD + "/block", case])
    ticks = collections.defaultdict(list)
    for r in sorted(trace.of("tick"), key=lambda r: r.ts):
        ticks[r.a].append(r.b)
    same("%s: nothing is lost" % case, (0, 0), (trace.lost, said.count("LOST")))
    return trace, ticks, told


def all_of(numbers):
    return numbers == list(range(len(numbers))) and len(numbers)


def test_plain():
    _, ticks, _ = block("plain")
    same("plain: all are there, in order", 10 * TICKS, all_of(ticks[0]))


def test_without():
    """As a measure: without --block most of it is lost."""
    trace, said, _ = run(["-e", "*", "-s", "128"], [BUILD + "/block", "plain"], status=3)
    check("without --block: records are lost", trace.lost > 0, said)


def test_handler():
    trace, ticks, told = block("handler")
    same("handler: what it interrupted is there", 5 * TICKS, all_of(ticks[0]))
    same("handler: so is all of the handler", int(told),
         all_of([r.a for r in sorted(trace.of("interrupt"), key=lambda r: r.ts)]))


def test_forks():
    """A child that is made in the middle of a wait has rings of its own."""
    # Not for so long: a thread that waits for a ring that nobody reads any more is reported.
    trace, _, told = block("forks", "30000")
    # A child ends the event in which it was made, in a ring of its own.
    parent, _ = collections.Counter(r.tid for r in trace.of("tick")
                                    if r.a == 0).most_common(1)[0]
    numbers = [r.b for r in trace.of("tick") if r.a == 0 and r.tid == parent]
    same("forks: the parent's are there, each once", 10 * TICKS,
         all_of(sorted(numbers)))
    children = collections.Counter(r.tid for r in trace.of("tick") if r.a)
    same("forks: and the children's", [1000] * int(told), list(children.values()))


def breaks(case, name, at, options=()):
    """A child that is made at each of these instructions. Return: by their numbers and
    threads the ticks"""
    path = os.path.join(WORK, case)
    with open(path, "w", encoding="ascii") as f:
        f.write("\n".join(at) + "\n")
    trace, _, told = run(["-e", "*", "-s", "128", "--block=20000", *options],
                         ["sh", "-c", "exec '%s/block' %s <'%s'" % (BUILD, case, path)])
    check(name + ": children are made", int(told) > 50, told)
    ticks = collections.defaultdict(list)
    for r in trace.of("tick"):
        ticks[r.a, r.tid].append(r.b)
    same(name + ": all threads are there", list(range(len(at))), sorted({n for n, _ in ticks}))
    same(name + ": nothing is lost", 0, trace.lost)
    return ticks


def test_breaks():
    """A child that is made at each instruction of an event."""
    at = instructions(SLOW_WAY)
    ticks = breaks("breaks", "breaks", at)
    same("breaks: each has all of its ticks, once", [],
         [(at[n], min(seen), len(seen)) for (n, _), seen in ticks.items()
          if sorted(seen) != list(range(min(seen), BREAK_TICKS))][:10])


def test_breaks_stacks():
    """With stacks, an event takes the slow path that it does not need to."""
    at = instructions(SLOW_WAY)
    ticks = breaks("breaks", "breaks, stacks", at, ["--locks", "--stacks=sections>1s"])
    same("breaks, stacks: each has all of its ticks, once", [],
         [(at[n], min(seen), len(seen)) for (n, _), seen in ticks.items()
          if sorted(seen) != list(range(min(seen), BREAK_TICKS))][:10])


def test_breaks_late():
    """The child goes on when its parent has used each slot again, and uses them."""
    at = instructions(HOLD_A_SLOT)[::3]  # each takes the recorder some rounds
    ticks = breaks("breaks-late", "breaks late", at)
    same("breaks late: each has all of its ticks, once, in order", [],
         [(at[n], seen[0], len(seen)) for (n, _), seen in ticks.items()
          if seen != list(range(seen[0], seen[0] + len(seen)))][:10])


def test_same_names():
    """Two words whose names are one in the letters of a trace: other readers open it."""
    if not shutil.which("babeltrace2"):
        print("skip same names: there is no babeltrace2")
        return
    trace, _, _ = block("vfork")
    done = subprocess.run(["babeltrace2", trace.path, "-o", "dummy"], check=False, text=True,
                          stderr=subprocess.PIPE)
    same("same names: another reader opens it", (0, ""), (done.returncode, done.stderr))


def test_vfork():
    _, ticks, _ = block("vfork")
    same("vfork: parent, child, parent", [TICKS] * 3, [all_of(ticks[i]) for i in range(3)])


def test_sandbox():
    """Waiting makes no system call."""
    trace, ticks, _ = block("sandbox")
    same("sandbox: it is not killed", ("0", TICKS),
         (trace.session("command_status"), all_of(ticks[1])))


def start(options, command):
    shutil.rmtree(OUT, ignore_errors=True)
    return subprocess.Popen([FT, "run", "-e", "*", "-s", "128", "-o", OUT] + options +
                            ["--"] + command, stdin=subprocess.PIPE,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def begin_ticks(ft, n):
    ft.stdin.write(b"%d\n" % n)
    ft.stdin.flush()


def ticks_done(ft):
    """Return: has the program done it? Not if it hangs."""
    return bool(select.select([ft.stdout], [], [], 60)[0]) and \
        ft.stdout.readline() == b"done\n"


def tick(ft, n):
    begin_ticks(ft, n)
    return ticks_done(ft)


def stop_for_moments():
    """Return: ft's exit status, the trace, the seconds of the longest moment."""
    longest = 0
    with start(["--block=" + LONG], [BUILD + "/flight", "lines"]) as ft:
        for _ in range(10):
            begin = time.monotonic()
            ft.send_signal(signal.SIGSTOP)
            begin_ticks(ft, 2000)
            time.sleep(0.2)
            ft.send_signal(signal.SIGCONT)
            check("slow reader: the program goes on", ticks_done(ft))
            longest = max(longest, time.monotonic() - begin)
        ft.communicate(timeout=200)
    return ft.returncode, Trace(OUT), longest


def test_slow():
    """A reader that is stopped for moments, longer than a silence in all, loses nothing."""
    for _ in range(5):
        status, trace, longest = stop_for_moments()
        if longest < SILENCE:   # else one of them was a silence, on a busy machine
            break
    same("slow reader: nothing is lost in moments of %.1f s" % longest, (0, 20000),
         (trace.lost, len(trace.of("tick"))))
    same("slow reader: exit status", 0, status)


def test_stopped():
    """Nobody waits for a reader that does not run."""
    with start(["--block=" + LONG], [BUILD + "/flight", "lines"]) as ft:
        check("stopped reader: at first it reads", tick(ft, 1000))
        ft.send_signal(signal.SIGSTOP)
        check("stopped reader: the program goes on", tick(ft, 10000))
        ft.send_signal(signal.SIGCONT)
        time.sleep(0.5)
        check("stopped reader: and when it runs again", tick(ft, 10000))
        _, said = ft.communicate(timeout=200)
    trace = Trace(OUT)
    same("stopped reader: what was lost is counted", 21000,
         trace.lost + len(trace.of("tick")))
    got = {r.b for r in trace.of("tick")}
    check("stopped reader: when it runs again, nothing is lost",
          trace.lost > 0 and got >= set(range(11000, 21000)), (trace.lost, len(got)))
    same("stopped reader: exit status", 3, ft.returncode)


def test_killed():
    with start(["--block=" + LONG], [BUILD + "/flight", "lines"]) as ft:
        check("killed reader: at first it reads", tick(ft, 1000))
        ft.kill()
        ft.wait(60)
        check("killed reader: the program goes on", tick(ft, 100000))
        ft.stdin.close()


def stop_thread(tid, action):
    """Stops a thread alone while the others of its process run."""
    libc = ctypes.CDLL(None, use_errno=True)
    assert not libc.ptrace(SEIZE, tid, None, None), os.strerror(ctypes.get_errno())
    assert not libc.ptrace(INTERRUPT, tid, None, None)
    os.waitpid(tid, WALL)
    action()
    libc.ptrace(DETACH, tid, None, None)


def test_limit():
    """A recorder that is alive, but does not read: a wait is as long as it may be."""
    with start(["--block=20"], [BUILD + "/flight", "lines"]) as ft:
        tick(ft, 1)
        stop_thread(ft.pid, lambda: check("limit: the program goes on", tick(ft, 159)))
        ft.communicate(timeout=60)
    trace = Trace(OUT)
    same("limit: what did not fit is lost, and counted", (True, 160),
         (trace.lost > 0, trace.lost + len(trace.of("tick"))))


def test_bad():
    for value in ("0", "x", "-1", "3600001", ""):
        done = subprocess.run([FT, "run", "--locks", "--block=" + value, "--", "true"],
                              stderr=subprocess.PIPE, check=False, text=True)
        check("bad: --block=" + value, done.returncode == 125 and
              "'%s'" % value in done.stderr, done.stderr)


TESTS = [test_plain,
         test_without,
         test_handler,
         test_forks, test_breaks, test_breaks_stacks, test_breaks_late, test_same_names,
         test_vfork,
         test_sandbox,
         test_slow,
         test_stopped,
         test_killed,
         test_limit,
         test_bad]


main(TESTS)
