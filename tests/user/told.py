# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""A line for each check, as tests/lib.sh has it."""
import signal
import sys

# What a shell starts in the background ignores it, and so would the programs of a test.
signal.signal(signal.SIGINT, signal.default_int_handler)

failed = 0


def check(name, good, why=""):
    global failed
    if good:
        print("ok " + name)
    else:
        print("FAIL %s: %s" % (name, why or "not so"))
        failed = 1
    sys.stdout.flush()


def same(name, want, got):
    check(name, want == got, "expected %r, got %r" % (want, got))


def run_all(tests, only):
    """Those named, or all; a test that breaks has failed."""
    for test in tests:
        if only and test.__name__[5:] not in only:
            continue
        try:
            test()
        except Exception as error:
            check(test.__name__, False, repr(error))
    return failed
