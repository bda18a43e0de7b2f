# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Distributions in the report, and what ft plot draws of them and of other tables."""

import os
import random
import re
import shutil
import struct
from collections import defaultdict
from fractions import Fraction
from xml.etree import ElementTree

from figures import boxes, curves, figure, in_proportion, points, texts
from gen_trace import FAMILIES, PROGRAMS, RAW, RT, SPINNING, Trace
from model import ns, parse
from pages import BIN, expected_lengths, loses_in_the_middle
from simulate import Machine

PLOTS = []
GROUPS = {"spinning": SPINNING, "sleeping": FAMILIES[3:]}


def plot(f):
    PLOTS.append(f)
    return f


def report(test, trace, name="trace"):
    """(the file with the report, {table: {row: {column: value}}})"""
    out = test.path(name + ".tsv")
    r = test.ft("report", "--tsv", "--distributions", "--top=0",
                trace.write(test.path(name)))
    with open(out, "w") as f:
        f.write(r.stdout)
    tables = defaultdict(dict)
    for (table, row, column), value in parse(r.stdout)[0].items():
        tables[table].setdefault(row, {})[column] = value
    return out, tables


def classes():
    return [(f, [f]) for f in FAMILIES] + list(GROUPS.items())


@plot
def data_is_the_truth(test):
    """Lengths, how many are shorter, and rates: counted one by one."""
    wrong = []
    for seed in (1, 3, 8):
        trace, known = Machine(seed, steps=2500).run()
        truth, (_, tables) = known.truth(), report(test, trace)
        for name, families in classes():
            bins = {"%.1f" % (i / 10): str(n)
                    for i, n in expected_lengths(truth, families).items()}
            if tables["length"].get(name, {}) != bins:
                wrong.append("length of %s: %s" % (name, tables["length"].get(name)))
            lengths = [Fraction(ns(s.length, trace.freq)) for s in truth.sections
                       if s.family in families]
            shorter = tables["shorter"].get(name, {})
            for edge, n in shorter.items():
                if int(n) != sum(v < Fraction(edge) for v in lengths):
                    wrong.append("%s: %s are shorter than %s ns" % (name, n, edge))
            if lengths and list(shorter.values())[-1] != str(len(lengths)):
                wrong.append("%s: the last is not all" % name)
    return wrong


@plot
def bins_are_exact(test):
    """Lengths at and beside the edges of bins, on clocks that do not divide them."""
    wrong = []
    for freq in (10**9, 2999999999, 10**7, 3333333, 2400000000):
        t = Trace(freq=freq)
        bins, now = defaultdict(int), 1000
        for i in range(0, 152):
            edge = int(Fraction(i * freq, 10**7))
            for length in {max(edge + d, 0) for d in (-1, 0, 1, 2)}:
                t.acquire(now, 0, 5, "spin", 0xa0)
                t.release(now + length, 0, 5, "spin", 0xa0)
                now += length + 1
                bins["%.1f" % (min(int(Fraction(length, freq) / BIN), 150) / 10)] += 1
        have = report(test, t)[1]["length"]["spin"]
        wrong += ["%d Hz: bin %s: %s, not %d" % (freq, i, have.get(i), n)
                  for i, n in bins.items() if have.get(i) != str(n)]
    return wrong


@plot
def rate_in_each_part(test):
    """Sections are counted in the part of the time in which they begin."""
    rng, now, starts, wrong = random.Random(4), 5 * 10**9, [], []
    t = Trace(freq=10**9)
    for _ in range(3000):
        now += rng.choice((10, 2000, 10**5, 10**7))
        starts.append(now)
        t.acquire(now, 0, 5, "mutex", 0xa0)
        now += rng.choice((5, 10**6))
        t.release(now, 0, 5, "mutex", 0xa0)
    rate = report(test, t)[1]["rate"]["mutex"]
    edges = [Fraction(e) for e in rate] + [Fraction(now - starts[0], 10**9)]
    if not 128 <= len(rate) <= 256 or edges[0]:
        wrong.append("%d parts from %s on" % (len(rate), edges[0]))
    for begin, end, per_second in zip(edges, edges[1:], rate.values()):
        want = sum(begin <= Fraction(s - starts[0], 10**9) < end for s in starts)
        if abs(float(per_second) * float(end - begin) - want) > 0.01:
            wrong.append("from %s s: %s a second, not %d" % (begin, per_second, want))
    return wrong


@plot
def rate_over_time(test):
    """A burst in the middle of a long silence is where it was."""
    t = Trace(freq=10**9)
    for start, n in ((0, 1), (40 * 10**9, 500), (100 * 10**9, 1)):
        for i in range(n):
            at = 10**9 + start + 1000 * i
            t.acquire(at, 0, 5, "mutex", 0xa0)
            t.release(at + 10, 0, 5, "mutex", 0xa0)
    rate = report(test, t)[1]["rate"]["mutex"]
    busy = [float(at) for at, n in rate.items() if n != "0.000"]
    if len(busy) != 3 or not 38.9 < busy[1] <= 40:
        return ["not at 0, 40 and 100 s: %s" % busy]
    return []


@plot
def rate_says_where_records_were_lost(test):
    t = loses_in_the_middle()
    out, tables = report(test, t)
    lost = [float(at) for at, n in tables["rate"]["lost"].items() if n == "1"]
    wrong = [] if lost and lost[0] <= 0.0005 and len(lost) <= 3 else ["lost at %s" % lost]
    svg, _ = draw(test, "rate", "spin", out)
    if svg is not None and "not complete: 7 records were lost" not in texts(svg):
        wrong.append("the figure does not say that records were lost")
    return wrong


# --- figures ---

def draw(test, table, rows, *reports, suffix="svg"):
    """(the figure, what ft plot said); (None, a message) without gnuplot"""
    out = test.path("figure." + suffix)
    if not shutil.which("gnuplot"):
        return None, "gnuplot is not installed"
    r = test.ft("plot", out, table, rows, *reports)
    if r.returncode or r.stdout or r.stderr:
        raise ValueError("ft plot %s %s: %d: %s" % (table, rows, r.returncode, r.stderr))
    return (figure(out) if suffix == "svg" else out), ""


def busy(test, name="trace", seed=2):
    trace, known = Machine(seed).run()
    return (*report(test, trace, name), known.truth())


@plot
def boxes_are_the_numbers(test):
    """A box for each depth and each bin of lengths, as high as it has sections."""
    out, tables, _ = busy(test)
    wrong = []
    for table in ("depth", "length"):
        svg, said = draw(test, table, "spinning", out)
        if svg is None:
            return said
        row = {k: int(v) for k, v in tables[table]["spinning"].items() if float(k) < 15}
        found = boxes(curves(svg)[0])[1:]
        if not in_proportion([b - t for _, _, t, b in found], list(row.values())):
            wrong.append("%s: %s are not %s" % (table, found, row))
    svg, _ = draw(test, "depth", "spinning,sleeping,both", out)
    if len(curves(svg)) != 3 or [t for t in texts(svg) if t in tables["depth"]] != \
            ["spinning", "sleeping", "both"]:
        wrong.append("three rows are not three curves with their names: %s" % texts(svg))
    return wrong


@plot
def lines_are_the_numbers(test):
    """Of two reports, one over the other: how many sections are shorter."""
    files, wrong = [busy(test, "one", 2), busy(test, "two", 3)], []
    svg, said = draw(test, "shorter", "spinning", files[0][0], files[1][0])
    if svg is None:
        return said
    if [t for t in texts(svg) if t in ("one", "two")] != ["one", "two"]:
        wrong.append("curves have not their reports' names: %s" % texts(svg))
    if "100" not in [t.strip() for t in texts(svg)]:
        wrong.append("not up to 100 percent: %s" % texts(svg))
    for curve, (_, tables, _) in zip(curves(svg), files):
        line, row = points(curve), list(tables["shorter"]["spinning"].values())
        zero = line[0][1]
        if len(line) != len(row) or not in_proportion(
                [zero - y for _, y in line], [int(n) for n in row]):
            wrong.append("%s are not %s" % (line, row))
    svg, _ = draw(test, "rate", "mutex", files[0][0])
    # parts that follow one another with the same rate are one line
    steps = points(curves(svg)[0])
    heights = {round(y, 2) for _, y in steps}
    rates = sorted({float(n) for n in files[0][1]["rate"]["mutex"].values()})
    if not in_proportion(sorted(max(heights) - y for y in heights), rates):
        wrong.append("the rates %s are not %s" % (sorted(heights), rates))
    return wrong


def colours_of(svg):
    """Of each curve, as the page writes it."""
    found = []
    for curve in curves(svg):
        rgb = re.search(rb"rgb\( *(\d+), *(\d+), *(\d+)\)", ElementTree.tostring(curve))
        found.append("#%02x%02x%02x" % tuple(map(int, rgb.groups())) if rgb else None)
    return found


@plot
def colours_are_the_pages(test):
    """A family has one colour, on the page and in figures; curves never have the same."""
    out, page = test.path("colours.tsv"), test.path("colours.html")
    names = FAMILIES + [RAW] + RT + PROGRAMS + ["both"]
    with open(out, "w") as f:
        for name in names + ["spinning", "sleeping", "program"]:
            f.write("".join("shorter\t%s\t%d\t%d\n" % (name, 10 ** i, i) for i in (1, 2, 3)))
    trace = Trace()
    trace.acquire(1000, 0, 5, "spin", 0xa0)
    trace.release(2000, 0, 5, "spin", 0xa0)
    test.ft("report", "--html", page, trace.write(test.path("trace")))
    with open(page, encoding="utf-8") as f:
        style = dict(re.findall(r"svg \.l\.c(\d+) \{ fill: none; stroke: (#\w+); \}", f.read()))
    of = {name: style.get(str(i)) for i, name in enumerate(names)}
    of.update(spinning=of["spin"], sleeping=of["mutex"], program=of["pthread_mutex"])
    wrong = [] if len(set(of.values())) == len(style) == 18 else ["the page has %s" % style]
    for rows in (["mutex", "spin"], names, ["sleeping", "both", "spinning"], ["program"]):
        svg, said = draw(test, "shorter", ",".join(rows), out)
        if svg is None:
            return said
        if colours_of(svg) != [of[row] for row in rows]:
            wrong.append("%s: %s" % (rows, colours_of(svg)))
    for args in (["spinning,spin", out], ["mutex", out, out], [",".join(names[:5]), out, out]):
        found = colours_of(draw(test, "shorter", *args)[0])
        if len(set(found)) != min(len(found), 18):
            wrong.append("%s: of one colour: %s" % (args, found))
    return wrong


@plot
def bars_are_the_rows(test):
    """Of any other table: a bar and a name for each row, in the report's order."""
    out, tables, _ = busy(test)
    wrong = []
    for table, column in (("site", "total_ns"), ("task", "count"), ("family", "count"),
                          ("cpu", "records")):
        svg, said = draw(test, table, column, out)
        if svg is None:
            return said
        rows = {name: float(row[column]) for name, row in tables[table].items()}
        names = [t for t in texts(svg) if t in rows or "%s:%s" % tuple(
            (t + " ").split(" ")[:2]) in rows]
        found = boxes(curves(svg)[0])
        if len(names) != len(rows) or not in_proportion(
                [r - l for l, r, _, _ in found], [n for n in rows.values() if n]):
            wrong.append("%s: %s, %s are not %s" % (table, names, found, rows))
    return wrong


@plot
def hostile_names(test):
    """Names from the trace are text in a figure, too."""
    hostile = "<script>alert(1)</script>&amp;'--></title><image\u00e9 $x `y` %s{/:Bold"
    t = Trace(freq=10**9)
    t.acquire(1000, 0, 5, "spin", 0xa0, site=0xffffffff81000000)
    t.release(1050, 0, 5, "spin", 0xa0)
    t.file("info/kallsyms", "ffffffff80ffff00 T %s\nffffffff81010000 T _end\n" %
           hostile.replace(" ", "_"))
    svg, said = draw(test, "site", "count", report(test, t)[0])
    if svg is None:
        return said
    want = "spin %s+0x100" % hostile.replace(" ", "_")
    return [] if want in texts(svg) else ["not %s: %s" % (want, texts(svg))]


@plot
def names_are_of_files(test):
    """gnuplot runs no command that a name holds, and does not change a name."""
    _, tables, _ = busy(test)
    if not shutil.which("gnuplot"):
        return "gnuplot is not installed"
    work, wrong = test.path("names"), []
    os.makedirs(work)
    shutil.copy(test.work + "/trace.tsv", work + "/t.tsv")
    # what a user has set up does not change a figure either
    with open(work + "/.gnuplot", "w") as f:
        f.write("set logscale y\n")
    for output, name in (("x.svg", "|touch ran#"), ("x.svg", "<touch ran#"), ("x.svg", "+"),
                         ("|touch ran; cat >x #.svg", "t.tsv"), ("~.svg", "t.tsv")):
        shutil.copy(work + "/t.tsv", os.path.join(work, name + "~"))
        os.rename(os.path.join(work, name + "~"), os.path.join(work, name))
        r = test.ft("plot", output, "depth", "spinning", name, cwd=work,
                    env={**os.environ, "HOME": work})
        row = [int(n) for n in tables["depth"]["spinning"].values()]
        if r.returncode or r.stderr or not in_proportion(
                [b - t for _, _, t, b in boxes(curves(figure(
                    os.path.join(work, output)))[0])[1:]], row):
            wrong.append("%s, %s: %d: %s" % (output, name, r.returncode, r.stderr))
    if os.path.exists(work + "/ran"):
        wrong.append("a command was run")
    return wrong


@plot
def rows_that_are_too_many(test):
    """Of more rows than a figure has room for, it says how many are missing."""
    out = test.path("rows.tsv")
    with open(out, "w") as f:
        f.writelines("task\t%d\tcount\t%d\n" % (i, i + 1) for i in range(1001))
    if not shutil.which("gnuplot"):
        return "gnuplot is not installed"
    r = test.ft("plot", test.path("rows.svg"), "task", "count", out)
    return [] if (r.returncode, r.stderr) == (
        0, "ft: the first 1000 of 1001 rows are drawn\n") else ["%d: %s" % (r.returncode, r.stderr)]


@plot
def other_formats(test):
    """PNG, twice as large as SVG; PDF; an emulator is named."""
    t, wrong = Trace(), []
    t.acquire(1000, 0, 5, "spin", 0xa0)
    t.release(2000, 0, 5, "spin", 0xa0)
    t.file("info/session", "virtual\tQEMU TCG\n")
    out, _ = report(test, t)
    svg, said = draw(test, "depth", "spinning", out)
    if svg is None:
        return said
    if "recorded in an emulator: times mean nothing" not in texts(svg):
        wrong.append("the emulator is not named: %s" % texts(svg))
    with open(draw(test, "depth", "spinning", out, suffix="png")[0], "rb") as f:
        head = f.read(24)
    if head[:8] != b"\x89PNG\r\n\x1a\n" or struct.unpack(">II", head[16:]) != \
            tuple(2 * int(svg.get(k)) for k in ("width", "height")):
        wrong.append("PNG: %s" % head)
    with open(draw(test, "depth", "spinning", out, suffix="pdf")[0], "rb") as f:
        if f.read(5) != b"%PDF-":
            wrong.append("no PDF")
    return wrong


@plot
def errors(test):
    """What is wrong is named, with the way out."""
    t, wrong = Trace(), []
    t.acquire(1000, 0, 5, "spin", 0xa0)
    t.release(2000, 0, 5, "spin", 0xa0)
    out, _ = report(test, t)
    if not shutil.which("gnuplot"):
        return "gnuplot is not installed"
    nothing = test.path("nothing.tsv")
    with open(test.path("empty.tsv"), "w"):
        pass
    if os.path.lexists(test.work + "/full.svg"):
        os.unlink(test.work + "/full.svg")
    os.symlink("/dev/full", test.work + "/full.svg")
    for args, status, words in (
            (("x.gif", "depth", "spinning", out), 2, "'x.gif'"),
            (("x.svg", "depth", "spinning"), 2, "REPORT are needed"),
            (("x.svg", "site", "count", out, out), 2, "one report at a time"),
            (("--frob",), 2, "'--frob'"),
            (("x.svg", "depth", "spinning", nothing), 1, nothing),
            (("x.svg", "depth", "spinning", "empty.tsv"), 1, "is empty"),
            (("x.svg", "depth", "spinning", test.work + "/trace"), 1,
             "is a trace: draw its report: ft report --tsv"),
            (("x.svg", "depth", "spinning", "/dev"), 1, "is not a regular file"),
            (("x.svg", "depth", "spinning,nosuch", out), 1, "row 'nosuch' in the table 'depth'"),
            (("x.svg", "length", "mutex", out), 1, "its rows are spin spinning"),
            (("x.svg", "site", "frobs", out), 1, "its columns are symbol count"),
            (("x.svg", "trace", "host", out), 1, "is not of numbers"),
            (("x.svg", "frobs", "count", out), 1, "its tables are trace"),
            (("/no/x.svg", "depth", "spinning", out), 1, "cannot write '/no/x.svg'"),
            (("full.svg", "depth", "spinning", out), 1, "'full.svg' could not be written")):
        r = test.ft("plot", *args, cwd=test.work)
        # no word of gnuplot, and one line
        if r.returncode != status or words not in r.stderr or r.stdout or \
                r.stderr.count("\n") > status:
            wrong.append("%s: %d: %s" % (args, r.returncode, r.stderr))
    os.unlink(test.work + "/full.svg")      # others read whatever is here
    if os.path.exists(test.work + "/x.svg"):
        wrong.append("a figure was written")
    r = test.ft("plot", "x.svg", "depth", "spinning", out, env={"PATH": test.work})
    if r.returncode != 1 or "gnuplot-nox" not in r.stderr:
        wrong.append("without gnuplot: %d: %s" % (r.returncode, r.stderr))
    r = test.ft("report", "--distributions", test.path("trace"))
    if r.returncode != 2 or "needs --tsv or --json" not in r.stderr:
        wrong.append("for people: %d: %s" % (r.returncode, r.stderr))
    return wrong
