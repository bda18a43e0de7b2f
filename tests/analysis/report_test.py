#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""What reads traces against traces whose truth is known.

Usage: report_test.py PROGRAM WORKDIR [WORD...] [--but WORD...]

Only those with one of the words in their names, and without any of those after --but.
"""

import json
import os
import re
import shutil
import subprocess
import sys

import case_both
import case_early
import case_filters
import case_limits
import case_losses
import case_order
import case_processes
import case_waits
import cases
from bad import BAD
from case_semaphores import SEMAPHORES
from classes import CLASSES
from compares import COMPARES
import compares_classes        # its tests are in COMPARES, too
from cycles import CYCLES
from dumps import DUMPS
from exports import EXPORTS
from exports_threads import THREADS
from filters import FILTERS
from fixes import FIXES
import fixes_directory     # its tests are in FIXES, too
from jobs import JOBS
from model import compare
from npts import NPTS
from options import OPTIONS
from overheads import OVERHEADS
from packed import PACKED
from pages import PAGES
from parts import PARTS
import parts_stacks            # its tests are in PARTS, too
from plots import PLOTS
from programs import REPORTS
from readers import READERS
from realtime import REALTIME
import realtime_doubts         # its tests are in REALTIME, too
import realtime_inheritance    # the same
import realtime_inversions     # and so are its
import realtime_model          # and so are its
from requests_truth import REQUESTS
from rowbinary import ROWBINARY
from servers import SERVERS
from simulate import Machine
from sites import SITES
from sql import SQL
from stacks import STACKS
import stacks_order            # its tests are in STACKS, too
import stacks_sites            # the same
from studies import STUDIES
from visible import VISIBLE
import why                     # its tests are in WHY
import why_classes             # and so are its
import why_locks               # and so are its
import why_model               # and these
import why_places              # and these
import why_readings            # and these
from why_trace import WHY

READER = shutil.which("babeltrace2")
# Commands with -j; one that follows is what counts.
MANY = ("report", "compare", "dump", "export")


class Test:
    """What checks need: the program, and a directory for their traces.

    As many processes as CPUs go through all checks; each does those that no other
    has claimed, in a directory of its own.
    """

    def __init__(self, program, work, words, claims):
        at = words.index("--but") if "--but" in words else len(words)
        self.program, self.work = program, work
        self.only, self.but = words[:at], words[at + 1:]
        self.claims, self.number, self.failed = claims, 0, 0
        self.runs = 0           # of commands, in this test
        self.many = 0           # of those with threads

    def claim(self):
        self.number += 1
        try:
            os.close(os.open(os.path.join(self.claims, str(self.number)),
                             os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return False
        return True

    def ft(self, *args, **kwargs):
        """With several threads each other time: what comes out does not depend on it. One of
        four looks for leaks, another one in each test: that takes as long as most of them."""
        self.runs += 1
        if (self.runs + self.number) % 4:
            kwargs.setdefault("env", dict(os.environ, ASAN_OPTIONS="detect_leaks=0"))
        if args[:1] and args[0] in MANY and not {"--live", "--help"} & set(args):
            self.many += 1
            if not self.many % 2:
                args = (args[0], "-j", str(self.many % 4 + 2), *args[1:])
        return subprocess.run([self.program, *args], capture_output=True,
                              text=True, timeout=120, **kwargs)

    def path(self, name):
        path = os.path.join(self.work, name)
        shutil.rmtree(path, ignore_errors=True)
        return path

    def check(self, name, f, *args):
        if self.only and not any(word in name for word in self.only):
            return
        if any(word in name for word in self.but) or not self.claim():
            return
        self.runs = self.many = 0
        try:
            bad = f(self, *args)
        except Exception as e:          # a broken test is a failed test
            bad = ["%s: %s" % (type(e).__name__, e)]
        if isinstance(bad, str):
            lines = ["skip %s: %s" % (name, bad)]
        elif bad:
            self.failed += 1
            lines = ["FAIL %s: %s" % (name, bad[0].splitlines()[0])] + \
                ["    %s" % line for line in bad[1:12]]
        else:
            lines = ["ok %s" % name]
        # at once, so that lines of two processes do not mix
        os.write(1, ("\n".join(lines) + "\n").encode())


def status_of(truth):
    return 3 if truth.extra.get(("trace", "-", "lost"), "0") != "0" else 0


def check_report(test, name, trace, truth, args=()):
    path = trace.write(test.path(name))
    args = ["--top", "0", *args]
    r = test.ft("report", "--tsv", *args, path)
    bad = compare(truth, r.stdout)
    bad += check_json(r.stdout, test.ft("report", "--json", *args, path))
    if r.returncode != status_of(truth):
        bad.append("exit status is %d: %s" % (r.returncode, r.stderr))
    text = test.ft("report", "--balance", *args, path)
    if text.returncode != r.returncode or "Critical sections" not in text.stdout:
        bad.append("the report for people fails: " + text.stderr)
    bad += early_shown(test, truth, path, args, text.stdout)
    if ("total_saturated" in r.stdout and truth.people) != (">= " in text.stdout):
        bad.append("a total without room is not told, or one with room is")
    bad += ["wider than 100 columns: " + line
            for line in text.stdout.splitlines()
            if len(line) > 100 and path not in line]
    if (status_of(truth) == 3) != bool(re.search("records? w[a-z]* lost", text.stdout)):
        bad.append("the warning about lost records is wrong")
    if truth.foreign:
        bad += check_reader(path, status_of(truth) == 3)
    return bad


def early_shown(test, truth, path, args, text):
    """Acquisitions that were early are told to people, in the text and on the page."""
    count = truth.extra.get(("trace", "-", "early_acquisitions"))
    if count is None:
        return []
    html = path + ".html"
    test.ft("report", "--html", html, *args, path)
    with open(html) as f:
        page = f.read()
    want = count + " acquisitions, stamped"
    return ["early ones in the %s: %s" % (name, want)
            for name, shown in (("text", text), ("page", page))
            if (want in shown) != (count != "0") or
            ("stamped at most" in shown) != (count != "0")]


def check_json(tsv, r):
    """--json says what --tsv does, in the same order, to another reader."""
    unescape = {"\\t": "\t", "\\n": "\n", "\\\\": "\\"}
    want = [tuple(re.sub(r"\\[tn\\]", lambda m: unescape[m.group()], v)
                  for v in line.split("\t")) for line in tsv.splitlines()]
    tables = json.loads(r.stdout, parse_int=str, parse_float=str)
    got = []
    for table, rows in tables.items():
        for row in rows:
            got += [(table, row["row"], column, value)
                    for column, value in row.items() if column != "row"]
    if got != want:
        return ["--json is not --tsv: " + str(
            [x for x in zip(got, want) if x[0] != x[1]][:3])]
    return []


def check_reader(path, lost):
    """The generator is honest: another program reads its traces as well."""
    if not READER:
        return []
    r = subprocess.run([READER, path], capture_output=True, text=True,
                       timeout=120)
    # it warns about records that were lost, and should
    if r.returncode or (r.stderr and not lost):
        return ["babeltrace2: " + r.stderr]
    return []


def by_hand(test, make):
    return check_report(test, make.__name__, *make())


def by_chance(test, seed, losses):
    trace, known = Machine(seed, losses=losses, cpus=1 + seed % 4).run()
    return check_report(test, "chance", trace, known.truth())


def main():
    program, work, words = sys.argv[1], sys.argv[2], sys.argv[3:]
    shutil.rmtree(work, ignore_errors=True)
    claims = os.path.join(work, "claims")
    os.makedirs(claims)
    if not READER:
        print("skip report: babeltrace2: not found, nobody else reads the traces",
              flush=True)
    children = []
    for i in range(len(os.sched_getaffinity(0))):
        pid = os.fork()
        if not pid:
            own = os.path.join(work, str(i))
            os.makedirs(own)
            os._exit(all_checks(Test(program, own, words, claims)))
        children.append(pid)
    return int(any([os.waitpid(pid, 0)[1] for pid in children]))


def all_checks(test):
    for make in [make for module in (cases, case_losses, case_limits, case_waits,
                                case_order, case_filters, case_both, case_early,
                                case_processes)
                 for make in module.CASES]:
        test.check("report: " + make.__name__, by_hand, make)
    for seed in range(12):
        test.check("report: by chance %d" % seed, by_chance, seed, 0)
        test.check("report: by chance, lost %d" % seed, by_chance, seed, 0.01)
    for kind, checks in (("report", SEMAPHORES), ("report options", OPTIONS), ("report", REALTIME),
                         ("filters", FILTERS),
                         ("report of programs", REPORTS), ("bad input", BAD), ("dump", DUMPS),
                         ("locks by class", CLASSES), ("cycles", CYCLES),
                         ("sites", SITES), ("stacks", STACKS), ("compare", COMPARES),
                         ("study", STUDIES), ("page", VISIBLE + PAGES), ("why", WHY),
                         ("requests", REQUESTS), ("npt", NPTS),
                         ("overheads", OVERHEADS),
                         ("plot", PLOTS), ("export", EXPORTS + THREADS),
                         ("library", READERS), ("fix", FIXES),
                         ("rotated", PARTS), ("packed", PACKED), ("sql", SQL),
                         ("clickhouse", ROWBINARY + SERVERS), ("jobs", JOBS)):
        for f in checks:
            test.check("%s: %s" % (kind, f.__name__), f)
    return 1 if test.failed else 0


if __name__ == "__main__":
    sys.exit(main())
