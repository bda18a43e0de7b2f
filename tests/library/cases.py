#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""libfttrace on traces whose truth is known, from C, from Python, and beside ft.

Usage: cases.py DIR WORKDIR [NAME...]     DIR: ft, sections and FTTRACE, the library
"""

import csv
import errno
import io
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.join(HERE, "..", "..")
sys.path[:0] = [os.path.join(TOP, "tests", "analysis"),
                os.path.join(TOP, "userspace", "examples")]
# pylint: disable=wrong-import-position
import case_both                                                # noqa: E402
import case_early                                               # noqa: E402
import case_waits                                               # noqa: E402
import cases                                                    # noqa: E402
import fttrace                                                  # noqa: E402
from bad import BAD                                             # noqa: E402
from dumps import some_trace                                    # noqa: E402
from exports_threads import Typed                               # noqa: E402
from gen_trace import Trace                                     # noqa: E402
from simulate import Machine                                    # noqa: E402

BUILD, WORK, ONLY = sys.argv[1], sys.argv[2], sys.argv[3:]
ALL = fttrace.RECORDS | fttrace.SECTIONS | fttrace.WAITS | fttrace.GAPS
CASES = []


def case(f):
    CASES.append(f)
    return f


def command(*args):
    return subprocess.run(args, capture_output=True, text=True, timeout=120, check=False)


def ft(*args):
    return command(os.path.join(BUILD, "ft"), *args)


def made(name, trace):
    path = os.path.join(WORK, name)
    shutil.rmtree(path, ignore_errors=True)
    return trace.write(path)


def differ(what, have, want):
    """The first line that is not the same, of two texts or lists."""
    if have == want:
        return []
    if isinstance(have, str):
        have, want = have.splitlines(), want.splitlines()
    for i, (a, b) in enumerate(zip(have, want)):
        if a != b:
            return ["%s: %d: %s, not %s" % (what, i, a, b)]
    return ["%s: %d, not %d" % (what, len(have), len(want))]


def traces():
    """(name, trace) of many kinds."""
    for module in (cases, case_both, case_early, case_waits):
        for make in module.CASES:
            yield make.__name__, make()[0]
    yield "symbols", some_trace()
    t = Trace(freq=2700000007)      # a fraction, a name to be quoted, no wall clock
    t.clock = {"offset_s": 0, "offset": 0}
    t.file("info/kallsyms", "0000000000001000 T one,\"two\"\n0000000000002000 T three\n")
    t.acquire(1000, 0, 5, "spin", 0x1000, site=0x1234)
    t.release(2001, 0, 5, "spin", 0x1000)
    yield "quoted", t
    for seed in range(4):
        yield "chance %d" % seed, Machine(seed, losses=0.01 * (seed % 2), cpus=3).run()[0]


@case
def sections_as_exported():
    """The example in C, that in Python, and ft export print the same."""
    wrong, rows = [], 0
    for name, trace in traces():
        path = made("sections", trace)
        want = ft("export", "-f", "csv", path)
        have = command(os.path.join(BUILD, "sections"), path)
        wrong += differ("C: " + name, have.stdout, want.stdout)
        if (have.returncode, "lost" in have.stderr) != (0, want.returncode == 3):
            wrong.append("C: %s: %d, %s" % (name, have.returncode, have.stderr))
        out = io.StringIO()
        with fttrace.Reader(path, fttrace.SECTIONS) as reader:
            fttrace.sections(reader, out)
        wrong += differ("Python: " + name, out.getvalue(), want.stdout)
        rows += want.stdout.count("\n")
    have = command("python3", os.path.join(TOP, "userspace/examples/fttrace.py"), path)
    wrong += differ("as a program", have.stdout, want.stdout)
    return wrong + (["only %d sections" % rows] if rows < 1000 else [])


@case
def records_as_dumped():
    wrong = []
    for name, trace in traces():
        path = made("records", trace)
        have = []
        with fttrace.Reader(path, fttrace.RECORDS | fttrace.GAPS) as reader:
            for item in reader:
                where = str(item.cpu) if item.cpu >= 0 else "thread%d" % item.ring
                if item.kind == fttrace.GAPS:
                    have.append((str(item.time), where, "", "LOST",
                                 "counted=%d" % item.gap.lost, ""))
                    continue
                record = item.record
                name, words = "id=%d" % record.id, (b"a", b"b")
                if record.event:
                    name = record.event.contents.name.decode()
                    words = record.event.contents.word
                have.append((str(item.time), where, str(item.tid), name,
                             "%s=%#x" % (words[0].decode(), record.a),
                             "%s=%#x" % (words[1].decode(), record.b)))
        dump = ft("dump", "--raw", "--tsv", path)
        want = [(r[0], r[2], r[4], r[5], r[6], r[7]) for r in
                csv.reader(io.StringIO(dump.stdout), delimiter="\t",
                           quoting=csv.QUOTE_NONE)][1:]
        wrong += differ(name, have, want)
    return wrong


@case
def waits_are_true():
    wrong, n = [], 0
    for make in case_waits.CASES:
        trace, truth = make()[:2]
        path = made("waits", trace)
        have = []
        with fttrace.Reader(path, fttrace.WAITS) as reader:
            for item in reader:
                w = item.wait
                if w.length != w.end - w.begin or item.time != w.end:
                    wrong.append("%s: times" % make.__name__)
                have.append((w.family.decode(), w.length, w.lock, w.site or None,
                             (w.holder_family.decode(), w.holder) if w.holder else None))
        want = [(family, length, lock, site, holder)
                for family, length, lock, _, site, holder in truth.waits]
        wrong += differ(make.__name__, sorted(have, key=str), sorted(want, key=str))
        n += len(want)
    return wrong + (["only %d waits" % n] if n < 20 else [])


@case
def all_at_once():
    """Records, sections, waits and gaps of one pass are those of a pass for each."""
    wrong = []
    for name, trace in traces():
        path = made("at_once", trace)
        found = {}
        for kinds in (ALL, fttrace.SECTIONS, fttrace.WAITS, fttrace.GAPS | fttrace.SECTIONS):
            with fttrace.Reader(path, kinds) as reader:
                found[kinds] = [
                    (item.kind, item.cpu, item.ring, item.tid, item.time, item.context,
                     item.section.start if item.kind == fttrace.SECTIONS else
                     item.wait.begin if item.kind == fttrace.WAITS else 0)
                    for item in reader]
        for kinds, items in found.items():
            wrong += differ("%s, %d" % (name, kinds), items,
                            [i for i in found[ALL] if i[0] & kinds])
    return wrong


@case
def tracks_nest():
    """Sections of one CPU or task and track lie inside of each other, or apart."""
    wrong, crossed, late = [], 0, 0
    for name, trace in traces():
        tracks = {}
        with fttrace.Reader(made("tracks", trace), fttrace.SECTIONS) as reader:
            for item in reader:
                s = item.section
                own = s.flags & fttrace.SPINNING or not item.tid
                where = (bool(own), (item.cpu, item.ring) if own else item.tid)
                if s.flags & fttrace.LATE:
                    late += 1
                else:
                    tracks.setdefault((where, s.track), []).append((s.start, -s.end))
                crossed += s.track > 0
                if bool(s.flags & fttrace.SPINNING) != (s.family in (
                        b"spin", b"raw_spin", b"rwlock_read", b"rwlock_write")) or \
                        bool(s.flags & fttrace.PROGRAM) != (item.cpu < 0):
                    wrong.append("%s: flags %d of %s" % (name, s.flags, s.family))
        for track, mine in tracks.items():
            open_ends = []
            for start, end in sorted(mine):
                while open_ends and open_ends[-1] <= start:
                    open_ends.pop()
                if open_ends and -end > open_ends[-1]:
                    wrong.append("%s: track %s: %d to %d" % (name, track, start, -end))
                open_ends.append(-end)
    return wrong + (["%d crossed, %d late" % (crossed, late)]
                    if not crossed or not late else [])


@case
def names():
    t = some_trace()
    t.file("info/tasks", "5\tworker\n77\tother\n")
    path = made("names", t)
    with fttrace.Reader(path, 0) as reader:
        have = [list(reader), reader.task(5), reader.task(77), reader.task(6),
                reader.event(0, 1).name, list(reader.event(0, 1).style),
                list(reader.event(0, 16).style), reader.event(0, 2), reader.event(2, 1),
                reader.name(0xffffffff81001023, fttrace.CODE), reader.name(1, fttrace.DATA),
                reader.start, reader.frequency, reader.wall(reader.start), reader.notes]
    return differ("names", have, [[], "worker", "other", None, b"mark", [1, 1], [0, 0], None, None,
                                  "do_work+0x23", "", 2000000000, 10**9,
                                  (1700000002, 500000000), ""])


@case
def classes_of_locks():
    """The class of a lock, as in other traces, and none of one that the trace does not know."""
    t = Trace()
    t.cpu(0).add(1000, 1, 5, 0, 0)
    t.file("info/kallsyms", "ffffffff81001000 T a\nffffffff82000000 D big_lock\n")
    t.file("info/locks", "lock names 1\n0xffff888000001000\tslab\t1\t-\tinode.i_lock\n"
                         "0xffff888000002000\tslab\t3\t-\tpipe.mutex\n")
    with fttrace.Reader(made("classes", t), 0) as reader:
        have = [reader.lock_class(lock) for lock in (
            0xffff888000001000, 0xffffffff82000000, 0xffff888000002000, 0xa0)]
        have.append(reader.lib.ft_reader_class(reader.handle, 0xffff888000001000, None, 0))
    return differ("classes", have, ["inode.i_lock", "big_lock", "pipe.mutex (probably)", "",
                                     len("inode.i_lock")])


@case
def fields_of_words():
    """Several fields in a word, with signs and labels; and a field that is a word."""
    t = Typed()
    t.switch(1000, 0, 5, "S", 2**32 - 1)
    t.cpu(0).add(1001, 100, 5, 7 | 3 << 32 | 0xffff << 48, 4 | 0xfffe << 48)
    t.typed(1002, 0, 5, "softirq_entry", 9, 1)
    t.typed(1003, 0, 5, "irq_handler_exit", 24, 1, 2**64 - 5)
    t.cpu(0).add(1004, 1, 5, 7, 2**64 - 1)
    t.cpu(0).add(1005, 999, 5, 1, 2)        # the metadata has no such event
    with fttrace.Reader(made("fields", t), fttrace.RECORDS) as reader:
        have = [reader.fields(item.record) for item in reader]
        first = reader.event(0, 100)
        ends = [bool(reader.lib.ft_reader_field(reader.handle, event, i)) for event, i in (
            (first, 0), (first, 4), (first, 5), (first, 2**32 - 1), (fttrace.Event(), 0),
            (None, 0))]
    return differ("fields", have, [
        {"next": -1, "next_policy": "OTHER", "next_prio": 120, "prev_state": "S", "prev_prio": 120},
        {"next": 7, "next_policy": 3, "next_prio": -1, "prev_state": 4, "prev_prio": -2},
        {"vec": "RCU", "on_cpu": 1}, {"irq": 24, "on_cpu": 1, "ret": -5},
        {"a": 7, "b": 2**64 - 1}, {}]) + differ(
            "ends", ends, [True, True, False, False, False, False])


def refused(path, kinds=ALL):
    """The error of reading it all, or None, and all that was said."""
    try:
        with fttrace.Reader(path, kinds) as reader:
            try:
                for item in reader:
                    if item.kind == fttrace.RECORDS:
                        reader.name(item.record.b, fttrace.CODE)
            except fttrace.Error as error:
                return error.number, reader.notes
            return None, reader.notes
    except fttrace.Error as error:
        return error.number, str(error)


class Beside:
    """For the cases of bad input: what ft dump says, the library says, and prints nothing."""

    def __init__(self):
        self.work, self.wrong, self.runs = WORK, [], 0

    def path(self, name):
        path = os.path.join(WORK, name)
        shutil.rmtree(path, ignore_errors=True)
        return path

    def ft(self, *args):
        r = ft(*args)
        if args[:2] != ("dump", "--tsv") or len(args) > 3:
            return r
        number, said = refused(args[-1])
        if (number is not None) != (r.returncode == 1):
            self.wrong.append("error %s, but ft ends with %d: %s" %
                              (number, r.returncode, r.stderr))
        told = sorted(line for line in re.sub(r"(?m)^ft: ", "", r.stderr).splitlines()
                      if "--running-kernel" not in line)    # options are of ft
        self.wrong += differ("said", sorted(said.splitlines()), told)
        self.runs += 1
        return r


@case
def bad_input():
    wrong, runs = [], 0
    for f in BAD:
        if f.__name__ == "usage":       # no input at all
            continue
        beside = Beside()
        wrong += ["%s: %s" % (f.__name__, w) for w in f(beside) or ()]
        wrong += ["%s: %s" % (f.__name__, w) for w in beside.wrong]
        runs += beside.runs
    return wrong + (["only %d" % runs] if runs < 20 else [])


@case
def errors_have_numbers():
    path = made("numbers", cases.CASES[0]()[0])
    none = os.path.join(WORK, "none")
    wrong = differ("no directory", refused(none)[0], -errno.ENOENT)
    wrong += differ("unknown kinds", refused(path, 1 << 20)[0], -errno.EINVAL)
    with fttrace.Reader(path, 0) as reader:
        again = reader.lib.ft_reader_open(reader.handle, b"t", 0)
        what = reader.lib.ft_reader_name(reader.handle, 1, 2, None, 0)
        wrong += differ("again", [again, what], [-errno.EINVAL] * 2)
        wrong += differ("good", list(reader), [])
    # what failed stays so, and says why
    lib, item = reader.lib, fttrace.POINTER(fttrace.Item)()
    handle = lib.ft_reader_new()
    first = [lib.ft_reader_open(handle, none.encode(), 0), lib.ft_reader_error(handle)]
    wrong += differ("opened after a failure", lib.ft_reader_open(handle, path.encode(), 0),
                    -errno.EINVAL)
    wrong += differ("next after a failure",
                    [lib.ft_reader_next(handle, fttrace.byref(item)),
                     lib.ft_reader_error(handle)], first)
    lib.ft_reader_free(handle)
    with open(os.path.join(path, "metadata"), "a") as f:
        f.write("event {\n")
    wrong += differ("metadata", refused(path)[0], -errno.EINVAL)
    return wrong


def main():
    os.environ["FTTRACE"] = os.path.join(BUILD, "libfttrace.so.0")
    os.makedirs(WORK, exist_ok=True)
    failed = False
    for f in CASES:
        name = "library: " + f.__name__
        if ONLY and f.__name__ not in ONLY:
            continue
        # what the library prints would be on the descriptor of the process
        spoken = os.path.join(WORK, "spoken")
        fd, saved = os.open(spoken, os.O_RDWR | os.O_CREAT | os.O_TRUNC), os.dup(2)
        os.dup2(fd, 2)
        try:
            wrong = f()
        except Exception as e:          # a broken test is a failed test
            wrong = ["%s: %s" % (type(e).__name__, e)]
        os.dup2(saved, 2)
        os.close(fd)
        os.close(saved)
        with open(spoken) as text:
            wrong += ["printed: " + line for line in text]
        failed |= bool(wrong)
        print("FAIL %s: %s" % (name, wrong[0]) if wrong else "ok " + name)
        for line in wrong[1:12]:
            print("    " + line)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
