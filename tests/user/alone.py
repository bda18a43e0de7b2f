#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""A program that is traced behaves as it does alone: alone.py BUILD FT

Runs each case of alone.c, and programs that are unlike others, alone and under
ft run --locks: same output, same end. Prints a line for each check.
"""
import errno
import os
import shutil
import subprocess
import sys
import tempfile

from told import check, run_all, same
from trace import Trace

BUILD, FT = (os.path.abspath(p) for p in sys.argv[1:3])
WORK = tempfile.mkdtemp(prefix="ft-alone-")
TRACE = os.path.join(WORK, "trace")


def execute(command, env=None):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          stdin=subprocess.DEVNULL, timeout=120, check=False, text=True,
                          env=dict(os.environ, **(env or {})))


def ended(trace):
    """As subprocess tells it: less than 0 for a signal."""
    status = trace.session("command_status").split()
    return -int(status[1]) if status[0] == "signal" else int(status[0])


def both(name, command, env=None, options=("--locks",)):
    """Alone and traced. Return: the trace, what was said."""
    shutil.rmtree(TRACE, ignore_errors=True)
    alone = execute(command, env)
    traced = execute([FT, "run", "-o", TRACE, *options, "--", *command], env)
    trace = Trace(TRACE)
    same(name, (alone.returncode, alone.stdout),
         (ended(trace), traced.stdout[:len(alone.stdout) + 2000]))
    return trace, traced.stderr


def test_cancel():
    _, _ = both("cancellation: the same points, and nothing taken",
                [BUILD + "/alone", "cancel"])


def test_results():
    trace, _ = both("semaphores: results and errno", [BUILD + "/alone", "results"])
    same("semaphores: why the waits ended", [errno.ETIMEDOUT] * 2 + [errno.EINTR] * 3,
         [r.b for r in sorted(trace.of("contention_end"), key=lambda r: r.ts)])


def test_old():
    trace, _ = both("conditions of old programs", [BUILD + "/alone", "old"])
    check("conditions of old programs: their waits are recorded",
          len(trace.of("contention_begin")) >= 1, trace.records)


def test_checker():
    trace, _ = both("a checker of locks that is preloaded, too",
                    [BUILD + "/alone", "each"],
                    {"LD_PRELOAD": BUILD + "/libchecker.so"})
    names = [r.name for r in trace.records]
    same("a checker of locks: each is recorded once", (6, 6), tuple(
        sum(name.endswith(what) for name in names) for what in ("acquire", "release")))


def test_sanitized():
    for name in ("address", "thread"):
        program = "%s/alone-%s" % (BUILD, name)
        if not os.path.exists(program):
            print("skip gcc's %s sanitizer: not built" % name)
            continue
        trace, _ = both("gcc's %s sanitizer" % name, [program, "each"],
                        {"ASAN_OPTIONS": "detect_leaks=0"})
        same("gcc's %s sanitizer: it is traced" % name, 12, sum(
            r.name.endswith(("acquire", "release")) for r in trace.records))


def test_other_libc():
    if not os.path.exists(BUILD + "/each-musl"):
        print("skip another C library: no musl-gcc")
        return
    for command in ([BUILD + "/each-musl"], ["sh", "-c", BUILD + "/each-musl"]):
        _, said = both("another C library: %s" % command[0].rsplit("/", 1)[-1], command)
        same("another C library: one line says so", 1,
             said.count("its C library is not"))


TESTS = [test_cancel, test_results, test_old, test_checker, test_sanitized,
         test_other_libc]


def main():
    try:
        return run_all(TESTS, sys.argv[3:])
    finally:
        shutil.rmtree(WORK, ignore_errors=True)


sys.exit(main())
