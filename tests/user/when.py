#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""ft run --flight --when: a snapshot when a record fulfils a condition: when.py BUILD FT

Prints a line for each check, as tests/lib.sh has it.
"""
import os
import shutil
import subprocess

from runs import BUILD, FT, WORK, main
from told import check, same
from trace import Trace

OUT = os.path.join(WORK, "when")
PROGRAM = BUILD + "/flight"


def fly(options, command=(PROGRAM, "spikes", "100")):
    """Return: exit status, what was said, the snapshots."""
    shutil.rmtree(OUT, ignore_errors=True)
    done = subprocess.run([FT, "run", "--flight", "-o", OUT] + options + ["--"] +
                          list(command), stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          check=False, text=True, timeout=120)
    names = sorted(os.listdir(OUT), key=int) if os.path.exists(OUT) else []
    return done.returncode, done.stderr, [Trace(os.path.join(OUT, n)) for n in names]


def why(taken):
    return [t.session("snapshot") for t in taken]


def fired(trace):
    """The record that is said to have fired."""
    return [r for r in trace.of(trace.session("condition_event"))
            if r.ts == int(trace.session("condition_time")) and
            r.tid == int(trace.session("condition_tid"))]


def test_word():
    status, said, taken = fly(["-e", "*", "--when", "big: spike.size == 2"])
    same("word: a snapshot, and one at the end", (0, ["condition", "exit"]),
         (status, why(taken)))
    same("word: what, when and who is told", ("big", [2]),
         (taken[0].session("condition"), [r.a for r in fired(taken[0])]))
    check("word: and said", "'big' was fulfilled by thread" in said, said)
    same("word: nothing of the end", None, taken[1].session("condition"))
    spike = fired(taken[0])[0]
    same("word: all that led to it is there", [1] * 200 + [2] * 100,
         [r.a for r in sorted(taken[0].of("tick"), key=lambda r: r.ts) if r.ts < spike.ts])


def test_operators():
    for condition, want in (("spike.size >= 3", 3), ("spike.size != 1", 2),
                            ("spike.size < 0x2", 1), ("spike.size > -1", 1),
                            ("spike.size<=-1", None), ("spike.count > 99", 1),
                            ("spike . size", "bad"), ("tick.count == +99", "tick")):
        status, said, taken = fly(["-e", "*", "--when", condition])
        if want == "bad":
            same("operators: " + condition, (125, []), (status, taken))
            continue
        got = fired(taken[0])[0] if why(taken) == ["condition", "exit"] else None
        same("operators: " + condition, want,
             got and (got.name if want == "tick" else got.a))


def test_times():
    status, _, taken = fly(["-e", "tick", "--when", "spike", "--times", "2"])
    same("times: twice, of three", (0, ["condition", "condition", "exit"]),
         (status, why(taken)))
    same("times: the first, then the second", [1, 2], [fired(t)[0].a for t in taken[:2]])


def test_after():
    _, _, taken = fly(["--when", "spike", "-e", "*", "--after", "0.1"])
    trace = taken[0]
    ticks = float(trace.session("clock_hz")) / 10
    check("after: recorded for so long", int(trace.session("window_end")) -
          int(trace.session("condition_time")) >= ticks, trace.session("window_end"))
    same("after: what followed is there", 200, len(trace.of("tick")))
    _, _, taken = fly(["--when", "spike.size == 3", "-e", "*", "--after", "60"])
    same("after: the program ends before: the last one tells it", (["exit"], [3]),
         (why(taken), [r.a for r in fired(taken[0])]))


def test_locks():
    _, _, taken = fly(["--locks", "--when",
                       "pthread_mutex_acquire.lock < 0x1000000000000"],
                      (PROGRAM, "locked"))
    same("locks: addresses without the mark of their process", "pthread_mutex_acquire",
         taken[0].session("condition_event"))


def test_wide():
    """The third and fourth word are in a record of their own."""
    for condition, record, values in (("four.b == 20", "four", (10, 20)),
                                      ("four.c == 30", "four_more", (30, 40)),
                                      ("four.d == 40", "four_more", (30, 40)),
                                      ("three.c == 3", "three_more", (3, 0)),
                                      ("four_more.c == 30", "four_more", (30, 40))):
        _, _, taken = fly(["--when", condition], (BUILD + "/emit", "words"))
        told = taken[0].session("condition") if taken else None
        same("wide: %s: is fulfilled" % condition, (condition, condition.split(".")[0]),
             (told, told and taken[0].session("condition_event")))
        same("wide: %s: by this record" % condition, [values],
             [(r.a, r.b) for r in taken[0].of(record)
              if told and r.ts == int(taken[0].session("condition_time"))])
    for condition, has in (("four.x == 1", "'a', 'b', 'c' and 'd'"),
                           ("three.d == 3", "'a', 'b' and 'c'"), ("two.x == 1", "'a' and 'b'"),
                           ("one.x == 1", "'a'\n")):
        status, said, _ = fly(["--when", condition], (BUILD + "/emit", "words"))
        check("wide: %s: it has no such field" % condition,
              status == 125 and "it has " + has in said, said)
    status, said, _ = fly(["-e", "*", "--when", "tick && comm == flight"])
    check("wide: what is for the kernel alone is refused", status == 125 and
          "for programs, a condition is an event, or a comparison" in said, said)


def test_bad():
    for condition, at, reason in (
            ("", "''", "name of an event"), ("spike.", "''", "name of a field"),
            ("spike size", "' size'", "'.' and a field"),
            ("spike.size = 3", "'= 3'", "is missing"),
            ("spike.size == ", "''", "not a number"),
            ("n: spike.size == 3x", "'3x'", "not a number")):
        status, said, taken = fly(["-e", "*", "--when", condition])
        check("bad: '%s': where it is wrong" % condition, status == 125 and not taken and
              "at " + at in said and reason in said, said)
    for options, reason in (
            (["-e", "*", "--when", "spke"], "no program has an event 'spke'"),
            (["-e", "*", "--when", "spike.sise == 1"], "no field 'sise'; it has 'size'"),
            (["-e", "*", "--when", "pthread_mutex_acquire"], "add --locks"),
            (["--locks", "--when", "pthread_mutex_acquire.x == 1"], "no field 'x'"),
            (["-e", "*", "--after", "1"], "need a condition")):
        status, said, _ = fly(options)
        check("bad: " + " ".join(options), status == 125 and reason in said, said)
    done = subprocess.run([FT, "run", "-e", "*", "--when", "spike", "--", "true"],
                          stderr=subprocess.PIPE, check=False, text=True)
    check("bad: without --flight", done.returncode == 125 and "add --flight" in done.stderr,
          done.stderr)


TESTS = [test_word,
         test_operators,
         test_times,
         test_after,
         test_locks,
         test_wide,
         test_bad]


main(TESTS)
