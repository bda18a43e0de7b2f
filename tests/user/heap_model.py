# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""What ft report --heap has to say of a trace, made of its records without any code of ft's.

Of one process, and of one thread where order matters. What is exact there is exact here; a
quantile may be off by what the distributions of ft are.
"""
import collections

from told import check, same

BEGINS = ("heap_malloc", "heap_calloc", "heap_realloc", "heap_aligned", "heap_new", "heap_map")
ENDS = ("heap_free", "heap_realloc_free")
TABLES = ("sites", "sizes", "functions", "processes", "threads")
COUNTS = ("allocated", "freed", "left", "at_peak")

Block = collections.namedtuple("Block", "size birth keys")


class Row:
    """Of a table, or the whole."""

    def __init__(self):
        self.counts = {what: [0, 0] for what in COUNTS}
        self.live, self.most = [0, 0], [0, 0]
        self.brief, self.lifetimes = 0, []

    def add(self, what, block, n=1):
        count = self.live if what == "live" else self.counts[what]
        count[0] += n
        count[1] += n * block.size
        self.most = [max(pair) for pair in zip(self.most, self.live)]


def class_of(size):
    """Up to each power of two: the words that the report has for it."""
    if size <= 2:
        return str(size)
    to = 1 << (size - 1).bit_length()
    return "%d-%d" % (to // 2 + 1, to)


def keys_of(r, size):
    tag = r.a >> 48
    return {"sites": "0x%x" % r.b, "sizes": class_of(size), "functions": r.name[len("heap_"):],
            "processes": str(tag), "threads": "%d:%d" % (tag, r.tid)}


class Model:
    """Live blocks of a trace of one process; the oldest record first."""

    def __init__(self, trace):
        self.total = Row()
        self.tables = {table: collections.defaultdict(Row) for table in TABLES}
        self.live, self.size, self.back, self.latest = {}, {}, {}, {}
        self.ended, self.unknown, self.peak_ts, self.at_peak = False, 0, 0, []
        self.hz = int(trace.session("clock_hz"))
        records = sorted(trace.records, key=lambda r: r.ts)
        self.start = records[0].ts
        for r in records:
            self.take(r)
        for tid in list(self.back):
            self.settle(tid)
        self.end = max(r.ts for r in records if r.name != "heap_size")
        for block in self.live.values():
            self.tell("left", block)
        for block in self.at_peak:
            self.tell("at_peak", block)

    def rows(self, block):
        return [self.total] + [self.tables[table][key] for table, key in block.keys.items()]

    def tell(self, what, block, n=1):
        for row in self.rows(block):
            row.add(what, block, n)

    def tell_live(self, block, n, ts):
        if not self.ended:
            most = self.total.most[1]
            self.tell("live", block, n)
            if self.total.most[1] > most:
                self.at_peak, self.peak_ts = list(self.live.values()), ts

    def freed(self, block, ts, brief):
        self.tell("freed", block)
        for row in self.rows(block):
            row.brief += brief
            row.lifetimes.append(ts - block.birth)

    def settle(self, tid):
        if tid in self.back:
            _, block, ts = self.back.pop(tid)
            self.freed(block, ts, False)

    def take(self, r):
        if r.name == "heap_size":
            self.size[r.tid] = (r.a, r.b)
            return
        if r.name == "heap_realloc_undo":
            address, block, _ = self.back.pop(r.tid)
            assert address == r.a
            self.live[address] = block
            self.tell_live(block, 1, r.ts)
            return
        if r.name in BEGINS + ENDS + ("heap_exit",):
            self.settle(r.tid)
        if r.name in BEGINS:
            self.begin(r)
        elif r.name in ENDS:
            self.finish(r)
        elif r.name == "heap_exit":
            for block in self.live.values():
                self.tell_live(block, -1, r.ts)
            self.ended = True

    def begin(self, r):
        address, size = self.size[r.tid]
        assert address == r.a and r.a not in self.live
        block = self.live[r.a] = Block(size, r.ts, keys_of(r, size))
        self.tell("allocated", block)
        self.tell_live(block, 1, r.ts)
        self.latest[r.tid] = r.a

    def finish(self, r):
        brief = self.latest.pop(r.tid, None) == r.a
        if r.a not in self.live:
            self.unknown += 1
            return
        block = self.live.pop(r.a)
        if r.name == "heap_realloc_free":
            self.back[r.tid] = (r.a, block, r.ts)
        else:
            self.freed(block, r.ts, brief)
        self.tell_live(block, -1, r.ts)

    def ns(self, ticks):
        return ticks * 10**9 // self.hz


def exact(model, row):
    """What a row of the report has, but for quantiles."""
    want = {"%s_%s" % (what, unit): row.counts[what][i]
            for what in COUNTS for i, unit in enumerate(("blocks", "bytes"))}
    want.update({"most_bytes": row.most[1], "brief_blocks": row.brief})
    if row.lifetimes:
        want.update({
            "lifetime_mean_ns": model.ns(sum(row.lifetimes) // len(row.lifetimes)),
            "lifetime_min_ns": model.ns(min(row.lifetimes)),
            "lifetime_max_ns": model.ns(max(row.lifetimes))})
    return want


def wrong_quantiles(model, row, got, columns, parts):
    """Of the columns: those that are further from the truth than one in so many parts."""
    lived = sorted(row.lifetimes)
    wrong = []
    for column, permille in columns.items() if lived else ():
        want = model.ns(lived[(len(lived) * permille + 999) // 1000 - 1])
        if abs(got[column] - want) > want / parts + 2:
            wrong.append((column, want, got[column]))
    return wrong


def compare_table(name, model, table, answer):
    rows = {row["row"]: row for row in answer[table]}
    want = {key: exact(model, row) for key, row in model.tables[table].items()}
    same("%s: %s" % (name, table), sorted((key, *sorted(w.items())) for key, w in want.items()),
         sorted((key, *sorted((c, row[c]) for c in want.get(key, row) if c in row))
                for key, row in rows.items()))
    same("%s: lifetimes of %s" % (name, table), [], [
        (key, *wrong) for key, row in model.tables[table].items() if key in rows
        for wrong in wrong_quantiles(model, row, rows[key],
                                     {"lifetime_p50_ns": 500, "lifetime_p99_ns": 990}, 31)])


def compare_rates(name, model, all_):
    total = model.total
    seconds = (model.end - model.start) / model.hz
    allocated = total.counts["allocated"]
    want = {"duration_ns": model.ns(model.end - model.start),
            "peak_ns": model.ns(model.peak_ts - model.start), "brief_blocks": total.brief}
    same(name + ": how long, when most was in use, what went at once", want,
         {column: all_[column] for column in want})
    check(name + ": rates", all(abs(all_[column] - n / seconds) <= 0.001 + n / seconds / 10**9
                                for column, n in zip(("blocks_per_s", "bytes_per_s"), allocated)),
          (allocated, seconds, all_))
    if total.lifetimes:
        want = exact(model, total)
        wrong = [(c, want[c], all_[c]) for c in ("lifetime_mean_ns", "lifetime_max_ns")
                 if want[c] != all_[c]]
        same(name + ": lifetimes", [], wrong + wrong_quantiles(model, total, all_, {
            "lifetime_p50_ns": 500, "lifetime_p90_ns": 900, "lifetime_p99_ns": 990,
            "lifetime_p999_ns": 999}, 127))


def compare_model(name, trace, answer):
    """The report's tables, and the whole; what is in use over time is heap_time.py's. Return: the model"""
    m = Model(trace)
    all_ = answer["total"]
    same(name + ": the report is that of a model", (
        *[m.total.counts[what] for what in COUNTS[:3]], m.total.most[::-1], m.unknown), (
            *[[all_[what + "_blocks"], all_[what + "_bytes"]] for what in COUNTS[:3]],
            [all_["most_bytes"], all_["most_blocks"]], all_["unknown_releases"]))
    same(name + ": who held it at the peak", sorted(
        row.counts["at_peak"] for row in m.tables["sites"].values() if row.counts["at_peak"][0]),
         sorted([row["at_peak_blocks"], row["at_peak_bytes"]] for row in answer["sites"]
                if row["at_peak_blocks"]))
    for table in TABLES:
        compare_table(name, m, table, answer)
    compare_rates(name, m, all_)
    return m
