# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""What ft report says of traces of programs alone."""

from case_both import A_MUTEX, OWN
from case_processes import FIRST, PROGRAMS, SECOND, SYMBOLS, at
from gen_trace import PROCESS, Trace, event_id
from options import rows_of

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
def site_without_symbol(test):
    """What the table of call sites has of stripped code is a --site."""
    t = one_thread()
    for process in (1, 2):
        for i, offset in enumerate((0x2010, 0x2020)):
            t.thread(process - 1).add(1000 + 100 * i, event_id("pthread_mutex", "acquire"), 5,
                                      at(process, FIRST), at(process, offset))
            t.thread(process - 1).add(1050 + 100 * i, event_id("pthread_mutex", "release"), 5,
                                      at(process, FIRST), at(process, 0x2030))
    path = t.write(test.path("programs"))
    bad = need(test.ft("report", path).stdout, "0x2010 [w]")
    for site, n in (("0x2010 [w]", 2), ("0x2011 [w]", 0), ("0xf2010 [w]", None),
                    ("0x2010 [x]", None)):
        r = test.ft("report", "--tsv", "--site", site, path)
        want = "" if n is None else "family\tpthread_mutex\tcount\t%d\n" % n
        if (r.returncode, want in r.stdout) != (n is None, True):
            bad.append("%s: %d, %s" % (site, r.returncode, r.stderr))
    return bad


@report
def no_records_no_beginning(test):
    t = Trace(programs=OWN)
    t.thread(0)
    empty = test.ft("report", t.write(test.path("programs"))).stdout
    full = test.ft("report", one_thread().write(test.path("programs"))).stdout
    return need(empty, "Records    0 on", absent=["Begin"]) + need(full, "Begin  ")


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
                absent=["--running-kernel", "kallsyms"])


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


def locks_of(test, path, *args):
    """Name and count of each lock, as the report has them."""
    r = test.ft("report", "--tsv", *args, path)
    return sorted((row["symbol"], row["count"])
                  for _, row in rows_of(r.stdout, "lock"))


@report
def lock_as_the_report_names_it(test):
    """--lock takes what the report prints, and selects what it printed it for."""
    bad = []
    alone = ("process\t1\t701\t0\t0\tw\nfile\t0\t/usr/bin/w\n" + SYMBOLS +
             "object\t0\t1\t50000\t60000\t50000\t0\n")
    for name, text, processes in (("alone", alone, (1,)), ("several", PROGRAMS, (1, 2, 3))):
        t = Trace(programs=OWN)
        for process in processes:
            locks = (at(process, FIRST), at(process, SECOND), process << 48 | 0x7f0000001000)
            for i, lock in enumerate(locks * 6):
                if i // 3 < process + i % 3:
                    for ts, verb in ((100 * i, "acquire"), (100 * i + 9, "release")):
                        t.thread(process - 1).add(ts, event_id("pthread_mutex", verb),
                                                  700 + process, lock, 0x1000)
        t.file("info/programs", text)
        path = t.write(test.path("named-" + name))
        have = locks_of(test, path)
        if len(have) != 3 * len(processes):
            bad.append("locks: %s" % have)
        for lock, count in have:
            got = locks_of(test, path, "--lock", lock)
            if got != [(lock, count)]:
                bad.append("--lock '%s': %s, not %s" % (lock, got, count))
        # of each process, where none is named
        for lock, among in (("0x7f0000001000", "0x7f0000001000"), ("first", "first [w]")):
            got = locks_of(test, path, "--lock", lock)
            if got != [row for row in have if row[0].startswith(among)]:
                bad.append("--lock %s: %s" % (lock, got))
    r = test.ft("report", "--lock", "first [w] {w 9}", path)
    return bad + need(r.stderr, "no symbol 'first [w] {w 9}'")
