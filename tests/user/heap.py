#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""ft run --heap and ft report --heap: heap.py BUILD FT

Programs whose allocations are known (heap.c): the report equals what they say, and what a
model that reads the trace without any code of ft's makes of it. Others behave as they do
alone. Prints a line for each check, as tests/lib.sh has it.
"""
import collections
import csv
import io
import json
import os
import shutil
import subprocess

from heap_model import BEGINS, compare_model
from runs import BUILD, FT, WORK, main, run
from told import check, same
from trace import HEAD, RECORD, Trace

TRACE = os.path.join(WORK, "trace")
HEAP = BUILD + "/heap"
COUNTS = ("allocated_blocks", "allocated_bytes", "freed_blocks", "freed_bytes", "left_blocks",
          "left_bytes", "most_bytes")


def ask(*args, status=0):
    done = subprocess.run([FT, *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          check=False, text=True)
    if done.returncode != status:
        check(" ".join(args), False, "status %d: %s" % (done.returncode, done.stderr))
    return done.stdout


def report(trace, status=0):
    answer = json.loads(ask("report", "--heap", "--json", "--top", "0", trace.path,
                            status=status))
    answer["total"] = answer["total"][0]
    return answer


def record(case, *more, options=(), status=0):
    """Return: the trace, its report, what the program says of its sites."""
    trace, said, told = run(["--heap", *options], [HEAP, case, *more], status=status)
    return trace, report(trace, status), told, said


def sites_told(told):
    return {name: [int(n) for n in numbers] for name, *numbers in
            (line.split() for line in told.splitlines())}


def sites_of(answer):
    """By function, all of its calls. Return: what the program would say."""
    found = collections.defaultdict(lambda: [0] * len(COUNTS))
    for row in answer["sites"]:
        name = row["symbol"].split("+")[0]
        for i, column in enumerate(COUNTS):
            found[name][i] += row[column]
    return found


def compare_sites(name, answer, told):
    found = sites_of(answer)
    same(name + ": what each call has allocated, freed, left", sites_told(told),
         {site: found[site] for site in sites_told(told)})


def test_known():
    trace, answer, told, _ = record("known", "40000")
    compare_sites("known", answer, told)
    compare_model("known", trace, answer)


def test_views():
    trace, answer, _, _ = record("known", "2000")
    done = execute([FT, "report", "--heap", trace.path])
    text = done.stdout
    check("views: text has the sites", all("site_%d+" % i in text for i in range(9)), text)
    same("views: progress is for a terminal", "", done.stderr)
    rows = [line.split("\t") for line in
            ask("report", "--heap", "--tsv", "--top", "0", trace.path).splitlines()]
    tsv = {(table, row, column): value for table, row, column, value in rows}
    want = {("total", "all", k): v for k, v in answer["total"].items() if k != "row"}
    for row in answer["sites"]:
        want.update({("sites", row["row"], k): v for k, v in row.items() if k != "row"})
    same("views: TSV has the values of JSON", [],
         [k for k, v in want.items() if k not in tsv or
          (tsv[k] != str(v) and float(tsv[k]) != float(v))])
    lines = list(csv.DictReader(io.StringIO(
        ask("export", "-f", "csv", "--heap", trace.path))))
    own = [r for r in trace.records if r.name != "heap_size"]
    same("views: CSV has a line for each event", [r.name for r in sorted(
        own, key=lambda r: r.ts)], [line["event"] for line in lines])
    same("views: CSV has their sizes and lifetimes",
         (answer["total"]["allocated_bytes"], answer["total"]["freed_blocks"]),
         (sum(int(line["size"]) for line in lines if line["event"] in BEGINS),
          sum(line["lifetime_ns"] != "" for line in lines)))
    same("views: CSV may go to a device", "",
         ask("export", "-f", "csv", "--heap", "-o", "/dev/null", trace.path))
    page = os.path.join(WORK, "page.html")
    ask("report", "--heap", "--html", page, trace.path)
    with open(page) as f:
        text = f.read()
    check("views: the page has the sites", all("site_%d+" % i in text for i in range(9)), page)


def test_threads():
    trace, answer, _, _ = record("threads")
    found = sites_of(answer)["site_0"]
    same("threads: all that one allocates another frees", (80000, 80000, 0, 0, 0),
         (found[0], found[2], found[4], answer["total"]["unknown_releases"],
          answer["total"]["releases_not_recorded"]))
    same("threads: each has its row", 4, sum(
        row["allocated_blocks"] >= 20000 for row in answer["threads"]))
    same("threads: nothing is lost", 0, trace.lost)


def test_signals():
    """Handlers fork in the middle of whatever is recorded."""
    trace, answer, told, _ = record("signals")
    compare_sites("signals", answer, told)
    same("signals: nothing is lost", 0, trace.lost)
    _, answer, told, _ = record("handler")
    compare_sites("a handler that allocates", answer, told)


def test_forks():
    """A child has what its parent had, of which only the parent's trace knows."""
    _, answer, told, _ = record("forks")
    want = sites_told(told)
    found = sites_of(answer)
    same("forks: the parent's", want["site_0"], found["site_0"])
    same("forks: the children's, which are not live after their end",
         [10, 20000, 0, 0, 10, 20000, 10000], found["site_1"])
    # and what the constructor has allocated, in each child's exit
    same("forks: what children free of their parent's", 20, answer["total"]["unknown_releases"])
    same("forks: three have ended", (3, 3),
         (answer["total"]["processes"], answer["total"]["processes_ended"]))
    check("forks: the peak is the parent's and one child's",
          20000 <= answer["total"]["most_bytes"] < 34000, answer["total"])


def test_exec():
    """What a program has ends when it executes another one."""
    trace, _, _ = run(["--heap"], ["sh", "-c", "%s early; exec %s early" % (HEAP, HEAP)])
    answer = report(trace)
    same("exec: processes, of which all have ended", (3, 3),
         (answer["total"]["processes"], answer["total"]["processes_ended"]))
    most = sorted(row["most_bytes"] for row in answer["processes"])
    check("exec: the peak is of those that are there at one time",
          answer["total"]["most_bytes"] <= most[0] + most[-1], (answer["total"], most))


def test_exit():
    """By a thread that has allocated nothing."""
    _, answer, _, _ = both("exit", [HEAP, "exit"])
    same("exit: the process has ended", 1, answer["total"]["processes_ended"])


def test_ends():
    """However a program ends: what it keeps was never freed, and no record before is missing."""
    for case in "_exit", "killed", "aborts":
        trace, _, told = run(["--heap"], ["sh", "-c", "ulimit -c 0; %s %s 3000; :" % (HEAP, case)])
        answer = report(trace)
        compare_sites("ends by %s" % case, answer, told)
        same("ends by %s: it kept one in three" % case, 1000,
             sum(numbers[4] for numbers in sites_told(told).values()))
        same("ends by %s: nothing is lost" % case, 0, trace.lost)


def test_stacks():
    """Each allocation has a stack, or one in so many."""
    trace, answer, told, _ = record("known", "3000", options=["--stacks=1/1", "--unwind=dwarf"])
    compare_sites("stacks: all is there beside them", answer, told)
    compare_model("stacks", trace, answer)
    rows = answer["stacks"]
    missing = int(trace.session("stacks_failed")) + int(trace.session("stacks_full"))
    same("stacks: each allocation has one", answer["total"]["allocated_blocks"] - missing,
         sum(row["allocated_blocks"] for row in rows))
    found = collections.defaultdict(lambda: [0] * 4)
    for row in rows:
        for i, column in enumerate(("allocated_bytes", "freed_bytes", "left_bytes",
                                    "at_peak_bytes")):
            found[row["path"].split(" ")[0]][i] += row[column]
    want = collections.defaultdict(lambda: [0] * 4)
    for row in answer["sites"]:
        for i, column in enumerate(("allocated_bytes", "freed_bytes", "left_bytes",
                                    "at_peak_bytes")):
            want[row["symbol"].split("+")[0]][i] += row[column]
    own = ["site_%d" % i for i in range(9)]
    same("stacks: by their innermost function they are the sites",
         {name: want[name] for name in own}, {name: found[name] for name in own})
    check("stacks: paths lead to main()", all(
        "main" in row["path"] for row in rows if row["path"].startswith("site_0")), rows)
    trace, answer, _, _ = record("known", "3000", options=["--stacks=1/7", "--unwind=dwarf"])
    missing = int(trace.session("stacks_failed")) + int(trace.session("stacks_full"))
    same("stacks: one in seven", answer["total"]["allocated_blocks"] // 7 - missing,
         sum(row["allocated_blocks"] for row in answer["stacks"]))
    check("stacks: text has the paths", "site_0 [heap] < take [heap]" in
          ask("report", "--heap", "--top", "0", trace.path), trace.path)


def test_locked():
    """Of one block in seven the stack is that of its allocation, not of a lock in it."""
    trace, answer, _, _ = record("locked", options=["--locks", "--stacks=1/7", "--unwind=dwarf"])
    rows = [row for row in answer["stacks"] if "_lock [heap]" in row["path"]]
    same("locked: stacks are those of allocations", {"new_lock"},
         {row["path"].split(" ")[0] for row in rows})
    of = collections.Counter((r.a >> 32) & 0xff for r in trace.of("stack"))
    missing = int(trace.session("stacks_failed")) + int(trace.session("stacks_full"))
    same("locked: as many as were taken", of[3] - missing,
         sum(row["allocated_blocks"] for row in answer["stacks"]))
    locks = ask("report", "--by", "stack", "--tsv", trace.path)
    check("locked: stacks of locks are those of locks", "use_lock" in locks and
          "new_lock" not in locks, locks)


def test_waits():
    """A small ring loses nothing: its thread waits."""
    trace, answer, told, _ = record("known", "3000", options=["-s", "128"])
    compare_sites("waits: a small ring", answer, told)
    same("waits: nothing is lost", 0, trace.lost)


def test_early():
    _, answer, told, _ = record("early")
    compare_sites("early: a constructor's", answer, told)


def test_results():
    trace, answer, _, _ = both("results", [HEAP, "results"])
    undone = sum(r.name == "heap_realloc_undo" for r in trace.records)
    same("results: a realloc() that fails leaves the block", 1, undone)
    compare_model("results", trace, answer)
    same("results: nothing is unknown", (0, 0), (
        answer["total"]["unknown_releases"], answer["total"]["releases_not_recorded"]))


def test_maps():
    page = 4096
    trace, _, _ = run(["--heap", "--heap-maps"], [HEAP, "maps"])
    answer = report(trace)
    row = next(r for r in answer["functions"] if r["row"] == "mmap")
    # 16 and 4 pages, 2 of the 16 once more, and 8 for the 4; twice 32 and 32, and twice 2, all unmapped
    same("maps: pages mapped, unmapped, left", (162 * page, 149 * page, 13 * page),
         (row["allocated_bytes"], row["freed_bytes"], row["left_bytes"]))
    same("maps: as many parts are left", 4, row["left_blocks"])
    same("maps: the most", (13 + 64) * page, row["most_bytes"])
    of_remap = [r.name for r in trace.records if r.name in ("heap_map", "heap_unmap")]
    same("maps: an unmap for each, but for none of two mremap()", (10, 10), (
        of_remap.count("heap_map"), of_remap.count("heap_unmap")))
    trace, _, _ = run(["--heap"], [HEAP, "maps"])
    same("maps: without --heap-maps there are none", [],
         [r for r in trace.records if "map" in r.name])


def execute(command, env=None):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          stdin=subprocess.DEVNULL, timeout=120, check=False, text=True,
                          env=dict(os.environ, **(env or {})))


def both(name, command, env=None, options=()):
    """Alone and traced. Return: the trace, its report, what both said."""
    shutil.rmtree(TRACE, ignore_errors=True)
    alone = execute(command, env)
    traced = execute([FT, "run", "--heap", *options, "-o", TRACE, "--", *command], env)
    trace = Trace(TRACE)
    status = trace.session("command_status").split()
    ended = -int(status[1]) if status[0] == "signal" else int(status[0])
    same(name, (alone.returncode, alone.stdout), (ended, traced.stdout))
    same(name + ": nothing else on stderr", alone.stderr.splitlines(),
         [line for line in traced.stderr.splitlines() if not line.startswith("ft: ")])
    any_records = any(os.path.getsize(os.path.join(TRACE, f)) for f in trace.files)
    return trace, report(trace) if any_records else None, traced.stderr, alone


def test_operators():
    _, answer, _, _ = both("C++", [BUILD + "/heap-c++"])
    rows = {r["row"]: r for r in answer["functions"]}
    sites = [r for r in answer["sites"] if r["symbol"].startswith("all+")]
    same("C++: each new of a function has a row", ([1] * 6, [0] * 6),
         ([r["allocated_blocks"] for r in sites], [r["left_blocks"] for r in sites]))
    same("C++: their sizes", [1, 1, 100, 100, 256, 25600],
         sorted(r["allocated_bytes"] for r in sites))
    same("C++: what new has allocated delete has freed", (0, 0), (
        rows["new"]["left_blocks"], answer["total"]["unknown_releases"]))
    same("C++: what it releases is new's, or the C++ library's", [], [
        row["symbol"] for row in answer["sites"] if row["symbol"].startswith("operator")])
    _, answer, _, _ = both("C++ with operators of its own", [BUILD + "/heap-own"])
    check("C++ with operators of its own: all that is allocated is freed",
          answer["total"]["unknown_releases"] == 0 and
          answer["total"]["releases_not_recorded"] == 0, answer["total"])


def test_inside():
    """The C++ library is a part of the program: its operators are callers."""
    _, answer, _, _ = both("the C++ library inside", [BUILD + "/heap-inside"])
    sites = [r for r in answer["sites"] if r["symbol"].startswith("operator new")]
    same("the C++ library inside: its operators are callers, of all that is freed", (6, 0, 0), (
        min(6, sum(r["allocated_blocks"] for r in sites)), sum(r["left_blocks"] for r in sites),
        answer["total"]["unknown_releases"]))


def test_linked():
    """Its operators do not call malloc(): nothing of them is recorded, but no release either."""
    _, answer, _, _ = both("an allocator that the program is linked with",
                           [BUILD + "/heap-linked"])
    same("an allocator that the program is linked with: nothing is unknown", (0, 0), (
        answer["total"]["unknown_releases"], answer["total"]["releases_not_recorded"]))


def test_replaced():
    """Some operators are a library's own, which put something before the block."""
    _, answer, _, _ = both("operators replaced in part", [BUILD + "/heap-part"])
    same("operators replaced in part: nothing is unknown", 0, answer["total"]["unknown_releases"])
    _, answer, _, alone = both("a plugin with operators of its own",
                               [HEAP, "plugin", BUILD + "/libheap-plugin.so"])
    check("a plugin with operators of its own: it has been called", "plugin: 10" in alone.stdout,
          alone)
    same("a plugin with operators of its own: nothing is unknown", 0,
         answer["total"]["unknown_releases"])


def test_tls():
    """Destructors of what threads have of their own, and the loader's part of it."""
    trace, answer, _, alone = both("tls", [HEAP, "tls", BUILD + "/libheap-tls.so"])
    compare_sites("tls", answer, alone.stdout)
    same("tls: nothing is lost or unknown", (0, 0, 0), (
        trace.lost, answer["total"]["unknown_releases"],
        answer["total"]["releases_not_recorded"]))
    # the stack of the last thread is kept, and what belongs to it
    row = next(r for r in answer["sizes"] if r["row"] == "65537-131072")
    check("tls: the loader's of each thread, and its end",
          row["allocated_blocks"] == 8 and row["freed_blocks"] >= 7, row)


def test_preloaded():
    """Another allocator in front of the C library's."""
    library = "libjemalloc.so.2"
    if execute(["true"], {"LD_PRELOAD": library}).stderr:
        print("skip preloaded: no " + library)
        return
    _, answer, _, alone = both("preloaded", [HEAP, "tls", BUILD + "/libheap-tls.so"],
                               {"LD_PRELOAD": library})
    compare_sites("preloaded", answer, alone.stdout)
    same("preloaded: nothing is unknown", 0, answer["total"]["unknown_releases"])


def test_own():
    _, _, said, _ = both("a program with an allocator inside", [BUILD + "/own-malloc"])
    check("a program with an allocator inside: this is told", "allocator of its own" in said,
          said)


def test_sanitized():
    for name in ("address", "thread"):
        program = "%s/alone-%s" % (BUILD, name)
        if not os.path.exists(program):
            print("skip gcc's %s sanitizer: not built" % name)
            continue
        both("gcc's %s sanitizer" % name, [program, "each"],
             {"ASAN_OPTIONS": "detect_leaks=0"})


def test_other_libc():
    if not os.path.exists(BUILD + "/each-musl"):
        print("skip another C library: no musl-gcc")
        return
    done = execute([FT, "run", "--heap", "--force", "-o", TRACE, "--", BUILD + "/each-musl"])
    same("another C library: it runs", 0, done.returncode)
    same("another C library: one line says so", 1, done.stderr.count("its C library is not"))


def test_sandbox():
    for case in ("sandbox", "allowed", "strict", "strict-prctl", "strict-seccomp"):
        shutil.rmtree(TRACE, ignore_errors=True)
        alone = execute([BUILD + "/limits", case])
        traced = execute([FT, "run", "--heap", "-o", TRACE, "--", BUILD + "/limits", case])
        status = Trace(TRACE).session("command_status").split()
        ended = -int(status[1]) if status[0] == "signal" else int(status[0])
        same("seccomp: " + case, (alone.returncode, alone.stdout), (ended, traced.stdout))


DEBIAN = [
    ["sh", "-c", "for i in 1 2 3; do echo $i | sed s/$/x/; done; ls / | sort -r"],
    ["sort", "-u", "/etc/passwd"],
    ["awk", "{ for (i = 1; i <= NF; i++) n[$i]++ } END { print length(n) }", "/etc/services"],
    ["perl", "-e", "my %h; $h{$_ % 1000} .= $_ for 1 .. 20000; print length join '', "
     "map { $h{$_} } sort keys %h"],
    ["python3", "-c", "import json, threading; print(len(json.dumps(list(range(20000)))))"],
    ["gcc", "-E", "-P", "-x", "c", "/dev/null"],
    ["xz", "-T2", "-9", "-c", "/etc/services"],
    ["git", "--version"],
    ["tar", "cf", "-", "-C", "/etc", "passwd"],
    ["jq", "-n", "[range(2000)] | map(. * 2) | add"],
]


def test_debian():
    """Programs as they are, output and all."""
    ran = 0
    for command in DEBIAN:
        if not shutil.which(command[0]):
            print("skip %s: it is not here" % command[0])
            continue
        ran += 1
        alone = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               stdin=subprocess.DEVNULL, check=False)
        traced = subprocess.run([FT, "run", "--heap", "--heap-maps", "--force", "-o", TRACE, "--",
                                 *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                stdin=subprocess.DEVNULL, check=False)
        same(command[0] + ": as alone",
             (alone.returncode, alone.stdout, alone.stderr.splitlines()),
             (traced.returncode, traced.stdout, [line for line in traced.stderr.splitlines()
                                                 if not line.startswith(b"ft: ")]))
        total = report(Trace(TRACE))["total"]
        check(command[0] + ": the books balance", total["allocated_bytes"] ==
              total["freed_bytes"] + total["left_bytes"] and total["allocated_blocks"] ==
              total["freed_blocks"] + total["left_blocks"] and total["allocated_blocks"], total)
    check("five programs of Debian at least", ran >= 5, ran)


TAG = 1 << 48
SIZE, MALLOC, FREE, REALLOC, REALLOC_FREE, UNDO = 128, 129, 135, 131, 136, 137
MAP, UNMAP = 134, 138


def made(name, *records, programs=None):
    """The report of a trace with these records: time, thread, event, address, second word."""
    trace, _, _ = run(["--heap"], [HEAP, "early"])
    if programs:
        with open(os.path.join(trace.path, "info", "programs"), "w") as f:
            f.write(programs)
    path = os.path.join(trace.path, "thread0")
    with open(path, "rb") as f:
        head = list(HEAD.unpack(f.read(HEAD.size)))
    for other in trace.files[1:]:
        os.remove(os.path.join(trace.path, other))
    start = head[4]
    data = b"".join(RECORD.pack(start + at, event, 0, 0, tid, TAG | address, second)
                    for at, tid, event, address, second in records)
    head[4:10] = [start, start + records[-1][0], *[8 * (HEAD.size + len(data))] * 2, 0, 0]
    with open(path, "wb") as f:
        f.write(HEAD.pack(*head) + data)
    total = report(trace)["total"]
    balance = [total[w + "_blocks"] for w in ("allocated", "freed", "left")]
    check(name + ": the books balance", balance[0] == balance[1] + balance[2] and
          total["allocated_bytes"] == total["freed_bytes"] + total["left_bytes"], total)
    return [*balance, total["releases_not_recorded"], total["unknown_releases"],
            total["sizes_not_recorded"], total["most_bytes"]]


def test_order():
    """Records of two threads that are told in the wrong order; and what is missing."""
    first = [(100, 1, SIZE, 64, 10), (100, 1, MALLOC, 64, TAG)]
    then = [(200, 2, SIZE, 64, 20), (200, 2, MALLOC, 64, TAG)]
    same("order: an allocation before the release of another thread", [2, 2, 0, 0, 0, 0, 20],
         made("order", *first, *then, (210, 1, FREE, 64, TAG), (300, 2, FREE, 64, TAG)))
    same("order: a release that is missing", [2, 2, 0, 1, 0, 0, 20],
         made("missing", *first, *then, (300, 2, FREE, 64, TAG)))
    same("order: a size that is missing", [1, 1, 0, 0, 0, 1, 0],
         made("no size", first[1], (300, 2, FREE, 64, TAG)))
    same("order: a size of another block", [1, 0, 1, 0, 0, 1, 0],
         made("another size", (100, 1, SIZE, 128, 10), first[1]))
    same("order: a release twice", [1, 1, 0, 0, 1, 0, 10],
         made("twice", *first, (300, 1, FREE, 64, TAG), (400, 1, FREE, 64, TAG)))
    same("order: a realloc that fails, after another one that does not", [2, 1, 1, 0, 0, 0, 30],
         made("undo", *first, (110, 1, REALLOC_FREE, 64, TAG), (120, 1, SIZE, 128, 30),
              (120, 1, REALLOC, 128, TAG), (130, 1, REALLOC_FREE, 128, TAG),
              (140, 1, UNDO, 128, TAG)))
    same("order: sizes and addresses that cannot be", [2, 1, 1, 0, 1, 2, 4096],
         made("damaged", (100, 1, SIZE, 4096, 2**64 - 8192), (100, 1, MAP, 4096, TAG),
              (110, 1, SIZE, 8192, 2**48), (110, 1, MALLOC, 8192, TAG),
              (130, 1, SIZE, 65536, 4096), (130, 1, MAP, 65536, TAG),
              (140, 1, SIZE, 65536, 2**64 - 4096), (140, 1, UNMAP, 65536, TAG),
              (150, 1, SIZE, 65536, 2**46), (150, 1, UNMAP, 65536, TAG)))
    same("order: undone, but nothing was given back", [1, 0, 1, 0, 0, 0, 10],
         made("undone", *first, (110, 1, UNDO, 64, TAG)))


def test_namespaces():
    """Two processes of one number are both there if their PID namespaces differ."""
    trace, _, _ = run(["--heap"], [HEAP, "early"])
    with open(os.path.join(trace.path, "info", "programs")) as f:
        found = {line.split("\t")[2].strip() for line in f if line.startswith("namespace\t")}
    same("namespaces: that of the program is told", {str(os.stat("/proc/self/ns/pid").st_ino)},
         found)
    other = 3 << 48
    records = [(100, 1, SIZE, 64, 10), (100, 1, MALLOC, 64, TAG),
               (200, 2, SIZE, other | 64, 20), (200, 2, MALLOC, other | 64, other)]
    first, second = ("process\t%d\t7\t0\t0\tone\n" % tag for tag in (1, 3))
    for name, inodes, most in (("two", (5, 6), 30), ("one", (5, 5), 20), ("none", None, 20)):
        told = ["namespace\t%d\t%d\n" % i for i in zip((1, 3), inodes)] if inodes else ["", ""]
        same("namespaces: what is there at one time: " + name, [2, 0, 2, 0, 0, 0, most],
             made(name, *records, programs=first + told[0] + second + told[1]))


def test_lost():
    """What is lost is counted and told, and the exit status says so."""
    # ft run stands still meanwhile: else it may be fast enough for all of them
    trace, said, _ = run(["--heap", "-s", "128", "--block=1"], [
        "sh", "-c", "kill -STOP $PPID; timeout 60 %s known 5000 >&2; kill -CONT $PPID" % HEAP], status=3)
    check("lost: ft run says so", trace.lost and "LOST" in said, said)
    answer = report(trace, status=3)
    same("lost: the report counts it", trace.lost, answer["total"]["lost_records"])
    check("lost: and says what it means", "LOST" in ask(
        "report", "--heap", trace.path, status=3))


def refused(name, args, want):
    done = execute([FT, *args])
    check(name, done.returncode in (2, 125) and want in done.stderr, done.stderr)


def test_refused():
    refused("--heap-maps alone", ["run", "--heap-maps", "--", "true"], "add --heap")
    refused("--heap and --sensors", ["run", "--heap", "--sensors", "--", "true"],
            "take one of them")
    refused("--heap and stacks of waits", ["run", "--heap", "--stacks", "--", "true"],
            "--stacks=1/N")
    # with the values that they have by default, too
    for more in (["--by", "site"], ["--rt"], ["--task", "1"], ["--balance"], ["--longest", "10"],
                 ["--below", "7,9"], ["--from", "1"], ["--to", "1"], ["--cpu", "0"], ["--site", "x"],
                 ["--lock", "x"], ["--family", "spin"], ["--without-recorder"], ["--sort", "total"],
                 ["--no-fold"], ["--internal"], ["--distributions", "--tsv"], ["--debug", "/x"]):
        refused("report --heap %s" % more[0], ["report", "--heap", *more, WORK], "--heap shows no critical sections")
    refused("export --heap --task", ["export", "--heap", "-f", "csv", "--task", "1", WORK], "--heap is for --format csv")
    refused("export --heap, not as CSV", ["export", "--heap", "-f", "chrome", WORK], "--heap is for --format csv")
    trace, _, _ = run(["--locks"], [BUILD + "/heap", "early"])
    done = execute([FT, "report", "--heap", trace.path])
    check("a trace without the heap", done.returncode == 1 and
          "nothing of the heap was recorded" in done.stderr, done.stderr)


TESTS = [test_known, test_views, test_threads, test_signals, test_forks, test_exec, test_exit, test_ends, test_stacks, test_locked, test_waits, test_early, test_results,
         test_maps, test_operators, test_linked, test_inside, test_replaced, test_tls, test_preloaded, test_own, test_sanitized, test_other_libc,
         test_sandbox, test_debian, test_order, test_namespaces, test_lost, test_refused]


if __name__ == "__main__":
    main(TESTS)
