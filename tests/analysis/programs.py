# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""What ft report says of traces of programs alone."""

from case_both import A_MUTEX, OWN
from case_processes import PROGRAMS
from gen_trace import PROCESS, Trace

REPORTS = []
A_COND = A_MUTEX | 5


def report(f):
    REPORTS.append(f)
    return f


def one_thread(named=True):
    t = Trace(programs=OWN)
    t.acquire(100, 0, 5, "pthread_mutex", 0xa0)
    t.release(200, 0, 5, "pthread_mutex", 0xa0)
    if named:
        t.file("info/programs", PROGRAMS)
    return t


def need(have, *words, absent=()):
    return ["'%s' is missing in: %s" % (w, have) for w in words if w not in have] + \
        ["'%s' is in: %s" % (w, have) for w in absent if w in have]


@report
def no_such_symbol(test):
    path = one_thread().write(test.path("programs"))
    r = test.ft("report", "--site", "nosuch", path)
    return need(r.stderr, "the trace has no symbol 'nosuch'", absent=["kernel"]) + \
        ([] if r.returncode == 1 else ["exit status %d" % r.returncode])


@report
def no_cpu(test):
    path = one_thread().write(test.path("programs"))
    r = test.ft("report", "--cpu", "0", path)
    return need(r.stderr, "--cpu: ", "do not know their CPU") + \
        ([] if r.returncode == 1 and not r.stdout else
         ["exit status %d: %s" % (r.returncode, r.stdout)])


@report
def one_stream(test):
    t = one_thread()
    bad = need(test.ft("report", t.write(test.path("programs"))).stdout,
               "on 1 stream of programs,")
    t.thread(1).add(300, 16, 6, 1, A_MUTEX)
    t.acquire(310, 0, 7, "spin", 0xb0)
    return bad + need(test.ft("report", t.write(test.path("programs"))).stdout,
                      "on 1 CPU and 2 streams of programs,")


@report
def names_not_written(test):
    """ft run was killed: there are no names, and the kernel's would be of no use."""
    path = one_thread(named=False).write(test.path("programs"))
    r = test.ft("report", path)
    return need(r.stderr, "no symbols: ft was stopped", "info/programs",
                absent=["--live", "kallsyms"])


@report
def condition_has_no_holder(test):
    t = one_thread()
    for at, lock, flags in ((300, 0xb0, A_COND), (400, 0xc0, A_MUTEX)):
        t.thread(0).add(at, 16, 5, PROCESS | lock, flags | 0x1000 << 8)
        t.thread(0).add(at + 50, 17, 5, PROCESS | lock, 0)
    path = t.write(test.path("programs"))
    html = path + ".html"
    bad = need(test.ft("report", path).stdout, "for (a condition has no holder)",
               "for (not known)")
    test.ft("report", "--html", html, path)
    with open(html) as f:
        page = f.read()
    return bad + ["'%s' is not on the page" % w for w in
                  ("(a condition has no holder)", "(not known)") if w not in page]
