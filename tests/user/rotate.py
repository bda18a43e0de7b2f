#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""ft run --rotate: each part is a trace, all of them are what happened, and nothing is lost
or counted twice where one ends and the next begins: rotate.py BUILD FT

Runs programs (rotate.c, emit.c) and compares the parts with what they did. Prints a line
for each check, as tests/lib.sh has it.
"""
import collections
import glob
import json
import os
import shutil
import signal
import subprocess
import time

from runs import BUILD, FT, WORK, main, said_by
from told import check, same
from trace import Trace

OUT = os.path.join(WORK, "parts")
PROGRAM = BUILD + "/rotate"
TRIES = 10       # where a machine that is too busy makes the recorder come too late


def rotate(options, command, **kwargs):
    """Return: exit status, what was said, the parts."""
    shutil.rmtree(OUT, ignore_errors=True)
    done = subprocess.run([FT, "run", "-o", OUT] + options + ["--"] + command,
                          stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, check=False, text=True, timeout=300,
                          **kwargs)
    return done.returncode, done.stderr, parts()


def numbers(out=OUT):
    """Of the parts that are there."""
    return [n for n in sorted(os.listdir(out)) if n.isdigit()] if os.path.exists(out) else []


def parts():
    return [Trace(os.path.join(OUT, n)) for n in numbers()]


def listed():
    """Rows of the list, by part."""
    with open(OUT + "/info/parts") as f:
        rows = [line.rstrip("\n").split("\t") for line in f]
    return {row[0]: dict(zip(rows[0], row)) for row in rows[1:]}


def start(options, command, **kwargs):
    shutil.rmtree(OUT, ignore_errors=True)
    return subprocess.Popen([FT, "run", "-o", OUT] + options + ["--"] + command,
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, **kwargs)


def wait_until(true, seconds=60):
    end = time.monotonic() + seconds
    while not true() and time.monotonic() < end:
        time.sleep(0.02)
    return true()


def is_whole(number):
    path = OUT + "/info/parts"
    return os.path.exists(path) and listed().get(number, {}).get("state") == "whole"


def check_seams(name, taken):
    """Each part is a trace of its own; all of them are cut at one time."""
    for trace in taken:
        done = subprocess.run(["babeltrace2", trace.path, "-o", "dummy"], check=False,
                              stderr=subprocess.PIPE, text=True)
        if done.returncode or done.stderr:
            check("%s: other readers open each part" % name, False, trace.path + done.stderr)
    spans = [(min(r.ts for r in t.records), max(r.ts for r in t.records))
             for t in taken if t.records]
    same("%s: all streams are cut at one time" % name, [],
         [i for i, (a, b) in enumerate(zip(spans, spans[1:])) if a[1] >= b[0]])
    same("%s: the session files have each part's records" % name,
         [(len(t.records), t.lost) for t in taken],
         [(int(t.session("records")), int(t.session("lost"))) for t in taken])
    same("%s: and so has the list" % name,
         [(os.path.basename(t.path), "whole", str(len(t.records)), str(t.lost),
           str(sum(os.path.getsize(os.path.join(t.path, f)) for f in t.files))) for t in taken],
         [(p, r["state"], r["records"], r["lost"], r["bytes"]) for p, r in listed().items()])
    same("%s: numbered from 1" % name, [str(i + 1) for i in range(len(taken))],
         [t.session("part") for t in taken])
    same("%s: of one recording" % name, 1, len({t.session("recording") for t in taken}))
    same("%s: all but the last were ended by the next" % name,
         ["rotation"] * (len(taken) - 1) + ["command"], [t.session("ended") for t in taken])
    check("%s: names are in each" % name, all(
        os.path.getsize(t.path + "/info/" + f) for t in taken for f in ("programs", "tasks")))


def check_all(name, taken, dumped):
    """ft reads all parts as one trace."""
    if dumped is not None:
        same("%s: read as one, no record is missing" % name,
             sum(len(t.records) for t in taken), dumped)
    report = json.loads(subprocess.run([FT, "report", "--json", OUT], check=False, text=True,
                                       stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout)
    same("%s: read as one, losses are counted once" % name, sum(t.lost for t in taken),
         report["trace"][0]["lost"])


def dump(*dirs):
    """How many records ft dump has, and whether they are in order."""
    with subprocess.Popen([FT, "dump", "--tsv"] + list(dirs or [OUT]), text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as ft:
        return sum(1 for line in ft.stdout if "\ttick\t" in line or "\ttwo\t" in line)


def test_bursts():
    """Seams within bursts of several threads, which wait where a ring is full."""
    n = 100000
    status, _, taken = rotate(["-e", "*", "-s", "8k", "--block=60000", "--rotate", "1M"],
                              [PROGRAM, "bursts", str(n)])
    same("bursts: nothing is lost", (0, 0), (status, sum(t.lost for t in taken)))
    check("bursts: there are several parts", len(taken) > 1, len(taken))
    got = collections.defaultdict(list)
    for trace in taken:
        for r in sorted(trace.records, key=lambda r: r.ts):
            got[r.a].append(r.b)
    same("bursts: each record of each thread is there once, in order",
         {i: n if i < 3 else 1 if i == 3 else 40 for i in range(44)},
         {i: len(b) if b == list(range(len(b))) else b for i, b in sorted(got.items())})
    check_seams("bursts", taken)
    check_all("bursts", taken, dump())


def test_paces():
    """What is written after a seam, but before the reader looks, is in the next part."""
    status, said, taken = rotate(["-e", "*", "--rotate", "1s"], [PROGRAM, "paces", "2"])
    same("paces: nothing is lost", (0, 0), (status, sum(t.lost for t in taken)))
    check("paces: there are several parts", len(taken) > 1, said)
    check_seams("paces", taken)
    check_all("paces", taken, dump())


def test_losses():
    """Rings that lose, with seams in the middle of it: the books of all parts balance."""
    n = 1000000
    for _ in range(TRIES):
        n *= 2      # nearly all of it may be lost
        status, said, taken = rotate(["-e", "two", "-s", "256", "--rotate", "1M"],
                                     [BUILD + "/emit", "flood", str(n)])
        if len(taken) > 1:
            break
    same("losses: exit status", 3, status)
    check("losses: there are several parts", len(taken) > 1, len(taken))
    check("losses: the summary says so", "in %d parts; a list: " % len(taken) in said, said)
    same("losses: written and lost make up all", n,
         sum(len(t.records) + t.lost for t in taken))
    values = [(r.a, r.gap) for t in taken for r in t.records]
    wrong = sum(1 for (a, g), (b, h) in zip(values, values[1:]) if (b == a + 1) != (g == h))
    same("losses: each record says whether some are missing before it, across seams", 0, wrong)
    check_seams("losses", taken)
    check_all("losses", taken, dump())


def test_early():
    """What never reaches a ring is counted once, in the part in which it happens."""
    _, said, taken = rotate(["--locks", "--rotate", "1s"], [
        "sh", "-c", "{0}/limits strict; sleep 2.2; {0}/limits strict".format(BUILD)])
    check("before any ring: there are several parts", len(taken) > 2, len(taken))
    same("before any ring: the first and the last have what was lost in them",
         (2000, 2000, 4000), (taken[0].lost, taken[-1].lost, sum(t.lost for t in taken)))
    check("before any ring: the summary has all", "LOST 4000 records" in said, said)
    check_all("before any ring", taken, None)


def test_time():
    """By time, with parts in which nothing happens; what is whole is read meanwhile."""
    with start(["-e", "tick", "--rotate", "1s"], [BUILD + "/flight", "lines"]) as ft:
        ft.stdin.write("100\n")
        ft.stdin.flush()
        ft.stdout.readline()
        check("time: a part is whole while the next is written",
              wait_until(lambda: is_whole("000002")))
        same("time: and read", 100, dump(OUT + "/000001"))
        same("time: the next is in the list", "writing", listed()["000003"]["state"])
        ft.stdin.write("100\n")
        ft.stdin.flush()
        ft.communicate(timeout=60)
    same("time: exit status", 0, ft.returncode)
    taken = parts()
    same("time: one has nothing, and is read", (0, 0, 0),
         (len(taken[1].records), taken[1].lost,
          subprocess.run([FT, "dump", taken[1].path], check=False,
                         stdout=subprocess.DEVNULL).returncode))
    check_seams("time", taken)
    check_all("time", taken, dump())


def test_waits():
    """A record that was begun before a seam, and comes after it, is in its part."""
    for _ in range(TRIES):
        _, _, taken = rotate(["-e", "*", "--rotate", "1s"],
                             [PROGRAM, "waits", OUT + "/000002/info/session"])
        got = [[r.b for r in t.records] for t in taken]
        if got == [[1, 2], [3]]:
            break
    same("a record that comes late: in the part of its time", [[1, 2], [3]], got)


def test_dies():
    """A program that ends while a seam waits for its record: the record alone is lost."""
    status, _, taken = rotate(["-e", "*", "--rotate", "1s"],
                              [PROGRAM, "dies", OUT + "/000002/info/session"])
    same("the end at a seam: one record is lost", (3, [[1], []], 1),
         (status, [[r.b for r in t.records] for t in taken], sum(t.lost for t in taken)))
    same("the end at a seam: both parts are whole", ["rotation", "command"],
         [t.session("ended") for t in taken])
    same("the end at a seam: and in the list", ["whole", "whole"],
         [r["state"] for r in listed().values()])


def test_keep():
    with start(["--locks", "--rotate", "1s", "--keep", "2"], [PROGRAM, "locks", "5"]) as ft:
        check("keep: the first goes", wait_until(lambda: is_whole("000003") and
                                                 "000001" not in numbers()), numbers())
        _, said = ft.communicate(timeout=60)
    taken = numbers()
    same("keep: exit status", 0, ft.returncode)
    same("keep: two whole ones and the last are there", 3, len(taken))
    same("keep: and in the list", taken, list(listed()))
    check("keep: the summary says so", "of which the last 3 are kept" in said, said)
    programs = ["%s/%s/info/programs" % (OUT, n) for n in taken[:-1]]
    check("keep: symbols are shared by parts", len({os.stat(p).st_ino for p in programs}) == 1,
          subprocess.run(["diff"] + programs, check=False, stdout=subprocess.PIPE,
                         text=True).stdout + said)
    for path in (OUT, OUT + "/" + taken[0]):
        check("keep: call sites have names in " + os.path.basename(path),
              "lock_here" in said_by("report", path))
    same("keep: the directory is not used again", 125, subprocess.run(
        [FT, "run", "-e", "*", "--rotate", "1s", "-o", OUT, "true"], check=False,
        stderr=subprocess.DEVNULL).returncode)
    same("keep: unless forced", (0, ["000001"]), (subprocess.run(
        [FT, "run", "-e", "*", "--rotate", "1s", "-o", OUT, "--force", BUILD + "/emit",
         "threads", "3"], check=False, stderr=subprocess.DEVNULL).returncode, numbers()))


def test_loads():
    """Libraries at one address, in different parts: each part and all have their names."""
    _, said, taken = rotate(["--locks", "--rotate", "1s"], [
        BUILD + "/loads", "parts", BUILD])
    check("libraries at one address: in several parts", len(taken) > 2, len(taken))
    check("libraries at one address: a part has the names of those that came in it", any(
        "work_b" in said_by("report", t.path) for t in taken[:-1]))
    check("libraries at one address: are told apart", "cannot" not in said, said)
    text = said_by("report", OUT)
    check("libraries at one address: all parts have the names of both",
          "work_a" in text and "work_b" in text, text)


def test_killed():
    """A recorder that dies leaves whole parts, and one that can be mended."""
    with start(["--locks", "--rotate", "1s"], [PROGRAM, "locks", "30"],
               start_new_session=True) as ft:
        check("killed: some parts are whole", wait_until(
            lambda: is_whole("000002") and len(numbers()) >= 4 and
            glob.glob(OUT + "/" + numbers()[-1] + "/thread*")))
        ft.kill()
        ft.wait(60)
        os.killpg(ft.pid, signal.SIGKILL)
    done = subprocess.run(["babeltrace2", OUT + "/000001", "-o", "dummy"], check=False,
                          stderr=subprocess.PIPE, text=True)
    same("killed: the part before is whole", (0, ""), (done.returncode, done.stderr))
    last = OUT + "/" + numbers()[-1]
    said = said_by("fix", last, "-o", WORK + "/mended")
    check("killed: the last is mended, or is whole", os.path.exists(WORK + "/mended/metadata") or
          "nothing to mend" in said, said)
    same("killed: all are read", True, "lock_here" in said_by("report", OUT))


def test_signal():
    with start(["--locks", "--rotate", "1s"], [PROGRAM, "locks", "30"]) as ft:
        check("Ctrl-C: some parts are whole", wait_until(lambda: is_whole("000001")))
        ft.send_signal(signal.SIGINT)
        ft.wait(60)
    same("Ctrl-C: the command's status", 128 + signal.SIGINT, ft.returncode)
    same("Ctrl-C: the last part tells it", "signal", parts()[-1].session("ended"))
    same("Ctrl-C: all parts are whole", {"whole"}, {r["state"] for r in listed().values()})


def test_attach():
    """A process that runs already, in several parts."""
    with subprocess.Popen([BUILD + "/steady", "2"], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, text=True) as steady:
        steady.stdout.readline()
        shutil.rmtree(OUT, ignore_errors=True)
        done = subprocess.run([FT, "attach", str(steady.pid), "-e", "step", "-d", "2.5",
                               "--rotate", "1s", "-o", OUT], check=False, text=True,
                              stderr=subprocess.PIPE, timeout=120)
        steady.communicate("quit\n", timeout=60)
    same("attach: exit status", 0, done.returncode)
    taken = parts()
    check("attach: there are several parts", len(taken) > 1, done.stderr)
    same("attach: the last ends as the recording does", "duration", taken[-1].session("ended"))
    spans = [(min(r.ts for r in t.records), max(r.ts for r in t.records)) for t in taken]
    same("attach: all streams are cut at one time", [],
         [i for i, (a, b) in enumerate(zip(spans, spans[1:])) if a[1] >= b[0]])


def test_disk_full():
    """What is whole stays so; the command has run to its end."""
    if os.geteuid():
        print("skip disk full: needs root")
        return
    out = os.path.join(WORK, "full")
    os.makedirs(out, exist_ok=True)
    script = ("mount -t tmpfs -o size=7m none %s; \"$@\"; status=$?; cp -r %s/t %s; exit $status" %
              (out, out, OUT))
    shutil.rmtree(OUT, ignore_errors=True)
    done = subprocess.run(
        ["unshare", "-m", "sh", "-c", script, "sh", FT, "run", "-e", "*", "-s", "1M",
         "--rotate", "1M", "-o", out + "/t", "--", "sh", "-c",
         "for i in 1 2 3 4; do %s/emit flood 100000; sleep 0.2; done; echo ran" % BUILD],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, text=True, timeout=120)
    same("disk full: the status is ft's own", (125, "ran\n"), (done.returncode, done.stdout))
    check("disk full: it is said", "No space left" in done.stderr, done.stderr)
    same("disk full: the first part is whole", "whole", listed()["000001"]["state"])
    same("disk full: and is read", int(listed()["000001"]["records"]), dump(OUT + "/000001"))


def test_bad():
    for options, reason in (
            (["--rotate", "10"], "needs a unit"),
            (["--rotate", "10q"], "neither a size nor a time"),
            (["--rotate", "1k"], "must be 1M at least"),
            (["--rotate", "0.5s"], "must be 1s at least"),
            (["--rotate", "1s", "--keep", "0"], "is not a number of traces"),
            (["--keep", "3"], "--keep needs --rotate"),
            (["--rotate", "1s", "--flight"], "exclude each other"),
            (["--rotate", "1s", "-o", "-"], "needs a directory")):
        done = subprocess.run([FT, "run", "-e", "*"] + options + ["--", "true"],
                              stderr=subprocess.PIPE, check=False, text=True, cwd=WORK)
        check("bad: " + " ".join(options), done.returncode == 125 and reason in done.stderr,
              done.stderr)


TESTS = [test_bursts,
         test_paces,
         test_losses,
         test_early,
         test_time,
         test_waits,
         test_dies,
         test_keep,
         test_loads,
         test_killed,
         test_signal,
         test_attach,
         test_disk_full,
         test_bad]


main(TESTS)
