# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Lines of tests, as tests/lib.sh has them."""
import sys

failed = False


def check(name, good, why=""):
    global failed
    if good:
        print("ok " + name)
    else:
        print("FAIL %s: %s" % (name, why or "not so"))
        failed = True
    sys.stdout.flush()


def same(name, want, got):
    check(name, want == got, "expected %r, got %r" % (want, got))


def run_all(tests, wanted):
    """Runs the functions, or those that are named. Return: did one fail?"""
    for test in tests:
        if wanted and test.__name__[5:] not in wanted:
            continue
        try:
            test()
        except Exception as error:      # a test that breaks has failed
            check(test.__name__, False, repr(error))
    return failed
