#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""ft attach, and ft enable, disable, list --pid: attach.py BUILD FT

Programs that run already (steady.c), attached to and left again.
"""
import collections
import json
import os
import shutil
import signal
import subprocess
import time

from runs import BUILD, FT, WORK, main, runs_32
from told import check, same
from trace import Trace

FLIGHT = os.path.join(WORK, "flight")
NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]


class Steady:
    """A steady that runs; at the end it must end well."""

    def __init__(self, *args, program="steady", before=(), **kwargs):
        self.child = subprocess.Popen(
            list(before) + [os.path.join(BUILD, program)] + [str(a) for a in args],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, **kwargs)
        self.pid = self.child.pid
        self.line()

    def line(self):
        return self.child.stdout.readline().strip()

    def ask(self, line):
        self.child.stdin.write(line + "\n")
        self.child.stdin.flush()
        return self.line()

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind:
            self.child.kill()
        elif self.child.poll() is None:
            out, _ = self.child.communicate("quit\n", timeout=60)
            same("the program ends well", (0, "done"),
                 (self.child.returncode, out.strip()))


def ft(*args, timeout=120):
    return subprocess.run([FT] + [str(a) for a in args], check=False, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          stdin=subprocess.DEVNULL, timeout=timeout)


class Popen(subprocess.Popen):
    """One that a test does not wait for after something went wrong."""

    def __exit__(self, kind, value, traceback):
        if kind:
            self.kill()
        super().__exit__(kind, value, traceback)


def attach(name, pid, events, *options, status=0):
    out = os.path.join(WORK, "trace")
    shutil.rmtree(out, ignore_errors=True)
    done = ft("attach", pid, "-e", events, "-o", out, *options)
    same("%s: its status" % name, status, done.returncode)
    if done.returncode != status:
        print(done.stderr)
    return Trace(out), done.stderr


def steps(trace):
    """Of each thread the counts, in order; they must be without a hole."""
    counts = collections.defaultdict(list)
    for r in trace.of("step"):
        counts[r.a].append(r.b)
    return counts


def whole(counts):
    return all(v == list(range(v[0], v[0] + len(v))) for v in counts.values())


def maps(pid):
    with open("/proc/%d/maps" % pid) as f:
        return f.read()


def on_in(text):
    return {e["name"] for e in json.loads(text) if e["enabled"]}


def list_on(pid):
    return on_in(ft("list", "--pid", pid, "--json").stdout)


def test_attach():
    with Steady(4) as steady:
        for i in range(3):      # each time anew
            trace, said = attach("attach %d" % i, steady.pid, "step", "-d", "0.5")
            counts = steps(trace)
            same("attach %d: all threads" % i, {0, 1, 2, 3}, set(counts))
            check("attach %d: no record is missing, none twice" % i, whole(counts)
                  and not trace.lost,
                  (trace.lost, len(trace.records)))
            same("attach %d: why it ended" % i, "duration", trace.session("ended"))
            same("attach %d: nothing is on afterwards" % i, set(),
                 list_on(steady.pid))
        trace, _ = attach("attach: three words", steady.pid, "wide", "-d", "0.3")
        same("attach: three words", {"wide", "wide_more"},
             {r.name for r in trace.records})
        done = subprocess.run(["babeltrace2", trace.path], text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        same("attach: babeltrace2 opens it", (0, "", len(trace.records)),
             (done.returncode, done.stderr, len(done.stdout.splitlines())))
        check("attach: no text was left writable", not any(
            "wx" in line.split()[1] for line in maps(steady.pid).splitlines()),
              maps(steady.pid))


def test_of_another_session():
    """What outlives ft run --heap --locks goes on to record both, which is not asked for."""
    command = "exec 3<&0; %s/steady 1 <&3 & echo $!" % BUILD
    with Popen([FT, "run", "--heap", "--locks", "-o", WORK + "/heap", "--", "sh", "-c", command],
               stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
               text=True) as recorder:
        lines = [recorder.stdout.readline().strip() for _ in range(2)]
        pid = int(next(line for line in lines if line.isdigit()))
        recorder.stdin.write("allocate\n")
        recorder.stdin.flush()
        recorder.stdout.readline()
        recorder.send_signal(signal.SIGINT)
        recorder.wait(60)
        trace, said = attach("another session", pid, "step", "-d", "0.5")
        recorder.stdin.write("quit\n")
        recorder.stdin.flush()
        same("another session: the program ends well", "done", recorder.stdout.readline().strip())
    counts = steps(trace)
    check("another session: all is there that was asked for, and nothing else", counts and
          whole(counts) and {r.name for r in trace.records} == {"step"}, counts)
    check("another session: nothing is lost or damaged", not trace.lost and
          trace.session("damage") in (None, "0") and "written over" not in said, said)


def test_child_and_library():
    out = os.path.join(WORK, "trace")
    shutil.rmtree(out, ignore_errors=True)
    with Steady(1) as steady:
        with Popen([FT, "attach", str(steady.pid), "-e", "step,chi*",
                               "-e", "plugin", "-o", out],
                              stderr=subprocess.PIPE, text=True) as recorder:
            # an event that is not there yet is refused
            said = recorder.communicate(timeout=60)[1]
            check("an event that is not there is refused", recorder.returncode == 1
                  and "'plugin'" in said, said)
        same("after it nothing is on", set(), list_on(steady.pid))
        with Popen([FT, "attach", str(steady.pid), "-e", "*", "-o", out],
                              stderr=subprocess.PIPE, text=True) as recorder:
            recorder.stderr.readline()
            child = int(steady.ask("fork"))
            same("a library comes", "loaded", steady.ask("load %s/plugin.so" % BUILD))
            recorder.send_signal(signal.SIGTERM)
            recorder.communicate(timeout=60)
            same("it ends by a signal", 0, recorder.returncode)
        trace = Trace(out)
        same("a child is recorded, too", [(child, child)],
             [(r.a, r.tid) for r in trace.of("child")])
        same("so are events of a library that comes later", [5],
             [r.a for r in trace.of("plugin")])


def test_end_of_process():
    out = os.path.join(WORK, "trace")
    shutil.rmtree(out, ignore_errors=True)
    with Steady(2) as steady:
        with Popen([FT, "attach", str(steady.pid), "-e", "step",
                               "-o", out], stderr=subprocess.PIPE,
                              text=True) as recorder:
            recorder.stderr.readline()
            time.sleep(0.3)
            steady.child.kill()
            said = recorder.communicate(timeout=60)[1]
            steady.child.wait()
        check("its end ends the recording", recorder.returncode in (0, 3) and
              "has ended" in said, said)
        trace = Trace(out)
        check("killed: what it had announced is there", whole(steps(trace)) and
              len(trace.records) > 10, len(trace.records))


def test_recorder_is_killed():
    out = os.path.join(WORK, "trace")
    with Steady(2) as steady:
        for _ in range(5):
            shutil.rmtree(out, ignore_errors=True)
            with Popen([FT, "attach", str(steady.pid), "-e", "step",
                                   "-o", out], stderr=subprocess.PIPE,
                                  text=True) as recorder:
                recorder.stderr.readline()
                time.sleep(0.1)
                recorder.kill()
        same("recorder killed: its events are on still", {"step"},
             list_on(steady.pid))
        trace, _ = attach("recorder killed: the next", steady.pid, "wide",
                          "-d", "0.3")
        same("recorder killed: the next begins anew", {"wide", "wide_more"},
             {r.name for r in trace.records})


def test_enable():
    with Steady(2) as steady:
        done = ft("enable", "--pid", steady.pid, "called", "--persist")
        check("enable: what is on, and that nobody records it",
              done.returncode == 0 and "called (1 place" in done.stdout and
              "ft attach" in done.stderr, done.stdout + done.stderr)
        time.sleep(0.2)
        check("enable: its own callback is called", int(steady.ask("calls")) > 10)
        same("enable: ft list knows", {"called"}, list_on(steady.pid))
        same("disable", 0, ft("disable", "--pid", steady.pid, "called").returncode)
        before = steady.ask("calls")
        time.sleep(0.1)
        same("disable: it is called no more", before, steady.ask("calls"))
        done = ft("disable", "--pid", steady.pid, "called")
        check("disable: what is not on", done.returncode == 1 and
              "'called' was not turned on" in done.stderr, done.stderr)
        done = ft("enable", "--pid", steady.pid, "stepp")
        check("enable: a misspelt name", done.returncode == 1 and
              "did you mean 'step'" in done.stderr, done.stderr)
        with Popen([FT, "enable", "--pid", str(steady.pid), "step"],
                              stdout=subprocess.PIPE, text=True) as enabler:
            enabler.stdout.readline()
            same("enable: until Ctrl-C: on", {"step"}, list_on(steady.pid))
            enabler.send_signal(signal.SIGTERM)
            enabler.communicate(timeout=60)
        same("enable: until Ctrl-C: off", (0, set()),
             (enabler.returncode, list_on(steady.pid)))
        with Popen([FT, "enable", "--pid", str(steady.pid), "step"], stdout=subprocess.PIPE,
                   stderr=subprocess.DEVNULL) as enabler:
            enabler.stdout.close()
            # it has the program for a moment, and ft list has to wait for its turn
            while enabler.poll() is None:
                done = ft("list", "--pid", steady.pid, "--json")
                if done.returncode == 0 and "step" in on_in(done.stdout):
                    break
                time.sleep(0.05)
            enabler.send_signal(signal.SIGTERM)
            enabler.wait(60)
        same("enable: nobody reads what it says: off", set(), list_on(steady.pid))
        ft("enable", "--pid", steady.pid, "s*", "wide", "--persist")
        same("enable: patterns", {"step", "wide"}, list_on(steady.pid))
        ft("disable", "--pid", steady.pid, "--all")
        same("disable --all", set(), list_on(steady.pid))


def test_enable_while_recorded():
    out = os.path.join(WORK, "trace")
    shutil.rmtree(out, ignore_errors=True)
    with Popen([FT, "run", "-e", "wide", "-o", out, "--",
                           BUILD + "/steady", "2"], text=True,
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as run:
        run.stdout.readline()
        pid = int(subprocess.run(["pgrep", "-P", str(run.pid)], text=True,
                                 stdout=subprocess.PIPE, check=True).stdout)
        done = ft("attach", pid, "-e", "step", "-o", out + "2")
        check("attach: it is recorded already", done.returncode == 1 and
              "recorded already" in done.stderr, done.stderr)
        same("ft run: one more event", 0, ft("enable", "--pid", pid, "step",
                                             "--persist").returncode)
        time.sleep(0.3)
        same("ft run: and off again", 0, ft("disable", "--pid", pid,
                                            "step").returncode)
        run.communicate("quit\n", timeout=60)
    trace = Trace(out)
    counts = steps(trace)
    check("ft run: its records are there", whole(counts) and len(counts) == 2 and
          len(trace.of("step")) < len(trace.of("wide")), len(trace.of("step")))


def test_busy():
    """Threads that change triggers at the same time."""
    with Steady(1) as steady:
        same("busy: it holds its lock", "holding", steady.ask("hold"))
        same("busy: enabled all the same", 0, ft(
            "enable", "--pid", steady.pid, "called", "--persist").returncode)
        same("busy: but not meanwhile", "kept", steady.line())
        same("busy: it is on", {"called"}, list_on(steady.pid))
    with Steady(2, "busy") as steady:
        for i in range(20):
            done = ft("enable", "--pid", steady.pid, "called", "--persist")
            if done.returncode or "called" not in list_on(steady.pid):
                check("busy: round %d" % i, False, done.stderr)
                return
            ft("disable", "--pid", steady.pid, "--all")
        check("busy: 20 times on and off", "called" not in list_on(steady.pid))
        trace, _ = attach("busy: attach", steady.pid, "step", "-d", "0.5")
        check("busy: no record is missing", whole(steps(trace)) and trace.records)


def test_kinds():
    for name, what in (("steady-static", "a static program"),
                       ("steady-portable", "triggers without a jump")):
        with Steady(2, program=name) as steady:
            trace, _ = attach(what, steady.pid, "step", "-d", "0.3")
            check("%s: its records" % what, whole(steps(trace)) and
                  len(trace.records) > 10, len(trace.records))


def test_another_user():
    if os.geteuid():
        print("skip attach to another user's process: needs root")
        return
    with Steady(2, before=NOBODY) as steady:
        trace, said = attach("another user's", steady.pid, "step", "-d", "0.5")
        check("another user's: its records", whole(steps(trace)) and
              len(trace.records) > 10, said)
    with Steady(1) as steady:
        done = subprocess.run(NOBODY + [FT, "list", "--pid", str(steady.pid)],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              check=False, text=True)
        check("without the right to", done.returncode == 1 and
              "may not access" in done.stderr, done.stderr)


def test_bad_input():
    with Popen(["sleep", "60"]) as sleep:
        done = ft("attach", sleep.pid, "-e", "*", "-o", WORK + "/none")
        check("bad: no library in it, and nothing is left", done.returncode == 1 and
              "no libfeathertrace" in done.stderr and
              not os.path.exists(WORK + "/none"), done.stderr)
        sleep.kill()
    if runs_32():
        with Popen([BUILD + "/pause32"]) as waiting:
            done = ft("attach", waiting.pid, "-e", "*", "-o", WORK + "/none")
            check("bad: a program of 32 bits", done.returncode == 1 and
                  "of 32 bits" in done.stderr and len(done.stderr.splitlines()) == 1 and
                  not os.path.exists(WORK + "/none"), done.stderr)
            waiting.kill()
    else:
        print("skip bad: a program of 32 bits: this kernel runs none")
    for args, word in ((["x", "-e", "*"], "'x'"), (["1"], "record what"),
                       (["-e", "*"], "which process"),
                       (["1", "2", "-e", "*"], "'2'"),
                       (["1", "-e", "*", "--stacks"], "ft run --locks --stacks"),
                       (["1", "-e", "*", "--stacks=waits"], "ft run --locks --stacks")):
        done = ft("attach", *args)
        check("bad: usage: attach " + " ".join(args), done.returncode == 2 and
              word in done.stderr, done.stderr)
    done = ft("enable", "--pid", 2**22 + 1, "x")
    check("bad: no such process", done.returncode == 1 and
          "no process" in done.stderr, done.stderr)


def wait_until(true, seconds=60):
    end = time.monotonic() + seconds
    while not true() and time.monotonic() < end:
        time.sleep(0.02)
    return true()


def fly(pid, *options):
    """ft attach --flight, which runs. Return: its process"""
    shutil.rmtree(FLIGHT, ignore_errors=True)
    return Popen([FT, "attach", str(pid), "--flight", "-o", FLIGHT, *options], text=True,
                 stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)


def snapshots():
    names = sorted(os.listdir(FLIGHT), key=int) if os.path.exists(FLIGHT) else []
    return [Trace(os.path.join(FLIGHT, n)) for n in names
            if os.path.exists(os.path.join(FLIGHT, n, "info", "tasks"))]


def has_all(trace):
    """The last records of each of three threads, in one stretch."""
    counts = collections.defaultdict(list)
    for r in sorted(trace.of("step"), key=lambda r: r.ts):
        counts[r.a].append(r.b)
    return len(counts) == 3 and all(b == list(range(b[0], b[0] + len(b)))
                                    for b in counts.values())


def test_flight():
    """The latest records of a process that runs already: at a signal, and when it dies."""
    with Popen([BUILD + "/steady", "3"], stdin=subprocess.PIPE,
               stdout=subprocess.PIPE, text=True) as steady:
        steady.stdout.readline()
        with fly(steady.pid, "-e", "step") as recorder:
            recorder.stderr.readline()
            time.sleep(0.2)
            recorder.send_signal(signal.SIGUSR1)
            check("flight: a snapshot by a signal", wait_until(lambda: len(snapshots()) == 1))
            steady.send_signal(signal.SIGSEGV)
            steady.wait(60)
            _, said = recorder.communicate(timeout=60)
    taken = snapshots()
    same("flight: its status", 0, recorder.returncode)
    same("flight: and one at the end", ["signal", "exit"],
         [t.session("snapshot") for t in taken])
    check("flight: the last records of each thread", all(has_all(t) for t in taken), said)


def test_flight_when():
    """What a condition names is on, and recorded."""
    with Steady(1) as p:
        with fly(p.pid, "--when", "many: step.count > 100") as recorder:
            check("condition: a snapshot", wait_until(lambda: len(snapshots()) == 1))
            recorder.send_signal(signal.SIGINT)
            _, said = recorder.communicate(timeout=60)
        same("condition: why", ["condition", "exit"],
             [t.session("snapshot") for t in snapshots()])
        check("condition: it is told", "'many' was fulfilled by thread" in said, said)
        for options, reason, status in (
                (["--flight", "--when", "pthread_mutex_acquire"], "which ft run has", 1),
                (["--flight", "--when", "step."], "name of a field", 2),
                (["--flight", "--when", "nothing"], "no event 'nothing'", 1),
                (["-e", "step", "--when", "step"], "add --flight", 2),
                (["-e", "step", "--flight", "--rotate", "1s"], "exclude each other", 2)):
            done = ft("attach", p.pid, "-o", FLIGHT + ".bad", *options)
            check("condition: bad: " + " ".join(options), done.returncode == status and
                  reason in done.stderr and not os.path.exists(FLIGHT + ".bad"), done.stderr)


def test_flight_when_behind_a_gap():
    """The number of an event that went with its library, before ft came, stays free."""
    with Steady(1) as p:
        same("gap: one comes and goes", "loaded", p.ask("visit %s/plugin.so" % BUILD))
        same("gap: another one comes", "loaded", p.ask("load %s/plugin-late.so" % BUILD))
        with fly(p.pid, "--when", "late") as recorder:
            recorder.stderr.readline()
            same("gap: it is there again", "loaded", p.ask("load %s/plugin-late.so" % BUILD))
            check("gap: a snapshot", wait_until(lambda: len(snapshots()) == 1))
            recorder.send_signal(signal.SIGINT)
            recorder.communicate(timeout=60)
        taken = snapshots()
        same("gap: why", ["condition", "exit"], [t.session("snapshot") for t in taken])
        same("gap: the event has its name", {"late"},
             {r.name for r in taken[0].records} if taken else set())


main([test_flight, test_flight_when, test_flight_when_behind_a_gap, test_attach, test_of_another_session, test_child_and_library, test_end_of_process, test_recorder_is_killed,
      test_enable, test_enable_while_recorded, test_busy, test_kinds, test_another_user,
      test_bad_input])
