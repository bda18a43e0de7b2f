# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Traces of tasks, locks and interrupts, and the tables of ft report --rt."""

import json
import re

from gen_trace import SOFTIRQ, Trace, WAITS
from options import rows_of
from typed_trace import FIFO, INTERRUPTS, OTHER, SCHEDULER, STATES, TASKS, TOGGLES, TYPES, events

REALTIME = []


def realtime(f):
    REALTIME.append(f)
    return f


EVENTS = {**SCHEDULER, **INTERRUPTS, **TOGGLES, **TASKS}
ALL_EVENTS = events(EVENTS) + list(WAITS)
NICE = 120

LOCK, OTHER_LOCK = 0xa0, 0xb0


class Tasks(Trace):
    """prio: of each task, as the kernel counts; below 100 its policy is FIFO."""

    def __init__(self, prio=(), **more):
        super().__init__(events=ALL_EVENTS, types=TYPES, **more)
        self.prio = {0: NICE, **dict(prio)}
        self.policy = {}

    def event(self, ts, cpu, tid, name, a, b=0, ctx=0):
        self.cpu(cpu).add(ts, EVENTS[name][0], tid, a, b, ctx)

    def word(self, tid, prio=None):
        own = self.prio.get(tid, NICE)
        prio = own if prio is None else prio
        policy = self.policy.get(tid, FIFO if own < 100 else OTHER)
        return tid | policy << 32 | (prio % 2**16) << 48

    def switch(self, ts, cpu, prev, state, to, prio=None, left=None):
        """prio: that `to` has now, if it is not its own; left: the same of prev"""
        left = self.prio.get(prev, NICE) if left is None else left
        self.event(ts, cpu, prev, "sched_switch", self.word(to, prio),
                   STATES[state] | (left % 2**16) << 48)

    def waking(self, ts, cpu, by, tid, ctx=0, name="sched_waking", target=0):
        self.event(ts, cpu, by, name, self.word(tid), tid | target << 32, ctx)

    def migrate(self, ts, cpu, by, tid, to):
        self.event(ts, cpu, by, "sched_migrate_task", self.word(tid), to << 32)

    def inherit(self, ts, cpu, by, tid, old, new=None, giver=0):
        """The task gets the priority of who waits for it; without, it loses it."""
        own = self.prio[tid]
        self.event(ts, cpu, by, "sched_pi_setprio", self.word(tid, own if new is None else new),
                   giver | (own % 2**16) << 32 | (old % 2**16) << 48)

    def softirq(self, begin, end, cpu, tid):
        self.event(begin, cpu, tid, "softirq_entry", 1, 0, SOFTIRQ)
        self.event(end, cpu, tid, "softirq_exit", 1, 0, SOFTIRQ)

    def at(self, ts, cpu, tid):
        """It runs there, says a record."""
        self.cpu(cpu).add(ts, 1, tid, 0, 0)


class Tables(dict):
    """table, row, column: value"""

    def __init__(self, text):
        for table in ("rt", "rt_task", "rt_blocking", "rt_inversion", "rt_nonpreemptible", "trace"):
            self[table] = dict(rows_of(text, table))

    def expect(self, table, row, **want):
        """Numbers are compared as such; columns in ns by their name without _ns."""
        have = self[table].get(row)
        if have is None:
            return ["%s has no row %s, but %s" % (table, row, list(self[table]))]
        bad = []
        for column, value in want.items():
            got = have.get(column, have.get(column + "_ns"))
            if got != value and (isinstance(value, str) or got is None or float(got) != value):
                bad.append("%s %s: %s is %s, not %s" % (table, row, column, got, value))
        return bad

    def rows(self, table, *want):
        return [] if sorted(self[table]) == sorted(want) else \
            ["%s has rows %s, not %s" % (table, sorted(self[table]), sorted(want))]


def shown(test, path, *args, status=0):
    """The tables of --tsv. Other outputs say the same, or keep their promises."""
    r = test.ft("report", "--rt", "--tsv", "--top", "0", *args, path)
    if r.returncode != status or "Sanitizer" in r.stderr:
        raise ValueError("exit status %d: %s" % (r.returncode, r.stderr))
    j = test.ft("report", "--rt", "--json", "--top", "0", *args, path)
    tables = Tables(r.stdout)
    for table, rows in tables.items():
        got = {row["row"]: len(row) - 1 for row in json.loads(j.stdout)[table]}
        if got != {row: len(columns) for row, columns in rows.items()}:
            raise ValueError("--json has other rows of %s: %s" % (table, got))
    text = test.ft("report", "--rt", "--top", "0", *args, path)
    if text.returncode != status or "observed" not in text.stdout or \
            re.search(r"\bbounds?\b", text.stdout):
        raise ValueError("the text is no observation: %s%s" % (text.stdout, text.stderr))
    page = path + ".html"
    if test.ft("report", "--rt", "--html", page, *args, path).returncode != status:
        raise ValueError("the page fails")
    with open(page) as f:
        tables.page = re.sub(r"<[^>]*>", " ", f.read())
    wide = [line for line in text.stdout.splitlines() if len(line) > 100 and path not in line]
    if wide:
        raise ValueError("wider than 100 columns: " + wide[0])
    tables.text = text.stdout
    return tables
