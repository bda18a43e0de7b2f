# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""ft compare on workloads of which it is known what is different."""

import json
import os
import re

import bursts
import figures
from gen_trace import Trace
from workload import FUNCTIONS, Workload

COMPARES = []
SEEDS = 30
# Of so many, one in twenty may be called a change by chance (COMPARE_ALPHA); as
# many as this come once in a thousand times.
MAY_BE_WRONG = 6
# The same for more pairs, ...
MANY = 60
MANY_MAY_BE_WRONG = 9
# ... and of small traces.
SMALL = 150
SMALL_MAY_BE_WRONG = 15


def compare(f):
    COMPARES.append(f)
    return f


class Values(dict):
    """What ft compare --tsv said, by (table, row, trace, column)."""

    def __init__(self, text):
        super().__init__()
        for line in text.splitlines():
            *key, value = line.split("\t")
            assert tuple(key) not in self, "twice: " + line
            self[tuple(key)] = value

    def rows(self, column, value):
        return sorted(k[:3] for k, v in self.items()
                      if k[3] == column and v == value)

    def changed(self):
        return self.rows("changed", "1")


def run(test, *workloads, args=(), status=0):
    paths = []
    for i, w in enumerate(workloads):
        trace = w if isinstance(w, Trace) else w.trace()
        paths.append(trace.write(test.path("compare%d" % i)))
    r = test.ft("compare", *args, *paths)
    assert r.returncode == status, "exit status %d: %s" % (r.returncode, r.stderr)
    return r.stdout


def values(test, *workloads, **kwargs):
    return Values(run(test, *workloads, args=("--tsv",), **kwargs))


def need(v, table, row, trace, column, value):
    got = v.get((table, row, trace, column))
    if got == value:
        return []
    return ["%s %s %s: %s is %s, not %s" % (table, row, trace, column, got, value)]


@compare
def other_chances(test):
    """The same workload with other chances: no change but one in twenty times."""
    wrong = []
    for seed in range(SEEDS):
        v = values(test, Workload(2 * seed), Workload(2 * seed + 1))
        if v.changed():
            wrong.append("%d: %s" % (seed, v.changed()))
    return wrong if len(wrong) > MAY_BE_WRONG else []


@compare
def other_chances_of_long_bursts(test):
    """Few long bursts: thousands of sections that say no more than 60."""
    wrong = []
    for seed in range(SEEDS):
        v = values(test, *(Workload(100 + 2 * seed + i, bursts=60, per_burst=50)
                           for i in range(2)))
        if v.changed():
            wrong.append("%d: %s" % (seed, v.changed()))
    return wrong if len(wrong) > MAY_BE_WRONG else []


def differing(test, cases, **more):
    """Which of pairs of bursts.py were called a change, and how many too short."""
    wrong, short = [], 0
    for seed, (process, length) in enumerate(cases):
        changed, told = bursts.outcome(test.program, test.work, seed, process,
                                       length=length, **more)
        short += told
        if changed:
            wrong.append("%d: %s of %g s" % (seed, process.__name__, length))
    return wrong, short


@compare
def bursts_up_to_a_tenth_of_the_trace(test):
    """The same process with bursts of 1 and 2 s in 20: chance, in all but few."""
    wrong, _ = differing(test, MANY // 5 * [
        (bursts.phases, 1), (bursts.bursts, 1), (bursts.phases, 2),
        (bursts.drift, 1), (bursts.bursts, 2)])
    return wrong if len(wrong) > MANY_MAY_BE_WRONG else []


@compare
def bursts_of_few_sections(test):
    """Nor where a call site has some tens of sections, and its bursts do not show."""
    wrong, _ = differing(test, SMALL // 3 * [
        (bursts.bursts, 2), (bursts.drift, 2), (bursts.bursts, 1)], rate=6)
    return wrong if len(wrong) > SMALL_MAY_BE_WRONG else []


@compare
def bursts_too_long_to_tell(test):
    """Bursts of 3 s in 20 are no change, either: most pairs say that it is short."""
    wrong, short = differing(test, 10 * [(bursts.bursts, 3)])
    bad = wrong if len(wrong) > 2 else []
    return bad + ([] if short >= 3 else ["%d said so" % short])


@compare
def same_trace(test):
    """A trace is like itself."""
    v = values(test, Workload(1), Workload(1))
    bad = ["changed: %s" % (k,) for k in v.changed()]
    bad += need(v, "family", "spin", "B", "distance", "0.000000")
    bad += need(v, "family", "spin", "B", "mean_change", "0.000000")
    return bad + need(v, "family", "spin", "B", "length_p", "1")


@compare
def another_clock(test):
    """Ticks of another length do not make a change."""
    v = values(test, Workload(1), Workload(1, freq=2893202000))
    return ["changed: %s" % (k,) for k in v.changed()]


@compare
def longer(test):
    """30 percent longer, found in most of ten pairs; and nothing more often."""
    bad, found = [], 0
    for seed in range(10):
        v = values(test, Workload(2 * seed, bursts=4000, per_burst=2),
                   Workload(2 * seed + 1, bursts=4000, per_burst=2, scale=1.3))
        words = v["family", "spin", "B", "verdict"]
        if words not in ("longer", "no change", "too short to tell"):
            bad.append("%d: %s" % (seed, words))
        found += words == "longer"
        change = float(v["family", "spin", "B", "mean_change"])
        if not 0.1 < change < 0.5:
            bad.append("%d: mean changed by %f" % (seed, change))
    return bad if found >= 6 else bad + ["found in %d" % found]


@compare
def twice_as_often(test):
    """Twice the bursts, found in most of ten pairs; and nothing longer but by chance."""
    bad, found, longer = [], 0, 0
    for seed in range(10):
        v = values(test, Workload(2 * seed, bursts=1500, per_burst=2),
                   Workload(2 * seed + 1, bursts=3000, per_burst=2))
        for row in ("family", "spin"), ("group", "sleeping"):
            words = v[(*row, "B", "verdict")]
            found += words.startswith("more often")
            longer += "longer" in words or "shorter" in words
        if not 0.7 < float(v["group", "sleeping", "B", "rate_change"]) < 1.4:
            bad.append("%d: the rate is not doubled" % seed)
    if found < 15:
        bad.append("found in %d of 20" % found)
    return bad if longer < 4 else bad + ["longer in %d" % longer]


@compare
def longer_trace(test):
    """Twice as long with as much a second: the count doubles, nothing changed."""
    v = values(test, Workload(1), Workload(2, seconds=8.0, bursts=800))
    bad = ["changed: %s" % (k,) for k in v.changed()]
    if not 0.8 < float(v["family", "spin", "B", "count_change"]) < 1.2:
        bad.append("the count is not doubled")
    return bad


@compare
def longer_tail(test):
    """One section in fifty is much longer: the distance is small, the tail not."""
    v = values(test, Workload(1, bursts=3000, seconds=20),
               Workload(2, bursts=3000, seconds=20, tail=4.0))
    return need(v, "family", "spin", "B", "verdict", "longer tail")


@compare
def small_change(test):
    """Eight percent are no chance in a long trace, and no change, either."""
    loads = [Workload(1000 + i, bursts=20000, per_burst=1, seconds=20,
                      scale=1 + 0.08 * i) for i in range(2)]
    v = values(test, *loads)
    if float(v["family", "spin", "B", "length_p"]) > 0.05:
        return ["it looks like chance: the test is too weak"]
    return ["changed: %s" % (k,) for k in v.changed()]


@compare
def limit_is_asked_for(test):
    """--limit: the same change is large or not."""
    loads = [Workload(i, bursts=4000, per_burst=2, scale=1 + 0.3 * i)
             for i in range(2)]
    v = values(test, *loads)
    bad = need(v, "family", "spin", "B", "verdict", "longer")
    v = Values(run(test, *loads, args=("--tsv", "--limit", "80")))
    return bad + ["changed: %s" % (k,) for k in v.changed()]


@compare
def other_site(test):
    """A function that only one of the traces has."""
    functions = FUNCTIONS[:3] + ["do_new"]
    a, b = Workload(1), Workload(2, functions=functions)
    v = values(test, a, b)
    bad = need(v, "site", "spin:do_sync+0x24", "B", "verdict", "only in A")
    bad += need(v, "site", "spin:do_sync+0x24", "B", "count", "0")
    bad += need(v, "site", "spin:do_new+0x24", "B", "verdict", "only in B")
    text = run(test, a, b)
    return bad + ["the text lacks: " + s for s in ("only in A", "only in B")
                  if s not in text]


@compare
def other_addresses(test):
    """Sites are found by name, wherever the kernel lies."""
    v = values(test, Workload(1), Workload(1, slide=0x13000000))
    bad = ["only in one: %s" % (k,) for k in v.rows("verdict", "only in A") +
           v.rows("verdict", "only in B")]
    bad += need(v, "site", "mutex:do_read+0x34", "B", "count_change", "0.000000")
    return bad


@compare
def another_kernel(test):
    """In another build offsets differ: functions are compared."""
    v = values(test, Workload(1), Workload(1, kernel="6.1.0-b", offset=0x58))
    bad = ["only in one: %s" % (k,) for k in v.rows("verdict", "only in A") +
           v.rows("verdict", "only in B")]
    bad += need(v, "site", "mutex:do_read", "B", "count_change", "0.000000")
    return bad


@compare
def no_symbols(test):
    """Without symbols in one of them only addresses are left."""
    a, b = Workload(1).trace(), Workload(1).trace()
    del b.files["info/kallsyms"]
    v = values(test, a, b)
    return need(v, "site", "mutex:0xffffffff81002034", "B", "count_change",
                "0.000000")


@compare
def three_traces(test):
    """Each is compared with the first."""
    loads = (Workload(1, bursts=1500), Workload(2, bursts=1500),
             Workload(3, bursts=1500, scale=2.0))
    v = values(test, *loads)
    bad = need(v, "family", "spin", "B", "verdict", "no change")
    bad += need(v, "family", "spin", "C", "changed", "1")
    if ("family", "spin", "A", "verdict") in v:
        bad.append("the first trace changed against itself")
    text = run(test, *loads)
    bad += ["wider than 100 columns: " + line for line in text.splitlines()
            if len(line) > 100 and test.work not in line]
    if "A -> C  spin" not in text or "A -> B  spin" in text:
        bad.append("the summary is wrong")
    return bad


@compare
def lost_records(test):
    """A trace with losses is marked, and the exit status tells."""
    b = Workload(2).trace()
    b.cpu(0).lose(5)
    b.cpu(0).add(10**10, 1, 7, 0, 0)
    text = run(test, Workload(1), b, status=3)
    v = values(test, Workload(1), b, status=3)
    bad = [] if "5 LOST *" in text and "WARNING" in text and "  B *" in text \
        else ["the text does not mark it"]
    return bad + need(v, "trace", "-", "B", "lost", "5") + \
        need(v, "trace", "-", "A", "lost", "0")


@compare
def too_few(test):
    """A handful of sections proves nothing; none at all, neither."""
    v = values(test, Workload(1, bursts=2, per_burst=2), Workload(2))
    bad = ["changed: %s" % (k,) for k in v.changed()]
    bad += need(v, "family", "spin", "B", "verdict", "too few to tell")
    empty = Trace()
    empty.cpu(0)
    v = values(test, empty, Workload(2))
    bad += ["changed: %s" % (k,) for k in v.changed()]
    return bad + need(v, "family", "spin", "B", "verdict", "only in B")


@compare
def one_burst(test):
    """All of it in one moment: how much that varies is not known."""
    def moment(seed):
        w, t, at = Workload(seed), Trace(), 10
        for _ in range(60):
            at = w.burst(t, at + 10)
        t.cpu(0).add(10**11, 1, 7, 0, 0)
        return t
    v = values(test, moment(1), moment(5))
    bad = ["changed: %s" % (k,) for k in v.changed()]
    return bad + need(v, "family", "spin", "B", "verdict", "lengths unclear")


@compare
def depths_begin_at_0(test):
    """A section on its own has depth 0, and the title says so."""
    t = Trace()
    t.acquire(1000, 0, 5, "spin", 0xa0)
    t.release(1100, 0, 5, "spin", 0xa0)
    text = run(test, t, t)
    at = text.find("Nesting")
    title, row = text[at:].splitlines()[0], text[at:].splitlines()[2]
    bad = [] if "0 is a section on its own" in title else ["the title is: " + title]
    return bad + ([] if row.split() == ["0", "100", "%", "100", "%"] else
                  ["the first row is: " + row])


@compare
def numbers_are_those_of_the_report(test):
    """Side by side stands what ft report says of each."""
    loads = Workload(1), Workload(2, freq=2893202000)
    v, bad = values(test, *loads), []
    for i in range(2):
        r = test.ft("report", "--tsv", os.path.join(test.work, "compare%d" % i))
        for line in r.stdout.splitlines():
            table, row, column, value = line.split("\t")
            if table not in ("family", "group", "depth"):
                continue
            got = v.get((table, row, "AB"[i], column))
            if got is not None and abs(float(got) - float(value)) > 0.002:
                bad.append("%s %s %s: %s, not %s" % (table, row, column, got, value))
            if got is None and (table == "depth" or column == "p99_ns"):
                bad.append("%s %s %s is missing" % (table, row, column))
    return bad


@compare
def json_says_the_same(test):
    """--json has the values of --tsv."""
    loads = Workload(1), Workload(2)
    v = values(test, *loads)
    tree, bad = json.loads(run(test, *loads, args=("--json",))), []
    flat = {(a, b, c, d): x for a, t in tree.items() for b, u in t.items()
            for c, w in u.items() for d, x in w.items()}
    if set(flat) != set(v):
        bad.append("other names: %s" % sorted(set(flat) ^ set(v))[:3])
    for key, value in flat.items():
        same = v[key] == value if isinstance(value, str) else \
            float(v[key]) == value
        if not same:
            bad.append("%s is %s, not %s" % (key, value, v[key]))
    return bad


@compare
def page(test):
    """--html: one file that needs no other, with every row and a figure each."""
    html, functions = test.path("compare.html"), FUNCTIONS[:3] + ["a<b>&c"]
    out = run(test, Workload(1), Workload(2, functions=functions),
              args=("--html", html))
    with open(html) as f:
        text = f.read()
    text = re.sub("<script>.*?</script>", "", text, flags=re.DOTALL)
    page, bad = figures.page(text), []
    if out:
        bad.append("the text comes, too: " + out[:40])
    if "href=" in text or "src=" in text or "<b>" in text:
        bad.append("it needs other files, or a name is not escaped")
    rows = ["".join(tr.itertext()) for tr in page.iter("tr")]
    for want in ("a<b>&c+0x24", "all sleeping", "only in A", "only in B"):
        if not any(want in row for row in rows):
            bad.append("no row has '%s'" % want)
    if len(list(page.iter("svg"))) != 6:
        bad.append("%d figures" % len(list(page.iter("svg"))))
    r = test.ft("compare", "--html", "/no/such/file", *(
        os.path.join(test.work, "compare%d" % i) for i in range(2)))
    if r.returncode != 1 or "/no/such/file" not in r.stderr:
        bad.append("a page that cannot be written: " + r.stderr)
    return bad


@compare
def usage(test):
    """Bad arguments are named."""
    path, bad = Workload(1).trace().write(test.path("compare0")), []
    for args, word, status in (
            ((path,), "two traces", 2), ((path,) * 9, "8 traces at most", 2),
            ((path, path, "--limit", "-1"), "-1", 2),
            ((path, path, "--top", "x"), "'x'", 2),
            ((path, "/no/such"), "/no/such", 1)):
        r = test.ft("compare", *args)
        if r.returncode != status or word not in r.stderr:
            bad.append("%s: %d, %s" % (args[1:], r.returncode, r.stderr))
    return bad
