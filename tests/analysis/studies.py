# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""ft study: the page of traces of which it is known what they hold."""

import base64
import importlib.machinery
import importlib.util
import os
import re
import shutil
import sys
from xml.etree import ElementTree

import figures
from gen_trace import Trace
from workload import Workload

STUDIES = []
WORKLOADS = ["idle", "compile", "stress"]
PAPER = ["2366122", "25002249", "70807495", "51360", "4880570", "18998386",
         "670 ns", "810 ns", "1.24 us", "14.9 us", "6.40 us", "6.30 us",
         "> 85 %", "> 96 %", "> 93 %",
         # of two processors, a second and CPU
         "19.7k", "208k", "590k", "428", "40.7k", "158k"]


def study(f):
    STUDIES.append(f)
    return f


def known(spin, sleep, deep=1, sleep_deep=1):
    """A trace with spinlocks and mutexes of these lengths in ns; the first of each are
    so many in one another, and the spinlocks also in a mutex."""
    t, at = Trace(), 1000
    for family, lengths, levels in (("spin", spin, deep), ("mutex", sleep, sleep_deep)):
        for i, ns in enumerate(lengths):
            locks = [(family, 0xa0 + n) for n in range(1 if i else levels)]
            if family == "spin" and len(locks) > 1:
                locks.insert(0, ("mutex", 0xf0))
            for lock in locks:
                t.acquire(at, 0, 5, *lock)
            for lock in reversed(locks):
                t.release(at + ns, 0, 5, *lock)
            at += ns + 1000
    return t


def make(test, name, **traces):
    path = test.path(name)
    for workload, trace in traces.items():
        trace.write(os.path.join(path, workload))
    return path


def rows(text):
    """Lines of the table: name to the last three cells, ours."""
    found = {}
    for line in text.splitlines():
        m = re.match(r"[ ~] (\w+: [^>]*?)  +(\S.*)$", line)
        if m:
            cells = re.split(r" {2,}|(?<=[%!]) +(?=[-\d])", m.group(2).strip())
            found[m.group(1).strip()] = [c.strip() for c in cells if c.strip()][-3:]
    return found


def files(path):
    with open(os.path.join(path, "study.txt")) as f:
        text = f.read()
    with open(os.path.join(path, "study.html")) as f:
        return text, f.read()


@study
def programs(test):
    """Two players and a game: beside the paper's claims, in a table of their own."""
    path = make(test, "programs", stress=known([400], [1000]),
                ffplay=known([100] * 50 + [6000] * 50, [5000]),
                doom=known([400] * 100, [1000], deep=8))
    r = test.ft("study", "--page", path)
    if r.returncode:
        return ["exit status %d: %s" % (r.returncode, r.stderr)]
    text, html = files(path)
    second, bad = text.split("\n\n")[3], []
    for want in (r"paper +ffplay +mplayer +doom",
                 r"spinlocks: shorter than 5 us +> 96 % +50.0 %! +- +100 % ",
                 r"spinlocks: deepest nesting +6 +0 +- +7!",
                 r"spinlocks: acquisitions +- +100 +- +107 "):
        if not re.search(want, second):
            bad.append("no '%s' in:\n%s" % (want, second))
    if "stress 7 of 7, ffplay 6 of 7, doom 5 of 7" not in text or \
            "6 of 7 of the paper" not in html:
        bad.append("how many claims hold: " + text.split("claims that hold")[-1])
    if "not recorded" in text.split("mplayer")[0].split("stress")[1]:
        bad.append("a program that was not asked for is said to be missing")
    bad += ["the page lacks " + want for want in ("here: ffplay", "50.0 % \u2717")
            if want not in html]
    return bad


@study
def page(test):
    """Every number beside the paper's, in the text and on the page."""
    path = make(test, "study",
                idle=known([1000, 2000, 3000], [20000]),
                compile=known([100] * 50 + [6000] * 50, [5000] * 9 + [13000]),
                stress=known([400] * 100, [1000] * 96 + [90000] * 4, deep=8,
                             sleep_deep=4))
    r = test.ft("study", "--page", path)
    if r.returncode:
        return ["exit status %d: %s" % (r.returncode, r.stderr)]
    text, html = files(path)
    want = {
        "spinlocks: acquisitions": ["3", "100", "107"],
        "spinlocks: mean length": ["2.00 us", "3.05 us", "400 ns"],
        "spinlocks: shorter than 5 us": ["100 %", "50.0 %!", "100 %"],
        "semaphores: acquisitions": ["1", "10", "104"],
        "semaphores: mean length": ["20.0 us", "5.80 us", "4.42 us"],
        "semaphores: shorter than 13 us": ["0.0 %", "90.0 %!", "96.2 %"],
        "spinlocks: not nested": ["100 %", "100 %", "93.5 %"],
        "spinlocks: deepest nesting": ["0", "0", "7!"],
        "spinlocks: deeper than 6": ["0 %", "0 %", "0.93 %!"],
        "semaphores: deepest nesting": ["0", "0", "3!"],
        "semaphores: deeper than 2": ["0 %", "0 %", "0.96 %!"],
    }
    have, bad = rows(text), []
    for name, cells in want.items():
        if have.get(name) != cells:
            bad.append("%s: %s, not %s" % (name, have.get(name), cells))
    for name, cells in (("spinlocks: deepest nesting", "3 +4 +4"),
                        ("semaphores: deepest nesting", "2 +2 +2")):
        if not re.search(r"%s +%s " % (name, cells), text):
            bad.append("%s: the paper's are %s" % (name, cells))
    bad += ["the text lacks the paper's " + n for n in PAPER if n not in text]
    bad += ["wider than 100 columns: " + line for line in text.splitlines()
            if len(line) > 100 and path not in line]
    if text not in r.stdout:
        bad.append("the text is not shown")
    html = re.sub("<script>.*?</script>", "", html, flags=re.DOTALL)
    tree = figures.page(html)
    cells = ["".join(td.itertext()).replace("\u202f", "").replace("\u00a0\u00b5s", " us")
             for td in tree.iter("td")]
    if "shorter than 5 us" in html or ">25002249<" in html:
        bad.append("the page writes as the text does")
    for value in PAPER + [c.rstrip("!") for row in want.values() for c in row]:
        if not any(value in c for c in cells):
            bad.append("the page lacks " + value)
    images = [i.get("src") for i in tree.iter("img")]
    data = "data:image/svg+xml;base64,"
    if "href=" in html or not all(i.startswith(data) for i in images):
        bad.append("the page needs other files")
    if shutil.which("gnuplot"):
        bad += wrong_figures([base64.b64decode(i[len(data):]) for i in images])
    if "emulate" in html or "emulator" in text:
        bad.append("it speaks of an emulator")
    return bad


def wrong_figures(images):
    """The workloads one over the other, then of each: lengths and rates, of two kinds."""
    words = [figures.texts(ElementTree.fromstring(i)) for i in images]
    # lengths up to 15 us
    names = ["spinning", "spin", "mutex"] + 2 * ["spinning", "sleeping", "spin", "mutex"]
    if len(images) != 4 + len(names):
        return ["%d figures" % len(images)]
    return ["not of all workloads: %s" % w for w in words[:4]
            if [t for t in w if t in WORKLOADS] != WORKLOADS] + \
        ["not %s: %s" % (name, w) for w, name in zip(
            words[4:], names) if name not in w]


def with_python_alone(test):
    """A PATH without any other program."""
    path = test.path("bin")
    os.makedirs(path)
    os.symlink(shutil.which("python3"), os.path.join(path, "python3"))
    return {"PATH": path}


@study
def without_gnuplot(test):
    """A page without figures, and how to get them."""
    path = make(test, "study", idle=known([1000], [2000]))
    r = test.ft("study", "--page", path, env=with_python_alone(test))
    text, html = files(path)
    bad = [] if r.returncode == 0 and r.stderr.count("gnuplot-nox") == 1 else [
        "%d: %s" % (r.returncode, r.stderr)]
    if "<img" in html or "Without gnuplot" not in html or "2.00 us" not in text:
        bad.append("the page does not say it")
    return bad


@study
def without_the_recorder(test):
    """What ft record locks itself is not what it records; and interrupts are nobody's."""
    t = known([1000] * 3, [2000] * 2)
    for i, tid in enumerate((40, 41, 42, 41)):
        at, ctx = 10**6 * (i + 1), 2 if i == 3 else 0
        locks = [("mutex", 0xb0 + n) for n in range(4)] if not ctx else [("spin", 0xc0)]
        for lock in locks:
            t.acquire(at, 0, tid, *lock, ctx=ctx)
        for lock in reversed(locks):
            t.release(at + 9000, 0, tid, *lock, ctx=ctx)
    t.file("info/tasks", "5\tmake\n40\tft\n41\tft-cpu0\n42\tmake\n")
    path, bad = make(test, "study", stress=t), []
    text, want = test.ft("study", "--page", path).stdout, {
        "spinlocks: acquisitions": "4", "semaphores: acquisitions": "6",
        "semaphores: deepest nesting": "3!", "semaphores: deeper than 2": "17 %!"}
    for name, cell in want.items():
        if rows(text)[name][-1] != cell:
            bad.append("%s: %s, not %s" % (name, rows(text)[name][-1], cell))
    return bad


def below_rwlocks():
    """Spinlocks on their own, and some below two rwlocks, which spin as well."""
    t, at = Trace(), 1000
    for i in range(120):
        rwlocks = (0xb0, 0xb8) if i < 20 else ()
        for lock in rwlocks:
            t.acquire(at, 0, 5, "rwlock_read", lock)
        t.acquire(at + 10, 0, 5, "spin", 0xa0)
        t.release(at + 20, 0, 5, "spin", 0xa0)
        for lock in reversed(rwlocks):
            t.release(at + 30, 0, 5, "rwlock_read", lock)
        at += 100
    return t


@study
def spinlocks_alone(test):
    """The paper's nesting is that of spinlocks: rwlocks do not count. People see both."""
    path = make(test, "study", idle=below_rwlocks())
    have = rows(test.ft("study", "--page", path).stdout)
    bad = ["%s: %s, not %s" % (name, have[name][0], cell) for name, cell in (
        ("spinlocks: deepest nesting", "0"), ("spinlocks: not nested", "100 %"))
        if have[name][0] != cell]
    trace, out = os.path.join(path, "idle"), test.path("page.html")
    for args, want in ((("report",), r"spinlocks alone.*\n +0 +120 +75.0 % .* 120 +100 %"),
                       (("compare", trace), r"spinlocks alone +A +B\n +0 +100 % +100 %\n\n?\w"),
                       (("report", "--html", out), ""), (("compare", trace, "--html", out), "")):
        text = test.ft(*args, trace).stdout
        if not want:
            with open(out) as f:
                text, want = f.read(), "pinlocks alone"
        if not re.search(want, text):
            bad.append("%s: no '%s' in: %s" % (" ".join(args), want, text[-500:]))
    return bad


@study
def emulated(test):
    """Times of an emulator are marked and not judged; numbers are."""
    trace = known([9000], [2000], sleep_deep=4)
    trace.file("info/session", "virtual\tQEMU TCG\n")
    path = make(test, "study", idle=trace)
    r = test.ft("study", "--page", path)
    text, html = files(path)
    marked = [line[2:40].strip() for line in text.splitlines() if line[:1] == "~"]
    bad = [] if r.returncode == 0 else [r.stderr]
    if len(marked) != 4 or any("acquisitions" in m for m in marked):
        bad.append("marked: %s" % marked)
    if html.count("(emulated)") != 4 or "QEMU TCG" not in html:
        bad.append("the page does not mark it")
    if text.count("!") != 3 or "idle 2 of 4" not in text:
        bad.append("judged: " + text)
    return bad


@study
def one_workload(test):
    """What was not recorded has no numbers, and is told."""
    path = make(test, "study", stress=Workload(1).trace())
    r = test.ft("study", "--page", path)
    text, html = files(path)
    bad = [] if r.returncode == 0 else [r.stderr]
    if text.count("not recorded") != 2 or html.count("not recorded") != 2:
        bad.append("it does not tell")
    return bad + ["%s: %s" % row for row in rows(text).items()
                  if row[1][:2] != ["-", "-"]]


@study
def lost_records(test):
    """Losses are told and marked, and make the exit status."""
    trace = known([1000], [2000])
    trace.cpu(0).lose(7)
    trace.cpu(0).add(10**9, 1, 7, 0, 0)
    path = make(test, "study", idle=known([1000], []), compile=trace)
    r = test.ft("study", "--page", path)
    text, html = files(path)
    bad = [] if r.returncode == 3 else ["exit status %d" % r.returncode]
    if "7 LOST" not in text or "WARNING" not in text:
        bad.append("the text does not tell")
    if "7 LOST" not in html or "not complete" not in html:
        bad.append("the page does not tell")
    return bad


@study
def bad_traces(test):
    """A damaged trace is named; so is a directory without a study."""
    path = make(test, "study", idle=known([1000], []), stress=known([1], []))
    with open(os.path.join(path, "stress", "cpu0"), "r+b") as f:
        f.write(b"nonsense")
    r, bad = test.ft("study", "--page", path), []
    if r.returncode != 1 or "stress/cpu0" not in r.stderr:
        bad.append("%d: %s" % (r.returncode, r.stderr))
    r = test.ft("study", "--page", test.path("nothing"))
    if r.returncode != 1 or "has no study" not in r.stderr:
        bad.append("%d: %s" % (r.returncode, r.stderr))
    return bad


@study
def odd_names(test):
    """A directory whose name looks like an option or a command is a directory."""
    bad = []
    for name in ("-dash", "|touch ran;exit 0;", "<touch ran"):
        make(test, name, idle=known([1000], [2000]))
        r = test.ft("study", "--page=" + name, cwd=test.work)
        if r.returncode:
            bad.append("%s: %d: %s" % (name, r.returncode, r.stderr))
        elif shutil.which("gnuplot") and "<img" not in files(os.path.join(test.work, name))[1]:
            bad.append("%s: no figures" % name)
    if os.path.exists(os.path.join(test.work, "ran")):
        bad.append("a command was run")
    return bad


@study
def trace_of_a_program(test):
    """It has no locks of the kernel, and so no numbers beside the paper's."""
    t = Trace()
    t.acquire(1000, 0, 5, "pthread_mutex", 0xa0)
    t.release(2000, 0, 5, "pthread_mutex", 0xa0)
    path = make(test, "program", idle=t)
    r = test.ft("study", "--page", path)
    if r.returncode != 1 or "is a trace of a program" not in r.stderr or r.stdout:
        return ["%d: %s%s" % (r.returncode, r.stdout, r.stderr)]
    return []


def script(test):
    """The script itself, for what it does before it needs the module."""
    os.environ["FT"] = test.program
    scripts = os.path.join(os.path.dirname(test.program), "scripts")
    sys.path.insert(0, scripts)
    loader = importlib.machinery.SourceFileLoader("ft_study", os.path.join(scripts, "ft-study"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("ft_study", loader))
    loader.exec_module(module)
    return module


def refusal(ft_study, f):
    try:
        f()
    except ft_study.Failed as e:
        return e.text
    return "no error"


@study
def sources_are_copied(test):
    """Without what the study writes among them; what cannot be copied is named."""
    ft_study, project, bad = script(test), test.path("project"), []
    for name in ("src", "out/work", "out/idle"):
        os.makedirs(os.path.join(project, name))
    for name in ("Makefile", "src/a.c", "out/idle/cpu0"):
        with open(os.path.join(project, name), "w"):
            pass
    study = ft_study.Study(ft_study.parse(["--sources", project, "-o", project + "/out"]))
    study.copy_sources()
    found = sorted(os.listdir(project + "/out/work/sources"))
    if found != ["Makefile", "src"]:
        bad.append("copied: %s" % found)
    os.symlink("nowhere", project + "/src/dangling")
    shutil.rmtree(project + "/out/work/sources")
    said = refusal(ft_study, study.copy_sources)
    if "src/dangling: " not in said:
        bad.append("what cannot be copied: " + said)
    study = ft_study.Study(ft_study.parse(["-o", project + "/a b"]))
    said = refusal(ft_study, study.copy_sources)
    if "a b" not in said or "has a blank" not in said:
        bad.append("a blank: " + said)
    return bad


@study
def work_of_before(test):
    """What a failed workload left is named, and removed only by --force."""
    ft_study, path, bad = script(test), test.path("before"), []
    os.makedirs(path + "/work")
    for args, want, stays in (([], "or --force to remove it", True),
                              (["--force", "--work", path + "/work"], "does not exist", True),
                              (["--force"], "no error", False)):
        study = ft_study.Study(ft_study.parse(["-o", path] + args))
        said = refusal(ft_study, study.check_directory)
        if want not in said or os.path.exists(path + "/work") != stays:
            bad.append("%s: %s" % (args, said))
    return bad


@study
def usage(test):
    """Bad arguments are named; what is missing, with the way to it."""
    bad, path = [], test.path("none")
    for args, word, status in (
            (("--workloads", "idle,sleep"), "'sleep'", 2),
            (("--workloads", ""), "which workloads", 2),
            (("-d", "x"), "'x'", 2), (("-s", "3"), "'3'", 2),
            (("--here", "--vm"), "exclude", 2), (("idle",), "'idle'", 2),
            (("-d", "0x10"), "'0x10'", 2),
            (("--vm", "-s", "8192"), "--slots", 2), (("--vm", "--work", path), "--work", 2),
            (("--vm", "--record-only"), "--record-only", 2),
            (("-o", ""), "empty", 2), (("--nonsense",), "--nonsense", 2),
            (("--vm", "-o", path), "FT_TREE", 1)):
        # a tree that is none: else it would begin
        r = test.ft("study", *args, env={"FT_TREE": "/nonexistent",
                                         "PATH": os.environ["PATH"]})
        if r.returncode != status or word not in r.stderr:
            bad.append("%s: %d, %s" % (args, r.returncode, r.stderr))
    if os.path.exists(path):
        bad.append("it writes though it cannot begin")
    r = test.ft("study", "--here", "-o", path, env=with_python_alone(test))
    for want in ("apt install stress-ng", "apt install gcc", "apt install make"):
        if r.returncode != 1 or want not in r.stderr:
            bad.append("missing programs: %d, %s" % (r.returncode, r.stderr))
    return bad
