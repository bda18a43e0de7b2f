# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Running programs under ft run, and what came of it."""
import collections
import os
import shutil
import subprocess
import sys
import tempfile

from told import check, run_all
from trace import Trace

BUILD, FT = (os.path.abspath(p) for p in sys.argv[1:3])
WORK = tempfile.mkdtemp(prefix="ft-user-")


def run(options, command, status=0, env=None, timeout=300):
    """Runs ft run. Return: the trace, what was said, what the command said."""
    out = os.path.join(WORK, "trace")
    shutil.rmtree(out, ignore_errors=True)
    done = subprocess.run([FT, "run", "-o", out] + options + ["--"] + command,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          stdin=subprocess.DEVNULL, timeout=timeout, check=False,
                          env=env, text=True)
    if done.returncode not in (status if isinstance(status, tuple) else [status]):
        check(" ".join(command[-2:]), False, "status %d: %s" %
              (done.returncode, done.stderr))
    trace = Trace(out) if os.path.exists(out + "/metadata") else None
    if trace and trace.session("command_status") != "0":
        check(" ".join(command[-2:]), False, "the command ended with %s: %s" %
              (trace.session("command_status"), done.stderr))
    return trace, done.stderr, done.stdout


def runs_32():
    """Are there programs of 32 bits, and does this kernel run them?"""
    try:
        return subprocess.run([BUILD + "/true32"], check=False).returncode == 0
    except OSError:
        return False


def emit(case, argument="", events="*", **kwargs):
    return run(["-e", events], [BUILD + "/emit", case, argument], **kwargs)


def lock_records(case, program="locks", more=(), **kwargs):
    trace, _, _ = run(["--locks"], [os.path.join(BUILD, program), case, *more], **kwargs)
    return trace, collections.Counter(r.name for r in trace.records)


def said_by(*args):
    done = subprocess.run([FT, *args], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False, text=True)
    return done.stdout


def main(tests):
    """Runs those that the command line names, or all. Does not return."""
    try:
        sys.exit(run_all(tests, sys.argv[3:]))
    finally:
        shutil.rmtree(WORK, ignore_errors=True)
