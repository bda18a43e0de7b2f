# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""ft why: sums by class of lock, and what the sleep of a row was for."""

import fcntl
import os
import re
import select
import shutil
import subprocess

from gen_trace import HARDIRQ, MUTEX, Trace
from realtime_trace import Tasks
from requests_truth import Served
from why_trace import taken_apart, why

ONE, TWO, OTHER = 0xffff888000001000, 0xffff888000002000, 0xffff888000003000
BIG = 0xffffffff82000000
LOCKS = """lock names 1
0x%x\tslab\t1\t-\tmm_struct.mmap_lock
0x%x\tslab\t1\t-\tmm_struct.mmap_lock
0x%x\tstatic\t1\t-\tbig_lock
""" % (ONE, TWO, BIG)


def two_of_a_class(t, interrupt=False):
    """Task 5 holds one for 1000, of which it sleeps 700; and another one for 200."""
    t.switch(1000, 0, 9, "S", 5)
    t.acquire(1000, 0, 5, "mutex", ONE)
    t.switch(1100, 0, 5, "D", 6)                # a device: 300
    if interrupt:
        t.event(1399, 0, 6, "irq_handler_entry", 33, 0, HARDIRQ)
    t.waking(1400, 0, 6, 5, HARDIRQ)
    if interrupt:
        t.event(1400, 0, 6, "irq_handler_exit", 33, 0, HARDIRQ)
    t.switch(1400, 0, 6, "R+", 5)
    t.switch(1450, 0, 5, "S", 6)                # a worker: 100, and another one: 200
    t.waking(1549, 1, 20, 5)
    t.switch(1550, 0, 6, "R+", 5)
    t.switch(1600, 0, 5, "S", 6)
    t.waking(1799, 1, 21, 5)
    t.switch(1800, 0, 6, "R+", 5)
    t.wait(1850, 0, 5, BIG, MUTEX)
    t.switch(1850, 0, 5, "D", 6)                # another lock: 100
    t.waking(1949, 1, 20, 5)
    t.switch(1950, 0, 6, "R+", 5)
    t.waited(1950, 0, 5, BIG)
    t.release(2000, 0, 5, "mutex", ONE)
    t.acquire(2100, 0, 5, "mutex", TWO)
    t.release(2300, 0, 5, "mutex", TWO)
    t.acquire(2400, 0, 5, "mutex", OTHER)
    t.release(2410, 0, 5, "mutex", OTHER)
    t.at(3000, 0, 5)
    t.file("info/locks", LOCKS)
    t.file("info/kallsyms", "ffffffff81000000 T _stext\nffffffff82000000 D big_lock\n")
    t.file("info/tasks", "20\tkworker/0:1\n21\tkworker/u8:2\n6\tcc1\n")
    return t


def class_rows(r, kind="held"):
    return {(row["family"], row["class"]): row for row in r[kind]["rows"]}


def sleep_of(row):
    return {(p["cause"], p.get("state"), p.get("interrupt", p.get("task_name", p.get("class")))):
            p["ticks"] for p in row["sleep"]}


@why
def why_by_class(test):
    """Sections of locks of one class are one row: their causes and their number add up."""
    t = two_of_a_class(Tasks())
    r = taken_apart(test, t.write(test.path("why")), "--by", "class", "--holds")
    rows, bad = class_rows(r), []
    if set(rows) != {("mutex", "mm_struct.mmap_lock"), ("mutex", "(not asked)")}:
        return ["rows: %s" % sorted(rows)]
    row = rows["mutex", "mm_struct.mmap_lock"]
    if (row["count"], row["ticks"], row["kind"], row["types"], r["by"]) != \
            (2, 1200, "slab", 1, "class"):
        bad.append("the class is %s" % row)
    causes = {cause: n for cause, n in row["causes"].items() if n}
    if causes != {"running": 500, "uninterruptible": 300, "asleep": 298, "waiting": 99,
                  "ready": 3}:
        bad.append("its causes are %s" % causes)
    return bad + ["%s is not shown" % words for words in (
        "mutex mm_struct.mmap_lock", "41.7 % running", "25.0 % asleep in D")
        if words not in r["text"]] + \
        ([] if "mutex mm_struct.mmap_lock" in r["page"] else ["not in the page"])


@why
def why_asleep_for_what(test):
    """The sleep of a row: who ended it, workers of one name together, or for which class."""
    t = two_of_a_class(Tasks(), interrupt=True)
    r = taken_apart(test, t.write(test.path("why")), "--by", "class", "--holds")
    have = sleep_of(class_rows(r)["mutex", "mm_struct.mmap_lock"])
    want = {("uninterruptible", "D", "irq_handler 33"): 300, ("asleep", "S", "kworker/..."): 298,
            ("waiting", None, "big_lock"): 99}
    bad = [] if have == want else ["it is %s" % have]
    if sleep_of(r["held"]["all"]) != want:
        bad.append("of all it is %s" % r["held"]["all"]["sleep"])
    return bad + ["%s is not shown" % words for words in (
        "25.0 %  asleep in D, woken by irq_handler 33", "24.8 %  asleep in S, woken by kworker/...",
        "8.2 %  waiting for a mutex big_lock") if words not in r["text"]] + (
            [] if "25.0 % asleep in D, woken by irq_handler 33; " in r["page"] else
            ["the page has no column of it"])


def woken_by(names):
    """A task that was woken by tasks 20, 21, ..., each after 100 ticks of sleep."""
    t = Tasks()
    t.switch(1000, 0, 9, "S", 5)
    t.acquire(1000, 0, 5, "mutex", ONE)
    for i in range(len(names)):
        t.switch(1100 + 200 * i, 0, 5, "S", 6)
        t.waking(1199 + 200 * i, 1, 20 + i, 5)
        t.switch(1200 + 200 * i, 0, 6, "R+", 5)
    t.release(5000, 0, 5, "mutex", ONE)
    t.at(6000, 0, 5)
    t.file("info/tasks", "".join("%d\t%s\n" % (20 + i, name)
                                 for i, name in enumerate(names) if name))
    return t


@why
def why_woken_by_which(test):
    """Threads of interrupts are each their own; nothing is cut before its first letter."""
    t = woken_by(("kworker/0:1", "kworker/1:2", "/bin/a", "/bin/b", "irq/24-nvme0q1",
                  "irq/30-eth0"))
    r = taken_apart(test, t.write(test.path("why")), "--holds")
    have = sleep_of(r["held"]["all"])
    want = {("asleep", "S", name): 99 for name in ("irq/24-nvme0q1", "irq/30-eth0", "/bin/a",
                                                   "/bin/b")}
    want["asleep", "S", "kworker/..."] = 198
    return ([] if have == want else ["it is %s" % have]) + (
        [] if "woken by irq/24-nvme0q1\n" in r["text"] else ["not shown"])


@why
def why_woken_without_a_name(test):
    """JSON has no name of its own for a task without one, but its tid."""
    r = taken_apart(test, woken_by(("make", None)).write(test.path("why")), "--holds")
    have = {(p.get("task_name"), p.get("task")) for p in r["held"]["all"]["sleep"]}
    return ([] if have == {("make", None), (None, 21)} else ["it is %s" % have]) + (
        [] if "woken by a task without a name" in r["text"] else ["not shown"])


@why
def why_sleep_of_a_late_section(test):
    """A section whose end was found out later: all of it is not known, also what it slept for."""
    t = Tasks()
    t.switch(1000, 0, 0, "R", 5)
    t.switch(1000, 1, 0, "R", 6)
    t.acquire(1010, 0, 5, "rwsem_read", ONE)
    t.switch(1020, 0, 5, "D", 8)
    t.waking(1040, 1, 6, 5)
    t.switch(1041, 0, 8, "R+", 5)
    t.release(1100, 1, 6, "rwsem_read", ONE)
    t.acquire(1200, 1, 6, "rwsem_write", ONE)
    t.release(1300, 1, 6, "rwsem_write", ONE)
    r = taken_apart(test, t.write(test.path("why")), "--holds")
    return [] if not r["held"]["all"]["sleep"] and r["held"]["all"]["causes"]["unknown"] == 90 \
        else ["it is %s" % r["held"]["all"]]


def report_page(test, t):
    path = t.write(test.path("why"))
    r = test.ft("report", "--html", path + ".html", path)
    if r.returncode or "Sanitizer" in r.stderr:
        raise ValueError("exit status %d: %s" % (r.returncode, r.stderr))
    with open(path + ".html", encoding="utf-8") as f:
        return re.sub(r"<script>.*?</script>", "", f.read(), flags=re.DOTALL), r.stderr


@why
def why_in_the_report(test):
    """The page of a report has it, by class, as 'ft why' has; or the line how to get it."""
    page, said = report_page(test, two_of_a_class(Tasks(), interrupt=True))
    text = re.sub(r"<[^>]*>", " ", page)
    bad = ["%s is not shown" % words for words in (
        "Why locks were held so long", "Why waits took so long", "class of lock",
        "25.0 % asleep in D, woken by irq_handler 33; ", "asleep in S, woken by kworker/0:1 20",
        "waiting for the mutex big_lock") if words not in text]
    if "this trace does not have besides" in text or said:
        bad.append("it says how to get it, too: " + said)
    for t in (Trace(), Tasks()):        # without such an event, and without a record of it
        t.acquire(1000, 0, 5, "mutex", ONE)
        t.release(1100, 0, 5, "mutex", ONE)
        t.file("info/kallsyms", "ffffffff81000000 T _stext\n")
        page, said = report_page(test, t)
        if "this trace does not have besides" not in page or "ft record --locks -e" not in page or said or \
                "Why waits" in page:
            bad.append("without: " + said)
    return bad


@why
def why_faults_are_said_once(test):
    """The trace is read again for each, and what is wrong with it was said the first time."""
    path = two_of_a_class(Tasks()).write(test.path("why"))
    with open(os.path.join(path, "cpu0"), "r+b") as f:
        f.truncate(os.path.getsize(f.name) - 50)
    bad = []
    for args in (("report",), ("report", "--html", path + ".html"), ("why",),
                 ("why", "--limit", "0")):
        r = test.ft(*args, path)
        if r.stderr.count("the last packet is torn") != 1 or "Sanitizer" in r.stderr:
            bad.append("%s: %s" % (args, r.stderr))
    r = test.ft("why", path, path + ".not_there")
    return bad + ([] if r.returncode == 1 and r.stderr.count("\n") == 1 else
                  ["one that is not there: %d %s" % (r.returncode, r.stderr)])


@why
def why_trace_that_goes(test):
    """A trace that is removed while the page is written: nothing is said of its events."""
    t = two_of_a_class(Tasks())
    Served.ft_mark(t, 3000, 0, "begin", 7, 5)
    t.file("info/tasks", "".join("%d\ttask%d\n" % (i, i) for i in range(200)))
    for i in range(200):
        t.acquire(4000 + 10 * i, 0, i, "spin", 0x1000 + i)
        t.release(4005 + 10 * i, 0, i, "spin", 0x1000 + i)
    path = t.write(test.path("goes"))
    os.mkfifo(path + ".html")
    with open(os.open(path + ".html", os.O_RDONLY | os.O_NONBLOCK), "rb", buffering=0) as f:
        fcntl.fcntl(f, 1031, 4096)      # F_SETPIPE_SZ: so the command waits in its first half
        with subprocess.Popen([test.program, "report", "--html", path + ".html", path],
                              stderr=subprocess.PIPE, text=True) as process:
            select.select([f], [], [], 60)
            shutil.rmtree(path)
            os.set_blocking(f.fileno(), True)
            page, said = f.read(), process.stderr.read()
    if process.returncode != 1 or "this trace does not have besides" in page.decode() or \
            any(words not in page.decode() for words in (
                "read again for that; ", "read again for them; ")):
        return ["%d: %s" % (process.returncode, said)]
    return [] if [line.split(": ", 1)[1].replace(path, "it") for line in said.splitlines()] == [
        "cannot open the trace it: No such file or directory",
        "it: was read once, but cannot be read again: nothing is said of why locks were held",
        "it: was read once, but cannot be read again: nothing is said of its requests"] else [
            "said: " + said]


@why
def why_woken_by_nobody(test):
    """Where the trace has no wake-ups, the state is told, and nobody is named."""
    t = Tasks()
    t.switch(1000, 0, 9, "S", 5)
    t.acquire(1000, 0, 5, "mutex", ONE)
    t.switch(1100, 0, 5, "D", 6)
    t.switch(1400, 0, 6, "R+", 5)
    t.release(1500, 0, 5, "mutex", ONE)
    t.at(2000, 0, 5)
    r = taken_apart(test, t.write(test.path("why")), "--holds")
    have = sleep_of(r["held"]["all"])
    return [] if have == {("uninterruptible", "D", None): 300} else ["it is %s" % have]


@why
def why_woken_by_many(test):
    """Of one section, 64 kinds of sleep are told apart; of the others the time is told."""
    t = Tasks()
    t.switch(1000, 0, 9, "S", 5)
    t.acquire(1000, 0, 5, "mutex", ONE)
    for i in range(70):
        t.switch(1100 + 100 * i, 0, 5, "S", 6)
        t.waking(1149 + 100 * i, 1, 100 + i, 5)
        t.switch(1150 + 100 * i, 0, 6, "R+", 5)
    t.release(8200, 0, 5, "mutex", ONE)
    t.at(8300, 0, 5)
    t.file("info/tasks", "".join("%d\tworker%d\n" % (100 + i, i) for i in range(70)))
    sleep = taken_apart(test, t.write(test.path("why")), "--holds")["held"]["all"]["sleep"]
    told = [p for p in sleep if p.get("task_name", "").startswith("worker")]
    rest = [p["ticks"] for p in sleep if p.get("others")]
    return [] if len(told) == 64 and rest == [6 * 49] else ["it is %s" % sleep]
