# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""--site of what began in a helper: the call in its caller, which tables show, selects it."""

import fcntl
import io
import json
import os
import subprocess
import time
from csv import DictReader

from gen_trace import SPIN
from realtime_trace import Tasks
from sql import ask
from stacks import (ACQUISITION, FAULT, KALLSYMS, LOCK, OTHER, PIPE, SECTION, STACK, TRY, WAIT,
                    differ, four, section, stack, stacks, text, wait)

PIPE_SITE = ("--site", "pipe_write+0x20")


def out(test, *words):
    r = test.ft(*words)
    if r.returncode or r.stderr:
        raise ValueError("%s: exit status %d: %s" % (words, r.returncode, r.stderr))
    return r.stdout


def found(test, path, *args):
    """What each command finds: {command: lengths of sections}, and how many records."""
    report = json.loads(out(test, "report", "--json", "--top", "0", *args, path))
    compare = json.loads(out(test, "compare", "--json", *args, path, path))
    dump = out(test, "dump", "--tsv", *args, path).splitlines()[1:]
    return {
        "report": sum(row["count"] for row in report["site"]),
        "longest": sorted(round(float(row["length_ns"])) for row in report["longest"]),
        "waits": sum(row.get("wait_count", 0) for row in report["site"]),
        "export": sorted(round(float(row["length_ns"])) for row in DictReader(io.StringIO(
            out(test, "export", "-f", "csv", *args, path)))),
        "sql": sorted(row["length_ns"] for row in ask(
            test, *args, path, "select length_ns from sections")),
        "sql waits": sorted(row["length_ns"] for row in ask(
            test, *args, path, "select length_ns from waits")),
        "compare": [compare["family"]["spin"][trace]["count"] for trace in "AB"],
        "dump": sum("_acquire" in line for line in dump),
    }


def want(lengths, waits=()):
    n = len(lengths)
    return {"report": n, "longest": sorted(lengths), "waits": len(waits),
            "export": sorted(lengths), "sql": sorted(lengths), "sql waits": sorted(waits),
            "compare": [n, n], "dump": n}


def several():
    t = four()
    section(t, 6000, 60, site=PIPE)
    section(t, 7000, 70, 1, lock=OTHER)
    wait(t, 8000, 100, 1)
    wait(t, 9000, 200, 2)
    t.acquire(10000, 0, 5, "spin", LOCK, TRY)
    stack(t, 10001, 0, 5, ACQUISITION, 1)
    t.release(10080, 0, 5, "spin", LOCK)
    return t


@stacks
def site_as_shown(test):
    """The row of a table has as many as --site with its name finds, in each command."""
    path, bad = several().write(test.path("shown")), []
    for args, expected in (
            (PIPE_SITE, want((10, 30, 60, 70, 80), (100,))),
            (("--site", "do_fault"), want((20,), (200,))),
            ((*PIPE_SITE, "--from", "0.000004"), want((60, 70, 80), (100,))),
            ((*PIPE_SITE, "--lock", "0x%x" % OTHER), want((70,))),
            (("--site", "pipe_write"), want((10, 30, 50, 60, 70, 80), (100,)))):
        have = found(test, path, *args)
        bad += ["%s: %s" % (args, line) for line in differ(have, expected)]
    rows = {row["symbol"]: row.get("count") for row in json.loads(
        out(test, "report", "--json", "--top", "0", path))["site"]}
    return bad + differ(rows["pipe_write+0x20"], 5)


@stacks
def site_not_folded(test):
    """With --no-fold the place itself counts, as tables show it."""
    path = several().write(test.path("plain"))
    have = {row["symbol"]: row["count"] for row in json.loads(
        out(test, "report", "--json", "--no-fold", *PIPE_SITE, path))["site"]}
    return differ(have, {"pipe_write+0x20": 1})


@stacks
def site_of_nothing(test):
    """A name that the trace does not have is an error; one that selects nothing is said."""
    path = several().write(test.path("nothing"))
    bad = []
    for site, status, words in (("nosuch", 1, "the trace has no symbol 'nosuch'"),
                                ("wake_up_process", 0, "no section is selected"),
                                ("sys_write", 0, "no section is selected")):
        r = test.ft("report", "--site", site, path)
        if r.returncode != status or words not in r.stderr or r.stderr.count("\n") != 1:
            bad.append("%s: %d %s" % (site, r.returncode, r.stderr))
    return bad


@stacks
def site_said_once(test):
    """The trace is read once more for it: what is wrong with it is said once."""
    path = several().write(test.path("torn"))
    with open(path + "/cpu0", "r+b") as f:
        f.truncate(os.path.getsize(f.name) - 50)
    bad = []
    for args in (("report",), ("export", "-f", "csv"), ("dump",)):
        r = test.ft(*args, *PIPE_SITE, path)
        if r.returncode != 3 or r.stderr.count("the last packet is torn") != 1:
            bad.append("%s: %d %s" % (args, r.returncode, r.stderr))
    return bad


@stacks
def site_in_why(test):
    """ft why takes apart what tables show there: a section by its end's stack, and a wait."""
    t = Tasks()
    t.clock["events"] = [*t.clock["events"], STACK]
    t.file("info/kallsyms", KALLSYMS)
    t.file("info/stacks", text())
    t.switch(1000, 0, 0, "R", 5)
    t.switch(1000, 1, 0, "R", 6)
    t.acquire(1010, 0, 5, "mutex", LOCK, TRY)
    t.wait(1100, 1, 6, LOCK, 32)
    t.release(1500, 0, 5, "mutex", LOCK)
    stack(t, 1501, 0, 5, SECTION, 2)
    t.waited(1510, 1, 6, LOCK)
    stack(t, 1511, 1, 6, WAIT, 1)
    t.acquire(1520, 1, 6, "mutex", LOCK, TRY)
    t.release(1530, 1, 6, "mutex", LOCK)
    path, bad = t.write(test.path("why")), []
    for site, expected in (("do_fault", (("held", 5),)), ("pipe_write", (("waited", 6),)),
                           ("try_to_wake_up", (("held", 5), ("held", 6), ("waited", 6)))):
        r = json.loads(out(test, "why", "--json", "--site", site, path))
        have = sorted((kind, i["task"]) for kind in ("held", "waited")
                      for i in r[kind]["longest"])
        bad += ["%s: %s" % (site, line) for line in differ(tuple(have), expected)]
    return bad


@stacks
def site_of_early_ones(test):
    """A record keeps the time at which it was stamped, a section begins with the release before
    it: both are found."""
    t = Tasks()
    t.clock["events"] = [*t.clock["events"], STACK]
    t.file("info/kallsyms", KALLSYMS)
    t.file("info/stacks", text())
    t.switch(900, 1, 0, "R", 6)
    t.acquire(1000, 0, 5, "spin", LOCK, FAULT)
    t.acquire(1900, 1, 6, "spin", LOCK, TRY)            # 100 early
    t.acquire(1950, 1, 6, "spin", OTHER, TRY)           # in it, and so early, too
    t.release(1970, 1, 6, "spin", OTHER)
    stack(t, 1971, 1, 6, SECTION, 1, OTHER)
    t.release(2000, 0, 5, "spin", LOCK)
    t.release(2100, 1, 6, "spin", LOCK)
    stack(t, 2101, 1, 6, SECTION, 1)
    t.acquire(3000, 1, 6, "spin", LOCK, TRY)
    t.release(3030, 1, 6, "spin", LOCK)
    stack(t, 3031, 1, 6, SECTION, 2)
    path = t.write(test.path("early"))
    bad = differ(found(test, path, *PIPE_SITE), want((0, 100)))
    for also in ("", ", (select count(*) from sections) as sections"):
        have = ask(test, *PIPE_SITE, path, "select count(*) as n%s from records "
                   "where event = 'spin_acquire'" % also)
        bad += ["sql%s: %s" % (also, line) for line in differ(have[0]["n"], 2)]
    rt = json.loads(out(test, "report", "--rt", "--json", *PIPE_SITE, path))
    return bad + differ([(row["row"], row["count"]) for row in rt["rt_nonpreemptible"]
                         if row.get("count")], [("spin", 2)])


@stacks
def waits_behind_early_ones(test):
    """What a record behind an early acquisition begins has its time, in --rt, too."""
    t = Tasks({6: 20})
    t.clock["events"] = [*t.clock["events"], STACK]
    t.file("info/kallsyms", KALLSYMS)
    t.file("info/stacks", text())
    t.switch(900, 1, 0, "R", 6)
    t.acquire(1000, 0, 5, "spin", LOCK, FAULT)
    t.acquire(1900, 1, 6, "spin", LOCK, FAULT)          # 100 early
    t.wait(1950, 1, 6, OTHER, SPIN)                     # behind it, and so early, too
    t.release(2000, 0, 5, "spin", LOCK)
    t.waited(2050, 1, 6, OTHER)
    stack(t, 2051, 1, 6, WAIT, 1, OTHER)
    t.acquire(2052, 1, 6, "spin", OTHER, TRY)
    t.release(2060, 1, 6, "spin", OTHER)
    stack(t, 2061, 1, 6, SECTION, 1, OTHER)
    t.release(2100, 1, 6, "spin", LOCK)
    path = t.write(test.path("behind"))
    rt = json.loads(out(test, "report", "--rt", "--json", *PIPE_SITE, path))
    return differ(found(test, path, *PIPE_SITE), want((8,), (50,))) + differ(
        [(row["row"].split(":")[0], row["count"], row["total_ns"]) for row in rt["rt_blocking"]],
        [("6", 1, 50)])


@stacks
def site_in_the_idle_task(test):
    """Each CPU has an idle task: one of them is not the other."""
    t = four()
    for cpu, number in ((0, 1), (1, 2)):
        t.acquire(6000, cpu, 0, "rwlock_read", LOCK, TRY)
        t.release(6010 + cpu, cpu, 0, "rwlock_read", LOCK)
        stack(t, 6020, cpu, 0, SECTION, number)
    have = json.loads(out(test, "report", "--json", "--site", "do_fault",
                          "--family", "rwlock*", t.write(test.path("idle"))))
    return differ([(row["symbol"], row["total_ns"]) for row in have["site"]],
                  [("do_fault+0x%x" % (FAULT & 0xfff), 11)])


def torn(test, name, first, more=()):
    """Both CPUs end in a torn packet, which is told when it is read: in the search first; the
    one of CPU 1 long before the other."""
    t = several()
    for i in range(200):
        section(t, first + 100 * i, 10, 1)
    for at in (first, *more):
        section(t, at + 50, 10, 1, cpu=1)
    path = t.write(test.path(name))
    for cpu in "cpu0", "cpu1":
        with open(os.path.join(path, cpu), "r+b") as f:
            f.truncate(os.path.getsize(f.name) - 50)
    return path


def writes(pid):
    """Does it wait for somebody who reads what it says?"""
    with open("/proc/%d/stat" % pid) as f:
        return f.read().rpartition(")")[2].split()[0] == "S"


def signalled(test, name, *args):
    """SIGTERM while it waits with its first message. What it says, its status, is there a file?"""
    if os.path.exists(name):
        os.unlink(name)
    end, full = os.pipe()
    filler = b"." * fcntl.fcntl(full, fcntl.F_GETPIPE_SZ)
    os.write(full, filler)
    with subprocess.Popen([test.program, "sql", "-o", name, *args], stdout=subprocess.DEVNULL,
                          stderr=full) as ft, open(end, "rb") as err:
        os.close(full)
        waits = 0
        for _ in range(3000):
            waits = waits + 1 if os.path.exists(name) and writes(ft.pid) else 0
            if waits == 10 or ft.poll() is not None:
                break
            time.sleep(0.01)
        ft.terminate()
        said = err.read()[len(filler):].decode()
    return said, ft.returncode, os.path.exists(name)


@stacks
def site_search_is_ended(test):
    """A signal ends ft sql -o wherever it reads: in the search, and with the last message."""
    path, name, bad = torn(test, "signal", 20000), os.path.join(test.work, "signal.db"), []
    for args, told in ((PIPE_SITE, ["cpu1"]), ((), ["cpu0", "cpu1"])):
        said, status, is_there = signalled(test, name, *args, path)
        have = [cpu for cpu in ("cpu0", "cpu1") if cpu + ": the last packet is torn" in said]
        if (have, status, is_there, said.count("ended by a signal")) != (told, 1, False, 1):
            bad.append("%s: status %d, file %d: %r" % (args, status, is_there, said))
    return bad


@stacks
def site_of_two_is_read_twice(test):
    """Each of two traces is searched when its turn comes, and not before as well."""
    paths = several().write(test.path("one")), torn(test, "two", 20000)
    name = os.path.join(test.work, "mixed")
    with open(name, "w+") as f:
        subprocess.run([test.program, "sql", "--tsv", *PIPE_SITE, *paths, "select trace, 'row', "
                        "hex(zeroblob(5000)) from sections"], stdout=f, stderr=f, check=False)
        f.seek(0)
        have = f.read()
    rows, told = have.find("1\trow"), have.find("the last packet is torn")
    return differ((rows >= 0, told > rows, have.count("the last packet is torn")), (True, True, 2))
