# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""The page of ft study: the paper's numbers beside those of the reports of its traces."""

import base64
import csv
import html
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.realpath(__file__))
FT = os.environ["FT"]
OK, ERROR, LOST = 0, 1, 3


def read_table(name):
    with open(os.path.join(HERE, name), encoding="utf-8") as f:
        return list(csv.DictReader((line for line in f if line[0] != "#"),
                                   delimiter="\t", quoting=csv.QUOTE_NONE))


PAPER = read_table("study-paper.tsv")
IN_PAPER = ["idle", "compile", "stress"]
PROGRAMS = ["ffplay", "mplayer", "doom"]        # the paper has claims, not numbers
# The paper's kinds of locks: what stands beside them, and whose nesting.
KINDS = {"spinlocks": ("family", "spin", "spin"),
         "semaphores": ("group", "sleeping", "sleeping")}


def visible(text):
    """As base/visible.c: control characters, and bytes that are no UTF-8, as \\xNN."""
    return re.sub("[\0-\x1f\x7f-\x9f\udc80-\udcff]", lambda m: "".join(
        "\\x%02x" % b for b in m[0].encode("utf-8", "surrogateescape")), text)


def session(trace):
    """The facts in a trace's or a study's info/session, safe to print."""
    try:
        with open(os.path.join(trace, "info", "session"), encoding="utf-8",
                  errors="surrogateescape", newline="\n") as f:
            return dict(map(visible, line.rstrip("\n").split("\t", 1))
                        for line in f if "\t" in line)
    except FileNotFoundError:
        return {}


# --- numbers as ft report writes them ---

def digits(v):
    return "%.*f" % (2 if v < 9.995 else 1 if v < 99.95 else 0, v)


def text_time(ns):
    if ns < 999.5:
        return "%.*f ns" % (ns < 9.95 and ns % 1 > 0, ns)
    for unit in ("us", "ms", "s"):
        ns /= 1000
        if ns < 999.5:
            break
    return "%s %s" % (digits(ns), unit)


def text_rate(v):
    for unit in ("", "k", "M", "G"):
        if v < 999.5:
            break
        v /= 1000
    return digits(v) + unit


def text_share(part, whole):
    # what is not all must not look like all
    return "100 %" if part == whole else "%.1f %%" % min(100 * part / whole, 99.9)


def text_size(size):
    for unit in ("bytes", "KiB", "MiB", "GiB", "TiB"):
        if size < 1024:
            break
        size /= 1024
    return "%.*f %s" % (unit != "bytes", size, unit)


# --- what was recorded ---

class Report:
    """The tables of ft report --tsv, which stay in DIR/NAME.tsv."""

    def __init__(self, directory, name):
        self.name, self.trace = name, os.path.join(directory, name)
        # a name that begins with '-' is no option
        self.tsv, self.tables = os.path.abspath(self.trace + ".tsv"), {}
        limits = [row["limit"] for row in PAPER if row["quantity"] == "shorter"]
        with open(self.tsv, "wb") as f:
            self.status = subprocess.run([
                FT, "report", "--tsv", "--distributions", "--without-recorder",
                "--below", ",".join(limits), os.path.abspath(self.trace)], stdout=f).returncode
        with open(self.tsv, encoding="utf-8", errors="replace", newline="\n") as f:
            for line in f:
                table, row, column, value = line.rstrip("\n").split("\t")
                self.tables.setdefault(table, {}).setdefault(row, {})[column] = value
        if self.tables:
            self.facts = self.row("trace", "-")
            self.lost = int(self.facts["lost"])
            self.cpus = int(self.facts["cpus"])
            self.seconds = float(self.facts["duration_ns"]) / 1e9
            self.emulator = self.facts.get("virtual") if self.facts["emulated"] == "1" else None

    def row(self, table, row):
        return self.tables.get(table, {}).get(row, {})

    def is_of_program(self):
        """A trace of ft run, which has no lock of the kernel."""
        count = {name: int(row["count"]) for name, row in self.tables["group"].items()}
        return count.pop("program", 0) > 0 and not any(count.values())

    def deeper(self, scope, depth):
        """Sections that began with more locks held; (how many, of how many)"""
        sections = {int(d): int(n) for d, n in self.row("depth", scope).items()}
        return sum(n for d, n in sections.items() if d > depth), sum(sections.values())

    def show(self):
        return "%.3f s, %s records on %s CPUs, %s" % (
            self.seconds, self.facts["records"], len(self.tables["cpu"]),
            "%d LOST" % self.lost if self.lost else "none lost")


class Row:
    """A line of the table: the paper's numbers and ours, by workload."""

    def __init__(self, name, is_time=False):
        self.name, self.is_time = name, is_time
        self.paper, self.here, self.holds = {}, {}, {}


def rows_of(paper, reports):
    """The rows for one line of the paper's numbers."""
    locks, quantity, limit = paper["locks"], paper["quantity"], paper["limit"]
    table, name, scope = KINDS[locks]
    title = {"acquisitions": "acquisitions", "mean_us": "mean length",
             "shorter": "shorter than %s us" % limit, "not_nested": "not nested",
             "deepest": "deepest nesting", "deeper": "deeper than %s" % limit}[quantity]
    row = Row("%s: %s" % (locks, title), quantity in ("mean_us", "shorter"))
    rate = Row("%s: a second and CPU" % locks)
    machine = {m["quantity"]: m for m in PAPER if m["locks"] == "machine"}
    for w in IN_PAPER + PROGRAMS:
        claim, report = paper.get(w, paper["other"]), reports.get(w)
        if claim:
            row.paper[w] = {"acquisitions": "%s", "mean_us": "%s us", "deepest": "%s",
                            "deeper": "%s %%"}.get(quantity, "%s %%") % claim.replace(">", "> ")
        if claim and quantity == "mean_us":
            row.paper[w] = text_time(float(claim) * 1000)
        if claim and quantity == "acquisitions":
            rate.paper[w] = text_rate(int(claim) / int(machine["seconds"][w]) /
                                      int(machine["cpus"][w]))
        if not report:
            continue
        have, count = report.row(table, name), int(report.row(table, name)["count"])
        if quantity == "acquisitions":
            row.here[w] = str(count)
            rate.here[w] = text_rate(count / (report.seconds or 1) / (report.cpus or 1))
        elif quantity == "mean_us" and count:
            row.here[w] = text_time(float(have["mean_ns"]))
        elif quantity == "shorter" and count:
            shorter = int(have["below_%sus" % limit])
            row.here[w] = text_share(shorter, count)
            if claim and not report.emulator:
                row.holds[w] = 100 * shorter / count > float(claim[1:])
        elif quantity in ("not_nested", "deepest", "deeper"):
            deeper, sections = report.deeper(scope, int(limit or 0))
            if not sections:
                continue
            if quantity == "not_nested":
                row.here[w] = text_share(sections - deeper, sections)
                if claim:
                    row.holds[w] = 100 * (sections - deeper) / sections > float(claim[1:])
            elif quantity == "deepest":
                row.here[w] = str(max(map(int, report.row("depth", scope))))
                row.holds[w] = int(row.here[w]) <= int(claim)
            else:
                row.here[w] = "%.2g %%" % (100 * deeper / sections)
                row.holds[w] = not deeper
    return [row, rate] if quantity == "acquisitions" else [row]


class Results:
    def __init__(self, directory):
        self.directory, self.facts = directory, session(directory)
        self.reports, self.status = {}, OK
        for name in IN_PAPER + PROGRAMS:
            if not os.path.exists(os.path.join(directory, name, "metadata")):
                continue
            report = Report(directory, name)
            if not report.tables or report.status not in (OK, LOST):
                self.status = ERROR
            elif report.is_of_program():
                print("ft: %s is a trace of a program, and has no locks of the kernel: "
                      "leave it out of the study" % report.trace, file=sys.stderr)
                self.status = ERROR
                continue
            if report.tables:
                self.reports[name] = report
        self.lost = any(r.lost for r in self.reports.values())
        self.emulator = next((r.emulator for r in self.reports.values() if r.emulator), None)
        self.rows = [row for paper in PAPER if paper["locks"] in KINDS
                     for row in rows_of(paper, self.reports)]
        self.programs = [w for w in PROGRAMS if w in self.reports]
        self.status = self.status or (LOST if self.lost else OK)

    def fact(self, key):
        return next((r.facts[key] for r in self.reports.values() if key in r.facts), None)

    def verdict(self, w):
        judged = [row.holds[w] for row in self.rows if w in row.holds]
        return "%d of %d" % (sum(judged), len(judged))

    def workloads(self):
        """(name, report or None): those of the paper, and what else was recorded"""
        return [(w, self.reports.get(w)) for w in IN_PAPER + self.programs]


# --- as text ---

def text_rows(results, paper, here):
    for row in results.rows:
        yield "%s %-30s" % ("~" if row.is_time and results.emulator else " ", row.name) + \
            "".join(" %10s" % row.paper.get(w, "-") for w in paper) + \
            "".join(" %9s%s" % (row.here.get(w, "-"), "!" if row.holds.get(w) is False else " ")
                    for w in here)


def text(results):
    machine = {m["quantity"]: m["idle"] for m in PAPER if m["locks"] == "machine"}
    lines = ["Critical sections in the Linux kernel: the paper's study, and this machine's", ""]
    for title, key in (("Host", "host"), ("Kernel", "kernel_release"), ("Virtual", "virtual")):
        if results.fact(key):
            lines.append("%-10s %s" % (title, results.fact(key)))
    for w, report in results.workloads():
        lines.append("%-10s %s" % (w, report.show() if report else "not recorded"))
    if results.lost:
        lines += ["", "WARNING: records were lost: the sections that they belong to are missing."]
    if results.emulator:
        lines += ["", "NOTE: recorded in an emulator (%s): times, marked ~, mean nothing." %
                  results.emulator]
    lines += ["", "%-32s paper (%s CPUs, %s s)%11s here" % ("", machine["cpus"],
                                                        machine["seconds"], "")]
    lines.append(" " * 32 + "".join(" %10s" % w for w in IN_PAPER) +
                 "".join(" %9s " % w for w in IN_PAPER))
    lines += text_rows(results, IN_PAPER, IN_PAPER)
    if results.programs:
        lines += ["", "%-32s %10s" % ("", "paper") + "".join(" %9s " % w for w in PROGRAMS)]
        lines += text_rows(results, PROGRAMS[:1], PROGRAMS)
    lines += ["", "! marks what the paper found otherwise. The paper's semaphores stand beside all",
              "sleeping locks: mutexes, semaphores and rwsems. Nesting counts the locks of the same",
              "kind that were held already. The recorder's own locks are left out.",
              "More of each: ft report " + next(iter(results.reports.values())).trace, "",
              "The paper's claims that hold%s:" % (
                  " (those of times are not judged in an emulator)" if results.emulator else ""),
              ", ".join("%s %s" % (w, results.verdict(w)) for w in results.reports)]
    return "\n".join(lines) + "\n"


# --- as a page ---

def shown(cell):
    """The "1916139" and the "1.24 us" of the text, as a page has them."""
    if not cell:
        return "\u2013"
    return "{:,}".format(int(cell)).replace(",", "\u202f") if cell.isdigit() else \
        re.sub(r" us\b.*", "\u00a0\u00b5s", cell)


def page_table(results, heads, paper, here):
    mark = {True: " \u2713", False: " \u2717", None: ""}
    yield "<table><tr>%s</tr>" % "".join("<th>%s</th>" % h for h in [""] + heads)
    for row in results.rows:
        cells = [shown(row.name) + (" (emulated)" if row.is_time and results.emulator else "")]
        cells += [shown(row.paper.get(w)) for w in paper]
        cells += [shown(row.here.get(w)) + mark[row.holds.get(w)] for w in here]
        yield "<tr>%s</tr>" % "".join("<td>%s</td>" % html.escape(c) for c in cells)
    yield "</table>"


class Figures:
    """What ft plot draws: a file each, in DIR/figures, and the page has all in it."""

    def __init__(self, directory):
        self.directory = os.path.abspath(os.path.join(directory, "figures"))
        self.missing = not shutil.which("gnuplot")
        if self.missing:
            print("ft: without gnuplot the page has no figures: apt install gnuplot-nox",
                  file=sys.stderr)
        os.makedirs(self.directory, exist_ok=True)

    def draw(self, title, name, table, row, reports):
        path = os.path.join(self.directory, name + ".svg")
        # lengths are drawn up to 15 us
        files = [r.tsv for r in reports
                 if any(table != "length" or float(x) < 15 for x in r.row(table, row))]
        if not files or self.missing:
            return
        if subprocess.run([FT, "plot", path, table, row] + files).returncode:
            return                      # it has said why
        with open(path, "rb") as f:
            data = base64.b64encode(f.read()).decode()
        yield '<figure><figcaption>%s</figcaption><img alt="%s" src="data:image/svg+xml;base64,%s"/>' \
            '</figure>' % (title, title, data)


def page_figures(results):
    figures, reports = Figures(results.directory), list(results.reports.values())
    yield '<h2>The workloads, one over the other</h2><div class="figures">'
    for title, table, row in (
            ("Spinlocks: hold times", "shorter", "spin"),
            ("Sleeping locks: hold times", "shorter", "sleeping"),
            ("Spinlocks: nesting, per CPU", "depth", "spin"),
            ("Sleeping locks: nesting, per task", "depth", "sleeping")):
        yield from figures.draw(title, "%s-%s" % (table, row), table, row, reports)
    yield "</div>"
    for w, report in results.reports.items():
        yield '<h2>Workload: %s%s</h2><div class="figures">' % (
            w, " (times emulated)" if results.emulator else "")
        for title, table, row in (
                ("Spinning locks: hold times", "length", "spinning"),
                ("Sleeping locks: hold times", "length", "sleeping"),
                ("Spinlocks over time", "rate", "spin"),
                ("Mutexes over time", "rate", "mutex")):
            yield from figures.draw(title, "%s-%s-%s" % (w, table, row), table, row, [report])
        yield "</div>"
    if figures.missing:
        yield '<p class="note">Without gnuplot there are no figures; when it is installed: ' \
            'ft study --page DIR</p>'


def page(results):
    with open(os.path.join(HERE, "study-page.css"), encoding="utf-8") as f:
        style = f.read()
    title = "Critical sections in the Linux kernel"
    yield '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"/><title>%s</title>' \
        "<style>%s</style></head><body><h1>%s</h1>" % (title, style, title)
    if results.lost:
        yield '<p class="warning">Records were lost. Sections and waits that they belong to ' \
            'are left out or missing: the numbers are not complete.</p>'
    if results.emulator:
        yield '<p class="warning">Recorded in an emulator (%s): numbers of sections and their ' \
            'nesting are real, times mean nothing. They are marked "emulated".</p>' % \
            html.escape(results.emulator)
    yield "<dl>"
    facts = [(t, results.fact(key)) for t, key in (
        ("Host", "host"), ("Kernel", "kernel_release"), ("Virtual", "virtual"),
        ("Locks seen by", "lock_source"))]
    for w, report in results.workloads():
        what = results.facts.get(w)
        facts.append((w, "%s%s; %s of the paper's claims hold" % (
            report.show(), "; " + what if what else "", results.verdict(w))
            if report else "not recorded"))
    for name, value in facts:
        if value:
            yield "<dt>%s</dt><dd>%s</dd>" % (name, html.escape(value))
    yield "</dl><h2>The paper's numbers, and these</h2>"
    yield from page_table(results, ["paper: idle", "compile", "stress", "here: idle", "compile",
                                    "stress"], IN_PAPER, IN_PAPER)
    if results.programs:
        yield from page_table(results, ["paper", "here: ffplay", "mplayer", "doom"],
                              PROGRAMS[:1], PROGRAMS)
    yield '<p class="note">Paper: Brandenburg and Anderson, Feather-Trace: A Light-Weight Event ' \
        "Tracing Toolkit, OSPERT 2007; 60 s, 2 CPUs. Its semaphores were the kernel's sleeping " \
        "locks; here they stand beside mutexes, semaphores and rwsems together. Nesting counts " \
        "the locks of the same kind that were held already, spinlocks on the CPU, sleeping " \
        "ones by the task. The recorder's own locks are left out. \u2713: as the paper found, " \
        "\u2717: otherwise%s.</p>" % (
            "; times of an emulator are not judged" if results.emulator else "")
    yield from page_figures(results)
    yield '<p class="note">All of a workload: ft report %s; two of them: ft compare.</p>' \
        "</body></html>" % html.escape(next(iter(results.reports.values())).trace)


def write(directory):
    """Return: exit status"""
    if not any(os.path.exists(os.path.join(directory, name, "metadata"))
               for name in IN_PAPER + PROGRAMS):
        print("ft: %s has no study: there is none of %s; make one with ft study --here or --vm" %
              (directory, ", ".join(os.path.join(directory, n) for n in IN_PAPER)),
              file=sys.stderr)
        return ERROR
    results = Results(directory)
    if not results.reports:
        return ERROR
    for name, content in (("study.txt", text(results)), ("study.html", "\n".join(page(results)))):
        with open(os.path.join(directory, name), "w", encoding="utf-8") as f:
            f.write(content)
    print(text(results) + "\nThe page: %s/study.html" % directory)
    return results.status
