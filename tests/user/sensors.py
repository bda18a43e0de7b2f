#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""ft run --sensors: what programs count while they run: sensors.py BUILD FT

Runs programs (sensors.c) and compares what their sensors say with what they did, and with a
trace of the same time. Prints a line for each check, as tests/lib.sh has it.
"""
import collections
import fcntl
import glob
import json
import os
import shutil
import subprocess
import time

from instructions import COUNTS, instructions
from runs import BUILD, FT, WORK, main
from sending import wait_until
from sensed import ENV, PROGRAM, copied, number, on_terminal, remove_sensors, sensors_of, shown, \
    shows
from told import check, same
from trace import Trace

OUT = os.path.join(WORK, "sensed")
FILE = os.path.join(WORK, "sensors.json")
THREADS, ROUNDS = 8, 50000      # of sensors.c


def sense(command, options=(), status=0):
    """Return: sensors by name, what the command said, what ft said."""
    for old in glob.glob(FILE):
        os.unlink(old)
    shutil.rmtree(OUT, ignore_errors=True)
    ft = subprocess.run([FT, "run", "--sensors=" + FILE] + list(options) + ["--"] + command,
                        env=ENV, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                        timeout=300, check=False)
    name = os.path.basename(command[0]) + " " + " ".join(command[1:2])
    same("%s: exit status" % name, status, ft.returncode)
    with open(FILE) as f:
        return {full_name(s): s for s in json.load(f)["sensors"]}, ft.stdout, ft.stderr


def full_name(sensor):
    number_of = sensor["instance"]
    return sensor["name"] + ("#%d" % number_of if number_of > 1 else "")


def bin_of(value):
    """The bin of sensors.h: eight in each power of two."""
    e = max((value | 8).bit_length() - 4, 0)
    return (e << 3) + (value >> e)


def test_counts():
    for name in ("sensors", "sensors-portable"):
        sensors, _, _ = sense([BUILD + "/" + name, "counts"])
        same(name + ": each is counted, in a library, too", THREADS * ROUNDS + 2000,
             number(sensors["rounds"]))
        same(name + ": a library's own", 2000, number(sensors["in_library"]))
        same(name + ": and one with the name of another", ("counter", 2000),
             (sensors["sizes#2"]["kind"], number(sensors["sizes#2"])))
        same(name + ": a library's least", 1, sensors["in_library"]["all"]["min"])
        want = collections.Counter(bin_of(i) for i in range(ROUNDS))
        got = {bin_of(b["low"]): b["count"] for b in sensors["sizes"]["all"]["bins"]}
        same(name + ": each bin", {b: n * THREADS for b, n in want.items()}, got)
        sizes = sensors["sizes"]["all"]
        same(name + ": sum, least, greatest",
             (THREADS * sum(range(ROUNDS)), 0, ROUNDS - 1),
             (sizes["sum"], sizes["min"], sizes["max"]))
        same(name + ": unit", "bytes", sensors["sizes"]["unit"])
        level = sensors["level"]["all"]
        same(name + ": a scalar", (THREADS * ROUNDS, 0, ROUNDS + THREADS - 2),
             (level["count"], level["min"], level["max"]))


def test_reloads():
    sensors, said, _ = sense([PROGRAM, "reloads"])
    same("reloads: all is counted", int(said), number(sensors["rounds"]))
    same("reloads: a library's own", 1000, number(sensors["in_library"]))


def test_static():
    """A static program has its own sensors."""
    sensors, _, _ = sense([BUILD + "/sensors-static", "once"])
    same("static: counted", 1, number(sensors["rounds"]))


def test_handler():
    sensors, said, _ = sense([PROGRAM, "handler"])
    n, handled = map(int, said.split())
    same("handler: nothing is lost", n + handled, number(sensors["rounds"]))
    same("handler: in bins", {1: n, 1 << 20: handled},
         {b["low"]: b["count"] for b in sensors["sizes"]["all"]["bins"]})
    hold = sensors["lock/pthread_mutex/hold"]
    same("handler: each section has its end", (n + handled, 0, 0),
         (number(hold), hold["alone"], hold["forgotten"]))


def test_breaks():
    """A handler that counts at each instruction of a thread's first event."""
    path = os.path.join(WORK, "breaks")
    with open(path, "w", encoding="ascii") as f:
        f.write("\n".join(instructions(COUNTS)) + "\n")
    sensors, said, _ = sense(["sh", "-c", "exec %s breaks <%s" % (PROGRAM, path)])
    n, handled = map(int, said.split())
    check("breaks: there are handlers", handled > 50, said)
    same("breaks: nothing is lost", n + handled, number(sensors["rounds"]))


def test_children():
    sensors, _, _ = sense([PROGRAM, "children"])
    same("children: all count", 5 * 1000 + 15 + 1, number(sensors["rounds"]))


def sections(trace, family, by="site"):
    """Hold times of a family by call site, lock or task, as ft report pairs them."""
    found = collections.defaultdict(list)
    held = collections.defaultdict(list)
    # A thread that is too fast for the reader writes to several rings, back and forth.
    for r in sorted(trace.records, key=lambda r: r.ts):
        if r.name == family + "_acquire":
            held[r.tid].append((r.a, r.ts, r.b))
        elif r.name == family + "_release":
            for i in reversed(range(len(held[r.tid]))):
                if held[r.tid][i][0] == r.a:
                    lock, ts, site = held[r.tid].pop(i)
                    found[{"site": site, "lock": lock, "task": r.tid}[by]].append(r.ts - ts)
                    break
    return found


FAMILIES = ("pthread_mutex", "pthread_read", "pthread_write", "pthread_spin", "posix_sem",
            "pthread_cond")
TAG = 0xffff << 48              # of a process, in an address


def waits(trace):
    """Waits of each family by call site."""
    found = collections.defaultdict(lambda: collections.defaultdict(list))
    begun = {}
    for r in sorted(trace.records, key=lambda r: r.ts):
        if r.name == "contention_begin":
            begun[r.tid, r.a] = r
        elif r.name == "contention_end":
            begin = begun.pop((r.tid, r.a))
            found[FAMILIES[begin.b & 0x7f]][begin.b >> 8 | begin.a & TAG].append(r.ts - begin.ts)
    return found


def by_bin(times):
    return dict(collections.Counter(bin_of(t) for t in times))


def bins_in_ticks(row, hz):
    return {bin_of(round(b["low"] * hz / 1e9)): b["count"] for b in row["bins"]}


def compare(name, want, sensor):
    """Has a sensor, or None, what a trace has? Return: its rows by their keys."""
    check(name + ": there are some", sensor and len(want) > 0)
    if not sensor:              # nothing was counted
        return {}
    rows = {int(r["key"], 16): r for r in sensor["rows"]}
    same(name + ": call sites" if sensor["by"] == "site" else name + ": rows", set(want), set(rows))
    same(name + ": each bin", {key: by_bin(times) for key, times in want.items()},
         {key: bins_in_ticks(r, sensor["clock_hz"]) for key, r in rows.items()})
    same(name + ": none alone", (0, 0, 0),
         (sensor["alone"], sensor["forgotten"], sensor["crowded"]))
    return rows


def test_locks():
    """Sensors and trace of the same run say the same, bin by bin."""
    sensors, _, _ = sense([PROGRAM, "locks"], ["--locks", "-o", OUT])
    trace = Trace(OUT)
    same("locks: nothing is lost", 0, trace.lost)
    for family in FAMILIES[:4]:
        rows = compare("locks: " + family, sections(trace, family),
                       sensors["lock/%s/hold" % family])
        check("locks: %s: sites have names" % family,
              all("take_all" in r["name"] for r in rows.values()), [r["name"] for r in rows.values()])


def test_holes():
    """A thread has room for what it holds, in whatever order it releases that."""
    sensors, _, _ = sense([PROGRAM, "holes"], ["--locks", "-o", OUT])
    trace = Trace(OUT)
    same("holes: nothing is lost", 0, trace.lost)
    for family in "pthread_mutex", "pthread_read":
        compare("holes: " + family, sections(trace, family), sensors["lock/%s/hold" % family])


def test_deep():
    """Too many at once: each that is forgotten counts, where it began and where it ends."""
    sensors, _, _ = sense([PROGRAM, "deep"])
    for family, want in (("mutex", (0, 30, 30)), ("read", (1, 0, 0))):
        sensor = sensors["lock/pthread_%s/hold" % family]
        same("deep: %s: held, forgotten, alone" % family, want,
             (number(sensor), sensor["forgotten"], sensor["alone"]))


def test_killed():
    """What a thread was noting when its process ended does not hide what it had noted."""
    missing = 0
    for _ in range(40):
        sensors, _, _ = sense([PROGRAM, "killed"])
        level = sensors["level"]["all"]
        missing += level.get("min") != 1 or level.get("max", 0) < level["count"] - 1
    same("killed: extremes are there, in each of 40 runs", 0, missing)


def test_by():
    """The same by lock and by task, for what the longest was, too."""
    for by in ("lock", "task"):
        sensors, _, _ = sense([PROGRAM, "locks"],
                              ["--sensors-by", by, "--locks", "-o", OUT])
        trace = Trace(OUT)
        for family in FAMILIES[:4]:
            hold = sensors["lock/%s/hold" % family]
            same("by: %s: %s: it says so" % (by, family), by, hold["by"])
            rows = compare("by: %s: %s" % (by, family), sections(trace, family, by), hold)
            check("by: %s: %s: where the longest was" % (by, family),
                  "take_all" in hold["all"]["max_site"], hold["all"])
            if by == "lock" and family == "pthread_mutex":
                check("by: lock: static ones have names",
                      any(r["name"].startswith("other ") for r in rows.values()),
                      [r["name"] for r in rows.values()])
    ft = subprocess.run([FT, "run", "--sensors-by=lock", "--locks", "--", "true"],
                        stderr=subprocess.PIPE, text=True, check=False)
    check("by: without sensors", ft.returncode == 125 and "add --sensors" in ft.stderr, ft.stderr)


def test_top():
    """ft top has rows by family, and by what these programs count by."""
    with subprocess.Popen([FT, "run", "--sensors", "--sensors-by=lock", "--", PROGRAM, "lines"],
                          env=ENV, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as ft:
        ft.stdin.write("1\n")
        ft.stdin.flush()
        ft.stdout.readline()
        program = "--program=%d" % ft.pid
        for options, by in (([], "lock"), (["--by", "lock"], "lock"),
                            (["--by", "family"], "family")):
            name = "pthread_mutex" if by == "family" else "lock [sensors]"
            names = top_while(program, options, ft, name)
            same("top: %s" % options, by, names.pop())
            check("top: %s: rows" % options, name in names, names)
        for by in ("site", "task"):
            top = shown("top", program, "--json", "--by", by)
            check("top: by %s: there are none" % by,
                  top.returncode == 2 and "count by lock" in top.stderr, top.stderr)
        check("top: on a terminal: by what", "ft top: locks of programs by lock" in
              on_terminal("top", program))
        check("top: on a terminal: its keys", "by family, lock" in
              on_terminal("top", program, keys=b"hq"))
        ft.stdin.close()
        ft.wait(60)


def top_while(program, options, ft, name):
    """What ft top shows while the program locks: names of rows, or families; and by what."""
    for _ in range(20):         # what an address is called is saved a moment later
        with subprocess.Popen([FT, "top", program, "--json", "--delay", "1"] + options,
                              stdout=subprocess.PIPE, text=True) as top:
            while top.poll() is None:
                ft.stdin.write("1\n")
                ft.stdin.flush()
                ft.stdout.readline()
                time.sleep(0.05)
            got = json.load(top.stdout)
        names = [r.get("name", r["family"]) for r in got["rows"]]
        if name in names:
            break
    return names + [got["by"]]


def test_top_first():
    """ft top that begins before there are sensors, and goes on with those of another ft run."""
    fd = copied("lock")
    n = shows(fd, 0)
    args = "top", "--program=%d" % os.getpid(), "--delay", "0.2"
    top = shown(*args, "--json", "--by", "site")
    same("top first: none yet, by site", (0, []),
         (top.returncode, json.loads(top.stdout or "{}").get("rows")))
    check("top first: its keys", "f s l t" in on_terminal(*args, keys=b"hq"))
    with subprocess.Popen([FT, *args[:2], "--json", "--delay", "2"], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True) as top:
        check("top first: --json begins", wait_until(lambda: any(sensors_of(top.pid))))
        time.sleep(0.5)             # it maps them; later it is as if they had been there
        shows(fd, n)
        same("top first: --json: by what", "lock", json.load(top.stdout)["by"])
    shows(fd, 0)
    on_terminal(*args, steps=(
        ("locks of programs by site", lambda: shows(fd, n)),
        ("locks of programs by lock", lambda: end_with(fd, "site")),
        ("locks of programs by site", lambda: end_with(fd, "task")),
        ("locks of programs by task", b"q")))
    end_with(fd, "lock")
    on_terminal(*args, "--by", "lock", steps=(
        ("locks of programs by lock", lambda: end_with(fd, "site")),
        ("locks of programs by site", lambda: end_with(fd, "lock")),    # is what was asked for
        ("locks of programs by lock", b"q")))
    on_terminal(*args, "--by", "lock", steps=(
        ("locks of programs by lock", lambda: end_with(fd, "site")),
        ("locks of programs by site", b"sh"),       # now this is what is asked for
        ("this help", lambda: end_with(fd, "lock", 0)),
        ("locks of programs by site", b"q")))
    os.close(fd)


def test_top_waits():
    """While ft top waits for the sensors of an ft run, it stays with that, and does not flicker."""
    first, others = copied("lock"), []
    fd = fcntl.fcntl(first, fcntl.F_DUPFD_CLOEXEC, 100)
    os.close(first)
    n = shows(fd, 0)

    def begin_another():
        others.append(copied("task"))
        check("top waits: who searches finds the other one first", others[0] < fd, others)
        time.sleep(1)
        shows(fd, n)

    args = "top", "--program=%d" % os.getpid(), "--delay", "0.2"
    drawn = on_terminal(*args, steps=(
        ("locks of programs by site", begin_another),
        ("locks of programs by lock", b"f"),
        ("locks of programs by family", b"l"),
        ("locks of programs by lock", b"q")))
    # it may have to say something when it has found them, after two keys, and at the end
    same("top waits: it leaves the screen so often", 4, drawn.count("\x1b[?1049l"))
    os.close(others[0])
    shows(fd, 0)
    on_terminal(*args, steps=(
        ("locks of programs by site", lambda: os.close(fd)),
        ("is not an ft run --sensors", b"")))


def end_with(fd, by, entries=None):
    """The sensors there end, and this process has those of programs that count by that."""
    old, new = os.dup(fd), copied(by)
    shows(new, entries)
    os.dup2(new, fd)
    os.close(new)
    remove_sensors(old)
    os.close(old)


def test_leaks():
    """What a thread holds when it ends is not another one's."""
    sensors, _, _ = sense([PROGRAM, "leaks"])
    hold = sensors.get("lock/pthread_mutex/hold")       # one with nothing in it is left out
    same("leaks: what is held for ever has no time, and makes no room", None,
         hold and (number(hold), hold["alone"], hold["forgotten"]))
    check("leaks: no trace is left", not glob.glob(WORK + "/ft-sensors-*"))


def test_waits():
    """Of each family, as in a trace of the same run, bin by bin."""
    sensors, _, _ = sense([PROGRAM, "waits"], ["--locks", "-o", OUT])
    trace = Trace(OUT)
    same("waits: nothing is lost", 0, trace.lost)
    want = waits(trace)
    for family, who in zip(FAMILIES, ("wait_for_mutex", "wait_to_read", "wait_to_write",
                                      "wait_for_spin", "wait_for_sem", "wait_for_cond")):
        wait = sensors.get("lock/%s/wait" % family)
        rows = compare("waits: " + family, want[family], wait)
        check("waits: %s: by whom" % family, any(who in r["name"] for r in rows.values()),
              [r["name"] for r in rows.values()])
        check("waits: %s: five, of 10 ms or more" % family, family == "pthread_spin" or
              (wait and number(wait) >= 5 and wait["all"]["max"] > 10e6), wait)


def test_text():
    """For people, at the end, on stderr; the program's output is its own."""
    ft = subprocess.run([FT, "run", "--sensors", "--", PROGRAM, "handler"], env=ENV, text=True,
                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300, check=False)
    check("text: the program's output alone", len(ft.stdout.split()) == 2, ft.stdout)
    check("text: the sensors", "lock/pthread_mutex/hold" in ft.stderr and
          "run_handler" in ft.stderr and "sizes: histogram" in ft.stderr, ft.stderr)


def test_recorded():
    """An event, like others: it can be recorded instead, or as well."""
    for options in ([], ["--sensors=" + FILE]):
        shutil.rmtree(OUT, ignore_errors=True)
        subprocess.run([FT, "run", "-e", "rounds,level", "-o", OUT] + options +
                       ["--", PROGRAM, "once"], check=True, stderr=subprocess.DEVNULL)
        same("recorded: %s" % options, 1, len(Trace(OUT).of("rounds")))
    with open(FILE) as f:
        rounds = [number(s) for s in json.load(f)["sensors"] if s["name"] == "rounds"]
    same("recorded: and counted", [1], rounds)


def test_many():
    """What has no room says so, and the program goes on."""
    sensors, _, said = sense([PROGRAM, "many"])
    check("many: those with room count", number(sensors["many_0"]) == 1, said)
    check("many: the others say so", "there are too many sensors" in said, said[:500])


def test_limits():
    """Programs that are hard to trace behave as they do alone."""
    for case in ("sandbox", "allowed", "strict", "strict-prctl", "tsc", "crowd", "mlockall"):
        alone = subprocess.run([BUILD + "/limits", case], stdout=subprocess.PIPE,
                               stderr=subprocess.DEVNULL, timeout=300, check=False)
        ft = subprocess.run([FT, "run", "--sensors", "--", BUILD + "/limits", case],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300,
                            check=False)
        status = ft.returncode - 128 if ft.returncode > 128 else ft.returncode
        lost = 3 if b"LOST" in ft.stderr else 0
        same("limits: %s: as alone" % case, (alone.returncode or lost, alone.stdout),
             (-status if alone.returncode < 0 else status, ft.stdout))
    check("limits: memory that is locked: says so", b"its sensors end here" in ft.stderr,
          ft.stderr)


def test_bad():
    for options, word in ((["--sensors", "--flight"], "--flight"),
                          (["--sensors", "--ordered", "--nothing"], "--nothing")):
        ft = subprocess.run([FT, "run"] + options + ["--", "true"], stderr=subprocess.PIPE,
                            text=True, check=False)
        check("bad: %s" % options[1], ft.returncode == 125 and word in ft.stderr, ft.stderr)
    ft = subprocess.run([FT, "run", "--sensors=/nowhere/at/all", "--", "true"],
                        stderr=subprocess.PIPE, text=True, check=False)
    check("bad: a file that cannot be written", ft.returncode == 125 and
          "/nowhere/at/all" in ft.stderr, (ft.returncode, ft.stderr))


TESTS = [test_counts,
         test_reloads,
         test_static,
         test_handler, test_breaks,
         test_children,
         test_locks,
         test_holes, test_deep, test_killed,
         test_by,
         test_leaks,
         test_waits,
         test_text,
         test_recorded,
         test_top,
         test_top_first, test_top_waits,
         test_many,
         test_limits,
         test_bad]


main(TESTS)
