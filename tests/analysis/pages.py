# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""The page of ft report: its numbers are the truth, and it is sound."""

import json
import os
import re
import shutil
from collections import Counter, defaultdict
from fractions import Fraction
from html.parser import HTMLParser
from xml.etree import ElementTree

import case_limits
import case_losses
import cases
import figures
from gen_trace import FAMILIES, HARDIRQ, PROGRAMS, RAW, RT, SPINNING, Trace
from simulate import Machine

PAGES = []
BIN = Fraction(1, 10**7)        # seconds


def page(f):
    PAGES.append(f)
    return f


class Page(HTMLParser):
    """Every element is closed in order; what was found stays here."""

    VOID = ("meta", "br", "hr", "img", "link", "input")

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.wrong, self.attrs = [], [], []
        self.tags, self.text, self.cells, self.row = [], [], [], None
        self.tables = []
        self.feed(text)
        self.close()
        if self.open:
            self.wrong.append("never closed: %s" % self.open)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attrs += [(tag, k, v) for k, v in attrs]
        if len(dict(attrs)) != len(attrs):
            self.wrong.append("an attribute twice in <%s>" % tag)
        if tag not in self.VOID:
            self.open.append(tag)
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.row = []
        elif tag in ("td", "th"):
            self.row.append([dict(attrs).get("data-v"), ""])

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in self.VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append("</%s> closes nothing" % tag)
        if tag == "tr":
            self.tables[-1].append(self.row)

    def handle_data(self, data):
        self.text.append(data)
        data = data.replace("\u202f", "")       # between groups of digits
        if self.open and self.open[-1] in ("td", "th"):
            self.row[-1][1] += data

    def table(self, *names):
        """The rows, as [sort key, text], of the table with these columns."""
        for t in self.tables:
            if set(names) <= {c[1] for c in t[0]}:
                return t[1:]
        return []


def check_page(text):
    """What every page must be."""
    p = Page(text)
    wrong = list(p.wrong)
    # XML is stricter: names, quotes, characters, entities
    try:
        figures.page(text)
    except ElementTree.ParseError as e:
        wrong.append("not well-formed: %s" % e)
    for tag, key, value in p.attrs:
        if key in ("src", "href", "action", "data", "srcset", "xlink:href") or \
                key.startswith("on"):
            wrong.append("<%s> has %s=%s" % (tag, key, value))
    for bad in ("http:", "https:", "@import", "url("):
        if bad in text:
            wrong.append("the page refers to the outside: %s" % bad)
    for tag in ("link", "img", "iframe", "object", "embed", "base"):
        if tag in p.tags:
            wrong.append("there is a <%s>" % tag)
    if p.tags.count("script") != 1 or p.tags.count("style") != 1:
        wrong.append("not one script and one style")
    for t in p.tables:
        if len({len(row) for row in t}) != 1:
            wrong.append("a table's rows differ: %s" % t[0])
    return wrong, p


def make_page(test, path, *args):
    """Return: (what is wrong, the page's text, Page)"""
    out = os.path.join(test.work, "page.html")
    if os.path.exists(out):
        os.unlink(out)
    r = test.ft("report", "--html", out, *args, path)
    if r.returncode not in (0, 3) or r.stdout:
        return ["exit status %d: %s" % (r.returncode, r.stderr)], "", None
    with open(out, encoding="utf-8") as f:
        text = f.read()
    wrong, p = check_page(text)
    return wrong, text, p


def expected_lengths(truth, families):
    """{bin or 150: number}, exactly."""
    bins = defaultdict(int)
    for s in truth.sections:
        if s.family in families:
            bins[min(int(Fraction(s.length, truth.trace.freq) / BIN), 150)] += 1
    return bins


def check_number(wrong, what, got, want):
    if int(got) != want:
        wrong.append("%s is %s, not %d" % (what, got, want))


def machine(seed):
    trace, known = Machine(seed, steps=2500).run()
    return trace, known.truth()


def loses_in_the_middle():
    """A thousand sections in a millisecond; records were lost half way."""
    t = Trace(freq=10**9)
    for i in range(1000):
        if i == 500:
            t.cpu(0).lose(7)
        t.acquire(10**6 + 1000 * i, 0, 5, "spin", 0xa0)
        t.release(10**6 + 1000 * i + 300, 0, 5, "spin", 0xa0)
    return t


@page
def lost_is_shown(test):
    """On the page, in the data, and where in time."""
    t = loses_in_the_middle()
    path = t.write(test.path("trace"))
    wrong, text, p = make_page(test, path)
    for words in ("7 records were lost", "CPU 0: 7", "7 LOST"):
        if words not in "".join(p.text):
            wrong.append("the page does not say: " + words)
    if "".join(p.text).count("not complete: records were lost") < 4:
        wrong.append("what may be incomplete is not marked")
    if "records were lost here" not in text:
        wrong.append("the rate does not show where")
    return wrong


@page
def long_command(test):
    """Beginning and end of it in the head; the whole as JSON, and on the page."""
    t = Trace(freq=10**9)
    t.acquire(100, 0, 5, "spin", 0xa0)
    t.release(200, 0, 5, "spin", 0xa0)
    whole = "'cc -o' " + " ".join("d\u00e9p\u00f4t/file%d.c" % i for i in range(900)) + " last"
    t.file("info/session", "command\t%s\nkernel_release\t6.1\n" % whole)
    path = t.write(test.path("trace"))
    wrong, text, p = make_page(test, path)
    if text.count("<details") - text.count("<details", text.find("</dl>")) != 1 or \
            whole not in "".join(p.text):
        wrong.append("the page does not have it folded and whole")
    if json.loads(test.ft("report", "--json", path).stdout)["trace"][0]["command"] != whole:
        wrong.append("JSON does not have it whole")
    head = [line for line in test.ft("report", path).stdout.splitlines()
            if line.startswith("Command")]
    begin, _, end = head[0].removeprefix("Command").strip().partition("...")
    if not whole.startswith(begin) or not whole.endswith(end) or not 60 < len(head[0]) < 80 or \
            len(begin) < 25 or len(end) < 25:
        wrong.append("the head has: " + head[0])
    return wrong


def close(a, b):
    return abs(a - b) <= 1e-9 * max(abs(a), abs(b))


@page
def page_is_the_truth(test):
    """Tables, and bars by what they tell when pointed at."""
    trace, truth = machine(5)
    wrong, text, p = make_page(test, trace.write(test.path("trace")),
                               "--top", "0")
    rows = {r[0][1]: r for r in p.table("family", "number")}
    for family in FAMILIES:
        title = family.replace("_", " ")
        lengths = [s.length for s in truth.sections if s.family == family]
        if int(rows[title][1][0]) != len(lengths):
            wrong.append("%s: %s sections" % (title, rows[title][1]))
        for column, want in ((3, min(lengths)), (9, max(lengths)),
                             (4, Fraction(sum(lengths), len(lengths)))):
            ps = int(Fraction(want) * 10**12 / trace.freq)
            if not close(float(rows[title][column][0]), ps):
                wrong.append("%s, column %d: %s, not %s ps" % (
                    title, column, rows[title][column], ps))
    depths = p.table("depth", "spinning, per CPU")
    for depth, row in enumerate(depths):
        want = sum(s.family in SPINNING and s.depth == depth
                   for s in truth.sections)
        check_number(wrong, "spinning, depth %d" % depth, row[1][1], want)
    sites = p.table("total", "acquired at")
    if len(sites) != len({(s.family, s.site) for s in truth.sections + truth.waits
                          if s.site}):
        wrong.append("%d call sites" % len(sites))
    if sum(int(r[1][1]) for r in sites) != len(truth.sections):
        wrong.append("the call sites have not all sections")
    if [float(r[0][0]) for r in sites] != \
            sorted((float(r[0][0]) for r in sites), reverse=True):
        wrong.append("the call sites are not in the order of their total")
    for name in ("lock", "task"):
        rows = p.table("total", name)
        if not rows or sum(int(r[1][1]) for r in rows) != len(truth.sections):
            wrong.append("the %ss have not all sections" % name)
    return wrong + bars(text, truth)


@page
def ends_in_doubt(test):
    """A lock released by another task, taken twice, or left by a task that exits, whose
    number is used again: the page has the sections that text and JSON have."""
    wrong = []
    for case in (cases.rwsem_not_owner, cases.rwsem_reads_twice, cases.number_used_again,
                 case_losses.left_without_a_release):
        trace, truth = case()
        said, _, p = make_page(test, trace.write(test.path(case.__name__)), "--top", "0")
        wrong += said
        shown = {r[0][1].replace(" ", "_"): int(r[1][0]) for r in p.table("family", "number")}
        for family in {s.family for s in truth.sections}:
            check_number(wrong, "%s: %s" % (case.__name__, family), shown.get(family, 0),
                         sum(s.family == family for s in truth.sections))
        check_number(wrong, case.__name__ + ": all call sites",
                     sum(int(r[1][1]) for r in p.table("total", "acquired at")), len(truth.sections))
    return wrong


@page
def sums_without_room(test):
    """They are marked as such, and no other is."""
    wrong, _, p = make_page(test, case_limits.huge_sums()[0].write(test.path("sums")), "--top", "0")
    for table, least in (("acquired at", [True]), ("lock", [False] * 3)):
        shown = [r[0][1].startswith("\u2265\u00a0") for r in p.table("total", table)]
        if shown != least:
            wrong.append("%s: marked: %s" % (table, shown))
    return wrong


def bars(text, truth):
    """The histograms: bin, number, and height."""
    wrong = []
    for svg in re.findall(r"<svg.*?</svg>", text, re.S):
        svg = ElementTree.fromstring(svg)
        family = svg.get("aria-label").replace(" ", "_")
        tips = [(r, r.findtext("title", "")) for r in svg.iter("rect")]
        if family not in FAMILIES or not any("\u00b5s\n" in t for _, t in tips):
            continue
        want = expected_lengths(truth, [family])
        have, heights = {}, []
        for rect, tip in tips:
            m = re.match(r"([\d.]+) to [\d.]+ \u00b5s\n.*: (\d+) sections$", tip)
            n = have[round(float(m.group(1)) * 10)] = int(m.group(2))
            heights.append((n, float(rect.get("height"))))
        if have != {i: n for i, n in want.items() if i < 150}:
            wrong.append("%s: the bars are not the bins" % family)
        top, high = max(heights)
        if high < 50 or any(abs(h - high * n / top) > 0.15 for n, h in heights):
            wrong.append("%s: heights are not in proportion: %s" % (family,
                                                                    heights))
        if "Not shown: %d (" % want[150] not in text.replace("\u202f", ""):
            wrong.append("%s: %d longer ones are not mentioned" % (family, want[150]))
    return wrong


@page
def family_colours(test):
    """Each family has a colour, and no two the same."""
    colours, wrong = {}, []
    for version, kernel in ("PREEMPT_DYNAMIC", FAMILIES), ("PREEMPT_RT", RT + [RAW]):
        t = Trace(version="#1 SMP " + version)
        for i, family in enumerate(kernel + PROGRAMS):
            t.acquire(1000 * i, 0, 5, family, 0xa0 + i)
            t.release(1000 * i + 100, 0, 5, family, 0xa0 + i)
        said, text, _ = make_page(test, t.write(test.path("colours")))
        wrong += said
        style = dict(re.findall(r"svg \.l\.c(\d+) \{ fill: none; stroke: (#\w+); \}", text))
        for number, title in re.findall(
                r'<path class="l d c(\d+)" d="[^"]*h18"/>\n<text[^>]*>([^<]+)</text>', text):
            colours[title] = style.get(number)
    if len(colours) != 17 or None in colours.values():
        wrong.append("not seventeen families with a colour: %s" % colours)
    if len(set(colours.values())) != len(colours):
        wrong.append("two have the same: %s" % colours)
    return wrong


@page
def order_and_longest(test):
    """Both orders of two locks, and what began inside a long section."""
    t = Trace(freq=10**9)
    for at, first, then in ((1000, 0xa0, 0xb0), (2000, 0xb0, 0xa0)):
        t.acquire(at, 0, 5, "spin", first, site=0x1000 + first)
        t.acquire(at + 100, 0, 5, "spin", then, site=0x2000 + then)
        t.release(at + 150, 0, 5, "spin", then)
        t.release(at + 700, 0, 5, "spin", first)
    wrong, text, p = make_page(test, t.write(test.path("trace")))
    got = [[c[1] for c in row][:8] for row in p.table("cycle", "then")]
    want = [["1", "by one task", "1", "0xa0", "0x10a0", "0xb0", "0x20b0", "task 5"],
            ["1", "by one task", "1", "0xb0", "0x10b0", "0xa0", "0x20a0", "task 5"]]
    if got != want:
        wrong.append("cycles: %s" % got)
    if "1 cycle in the lock order" not in text:
        wrong.append("no warning of a cycle")
    pairs = {(r[2][1], r[4][1], r[0][1]) for r in p.table("number", "acquired inside at")}
    if pairs != {("0x10a0", "0x20b0", "1"), ("0x10b0", "0x20a0", "1")}:
        wrong.append("pairs: %s" % pairs)
    inside = [[c[1] for c in row] for row in p.table("began", "held")]
    if inside != [["+100\u00a0ns", "50\u00a0ns", "0", "spin", "task", inside[0][5]]]:
        wrong.append("inside: %s" % inside)
    if p.tags.count("details") != 4:
        wrong.append("%d of the longest" % p.tags.count("details"))
    return wrong


def long_trace():
    """A long section with 14 in it: one in another one, one in an interrupt, one that goes on."""
    t = Trace(freq=10**9)
    t.acquire(1000, 0, 5, "spin", 0xa0, site=0x1000)
    for i in range(11):
        at = 2000 + 5000 * i
        t.acquire(at, 0, 5, "mutex" if i % 2 else "spin", 0xb0 + i, site=0x2000 + i)
        if i == 10:
            t.acquire(at + 300, 0, 5, "rwsem_read", 0xe0, site=0x3000)
            t.release(at + 800, 0, 5, "rwsem_read", 0xe0)
        t.release(at + 100 * (i + 1), 0, 5, "mutex" if i % 2 else "spin", 0xb0 + i)
    t.acquire(70000, 0, 5, "spin", 0xf0, site=0x4000, ctx=HARDIRQ)
    t.release(70900, 0, 5, "spin", 0xf0, ctx=HARDIRQ)
    t.acquire(90000, 0, 5, "spin", 0xf8, site=0x5000)
    t.release(100000, 0, 5, "spin", 0xa0)
    t.release(102000, 0, 5, "spin", 0xf8)
    return t


@page
def long_section_alike(test):
    """Text and page show the same of what is inside a long section: 12 of 14."""
    path = long_trace().write(test.path("long"))
    wrong, text, p = make_page(test, path)
    page_rows = [[c[1].replace("\u00a0", " ") for c in row] for row in p.table("began", "level")]
    said = test.ft("report", path).stdout.replace(" us", " µs")
    text_rows = []
    left_out = "2 shorter ones are not shown"
    for since, held, level, family, site, context in re.findall(
            r"^  \+(.{9,}?) +(goes on|\d\S* \S+)  ( *)(\S.*?) at (\S+)(?:  \[(.*)\])?$",
            said.split(left_out)[0], re.M):
        text_rows.append(["+" + since.strip(), held, str(len(level) // 2), family,
                          "interrupt: " + context if context else "task", site])
    if text_rows != page_rows or len(text_rows) != 12:
        wrong.append("the text has %s, the page %s" % (text_rows, page_rows))
    for column, want in ((1, {"goes on": 1}), (2, {"0": 11, "1": 1}),
                         (4, {"task": 11, "interrupt: hardirq": 1})):
        found = Counter(row[column] for row in text_rows)
        if any(found[k] != n for k, n in want.items()):
            wrong.append("column %d: %s" % (column, found))
    if said.count(left_out) != 1 or text.count(left_out) != 1:
        wrong.append("what is left out: %d and %d times" % (said.count(left_out), text.count(left_out)))
    return wrong


HOSTILE = "<script>alert(1)</script>&amp;\"'--></title></style><img src=x onerror=y>"


@page
def hostile_names(test):
    """Names from the trace are text, wherever they come to stand."""
    t = Trace(freq=10**9)
    for i, family in enumerate(FAMILIES):
        t.acquire(1000 + 100 * i, 0, 5, family, 0xa0 + i, site=0xffffffff81000000)
        t.release(1050 + 100 * i, 0, 5, family, 0xa0 + i)
    symbol = HOSTILE.replace(" ", "\u00e9")
    t.file("info/kallsyms", "ffffffff80ffff00 T %s\nffffffff81010000 T _end\n" %
           symbol)
    t.file("info/session", "".join("%s\t%s\\n%s\n" % (k, HOSTILE, k) for k in (
        "host", "kernel_release", "command", "lock_source", "virtual")))
    path = t.write(test.path("trace <b>&'\""))
    wrong, text, p = make_page(test, path)
    if "img" in p.tags or p.tags.count("script") != 1 or "b" in p.tags:
        wrong.append("a name became markup")
    said = "".join(p.text)
    if said.count(HOSTILE) < 6 or symbol + "+0x100" not in said:
        wrong.append("the names do not stand on the page as they are")
    # bytes that are no text
    with open(os.path.join(path, "info", "session"), "wb") as f:
        f.write(b"host\t\xff\xc0\x80\xed\xa0\x80\x01\xe2\x82ok\n")
    wrong += make_page(test, path)[0]
    shutil.rmtree(path)
    return wrong


@page
def emulator_is_told(test):
    trace = Trace()
    trace.acquire(1000, 0, 5, "spin", 0xa0)
    trace.release(2000, 0, 5, "spin", 0xa0)
    wrong = []
    for name, emulator in (("QEMU TCG", True), ("KVM", False), (None, False)):
        trace.file("info/session", "virtual\t%s\n" % name if name else "")
        path = trace.write(test.path("trace"))
        bad, text, p = make_page(test, path)
        report = test.ft("report", path).stdout
        tsv = test.ft("report", "--tsv", path).stdout
        wrong += bad
        for said in ("".join(p.text), report):
            if ("times mean nothing" in said) != emulator:
                wrong.append("%s: %s" % (name, said[:200]))
            if name and name not in said:
                wrong.append("%s is not mentioned" % name)
        if name and "trace\t-\tvirtual\t%s\n" % name not in tsv:
            wrong.append("%s is not in the TSV" % name)
    return wrong


@page
def empty_traces(test):
    """No section, one moment, nothing at all: a page."""
    wrong = []
    for records in ((), ((1000, "acquire"),), ((1000, "acquire"), (1000, "release"))):
        t = Trace()
        t.cpu(0).cut(empty=True)
        for at, verb in records:
            t.lock(at, 0, 5, "spin", verb, 0xa0)
        path = t.write(test.path("trace"))
        wrong += make_page(test, path)[0]
    return wrong


@page
def output_errors(test):
    trace = Trace()
    trace.acquire(1000, 0, 5, "spin", 0xa0)
    trace.release(2000, 0, 5, "spin", 0xa0)
    path, wrong = trace.write(test.path("trace")), []
    nowhere = os.path.join(test.work, "no", "where")
    for args, words in ((("--html", nowhere), (nowhere, "No such")),
                        (("--html", "/dev/full"), ("/dev/full", "written whole"))):
        r = test.ft("report", *args, path)
        if r.returncode != 1 or any(w not in r.stderr for w in words):
            wrong.append("%s: %d: %s" % (args, r.returncode, r.stderr))
    return wrong
