#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""ft record --user from end to end, without a module: both.py BUILD FT

The module's devices are played by devices.c; programs, library, recorder and readers are
the real ones. tests/vm/both.sh does the same with a kernel.
"""
import collections
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from told import check, run_all, same
from trace import Trace

BUILD, FT = (os.path.abspath(p) for p in sys.argv[1:3])
WORK = tempfile.mkdtemp(prefix="ft-both-")
BETWEEN = BUILD + "/between"


def environment(slots=None):
    fd, path = tempfile.mkstemp(dir=WORK)
    os.fchmod(fd, 0o666)
    os.close(fd)
    env = dict(os.environ, LD_PRELOAD=BUILD + "/devices.so", FT_DEVICES=path)
    if slots:
        env["FT_DEVICES_SLOTS"] = str(slots)
    return env


def ft(*args, **kwargs):
    return subprocess.run([FT, *args], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                          check=False, text=True, timeout=300, **kwargs)


def record(options, command, status=0, slots=None, name="trace", prefix=()):
    """Return: the trace or None, what was said, what the command said."""
    out = os.path.join(WORK, name)
    shutil.rmtree(out, ignore_errors=True)
    done = subprocess.run([*prefix, FT, "record", "-o", out, *options, "--",
                           *command], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                          timeout=300, check=False, text=True,
                          env=environment(slots))
    same("%s: exit status" % " ".join(options), (status, ""),
         (done.returncode, done.stderr if done.returncode != status else ""))
    trace = Trace(out) if os.path.exists(out + "/metadata") else None
    return trace, done.stderr, done.stdout


def babeltrace(path):
    return subprocess.run(["babeltrace2", path], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False, text=True,
                          timeout=300)


def report(path, *options):
    """{table: {row: {column: value}}}, and the run."""
    done = ft("report", "--tsv", "--top=0", *options, path)
    tables = collections.defaultdict(lambda: collections.defaultdict(dict))
    for line in done.stdout.splitlines():
        table, row, column, value = line.split("\t")
        tables[table][row][column] = value
    return tables, done


def differ(name, want, got):
    """Two texts: the first lines that only one of them has."""
    want, got = set(want.splitlines()), set(got.splitlines())
    same(name, ([], []), (sorted(want - got)[:5], sorted(got - want)[:5]))


def test_order():
    """A mark of the kernel lies between two events of the program, each time."""
    n = 20000
    trace, said, _ = record(["--user", "-e", "mark,user:before,after"],
                            [BETWEEN, "marks", str(n)])
    want = [name for _ in range(n) for name in ("before", "mark", "after")]
    both = sorted(trace.records + trace.kernel, key=lambda r: r.ts)
    same("order: in the files", (want, [i // 3 for i in range(3 * n)]),
         ([r.name for r in both], [r.a for r in both]))
    check("order: no two at the same time", all(
        x.ts < y.ts for x, y in zip(both, both[1:])))
    check("order: a name that the kernel does not have is told",
          "'after': taken for one of programs" in said and "before" not in said,
          said)
    done = babeltrace(trace.path)
    same("order: babeltrace2 reads both, without a word", (0, "", want),
         (done.returncode, done.stderr,
          [line.split(") ")[1].split()[0].rstrip(":")
           for line in done.stdout.splitlines()]))
    done = ft("dump", "--tsv", trace.path)
    rows = [line.split("\t") for line in done.stdout.splitlines()[1:]]
    same("order: ft dump", (0, "", want), (done.returncode, done.stderr,
                                           [row[5] for row in rows]))
    same("order: ft dump: a ring is not a CPU", {"0", "thread0"},
         {row[2] for row in rows})
    same("order: one clock", 1, open(trace.path + "/metadata").read().count(
        "clock {"))
    same("order: the session counts all", (str(3 * n), str(2 * n), "0", "1", "1"),
         tuple(trace.session(key) for key in (
             "records", "program_records", "lost", "processes", "streams")))


def test_nesting():
    n = 200
    trace, _, out = record(["--user", "--locks"], [BETWEEN, "nested", str(n)])
    tables, done = report(trace.path)
    same("nesting: the report", (0, ""), (done.returncode, done.stderr))
    same("nesting: sections of both", {"spin": n, "mutex": n,
                                       "pthread_mutex": 2 * n}, {
        family: int(row["count"]) for family, row in tables["family"].items()
        if int(row["count"])})
    same("nesting: depths apart", {
        "spinning": {"1": n}, "sleeping": {"1": n}, "both": {"1": n, "2": n},
        "program": {"1": n, "2": n}}, {
        row: {d: int(v) for d, v in depths.items()}
        for row, depths in tables["depth"].items()})
    same("nesting: groups apart", {"spinning": n, "sleeping": n, "program": 2 * n},
         {row: int(g["count"]) for row, g in tables["group"].items()})
    tid = out.strip()
    same("nesting: tasks joined by their number", {
        "spin:" + tid: "between", "mutex:" + tid: "between",
        "pthread_mutex:" + tid: "between"}, {
        row: task.get("name") for row, task in tables["task"].items()})
    same("nesting: neither is inside the other in the order of locks",
         {("mutex", "spin"), ("pthread_mutex", "pthread_mutex")}, {
             tuple(side.split(":")[0] for side in row.split(">"))
             for row in tables["order"]})
    for row, section in tables["longest"].items():
        inside = [tables["inside"].get("%s:%d" % (row, i), {}).get("family")
                  for i in range(4)]
        if row.startswith("program"):
            own = ["pthread_mutex"] if "outer" in section["lock_symbol"] else []
            want = own + ["mutex", "spin"]
        else:
            want = ["spin"] if row.startswith("sleeping") else []
        if inside != want + [None] * (4 - len(want)):
            check("nesting: inside of %s" % row, False, "%s" % inside)
    check("nesting: there are longest ones of each", {
        row.split(":")[0] for row in tables["longest"]} ==
        {"spinning", "sleeping", "program"}, list(tables["longest"]))
    text = ft("report", trace.path).stdout
    check("nesting: for people, too", all(word in text for word in (
        "all programs", "program, per thread", "longest sections of programs",
        "outer [between]", "1 CPUs and 1 streams of programs")), text)
    check("nesting: inside the inner one is further in", re.search(
        r"outer \[between\]\n  \+.*pthread mutex at nested.*\n"
        r"  \+\S+ \S+ +\S+ \S+    mutex at .*\n"
        r"  \+\S+ \S+ +\S+ \S+      spin at ", text), text)


def test_crowd():
    """Threads that wait for each other: waits of programs are whole."""
    n = 300
    trace, _, _ = record(["--user", "--locks"], [BETWEEN, "crowd", str(n)])
    tables, done = report(trace.path, "--balance")
    same("crowd: the report", (0, ""), (done.returncode, done.stderr))
    same("crowd: each section once", ({"0"}, 8 * n), (
        {b["difference"] for row, b in tables["balance"].items()
         if row.startswith("all:")},
        int(tables["family"]["pthread_mutex"]["count"])))
    same("crowd: no wait has one end only", {"0"},
         set(tables["wait"]["-"].values()))


def test_readers():
    trace, _, _ = record(["--user", "--locks"], [BETWEEN, "nested", "50"])
    path = trace.path
    done = ft("export", "-f", "csv", path)
    rows = [line.split(",") for line in done.stdout.splitlines()]
    where = {name: i for i, name in enumerate(rows[0])}
    same("export: csv", {("spin", "0", "2"): 50, ("mutex", "0", "2"): 50,
                         ("pthread_mutex", "", "1"): 50,
                         ("pthread_mutex", "", "2"): 50}, collections.Counter(
        (r[where["family"]], r[where["cpu"]], r[where["depth_program"]])
        for r in rows[1:]))
    events = json.loads(ft("export", "-f", "chrome", path).stdout)["traceEvents"]
    tracks = collections.defaultdict(list)
    for e in events:
        if e["ph"] == "X" and e["args"]["family"] != "spin":
            tracks[e["pid"], e["tid"]].append((e["ts"], e["ts"] + e["dur"]))
    same("export: chrome: sleeping locks lie in those of the program", [150],
         [len(slices) for slices in tracks.values()])
    check("export: chrome: slices nest", all(
        b[0] >= a[1] or b[1] <= a[1] for slices in tracks.values()
        for a, b in zip(sorted(slices), sorted(slices)[1:])))
    other = os.path.join(WORK, "other")
    shutil.rmtree(other, ignore_errors=True)
    shutil.copytree(path, other)
    done = ft("compare", "--tsv", path, other)
    same("compare: takes both", (0, ""), (done.returncode, done.stderr))
    check("compare: has both", "group\tprogram\tA\tcount\t100\n" in done.stdout and
          "group\tspinning\tB\tcount\t50\n" in done.stdout, done.stdout)
    same("dump: one kind of event by its name", 100, len(
        ft("dump", "-e", "pthread_mutex_acq*", path).stdout.splitlines()))


def test_fix():
    trace, _, _ = record(["--user", "--locks", "-e", "mark,user:*"],
                         [BETWEEN, "nested", "50"])
    path, want = trace.path, report(trace.path)[1].stdout
    fixed = os.path.join(WORK, "fixed")

    def mended(what, status=0):
        shutil.rmtree(fixed, ignore_errors=True)
        done = ft("fix", "-o", fixed, path)
        same("fix: %s" % what, status, done.returncode)
        check("fix: %s: babeltrace2" % what, babeltrace(fixed).returncode == 0)
        return done.stdout, report(fixed)[1].stdout

    said, got = mended("a whole one")
    differ("fix: a whole one stays as it is", want, got)
    check("fix: and that is told", "metadata: whole" in said, said)
    with open(path + "/thread0", "r+b") as f:
        f.seek(20)
        f.write(b"\0")
    differ("fix: a stream of programs in the wrong class", want,
           mended("class of a stream")[1])
    os.remove(path + "/metadata")
    said, got = mended("no metadata")
    # of what does not happen in this trace the new one says nothing
    of_metadata = re.compile(".*\t(clock_hz|host|kernel_release|waits?_.*)\t.*\n|"
                             "wait\t.*\n")
    differ("fix: metadata of both is made anew", of_metadata.sub("", want),
           of_metadata.sub("", got))


def test_lost():
    n = 2000000
    trace, said, _ = record(["--user", "-e", "mark,user:before",
                             "--user-slots", "128"],
                            [BETWEEN, "flood", str(n)], status=3)
    same("lost by programs: counted", (n, str(trace.lost), str(trace.lost)),
         (len(trace.records) + trace.lost, trace.session("lost"),
          trace.session("program_lost")))
    check("lost by programs: told", "LOST %d records of programs" % trace.lost in
          said and "--user-slots 512" in said, said)
    same("lost by programs: ft report's status", 3, report(trace.path)[1].returncode)
    trace, said, _ = record(["--user", "-e", "mark,user:before"],
                            [BETWEEN, "marks", "100000"], status=3, slots=64)
    same("lost by the kernel: the programs' records are all there", (100000, "0"),
         (len(trace.records), trace.session("program_lost")))
    check("lost by the kernel: counted, and told", int(trace.session("lost")) ==
          100000 - len(trace.kernel) > 0 and "LOST" in said, said)


def test_full():
    """The disk takes no more: the trace ends, and can be read up to there."""
    with open("/proc/kallsyms", "rb") as f:
        size = len(f.read()) + (4 << 20)
    disk = os.path.join(WORK, "disk")
    os.mkdir(disk)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=%d" % size, "none", disk],
                      check=False, stderr=subprocess.DEVNULL).returncode:
        print("skip full: mounting is not allowed here")
        return
    try:
        trace, said, _ = record(["--user", "-e", "mark,user:before", "--user-slots",
                                 "1M"], [BETWEEN, "flood", "600000"], status=1,
                                name="disk/t")
        check("full: it is told, once", said.count("cannot write") == 1 and
              "whole packet" in said, said)
        check("full: what there is, and what is not, is counted",
              len(trace.records) == int(trace.session("program_records")) > 10000
              and int(trace.session("unwritten")) > 10000, said)
        same("full: babeltrace2 reads it", 0, babeltrace(trace.path).returncode)
    finally:
        subprocess.run(["umount", disk], check=False)


def test_gap():
    """What the kernel lost says nothing against the sections of programs."""
    trace, _, _ = record(["--user", "--locks"], [BETWEEN, "nested", "20000"],
                         status=3, slots=64)
    tables, _ = report(trace.path)
    same("gap: of the kernel cuts no section of programs", ("40000", "0"),
         (tables["family"]["pthread_mutex"]["count"],
          tables["family"]["pthread_mutex"]["cut_lost"]))
    check("gap: but the kernel's", int(tables["family"]["spin"]["cut_lost"]) +
          int(tables["family"]["mutex"]["cut_lost"]) > 0)


def test_ends():
    trace, said, _ = record(["--user", "-e", "mark,user:before", "-d", "0.5"],
                            [BETWEEN, "waits", "1000"])
    same("ends: by time; the command gets a signal", ("time", "signal 15"),
         (trace.session("ended"), trace.session("command_status")))
    check("ends: by time: both are there", len(trace.kernel) > 1000 and
          abs(len(trace.kernel) - len(trace.records)) < 1100)
    out = os.path.join(WORK, "trace")
    shutil.rmtree(out, ignore_errors=True)
    with subprocess.Popen([FT, "record", "--user", "-e", "mark,user:before", "-o",
                           out, "--", BETWEEN, "waits", "1000"],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env=environment(), start_new_session=True) as recorder:
        recorder.stdout.readline()
        time.sleep(0.2)
        os.killpg(recorder.pid, signal.SIGINT)
        said = recorder.communicate(timeout=60)[1]
        same("ends: by Ctrl-C", (0, "signal"), (recorder.returncode,
                                                Trace(out).session("ended")))
    same("ends: nobody is left", [], left_over(out))


def left_over(out):
    """Processes that have the recorder's command line: itself, and its child."""
    for _ in range(50):
        left = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open("/proc/%s/cmdline" % pid) as f:
                    left += [pid] if out in f.read() else []
            except OSError:
                pass
        if not left:
            break
        time.sleep(0.1)
    return left


def test_killed():
    """Whatever happens to the recorder, nothing of it stays, and the program goes on."""
    out = os.path.join(WORK, "trace")
    shutil.rmtree(out, ignore_errors=True)
    with subprocess.Popen([FT, "record", "--user", "-e", "mark,user:before", "-o",
                           out, "--", BETWEEN, "waits", "150"],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env=environment()) as recorder:
        recorder.stdout.readline()
        time.sleep(1.3)
        recorder.kill()
        said = recorder.communicate(timeout=60)[0]
    check("killed: the program came to its end", said.strip().isdigit(), said)
    same("killed: nobody is left", [], left_over(out))
    done = ft("dump", "--tsv", out)
    events = collections.Counter(line.split("\t")[5]
                                 for line in done.stdout.splitlines()[1:])
    check("killed: what was written can be read", done.returncode == 0 and
          events["mark"] > 1000 and events["before"] > 1000, done.stderr)


def test_left():
    trace, said, _ = record(["--user", "-e", "mark,user:before"], [
        "sh", "-c", "%s waits 100 >/dev/null & %s marks 10" % (BETWEEN, BETWEEN)])
    check("left: what goes on is told", "go" in said and
          "not recorded any more" in said, said)
    same("left: the end is that of the command", "command", trace.session("ended"))


def test_rights():
    """The session is opened by programs, whoever they are."""
    if os.geteuid():
        print("skip rights: needs root")
        return
    os.chmod(WORK, 0o777)
    trace, _, _ = record(["--user", "-e", "mark,user:before"],
                         [BETWEEN, "marks", "100"], name="nobody", prefix=(
        "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"))
    same("rights: of nobody", 100, len(trace.records))
    trace, _, _ = record(["--user", "-e", "mark,user:before"], [
        "setpriv", "--bounding-set=-all", BETWEEN, "marks", "100"])
    same("rights: of a root that has none", 100, len(trace.records))


def test_bad_input():
    out = os.path.join(WORK, "bad")
    for args, status, word in (
            (["-e", "user:x"], 1, "--user"),
            (["--user", "-e", "user:x"], 1, "ft run"),
            (["--user", "-e", "mark"], 1, "--locks"),
            (["--user", "-e", "mark,user:"], 1, "empty"),
            (["--user", "-e", "mark,user:x", "--user-slots", "3"], 2, "'3'"),
            (["--user-slots", "1k", "-e", "mark"], 2, "--user")):
        done = ft("record", "-o", out, *args, "--", "true", env=environment())
        check("bad: " + " ".join(args), done.returncode == status and
              word in done.stderr and not os.path.exists(out), done.stderr)
    done = ft("record", "-o", out, "--user", "--locks", env=environment())
    check("bad: no command", done.returncode == 2 and "command" in done.stderr,
          done.stderr)
    done = ft("record", "-o", out, "--user", "--locks", "--", "/no/such",
              env=environment())
    check("bad: no such command, and nothing is left", done.returncode == 1 and
          "/no/such" in done.stderr and not os.path.exists(out), done.stderr)
    done = ft("record", "-o", out, "--user", "--locks", "--", "true")
    check("bad: no module", done.returncode == 1 and "ft load" in done.stderr and
          not os.path.exists(out), done.stderr)
    done = subprocess.run(["unshare", "--pid", "--fork", "--mount-proc", FT,
                           "record", "-o", out, "--user", "--locks", "--", "true"],
                          env=environment(), check=False, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if "unshare" in done.stderr:
        print("skip bad: another PID namespace: not allowed here")
    else:
        check("bad: another PID namespace", done.returncode == 1 and
              "ft run" in done.stderr and not os.path.exists(out), done.stderr)


TESTS = [test_order, test_nesting, test_crowd, test_readers, test_fix, test_lost,
         test_full, test_gap, test_ends, test_killed, test_left, test_rights, test_bad_input]


def main():
    try:
        return run_all(TESTS, sys.argv[3:])
    finally:
        shutil.rmtree(WORK, ignore_errors=True)


sys.exit(main())
