#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""ft report --heap: in use over time, by call and by size: heap_time.py BUILD FT

A model reads the records without any code of ft's and says what was in use in each span, at
most and at its end. Prints a line for each check, as tests/lib.sh has it.
"""
import bisect
import collections
import json
import os

from heap import FREE, MALLOC, SIZE, TAG, TRACE, ask, made, record, report
from heap_model import BEGINS, ENDS
from runs import WORK, main
from told import check, same
from trace import Trace

SPANS, ROW_SPANS, SHIFT_LEAST, TIMELINES, PARTS = 512, 128, 10, 2048, 64
COLUMNS = ("end_blocks", "end_bytes", "allocated_blocks", "allocated_bytes", "freed_blocks")
MOST = ("most_blocks", "most_bytes")


def class_name(size):
    to = 1
    while to < size:
        to *= 2
    return str(size) if size < 3 else "%d-%d" % (to // 2 + 1, to)


class Model:
    """What changes when, of one process: (time, kind, call, class, blocks, bytes)."""

    def __init__(self, trace):
        records = sorted(trace.records, key=lambda r: r.ts)
        self.start, self.end = records[0].ts, records[-1].ts
        self.hz = int(trace.session("clock_hz"))
        self.changes, self.live, self.size, self.back = [], {}, {}, {}
        self.ended = False
        for r in records:
            self.take(r)

    def change(self, ts, kind, block, sign):
        if kind == "live" and self.ended:
            return
        site, size = block
        self.changes.append((ts, kind, "0x%x" % site, class_name(size), sign, sign * size))

    def take(self, r):
        if r.name == "heap_size":
            self.size[r.tid] = r.b
        elif r.name in BEGINS:
            self.live[r.a] = block = (r.b, self.size[r.tid])
            self.change(r.ts, "allocated", block, 1)
            self.change(r.ts, "live", block, 1)
        elif r.name in ENDS and r.a in self.live:
            block = self.live.pop(r.a)
            self.back[r.tid] = (r.ts, block)
            self.change(r.ts, "live", block, -1)
            self.change(r.ts, "freed", block, 1)
        elif r.name == "heap_realloc_undo":
            then, block = self.back[r.tid]
            self.live[r.a] = block
            self.change(then, "freed", block, -1)
            self.change(r.ts, "live", block, 1)
        elif r.name == "heap_exit":
            for block in self.live.values():
                self.change(r.ts, "live", block, -1)
            self.ended = True

    def shift(self, room):
        shift = SHIFT_LEAST
        while (self.end - self.start) >> shift >= room:
            shift += 1
        return shift

    def begins(self, room):
        """Of the spans, in nanoseconds."""
        shift = self.shift(room)
        return [(i << shift) * 10**9 // self.hz for i in range(((self.end - self.start) >> shift) + 1)]

    def spans(self, room, is_of):
        """A dict for each: those changes that are of what is asked for."""
        shift, now, at = self.shift(room), [0, 0], 0
        spans = []
        changes = [c for c in self.changes if is_of(c)]
        # what a realloc() that failed had freed comes later in the list
        live = [c for c in changes if c[1] == "live"]
        for i in range(len(self.begins(room))):
            most = list(now)
            while at < len(live) and (live[at][0] - self.start) >> shift <= i:
                now = [now[0] + live[at][4], now[1] + live[at][5]]
                # all that an exit() ends, it ends at one time: only less
                most = [max(a, b) for a, b in zip(most, now)]
                at += 1
            spans.append(dict(zip(MOST + COLUMNS, [*most, *now, 0, 0, 0])))
        for ts, kind, _, _, blocks, size in changes:
            span = spans[(ts - self.start) >> shift]
            if kind == "allocated":
                span["allocated_blocks"] += blocks
                span["allocated_bytes"] += size
            elif kind == "freed":
                span["freed_blocks"] += blocks
        return spans


def parts(answer, table, of):
    """By what they are of. Return: begins of spans, and the spans, of each."""
    begins, spans = collections.defaultdict(list), collections.defaultdict(list)
    for row in answer[table]:
        assert row["row"] == "%s:%d" % (row[of], row["begin_ns"])
        begins[row[of]].append(row["begin_ns"])
        spans[row[of]].append({k: row[k] for k in MOST + COLUMNS if k in row})
    return begins, spans


def compare(name, trace, answer):
    """Return: the model."""
    m = Model(trace)
    same(name + ": spans of the whole", m.spans(SPANS, lambda c: True),
         [{k: row[k] for k in MOST + COLUMNS} for row in answer["timeline"]])
    same(name + ": where they begin", m.begins(SPANS),
         [int(row["row"]) for row in answer["timeline"]])
    for table, of, column in ("timeline_sites", "site", 2), ("timeline_sizes", "size", 3):
        begins, spans = parts(answer, table, of)
        same("%s: each %s has a timeline" % (name, of), sorted({c[column] for c in m.changes}),
             sorted(spans))
        same("%s: where spans of each %s begin" % (name, of), [],
             [k for k, v in begins.items() if v != m.begins(ROW_SPANS)])
        for key in sorted(spans):
            want = m.spans(ROW_SPANS, lambda c, key=key: c[column] == key)
            if want != spans[key]:
                same("%s: spans of %s %s" % (name, of, key), want, spans[key])
        check("%s: spans of each %s are compared" % (name, of),
              len(spans) > 1 and all(len(s) == len(m.begins(ROW_SPANS)) for s in spans.values()))
    same(name + ": no call is left out", 0, answer["total"]["sites_without_timeline"])
    return m


def last_of(answer, table, of):
    return {key: (spans[-1]["end_blocks"], spans[-1]["end_bytes"])
            for key, spans in parts(answer, table, of)[1].items()}


def test_known():
    """More records than spans: they are joined several times."""
    trace, answer, _, _ = record("known", "40000")
    m = compare("known", trace, answer)
    check("known: spans were joined", m.shift(ROW_SPANS) > SHIFT_LEAST + 2 and
          m.shift(SPANS) > SHIFT_LEAST, m.shift(ROW_SPANS))
    for table, of in ("timeline_sites", "site"), ("timeline_sizes", "size"):
        same("known: nothing of any %s is in use after exit()" % of, {(0, 0)},
             set(last_of(answer, table, of).values()))
    for table, of in ("sites", "site"), ("sizes", "size"):
        spans = parts(answer, "timeline_" + table, of)[1]
        same("known: the most of each %s is in its spans" % of,
             {row["row"]: row["most_bytes"] for row in answer[table]},
             {key: max(s["most_bytes"] for s in spans[key]) for key in spans})
    rows = [line.split("\t") for line in
            ask("report", "--heap", "--tsv", "--top", "0", trace.path).splitlines()]
    for table in "timeline_sites", "timeline_sizes":
        same("known: TSV has the same %s" % table,
             [(r["row"], k, str(v)) for r in answer[table] for k, v in r.items() if k != "row"],
             [tuple(row[1:]) for row in rows if row[0] == table])


def test_results():
    trace, answer, _, _ = record("results")
    compare("results", trace, answer)


def test_left():
    """A process whose end is not recorded has it until the end of the trace."""
    trace, answer, _, _ = record("_exit", "3000")
    compare("left", trace, answer)
    for table, of in ("sites", "site"), ("sizes", "size"):
        same("left: it is in use at the end, by %s" % of,
             {row["row"]: (row["left_blocks"], row["left_bytes"]) for row in answer[table]},
             last_of(answer, "timeline_" + table, of))


def test_others():
    """Those that have no rows have theirs together."""
    trace, _, _, _ = record("known", "5000")
    all_ = report(trace)
    answer = json.loads(ask("report", "--heap", "--json", "--top", "3", trace.path))
    m = Model(trace)
    _, spans = parts(answer, "timeline_sites", "site")
    shown = [row["row"] for row in all_["sites"][:3]]
    same("others: three have rows, those with the most at the peak", shown + ["others"], list(spans))
    want = m.spans(ROW_SPANS, lambda c: c[2] not in shown)
    same("others: what the rest has", [{k: s[k] for k in COLUMNS} for s in want], spans["others"])
    same("others: each size has rows", sorted(last_of(all_, "timeline_sizes", "size")),
         sorted(last_of(answer, "timeline_sizes", "size")))


def test_many():
    """More calls than timelines: the last ones have theirs with the others', and are counted."""
    many = TIMELINES + 3
    records = []
    for i in range(many):
        at = 200 * i  # the first one is the start of the trace
        records += [(at, 1, SIZE, 64 + 64 * i, 10 + i), (at, 1, MALLOC, 64 + 64 * i, TAG | (16 + i))]
    records.append((200 * many, 1, FREE, 64 + 64 * (many - 1), TAG))
    made("many", *records)
    trace = Trace(TRACE)
    answer = report(trace)
    same("many: calls without a timeline are counted", 3, answer["total"]["sites_without_timeline"])
    _, spans = parts(answer, "timeline_sites", "site")
    shown = ["0x%x" % (TAG | (16 + TIMELINES - i)) for i in range(1, PARTS + 1)]
    same("many: those with the most of the others have rows", [*shown, "others"], list(spans))
    shown = set(shown)
    want = Model(trace).spans(ROW_SPANS, lambda c: c[2] not in shown)
    same("many: the others have the rest's", [{k: s[k] for k in COLUMNS} for s in want],
         spans["others"])
    page = os.path.join(WORK, "page.html")
    ask("report", "--heap", "--html", page, trace.path)
    with open(page) as f:
        text = f.read()
    check("many: the page says so", "3 calls cannot be among these" in text, page)
    check("many: the page has charts by call and size",
          text.count('aria-label="Bytes by call"') == 1 and
          text.count('aria-label="Bytes by size"') == 1, page)


def test_sums():
    """Of several processes and threads: at the end of each span, parts are the whole."""
    for case in "forks", "threads":
        _, answer, _, _ = record(case)
        whole = {}
        for row in answer["timeline"]:
            whole[int(row["row"])] = (row["end_blocks"], row["end_bytes"])
        begins = sorted(whole)
        for table, of in ("timeline_sites", "site"), ("timeline_sizes", "size"):
            found = collections.defaultdict(lambda: (0, 0))
            for row in answer[table]:
                blocks, size = found[row["begin_ns"]]
                found[row["begin_ns"]] = (blocks + row["end_blocks"], size + row["end_bytes"])
            # the last span of the whole that begins before the next one of the parts
            nexts = [*sorted(found)[1:], begins[-1] + 1]
            want = [whole[begins[bisect.bisect_left(begins, at) - 1]] for at in nexts]
            same("sums: %s: %s" % (case, table), want, [found[at] for at in sorted(found)])


TESTS = [test_known, test_results, test_left, test_others, test_many, test_sums]


if __name__ == "__main__":
    main(TESTS)
