# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""What a report must say, worked out the slow way from known sections.

A test names each critical section as it makes it; here they become the numbers
of the report. Nothing is paired: the truth is known beforehand.
"""

from collections import defaultdict, namedtuple
from fractions import Fraction

from gen_trace import FAMILIES, PER_CPU, PROGRAMS, RAW, RT

# A quantile may be so far away: half a bin of the histogram.
TOLERANCE = defaultdict(lambda: Fraction(1, 32))    # in tables
TOLERANCE.update({"family": Fraction(1, 128), "group": Fraction(1, 128)})
QUANTILES = {"p50_ns": 500, "p90_ns": 900, "p99_ns": 990, "p999_ns": 999}


Section = namedtuple("Section", "family length depth both site lock task ctx spin")
Wait = namedtuple("Wait", "family length lock task site holder")


def kind(ctx):
    """The innermost context: task, softirq, hardirq, NMI"""
    return 3 if ctx & 0xe0 else 2 if ctx & 0x1e else ctx & 1


def ns(ticks, freq):
    """As the report prints it: picoseconds, rounded down."""
    ps = int(Fraction(ticks) * 10**12 / freq)
    return "%d.%03d" % (ps // 1000, ps % 1000)


class Truth:
    def __init__(self, trace):
        self.trace = trace
        self.sections = []
        self.waits = []
        self.cuts = defaultdict(int)
        self.extra = {}         # (table, row, column): value
        self.ignored = set()    # (table, row) or table: not compared
        self.detailed = False   # locks, tasks and contexts are known as well
        self.people = True      # totals marked for programs are so for people
        self.foreign = True     # other programs can read the trace
        self.checks = []        # asked with {(table, row): {column: value}}

    def section(self, family, length, depth=0, both=None, site=0x1000,
                lock=None, task=None, ctx=0, spin=None):
        """spin: of a spinlock, the spinlocks alone that were held; None: all that spin"""
        self.sections.append(Section(family, length, depth,
                                     depth if both is None else both, site,
                                     lock, task, ctx,
                                     depth if spin is None else spin))

    def wait(self, family, length, lock, task, site=None, holder=None):
        """site: None if no acquisition followed; holder: (family, site)"""
        self.waits.append(Wait(family, length, lock, task, site, holder))

    def cut(self, family, why, n=1):
        self.cuts[family, why] += n

    def expect(self, table, row, column, value):
        self.extra[table, row, column] = str(value)

    def _lengths(self, out, table, row, lengths, prefix=""):
        freq = self.trace.freq
        lengths = sorted(lengths)
        out[table, row, prefix + "count"] = str(len(lengths))
        out[table, row, prefix + "total_ns"] = ns(sum(lengths), freq)
        if not lengths:
            return
        out[table, row, prefix + "min_ns"] = ns(lengths[0], freq)
        out[table, row, prefix + "max_ns"] = ns(lengths[-1], freq)
        out[table, row, prefix + "mean_ns"] = ns(
            Fraction(sum(lengths), len(lengths)), freq)
        for column, permille in QUANTILES.items():
            rank = -(-len(lengths) * permille // 1000)
            value = Fraction(lengths[max(rank, 1) - 1]) * 10**9 / freq
            # a Fraction: within TOLERANCE
            out[table, row, prefix + column] = value

    def _class(self, out, table, row, families):
        mine = [s for s in self.sections if s.family in families]
        self._lengths(out, table, row, [s.length for s in mine])
        for why in ("start", "end", "lost", "other"):
            out[table, row, "cut_" + why] = str(
                sum(self.cuts[f, why] for f in families))
        for us in (5, 13):
            out[table, row, "below_%dus" % us] = str(sum(
                s.length * 10**6 < us * self.trace.freq for s in mine))
        if self.detailed:
            for i, name in enumerate(("task", "softirq", "hardirq", "nmi")):
                out[table, row, name] = str(sum(
                    kind(s.ctx) == i for s in mine))
        if self.waits:
            self._lengths(out, table, row, [w.length for w in self.waits
                                            if w.family in families], "wait_")

    def _tables(self, out):
        """By site, and if it is known by lock and task: sections and waits."""
        rows, waits = defaultdict(list), defaultdict(list)
        for s in self.sections:
            rows["site", "%s:0x%x" % (s.family, s.site)].append(s.length)
            if self.detailed:
                rows["lock", "%s:0x%x" % (s.family, s.lock)].append(s.length)
                rows["task", "%s:%s" % (s.family, s.task)].append(s.length)
        for w in self.waits:
            waits["lock", "%s:0x%x" % (w.family, w.lock)].append(w.length)
            waits["task", "%s:%s" % (w.family, w.task)].append(w.length)
            if w.site:
                waits["site", "%s:0x%x" % (w.family, w.site)].append(w.length)
        for row, lengths in waits.items():
            self._lengths(out, *row, lengths, "wait_")
            if self.detailed or row[0] == "site":
                rows.setdefault(row, [])
        for row, lengths in rows.items():
            self._lengths(out, *row, lengths)

    def _waited(self, out):
        pairs = defaultdict(list)
        for w in self.waits:
            waiter = "%s:0x%x" % (w.family, w.site) if w.site else \
                "%s:?" % w.family
            holder = "%s:0x%x" % w.holder if w.holder else "%s:?" % w.family
            pairs[waiter + "<" + holder].append(w.length)
        for row, lengths in pairs.items():
            out["waited", row, "count"] = str(len(lengths))
            for column, value in (
                    ("total_ns", sum(lengths)), ("max_ns", max(lengths)),
                    ("mean_ns", Fraction(sum(lengths), len(lengths)))):
                out["waited", row, column] = ns(value, self.trace.freq)

    def numbers(self):
        """{(table, row, column): text, or Fraction for a quantile}"""
        out = {}
        rt = RT if any(s.family in RT for s in self.sections) else []
        for family in FAMILIES + [RAW] + rt:
            self._class(out, "family", family, [family])
        for family in PROGRAMS:
            self._class(out, "family", family, [family])
        self._class(out, "group", "program", PROGRAMS)
        self._class(out, "group", "spinning", PER_CPU)
        self._class(out, "group", "sleeping", FAMILIES[3:] + rt)
        depths = defaultdict(int)
        for s in self.sections:
            if s.depth is None:     # an internal one
                continue
            if s.family in PROGRAMS:
                depths["depth", "program", str(s.depth)] += 1
                continue
            scope = "spinning" if s.family in PER_CPU else "sleeping"
            depths["depth", scope, str(s.depth)] += 1
            if s.family in ("spin", RAW):
                depths["depth", "spin", str(s.spin)] += 1
            depths["depth", "both", str(s.both)] += 1
        out.update((k, str(v)) for k, v in depths.items())
        self._tables(out)
        self._waited(out)
        out.update(self.extra)
        return out


def parse(text):
    """What ft report --tsv printed: {(table, row, column): value}, mistakes"""
    have, bad = {}, []
    for line in text.splitlines():
        table, row, column, value = line.split("\t")
        if (table, row, column) in have:
            bad.append("twice: " + line)
        have[table, row, column] = value
    return have, bad


def compare(truth, text):
    """Differences between the truth and what ft report --tsv printed."""
    want, rows = truth.numbers(), defaultdict(dict)
    have, bad = parse(text)
    for key, value in want.items():
        got = have.get(key)
        if key[:2] in truth.ignored or key[0] in truth.ignored:
            continue
        if got is None:
            bad.append("%s is missing" % " ".join(key))
        elif isinstance(value, Fraction):
            # 1/1000: what is printed is rounded down to picoseconds
            if abs(Fraction(got) - value) > \
                    value * TOLERANCE[key[0]] + Fraction(1, 1000):
                bad.append("%s is %s, not near %s" % (" ".join(key), got,
                                                     float(value)))
        elif got != value:
            bad.append("%s is %s, not %s" % (" ".join(key), got, value))
    closed = {"depth", "site", "waited"}
    if truth.detailed:
        closed |= {"lock", "task", "order"}
    for key, value in have.items():
        rows[key[:2]][key[2]] = value
        if key[0] in closed and key not in want and \
                key[:2] not in truth.ignored and \
                key[0] not in truth.ignored and \
                "symbol" not in key[2] and key[2] != "name":
            bad.append("%s is too much" % " ".join(key))
    for check in truth.checks:
        bad += check(rows)
    return bad + check_balance(have)


def check_balance(have):
    """The books must close, whatever was in the trace."""
    bad, rows = [], defaultdict(dict)
    for (table, row, column), value in have.items():
        if table == "balance":
            rows[row][column] = int(value)
    for row, b in rows.items():
        cpu, family = row.split(":")
        if cpu != "all" and family not in PER_CPU:
            continue
        opened = sum(b["open_" + w] for w in
                     ("at_start", "at_end", "lost", "other"))
        unmatched = sum(b["unmatched_" + w] for w in
                        ("at_start", "at_end", "lost", "other"))
        if b["acquires"] != b["complete"] + opened or \
                b["releases"] != b["complete"] + unmatched or \
                b["difference"] != b["acquires"] - b["releases"]:
            bad.append("balance of %s does not close: %s" % (row, b))
    return bad
