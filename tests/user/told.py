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


LONG = 400


def difference(want, got):
    """Of long lists only where they begin to differ."""
    if not (isinstance(want, list) and isinstance(got, list) and
            max(len(repr(want)), len(repr(got))) > LONG):
        return "expected %r, got %r" % (want, got)
    at = next((i for i, (a, b) in enumerate(zip(want, got)) if a != b), min(len(want), len(got)))
    return "%d expected, got %d; from [%d] on %r..., got %r..." % (
        len(want), len(got), at, want[at:at + 3], got[at:at + 3])


def same(name, want, got):
    check(name, want == got, difference(want, got))


def run_all(tests, only):
    """Those named, or all; a test that breaks has failed, and so has one that is not there."""
    for name in only:
        if name not in [test.__name__[5:] for test in tests]:
            check(name, False, "there is no such test")
    for test in tests:
        if only and test.__name__[5:] not in only:
            continue
        try:
            test()
        except Exception as error:
            check(test.__name__, False, repr(error))
    return failed
