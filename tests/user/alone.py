#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""A program that is traced behaves as it does alone: alone.py BUILD FT

Runs each case of alone.c, children.c and limits.c, and programs that are unlike others, alone and under
ft run --locks: same output, same end. Prints a line for each check.
"""
import errno
import os
import re
import shutil
import subprocess

from runs import BUILD, FT, WORK, main, run
from told import check, same
from trace import Trace

TRACE = os.path.join(WORK, "trace")


def execute(command, env=None):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          stdin=subprocess.DEVNULL, timeout=120, check=False, text=True,
                          env=dict(os.environ, **(env or {})))


def ended(trace):
    """As subprocess tells it: less than 0 for a signal."""
    status = trace.session("command_status").split()
    return -int(status[1]) if status[0] == "signal" else int(status[0])


def both(name, command, env=None, prefix=(), options=()):
    """Alone and traced. Return: the trace, what was said."""
    shutil.rmtree(TRACE, ignore_errors=True)
    alone = execute([*prefix, *command], env)
    traced = execute([*prefix, FT, "run", "--locks", *options, "-o", TRACE, "--",
                      *command], env)
    trace = Trace(TRACE)
    trace.alone = alone.stderr
    same(name, (alone.returncode, alone.stdout),
         (ended(trace), traced.stdout[:len(alone.stdout) + 2000]))
    return trace, traced.stderr


def test_cancel():
    _, _ = both("cancellation: the same points, and nothing taken",
                [BUILD + "/alone", "cancel"])


def test_results():
    trace, _ = both("semaphores: results and errno", [BUILD + "/alone", "results"])
    same("semaphores: why the waits ended", [errno.ETIMEDOUT] * 2 + [errno.EINTR] * 3,
         [r.b for r in sorted(trace.of("contention_end"), key=lambda r: r.ts)])


    same("semaphores: a post that fails is no release", 3,
         len(trace.of("posix_sem_release")))


def test_refused():
    for what, case in (("mutexes", "refused"), ("rwlocks and C11's mutexes", "refused-others")):
        trace, _ = both(what + " that refuse", [BUILD + "/alone", case])
        same(what + " that refuse: nobody waits", 0, len(trace.of("contention_begin")))


def test_not_recoverable():
    trace, _ = both("robust mutexes that are not recoverable",
                    [BUILD + "/alone", "not-recoverable"])
    same("robust mutexes that are not recoverable: four sections, no wait", (4, 0),
         (acquisitions(trace), len(trace.of("contention_begin"))))


def test_listed():
    """Neither waits for the loader's list; no signal ends one that does."""
    for case in ("exit", "unload"):
        both(case + " while another thread lists the loaded files",
             ["timeout", "-s", "KILL", "20", BUILD + "/alone", "listed-" + case])


def test_old():
    trace, _ = both("conditions of old programs", [BUILD + "/alone", "old"])
    check("conditions of old programs: their waits are recorded",
          len(trace.of("contention_begin")) >= 1, trace.records)


def test_checker():
    trace, _ = both("a checker of locks that is preloaded, too",
                    [BUILD + "/alone", "each"],
                    {"LD_PRELOAD": BUILD + "/libchecker.so"})
    names = [r.name for r in trace.records]
    same("a checker of locks: each is recorded once", (6, 6), tuple(
        sum(name.endswith(what) for name in names) for what in ("acquire", "release")))


def test_sanitized():
    for name in ("address", "thread"):
        program = "%s/alone-%s" % (BUILD, name)
        if not os.path.exists(program):
            print("skip gcc's %s sanitizer: not built" % name)
            continue
        trace, _ = both("gcc's %s sanitizer" % name, [program, "each"],
                        {"ASAN_OPTIONS": "detect_leaks=0"})
        same("gcc's %s sanitizer: it is traced" % name, 12, sum(
            r.name.endswith(("acquire", "release")) for r in trace.records))


def test_other_libc():
    if not os.path.exists(BUILD + "/each-musl"):
        print("skip another C library: no musl-gcc")
        return
    for command in ([BUILD + "/each-musl"], ["sh", "-c", BUILD + "/each-musl"]):
        _, said = both("another C library: %s" % command[0].rsplit("/", 1)[-1], command)
        same("another C library: one line says so", 1,
             said.count("its C library is not"))
        same("another C library: nothing else is said", [], [
            line for line in said.splitlines() if "its C library is not" not in line and
            not re.match("ft: 0 records|ft: next:", line)])


def acquisitions(trace):
    return sum(r.name == "pthread_mutex_acquire" for r in trace.records)


def one_writer(name, trace):
    """No ring has records of a thread behind those of another one that came later."""
    seen, last, wrong = set(), {}, 0
    for r in trace.records:
        if last.get(r.stream) == r.tid:
            continue
        wrong += (r.stream, r.tid) in seen
        seen.add((r.stream, r.tid))
        last[r.stream] = r.tid
    same(name + ": a ring has one writer", 0, wrong)


def test_sandbox():
    trace, _ = both("seccomp: a filter", [BUILD + "/limits", "sandbox"])
    same("seccomp: a filter: its threads are traced", (8 * 1001, 0),
         (acquisitions(trace), trace.lost))
    trace, _ = both("seccomp: only what the program uses", [BUILD + "/limits", "allowed"])
    same("seccomp: only what the program uses: it is traced", (1003, 0),
         (acquisitions(trace), trace.lost))
    for case in ("strict", "strict-prctl", "strict-seccomp"):
        trace, said = both("seccomp: " + case, [BUILD + "/limits", case])
        same("seccomp: %s: what came before it is traced, the rest counted" % case, (1, 2000),
             (acquisitions(trace), trace.lost))
        check("seccomp: %s: the reason is told" % case,
              "2000 of them in threads that may no longer read the clock" in said and
              "rings" not in said, said)
    for case, why, got in (("tsc", "what came before is traced, the rest counted", (1, 2000)),
                           ("tsc-refused", "it is traced on", (1001, 0))):
        if os.uname().machine != "x86_64":
            print("skip seccomp: %s: another architecture" % case)
            continue
        trace, _ = both("seccomp: " + case, [BUILD + "/limits", case])
        same("seccomp: %s: %s" % (case, why), got, (acquisitions(trace), trace.lost))
    both("system calls by syscall()", [BUILD + "/limits", "calls"])


def number(text, key):
    return int(text.split(key + ":")[1].split()[0])


def test_number():
    """A thread whose number is also the upper half of each pointer to its libraries."""
    if os.geteuid() or not shutil.which("unshare"):
        print("skip seccomp: a number that is half a pointer: needs root, unshare")
        return
    command = "echo 32766 >/proc/sys/kernel/ns_last_pid; setarch -R %s/limits sandbox; exit $?"
    _, _, told = run(["--locks", "--force"],
                     ["unshare", "-pf", "sh", "-c", command % BUILD], status=(0, 128 + 31))
    same("seccomp: a number that is half a pointer", "ok", told.strip())


def test_mlockall():
    if os.geteuid():
        print("skip mlockall: needs root")
        return
    os.chmod(WORK, 0o777)
    for who, prefix in (("root", ()), ("a user", (
            "setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"))):
        for how, env in (("", {}), ("-call", {}),
                         ("-early", {"LD_PRELOAD": BUILD + "/libearly.so"})):
            name = "mlockall%s: %s" % (how, who)
            trace, said = both(name, [BUILD + "/limits", "mlockall" + how], env,
                               prefix=prefix)
            more = number(said, "VmLck") - number(trace.alone, "VmLck")
            check(name + ": little of ours is locked", more < 8192, "%d KiB" % more)
            same(name + ": threads that come later are traced", 1002, acquisitions(trace))
    trace, _ = both("mlockall: many threads", [BUILD + "/limits", "mlockall-many"])
    same("mlockall: many threads: rings that are kept back stay so", (101, 0),
         (acquisitions(trace), trace.lost))


def test_crowd():
    trace, said = both("2000 threads at once", [BUILD + "/limits", "crowd"])
    same("2000 threads at once: nothing lost", (20000, 0),
         (acquisitions(trace), trace.lost))
    check("2000 threads at once: little memory", number(said, "RssShmem") < 65536, said)


def test_last_rounds():
    """A place that a thread could not give back is another one's later.

    The recorder finds out who has ended; on a busy machine that takes a while, for which
    threads wait here.
    """
    trace, _ = both("threads that lock to their end", [BUILD + "/limits", "last-rounds"],
                    options=("--block=2000",))
    same("threads that lock to their end: nothing lost", (4370 * 5, 0),
         (acquisitions(trace), trace.lost))


def test_children():
    for case, count in (("vfork", 1021), ("child-thread", 2001), ("long", 2000)):
        trace, _ = both("children: " + case, [BUILD + "/children", case])
        one_writer("children: " + case, trace)
        same("children: %s: each record" % case, (count, 0),
             (acquisitions(trace), trace.lost))
    trace, _ = both("children: _Fork() in a sandbox", [BUILD + "/children", "sandbox-fork"])
    same("children: _Fork() in a sandbox: each record", (110, 0),
         (acquisitions(trace), trace.lost))
    trace, said = both("children: clone in a sandbox", [BUILD + "/children", "sandbox-clone"])
    same("children: clone in a sandbox: not traced, but counted", (100, 20),
         (acquisitions(trace), trace.lost))
    check("children: clone in a sandbox: the reason is told",
          "20 of them in children made under a seccomp filter" in said, said)
    trace, said = both("children: twins", [BUILD + "/children", "twins"])
    same("children: twins: their records are counted", 100,
         acquisitions(trace) - (40000 - trace.lost // 2))
    check("children: twins: the reason is told", "CLONE_VM" in said and
          "rings" not in said, said)


def test_zombies():
    trace, _ = both("zombies", [BUILD + "/children", "zombies"])
    same("zombies: each record", (40, 0), (acquisitions(trace), trace.lost))
    rings = {r.stream for r in trace.records}
    check("zombies: rings are used again", len(rings) < 40, len(rings))


def test_orphans():
    """They have the parent that they have alone, and are recorded to their end."""
    both("orphans: their parent", [BUILD + "/children", "orphan"])
    for what, command in (
            ("nobody knows it by its environment", [BUILD + "/children", "left"]),
            ("it is not traced until it executes another program", [
                "sh", "-c", "exec >/dev/null 2>&1; env -i sleep 0.5 | %s/still %s/children "
                "left &" % (BUILD, BUILD)])):
        trace, _ = both("orphans: " + what, command)
        same("orphans: %s: each record" % what, (100, "command"),
             (acquisitions(trace), trace.session("ended")))


def test_parents():
    """What a child has loaded is known from its parent."""
    trace, _ = both("parents", [BUILD + "/children", "child"])
    report = subprocess.run([FT, "report", trace.path], stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, check=False, text=True).stdout
    check("parents: a child's call sites have names", "turn_in_child+0x" in report, report)


def test_namespaces():
    """Its number means another process here, or none."""
    if os.geteuid():
        print("skip PID namespaces: needs root")
        return
    with open("/proc/sys/kernel/pid_max") as f:
        far = int(f.read()) - 100
    script = "echo %d >/proc/sys/kernel/ns_last_pid; %s/children long & wait $!" % (
        far, BUILD)
    both_of_them = "unshare -p -f sh -c '%s' & sleep 0.3; %s/children long; wait" % (
        script, BUILD)
    trace, _ = both("PID namespaces", ["sh", "-c", both_of_them])
    one_writer("PID namespaces", trace)
    same("PID namespaces: each record", (4000, 0), (acquisitions(trace), trace.lost))
    check("PID namespaces: by the numbers there", any(
        r.tid > far for r in trace.records), {r.tid for r in trace.records})
    each_the_first = "unshare -p -f %s/children long & sleep 0.1; " \
        "unshare -p -f %s/children late; wait" % (BUILD, BUILD)
    trace, _ = both("PID namespaces: one number in two", ["sh", "-c", each_the_first])
    one_writer("PID namespaces: one number in two", trace)
    same("PID namespaces: one number in two: each record", (2020, 0),
         (acquisitions(trace), trace.lost))
    trace, _ = both("PID namespaces: joined", [BUILD + "/children", "joins"])
    one_writer("PID namespaces: joined", trace)
    same("PID namespaces: joined: each record", (220, 0), (acquisitions(trace), trace.lost))


def test_clocks():
    if os.uname().machine != "x86_64":
        print("skip clock in order: another architecture")
        return
    _, said = both("clock", [BUILD + "/alone", "clocks"])
    check("clock: acquisitions read it as it comes", number(said, "unordered") > 10, said)
    _, said = both("clock", [BUILD + "/alone", "clocks"], options=["--ordered"])
    same("clock: --ordered: each acquisition reads it in order", 0,
         number(said, "unordered"))


def test_signals():
    """What is ignored, blocked and caught, as the command finds it."""
    look = ["grep", "^Sig[BIC]", "/proc/self/status"]
    both("signals: none is ignored by the caller", look)
    for ignored in ("PIPE", "CHLD", "XFSZ", "PIPE,CHLD,XFSZ"):
        both("signals: ignored by the caller: " + ignored, look,
             prefix=["env", "--ignore-signal=" + ignored])


def test_script():
    """A file that is no program is a script, as env(1) and shells take it."""
    script = os.path.join(WORK, "script")
    with open(script, "w") as f:
        f.write("echo script $1 $0\nexit 7\n")
    os.chmod(script, 0o755)
    both("a script without #!", [script, "one"], prefix=["env"])


TESTS = [test_signals, test_script,
         test_clocks, test_sandbox, test_number, test_mlockall, test_crowd, test_last_rounds, test_children, test_zombies, test_orphans, test_parents,
         test_namespaces, test_cancel, test_results, test_refused, test_not_recoverable, test_listed,
         test_old, test_checker, test_sanitized,
         test_other_libc]


main(TESTS)
