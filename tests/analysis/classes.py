# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Names and classes of locks, from info/locks."""

import json
import os

from gen_trace import Trace

CLASSES = []

KALLSYMS = """ffffffff81000000 T _stext
ffffffff82000000 D big_lock
ffffffff82000040 B _end
"""
BIG, ONE, TWO = 0xffffffff82000000, 0xffff888000001000, 0xffff888000002000
CPU0, CPU1 = 0xffff88800f000000, 0xffff88800f800000
VAGUE, FREED = 0xffff888000003000, 0xffff888000004000
LOCKS = """lock names 1
0x%x\tstatic\t1\t-\tbig_lock
0x%x\tslab\t1\t-\tdentry.d_lockref.lock
0x%x\tslab\t1\t-\tdentry.d_lockref.lock
0x%x\tpercpu\t1\t0\trunqueues.__lock
0x%x\tpercpu\t1\t1\trunqueues.__lock
0x%x\tslab\t3\t-\tPING+0x98
0x%x\tpages\t0\t-\t(pages)
""" % (BIG, ONE, TWO, CPU0, CPU1, VAGUE, FREED)
# Nobody has asked for this one.
OTHER = 0xffff888000005000


def classes(f):
    CLASSES.append(f)
    return f


def some_trace(locks=LOCKS):
    t = Trace()
    at = 1000
    for lock, length in ((BIG, 10), (ONE, 20), (TWO, 30), (ONE, 40), (CPU0, 50),
                         (CPU1, 60), (VAGUE, 70), (FREED, 80), (OTHER, 40)):
        t.acquire(at, 0, 5, "spin", lock)
        t.release(at + length, 0, 5, "spin", lock)
        at += 1000
    t.file("info/kallsyms", KALLSYMS)
    if locks:
        t.file("info/locks", locks)
    return t


def report(test, *args, locks=LOCKS):
    path = some_trace(locks).write(test.path("classes"))
    r = test.ft("report", "--json", "--top", "0", *args, path)
    if r.returncode:
        raise ValueError("exit status %d: %s" % (r.returncode, r.stderr))
    return json.loads(r.stdout), r.stderr


def rows(table):
    return {row["class"]: (row["count"], float(row["total_ns"]), row["locks"],
                           row["types"], row.get("kind"), float(row["share"]))
            for row in table}


def differ(have, want):
    return [] if have == want else ["%r, not %r" % (have, want)]


@classes
def of_locks(test):
    """Rows of locks become one, with their number, sum and share."""
    have, _ = report(test)
    return differ(rows(have["class"]), {
        "big_lock": (1, 10, 1, 1, "static", 0.025),
        "dentry.d_lockref.lock": (3, 90, 2, 1, "slab", 0.225),
        "runqueues.__lock": (2, 110, 2, 1, "percpu", 0.275),
        "PING+0x98 (3 types)": (1, 70, 1, 3, "slab", 0.175),
        "(pages)": (1, 80, 1, 0, "pages", 0.2),
        "(not asked)": (1, 40, 1, 0, None, 0.1),
    })


@classes
def guess_is_told(test):
    """A type of which a name alone speaks is not shown as one that is certain."""
    likely = LOCKS.replace("PING+0x98", "pipe_inode_info.mutex")
    have, _ = report(test, "--by", "class", locks=likely)
    name = "pipe_inode_info.mutex (probably; 3 types fit)"
    bad = differ(rows(have["class"]).get(name), (1, 70, 1, 3, "slab", 0.175))
    have, _ = report(test, "--lock", "pipe_inode_info.mutex", locks=likely)
    return bad + differ([r["symbol"] for r in have["lock"]], ["%s 0x%x" % (name, VAGUE)])


@classes
def guess_is_apart(test):
    """Locks that are likely of a class are in no row of those that are, whichever comes first."""
    bad = []
    for one, two in (("1", "3"), ("3", "1")):
        mixed = LOCKS.replace("slab\t1\t-\tdentry", "slab\t%s\t-\tdentry" % one, 1)
        mixed = mixed.replace("slab\t3\t-\tPING+0x98", "slab\t%s\t-\tdentry.d_lockref.lock" % two)
        mixed = mixed.replace("0x%x\tslab\t1" % TWO, "0x%x\tslab\t%s" % (TWO, one))
        have, _ = report(test, "--by", "class", locks=mixed)
        found = rows(have["class"])
        certain, likely = found.get("dentry.d_lockref.lock"), \
            found.get("dentry.d_lockref.lock (probably; 3 types fit)")
        bad += differ((certain and certain[0], likely and likely[0]),
                      (3, 1) if one == "1" else (1, 3))
        have, _ = report(test, "--by", "class", "--lock", "dentry.d_lockref.lock", locks=mixed)
        bad += differ(sum(r["count"] for r in have["class"]), 4)
    return bad


@classes
def names_of_locks(test):
    """Each lock has its class, and what tells it from others of it."""
    have, _ = report(test)
    return differ({int(r["row"].split(":")[1], 16): (r["symbol"], r.get("class"))
                   for r in have["lock"]}, {
        BIG: ("big_lock", "big_lock"),
        ONE: ("dentry.d_lockref.lock 0x%x" % ONE, "dentry.d_lockref.lock"),
        TWO: ("dentry.d_lockref.lock 0x%x" % TWO, "dentry.d_lockref.lock"),
        CPU0: ("runqueues.__lock, CPU 0", "runqueues.__lock"),
        CPU1: ("runqueues.__lock, CPU 1", "runqueues.__lock"),
        VAGUE: ("PING+0x98 (3 types) 0x%x" % VAGUE, "PING+0x98 (3 types)"),
        FREED: ("(pages) 0x%x" % FREED, "(pages)"),
        OTHER: ("0x%x" % OTHER, None),
    })


@classes
def chosen_tables(test):
    """--by shows what it names, and no other table."""
    bad = []
    for by in ("class", "lock", "site", "task", "class,task"):
        have, _ = report(test, "--by", by)
        bad += differ({t for t in ("class", "lock", "site", "task") if have.get(t)},
                      set(by.split(",")))
    path = some_trace().write(test.path("classes"))
    text = test.ft("report", "--by", "class", path).stdout
    if "Classes of locks by total" not in text or "Tasks by" in text:
        bad.append("text: " + text)
    r = test.ft("report", "--by", "colour", path)
    if r.returncode != 2 or "'colour'" not in r.stderr:
        bad.append("--by colour: %d %s" % (r.returncode, r.stderr))
    return bad


@classes
def in_text_and_page(test):
    """People see how many locks a class has, and its share."""
    path = some_trace().write(test.path("classes"))
    text = test.ft("report", "--by", "class", path).stdout
    page = os.path.join(test.work, "classes.html")
    bad = [] if "dentry.d_lockref.lock  (2 locks, 22.5% of the time)" in text else [text]
    if test.ft("report", "--html", page, path).returncode:
        return bad + ["no page"]
    with open(page, encoding="utf-8") as f:
        html = f.read()
    return bad + ([] if "Classes of locks" in html and "22.5%" in html else ["the page"])


@classes
def selected(test):
    """--lock takes a class: all its locks."""
    have, _ = report(test, "--lock", "dentry.d_lockref.lock")
    return differ({c: v[0] for c, v in rows(have["class"]).items()},
                  {"dentry.d_lockref.lock": 3})


@classes
def without_file(test):
    """A trace without the file has no table of classes, unless it is asked for."""
    have, _ = report(test, locks=None)
    bad = differ(have.get("class", []), [])
    have, _ = report(test, "--by", "class", locks=None)
    return bad + differ({c: v[0] for c, v in rows(have["class"]).items()},
                        {"big_lock": 1, "(unknown)": 8})


@classes
def selected_as_shown(test):
    """--lock takes one lock of a class, and a class that is not certain, as tables show them."""
    locks = LOCKS.replace("lock\n0x%x" % TWO, "lock\tmysqld 1234\n0x%x" % TWO)
    bad = []
    for name, count in (("dentry.d_lockref.lock 0x%x of mysqld 1234" % ONE, 2),
                        ("dentry.d_lockref.lock 0x%x" % TWO, 1), ("runqueues.__lock, CPU 1", 1),
                        ("PING+0x98 (3 types)", 1), ("PING+0x98 (3 types) 0x%x" % VAGUE, 1)):
        have, _ = report(test, "--lock", name, locks=locks)
        bad += differ((name, sum(row["count"] for row in have["lock"])), (name, count))
    r = test.ft("report", "--lock", "dentry.d_lockref.lock 0x%x" % ONE,
                some_trace(locks).write(test.path("classes")))
    return bad + differ((r.returncode, "no symbol" in r.stderr), (1, True))


@classes
def owners(test):
    """Who owns the object stands behind the lock's own name, and is no part of its class."""
    locks = LOCKS.replace("lock\n0x%x" % TWO, "lock\tmy\\tsqld\x07 1234\n0x%x" % TWO)
    have, stderr = report(test, locks=locks)
    shown = {int(row["row"].split(":")[1], 16): row["symbol"] for row in have["lock"]
             if "symbol" in row}
    text = test.ft("report", "--top", "0", "--by", "lock",
                   some_trace(locks).write(test.path("owners"))).stdout
    name = "dentry.d_lockref.lock 0x%x of my\\tsqld\\x07 1234" % ONE
    return differ((shown[ONE], shown[TWO], stderr, name in text),
                  (name, "dentry.d_lockref.lock 0x%x" % TWO, "", True)) + \
        differ(rows(have["class"])["dentry.d_lockref.lock"], (3, 90, 2, 1, "slab", 0.225))


@classes
def other_version(test):
    """A file of another version is not guessed at."""
    have, stderr = report(test, "--by", "class", locks=LOCKS.replace("names 1", "names 2"))
    bad = [] if "not of a version" in stderr else ["said: " + stderr]
    return bad + differ({c for c in rows(have["class"])}, {"big_lock", "(unknown)"})


@classes
def damaged_lines(test):
    """Damaged lines are counted, the others count."""
    lines = LOCKS.splitlines()
    lines[1:1] = ["", "nothing", "0x1\tslab\t1\t-", "0x1\tcolour\t1\t-\tx", "0x1\tslab\tx\t-\tx",
                  "0x1\tslab\t1\t-1\tx", "0x1\tslab\t1\t-\t", "0x1\tslab\t1\t-\tx\ty\tz",
                  "0x1\tslab\t1\t-\tx\t", "0x1\tslab\t1\t-\tx\t" + "y" * 96,
                  "0x1\tslab\t1\t-\t" + "x" * 192, "0x1\tslab\t1\t5000000\tx",
                  "-1\tslab\t1\t-\tx"]
    lines.append("0x%x\tslab\t1\t-\ttwice" % ONE)
    have, stderr = report(test, locks="\n".join(lines) + "\n")
    bad = [] if "13 of its lines are damaged" in stderr else ["said: " + stderr]
    return bad + differ(len(have["class"]), 6)


@classes
def unreadable_file(test):
    """What cannot be read is said; a zero byte does not end the file."""
    have, stderr = report(test, "--by", "class", locks=LOCKS.replace("dentry", "\0dentry", 1))
    bad = differ(rows(have["class"])["\\x01dentry.d_lockref.lock"][0], 2)
    path = some_trace(None).write(test.path("classes"))
    os.mkdir(os.path.join(path, "info", "locks"))
    r = test.ft("report", "--by", "class", path)
    return bad + ([stderr] if stderr else []) + (
        [] if not r.returncode and "info/locks: Is a directory: locks have no names" in r.stderr
        else ["%d %s" % (r.returncode, r.stderr)])


@classes
def control_characters(test):
    """A name that a file made up does not reach the terminal."""
    _, stderr = report(test)
    path = some_trace(LOCKS + "0x%x\tslab\t1\t-\ta\x1b[2Jb\n" % OTHER).write(
        test.path("classes"))
    text = test.ft("report", "--by", "class,lock", path).stdout
    return ([stderr] if stderr else []) + (
        [] if "a\\x1b[2Jb" in text and "\x1b" not in text else [text])
