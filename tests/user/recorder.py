#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""ft run as its user sees it: recorder.py BUILD FT

How it ends, what it tells, what it measures, and what it survives. Prints a line for
each check, as tests/lib.sh has it.
"""
import collections
import os
import re
import shutil
import subprocess
import time

from runs import BUILD, FT, WORK, lock_records, main, run, said_by
from told import check, same
from trace import Trace


def test_exit_status():
    """The command's own; 3 does not hide it; what ft fails at is told apart."""
    flood = "%s/emit flood 300000; " % BUILD
    for what, want, options, script in (
            ("0", 0, ["-e", "one"], "exit 0"),
            ("1", 1, ["-e", "one"], "exit 1"),
            ("125", 125, ["-e", "one"], "exit 125"),
            ("128 + SIGTERM", 143, ["-e", "one"], "kill -TERM $$"),
            ("128 + SIGKILL", 137, ["-e", "one"], "kill -KILL $$"),
            ("of the command, not of what it left", 4, ["-e", "one"],
             "(sleep 0.2; exit 5) & exit 4"),
            ("0, and records are lost", 3, ["-e", "two", "-s", "128"], flood),
            ("9, and records are lost", 9, ["-e", "two", "-s", "128"],
             flood + "exit 9")):
        out = os.path.join(WORK, "status")
        done = subprocess.run([FT, "run", "--force", "-o", out] + options +
                              ["--", "sh", "-c", script], stderr=subprocess.PIPE,
                              check=False, timeout=300, text=True)
        check("exit status: " + what, done.returncode == want and
              ("LOST" in done.stderr) == ("lost" in what),
              "%d: %s" % (done.returncode, done.stderr))
    done = subprocess.run([FT, "run", "--force", "-o", out, "-e", "one", "--", "/"],
                          stderr=subprocess.PIPE, check=False, text=True)
    same("exit status: found, but cannot be run", 126, done.returncode)


def said_of(command, is_said, prefix=(), out=WORK):
    """What ft says of a shell's child, which gets an end of input when it is said."""
    said = os.path.join(WORK, "said")
    with open(said, "w+") as f, subprocess.Popen(
            [*prefix, FT, "run", "--locks", "--force", "-o", out + "/untraced", "--", "sh",
             "-c", command + "; :"], stdin=subprocess.PIPE, stderr=f) as ft:
        end = time.monotonic() + 40
        while ft.poll() is None and time.monotonic() < end and not is_said(f.read()):
            time.sleep(0.05)
            f.seek(0)
        ft.stdin.close()
        ft.wait(100)
        f.seek(0)
        return f.read()


def test_untraced():
    """Who is not traced is told, with the reason: children of a shell, too."""
    for what, command, want in (
            ("static", BUILD + "/still", "statically linked"),
            ("an orphan", "exec 3<&0; (%s/still <&3 &)" % BUILD, "statically linked"),
            ("env -i", "env -i cat", "environment of its own"),
            ("without LD_PRELOAD", "env -u LD_PRELOAD cat", "took LD_PRELOAD"),
            ("another architecture", "%s/true32" % BUILD, None),
            ("traced ones are not", "sleep 0.6", None)):
        said = said_of(command, lambda said: "is not traced" in said)
        told = [line for line in said.splitlines() if "is not traced" in line]
        check("untraced: " + what, len(told) == (want is not None) and
              (not want or want in told[0]), said)
    _, said, _ = run(["--locks"], [
        "sh", "-c", "LD_PRELOAD=$LD_PRELOAD:%s/libstill.so sleep 0.1 & sleep 0.6; "
        "kill -CONT $!; wait" % BUILD])
    check("untraced: one that has yet to begin is not", "is not traced" not in said, said)
    _, said, _ = run(["--locks"], ["sleep", "0"])
    check("untraced: a program without pthread's locks", "calls no lock function" in said,
          said)


def test_own_locks():
    """Traced, but with locks that are not pthread's: Rust's and Go's; children, too."""
    own, go = "calls no lock function of pthread", "is written in Go"
    tree = os.path.join(WORK, "tree")
    os.makedirs(tree, exist_ok=True)
    with open(tree + "/text", "w") as f:
        f.write("a needle\n")
    for program, command, want in (
            ("rg", "rg needle " + tree, own),
            ("fzf", "echo a needle | fzf --filter needle", go),
            ("rg", "rg needle %s; rg -c needle %s" % (tree, tree), own),
            ("locks", BUILD + "/locks turns", None),
            ("locks", BUILD + "/locks none-such 2>&1", None)):
        if program != "locks" and not shutil.which(program):
            print("skip own locks: %s: it is not installed" % program)
            continue
        _, said, _ = run(["--locks", "--force"], ["sh", "-c", command + "; :"])
        lines = [line for line in said.splitlines() if "locks of its own" in line]
        check("own locks: " + command, len(lines) == (want is not None) and
              (not want or want in lines[0] and "ft: '%s' (process " % program in lines[0]),
              said)
    for options in (["--locks"], ["--locks", "--flight"], ["--sensors"]):
        out = os.path.join(WORK, "inner")
        shutil.rmtree(out, ignore_errors=True)
        done = subprocess.run([FT, "run", *options, *(["-o", out] if "--locks" in options else []),
                               "--", BUILD + "/outer"], check=False, text=True,
                              stderr=subprocess.PIPE)
        check("own locks: not where a library takes them: " + " ".join(options),
              not done.returncode and "locks of its own" not in done.stderr, done.stderr)
    if not shutil.which("fzf"):
        return
    copy = shutil.copy(shutil.which("true"), WORK + "/replaced")
    _, said, _ = run(["--locks", "--force"], [
        "sh", "-c", "%s; rm %s; cp $(command -v fzf) %s" % (copy, copy, copy)])
    check("own locks: not of a file that has taken its place", "locks of its own" not in said, said)


def test_untraced_rights():
    """Children with more rights, or fewer, than the shell."""
    if os.geteuid():
        print("skip untraced: rights: needs root")
        return
    nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    out = os.path.join(WORK, "nobody")
    os.chmod(WORK, 0o755)
    os.mkdir(out)
    os.chmod(out, 0o777)
    secure = shutil.copy(shutil.which("cat"), WORK + "/secure")
    os.chmod(secure, 0o4755)
    for what, command, want, prefix in (
            ("a set-uid child", secure, "privileges of its own (set-uid)", nobody),
            ("one that may not open the session", " ".join(nobody) + " cat",
             "it cannot open the session (a sandbox, or fewer rights)", ())):
        said = said_of(command, lambda said: "' (process " in said, prefix, out)
        told = [line for line in said.splitlines() if "' (process " in line]
        check("untraced: " + what, len(told) == 1 and want in told[0], said)


def ft_elsewhere(directory, command, *options):
    """A copy of ft, with its library, in another directory."""
    os.makedirs(directory, exist_ok=True)
    for name in ("ft", "libfeathertrace-pthread.so"):
        shutil.copy(os.path.join(os.path.dirname(FT), name), directory)
    return subprocess.run([directory + "/ft", "run", "--locks", "--force", "-o",
                           WORK + "/elsewhere", *options, "--", *command],
                          stderr=subprocess.PIPE, stdout=subprocess.PIPE, check=False,
                          text=True, timeout=60)


def test_path():
    """A library that the loader cannot name: the command is not started."""
    for name in ("a b", "a:b"):
        directory = os.path.join(WORK, name)
        done = ft_elsewhere(directory, ["echo", "ran"])
        check("path of ft: '%s': it does not start, and says why" % name,
              done.returncode == 125 and not done.stdout and directory in done.stderr,
              done)


def test_own_name():
    """Traces know it as ft, by whatever path it was started: ft study leaves it out."""
    fd = os.open(FT, os.O_RDONLY)
    with subprocess.Popen(["ft", "run", "--locks", "--force", "-o", WORK + "/own", "--",
                           "cat"], executable="/proc/self/fd/%d" % fd, pass_fds=[fd],
                          stdin=subprocess.PIPE, stderr=subprocess.DEVNULL) as ft:
        for _ in range(300):
            with open("/proc/%d/comm" % ft.pid) as f:
                name = f.read()
            if name == "ft\n":
                break
            time.sleep(0.1)
        ft.stdin.close()
    os.close(fd)
    same("own name: ft", "ft\n", name)


def test_messages():
    """A terminal gets no control characters; a reason is told once."""
    name = os.path.join(WORK, "red\033[31m")
    shutil.copy(BUILD + "/still", name)
    done = subprocess.run([FT, "run", "--locks", "--force", "-o", name + ".trace", "--",
                           name], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          check=False, text=True)
    check("messages: control characters are made visible",
          "\033" not in done.stderr and "\\x1b[31m" in done.stderr, repr(done.stderr))
    same("messages: static: one reason", 0, done.stderr.count("no process joined"))


def test_disk_full():
    """However many rings cannot be written, it is said once."""
    if os.geteuid():
        print("skip disk full: needs root")
        return
    out = os.path.join(WORK, "full")
    os.mkdir(out)
    done = subprocess.run(["unshare", "-m", "sh", "-c", "mount -t tmpfs -o size=300k none "
                           "%s; exec \"$@\"" % out, "sh", FT, "run", "-e", "*", "-o", out,
                           "--", "sh", "-c", "for i in 1 2 3 4; do %s/emit flood 100000 & "
                           "done; wait" % BUILD],
                          stderr=subprocess.PIPE, check=False, text=True, timeout=120)
    check("disk full: it is said once", done.stderr.count(": it ends with") == 1, done.stderr)


def names_of_sites(case, program="loads"):
    """Sections by call site: {name: number} of those in libraries that were loaded."""
    trace, _ = lock_records(case[0], program, more=case[1:])
    rows = collections.defaultdict(dict)
    for line in said_by("report", "--tsv", "--top", "0", trace.path).splitlines():
        word = line.split("\t")
        if word[0] == "site" and len(word) > 3:
            rows[word[1]][word[2]] = word[3]
    got = collections.Counter()
    for row in rows.values():
        symbol = row.get("symbol", "")
        got[symbol.split("+")[0] + symbol[symbol.find(" ["):]] += int(row["count"])
    return dict(got)


def test_loaded_names():
    """Libraries that come and go while the program runs have their names."""
    a, b = "work_a [liba.so]", "work_b [libb.so]"
    same("loaded: a library that stays is named", {a: 10}, names_of_sites(["stays", BUILD]))
    script = os.path.join(WORK, "loads.sh")
    with open(script, "w") as f:
        f.write("#!/bin/sh\nexec %s/loads \"$@\"\n" % BUILD)
    os.chmod(script, 0o755)
    same("loaded: so is one of a program that a script runs", {a: 10},
         names_of_sites(["stays", BUILD], script))
    same("loaded: so is one at the end of a short program", {a: 10},
         names_of_sites(["short", BUILD]))
    for end in "_exit", "_Exit", "quick_exit":
        same("loaded: so is one before " + end, {a: 10}, names_of_sites([end, BUILD]))
    same("loaded: two in turns at one place are told apart", {a: 500, b: 500},
         names_of_sites(["turns", BUILD]))
    same("loaded: a child has what its parent had then", {a: 10, b: 10},
         names_of_sites(["forks", BUILD]))


def test_loaded_late():
    """What ft has read of a process is old when the process has registered more."""
    same("loaded: what ft read before it was unloaded is not there again",
         {"work_a [liba.so]": 10, "work_b [libb.so]": 10}, names_of_sites(["late", BUILD]))


def corrupt(seeds, lines, *options):
    """Says at most that many lines. Return: what went wrong, and how many were reported."""
    parts = ["larger", "header", "rings", "events", "processes", "objects", "slots",
             "stacks", "locks"]
    parts = [" ".join(parts)] + parts
    wrong, told = [], 0
    out = os.path.join(WORK, "corrupt")
    for seed in seeds:
        part = parts[seed % len(parts)]
        shutil.rmtree(out, ignore_errors=True)
        done = subprocess.run([FT, "run", "--locks", "-s", "1k", "-o", out, *options, "--",
                               BUILD + "/corrupt", str(seed), part],
                              stderr=subprocess.PIPE, check=False, timeout=120,
                              text=True, errors="replace")
        told += "written over the memory" in done.stderr
        if done.returncode not in (0, 3) or len(done.stderr.splitlines()) > lines:
            wrong.append((seed, part, done.returncode, done.stderr[-300:]))
            continue
        for trace in [path for path, _, names in os.walk(out) if "metadata" in names]:
            read = subprocess.run(["babeltrace2", trace, "-o", "dummy"], check=False,
                                  stderr=subprocess.PIPE, text=True)
            if read.returncode:
                wrong.append((seed, part, "babeltrace2", read.stderr[-500:]))
    return wrong, told


def test_corrupt():
    """A program that writes nonsense into the memory that it shares with ft."""
    # records, damage, all losses, a line for each kind of them, two ways out
    lines = 9
    wrong, told = corrupt(range(27), lines)
    same("corrupt: ft survives it, and its traces open", [], wrong)
    check("corrupt: it is told", told >= 8, told)
    wrong, _ = corrupt(range(20), 16, "--flight", "--when", "pthread_mutex_acquire")
    same("corrupt: so does a flight recorder", [], wrong)
    wrong, _ = corrupt(range(8), lines, "--block=50")
    same("corrupt: so does one that programs wait for", [], wrong)
    wrong, _ = corrupt(range(16), lines + 2, "--stacks=waits,sections")
    same("corrupt: so does one of stacks", [], wrong)


def test_corrupt_once():
    """One mistake each, which is told as a loss, or cannot be made."""
    for part, want in (("parent", (3, True)), ("late", (3, True)),
                       ("size", (0, False))):
        try:
            done = subprocess.run([FT, "run", "--locks", "--force", "-o",
                                   os.path.join(WORK, "corrupt"), "--",
                                   BUILD + "/corrupt", "0", part],
                                  stderr=subprocess.PIPE, check=False, timeout=60,
                                  text=True, errors="replace")
            got = done.returncode, "written over the memory" in done.stderr
        except subprocess.TimeoutExpired:
            got = "it hangs"
        same("corrupt: " + part, want, got)


def test_processes_full():
    """Where no more processes can be traced, larger or smaller rings are no way out."""
    done = subprocess.run([FT, "run", "--locks", "--force", "-o", os.path.join(WORK, "full"),
                           "--", BUILD + "/corrupt", "0", "full"], stderr=subprocess.PIPE,
                          check=False, timeout=60, text=True)
    check("too many processes: it is said", done.returncode == 3 and
          "processes after the first 32768" in done.stderr and
          "--slots" not in done.stderr, done.stderr)


def test_moved_waits():
    """Waits for locks of two libraries at one address: whose, and of which kind."""
    trace, _ = lock_records("waits", "loads", more=[BUILD])
    begun = trace.of("contention_begin")
    same("loaded: each has a wait", 2, len({r.a for r in begun}))
    same("loaded: a wait that moved is of the same kind", 1,
         len({r.b & 0xff for r in begun}))


def test_early():
    """The bound is measured, and stands in the trace and in the report."""
    for _ in range(20):
        trace, _, _ = run(["--locks"], [BUILD + "/locks", "plain"])
        early = trace.session("acquire_early_ns")
        if early:       # else the other CPU was too busy to take turns
            break
    check("early: measured, and not nonsense", early and int(early) < 100000, early)
    with open(trace.path + "/metadata") as f:
        check("early: other readers find it, too",
              "acquire_early_ns = %s;" % early in f.read(), early)
    # of 0 only JSON has it
    words = "seen up to %s ns early in a test" % early if early != "0" else ""
    for option, want in (([], words), (["--json"], '"acquire_early_ns":%s' % early),
                         (["--html", "/dev/stdout"], words)):
        text = said_by("report", *option, trace.path)
        check("early: in the report " + " ".join(option),
              want.replace(" ", "") in text.replace(" ", ""), text[:2000])
    for _ in range(20):
        trace, _, _ = run(["--locks", "--ordered"], [BUILD + "/locks", "plain"])
        early = trace.session("acquire_early_ns")
        if early:
            break
    same("early: never, where the clock is read in order", "0", early)
    out = os.path.join(WORK, "alone")
    subprocess.run(["taskset", "-c", str(min(os.sched_getaffinity(0))), FT, "run", "--locks",
                    "--force", "-o", out, "--", "true"], check=False,
                   stderr=subprocess.DEVNULL)
    alone = Trace(out)
    # CLOCK_MONOTONIC is read in order
    same("early: on one CPU nothing is claimed", None if alone.session("clock") == "tsc" else "0",
         alone.session("acquire_early_ns"))


def test_names():
    """Threads have the names that they give themselves, whenever that is."""
    trace, _ = lock_records("names")
    with open(trace.path + "/info/tasks") as f:
        names = dict(line.rstrip("\n").split("\t") for line in f)
    same("names: a thread that names itself later", ["named\\later"],
         [names.get(str(tid)) for tid in {r.tid for r in trace.records}])


def test_reader_sleeps():
    """The reader leaves the machine alone while nothing happens."""
    with subprocess.Popen([FT, "run", "--locks", "--force", "-o", WORK + "/sleeps",
                           "--", "cat"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as ft:
        begin = time.monotonic()
        time.sleep(1.8)
        with open("/proc/%d/status" % ft.pid) as f:
            switches = int(re.search(r"^voluntary_ctxt_switches:\s+(\d+)", f.read(),
                                     re.M).group(1))
        most = (time.monotonic() - begin) / 0.004 + 400
        ft.stdin.close()
    check("reader: wakes at most each fourth millisecond when there is nothing to do",
          switches < most, (switches, most))


def faults(*command):
    """Pages that a command, and what it starts, touches for the first time."""
    shutil.rmtree(WORK + "/faults", ignore_errors=True)
    with subprocess.Popen([FT, *command], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL) as ft:
        _, status, usage = os.wait4(ft.pid, 0)
        ft.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_minflt


def test_start_is_short():
    """Room for thousands of threads and events is no reason to touch it all for a short program."""
    alone = min(faults("--version") for _ in range(3))
    traced = min(faults("run", "--locks", "-o", WORK + "/faults", "--", "true") for _ in range(3))
    check("start: it touches at most 2.7 times the pages that ft --version does",
          0 < traced < 2.7 * alone, (traced, alone))


TESTS = [test_exit_status,
         test_untraced,
         test_own_locks,
         test_untraced_rights,
         test_path,
         test_own_name,
         test_messages,
         test_disk_full,
         test_loaded_names,
         test_loaded_late,
         test_corrupt,
         test_corrupt_once,
         test_processes_full,
         test_moved_waits,
         test_early,
         test_names,
         test_reader_sleeps, test_start_is_short]


main(TESTS)
