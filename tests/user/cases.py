#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""ft run from end to end: cases.py BUILD FT

Runs programs (emit.c, locks.c) under ft run and compares what is in the trace with
what they did. Prints a line for each check, as tests/lib.sh has it.
"""
import collections
import errno
import os
import re
import shutil
import signal
import subprocess
import sys

from runs import BUILD, FT, WORK, emit, lock_records, main, run, runs_32, said_by
from told import check, same
from trace import Trace

COND = 5         # the family of conditions, FT_USER_COND


def test_words():
    trace, _, _ = emit("words", events="none,one,two,three,four")
    got = [(r.name, r.a, r.b) for r in trace.records]
    text = got[2][2] if len(got) > 2 else 0
    same("words: none to four", [
        ("none", 0, 0), ("one", 0x1122334455667788, 0),
        ("two", 2**64 - 1, text), ("three", 1, 2), ("three_more", 3, 0),
        ("four", 10, 20), ("four_more", 30, 40)], got)
    trace, _, _ = emit("words", events="t*")
    same("words: patterns", ["two", "three", "three_more"],
         [r.name for r in trace.records])
    dump = subprocess.run([FT, "dump", trace.path], stdout=subprocess.PIPE,
                          check=False, text=True).stdout
    check("words: ft dump names the fields", "a=0x1 b=0x2" in
          " ".join(dump.split()), dump)


def test_babeltrace():
    trace, _, _ = emit("alike")
    done = subprocess.run(["babeltrace2", trace.path], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False, text=True)
    check("babeltrace2 tells fields that are almost alike",
          "_b = 0x1, b_ = 0x2" in done.stdout, done.stdout)
    trace, _, _ = emit("threads", "64")
    done = subprocess.run(["babeltrace2", trace.path], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False, text=True)
    same("babeltrace2 opens it without a word", (0, "", 64),
         (done.returncode, done.stderr, len(done.stdout.splitlines())))


def test_forks():
    trace, _, _ = emit("forks", "150")
    children = [r.a for r in trace.of("two")]
    same("forks: each child's event once", (150, 150),
         (len(children), len(set(children))))
    check("forks: written by the children", all(
        r.a == r.tid for r in trace.of("two")), "another thread's number")
    same("forks: all of the parent's", list(range(150)),
         [r.a for r in trace.of("one")])
    # how soon is the reader's business, which may have to wait for a CPU
    check("forks: rings are used again", trace.streams < 150, trace.streams)
    same("forks: nothing lost", 0, trace.lost)


def test_fork_threads():
    trace, _, _ = emit("fork-threads", "40")
    same("threads of children: each event once", list(range(160)),
         sorted(r.a for r in trace.of("other")))
    check("threads of children: by the right threads", all(
        r.b == r.tid for r in trace.of("other")), "another thread's number")
    same("threads of children: the children's own", 40, len(trace.of("two")))
    same("threads of children: the parent's", 41, len(trace.of("one")))


def test_fork_end():
    trace, _, _ = emit("fork-end")
    same("fork, and the child's thread ends: the parent's ring stays its own",
         (2, [0, 1, 2]), (trace.streams, sorted(r.a for r in trace.of("one"))))


def test_fork_turn():
    """The C library's list of files is not left locked in a child."""
    done = subprocess.run([os.path.join(BUILD, "emit"), "fork-turn", "300"], check=False)
    same("fork while a thread turns events on: children go on", 0, done.returncode)


def test_vfork():
    trace, _, _ = emit("vfork", "50")
    same("vfork: in order", [(i, k) for i in range(50) for k in range(3)],
         [(r.a, r.b) for r in trace.of("two")])


def test_threads():
    trace, _, _ = emit("threads", "10000")
    same("10000 threads: each event once", list(range(10000)),
         sorted(r.a for r in trace.of("one")))
    same("10000 threads: nothing lost", 0, trace.lost)
    check("10000 threads: few rings", trace.streams < 64, trace.streams)


def test_crowd():
    trace, _, _ = run(["-e", "*", "-s", "128"], [BUILD + "/emit", "crowd", "2000"])
    same("2000 threads at once: each event once", list(range(2000)),
         sorted(r.a for r in trace.of("one")))
    done = subprocess.run(["sh", "-c", "ulimit -Sn 256; exec %s dump --tsv %s" %
                           (FT, trace.path)], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False, text=True)
    same("2000 threads at once: ft dump opens all streams", (0, "", 2000),
         (done.returncode, done.stderr,
          sum("\tone\t" in line for line in done.stdout.splitlines())))


def test_exec():
    trace, _, _ = emit("exec", "20")
    same("exec: each image's event", list(range(20, -1, -1)),
         [r.a for r in sorted(trace.of("one"), key=lambda r: r.ts)])
    same("exec: in one process", 1, len({r.tid for r in trace.records}))
    check("exec: rings are used again", trace.streams < 21, trace.streams)


def test_daemon():
    trace, said, _ = emit("daemon")
    same("daemon: before and after its parent's end", [1, 2, 3],
         [r.a for r in sorted(trace.of("one"), key=lambda r: r.ts)])
    same("daemon: ended by itself", "command", trace.session("ended"))


def test_setuid():
    if os.geteuid():
        print("skip giving up rights: needs root")
        return
    os.chmod(WORK, 0o755)
    trace, _, _ = emit("setuid")
    same("giving up rights: threads and children go on", [1, 2, 3, 4],
         sorted(r.a for r in trace.of("one")))


def test_signals():
    trace, _, _ = run(["-e", "*", "-s", "1M"], [BUILD + "/emit", "signals", "200000"])
    end = trace.of("two")[0]
    first = [(r.b, r.a) for r in trace.of("four")]
    second = [(r.b, r.a) for r in trace.of("four_more")]
    want = sorted([(1, i) for i in range(end.a)] +
                  [(0, i) for i in range(end.b)])
    check("signals: handlers came in between", end.b > 10, end.b)
    check("signals: every record, both halves", sorted(first) == want and
          sorted(second) == want, "%d and %d records for %d events" %
          (len(first), len(second), len(want)))
    # a second half belongs to the last first half without one
    open_halves, wrong = [], 0
    for r in sorted(trace.records, key=lambda r: r.ts):
        if r.name == "four":
            open_halves.append((r.a, r.b))
        elif r.name == "four_more":
            wrong += not open_halves or open_halves.pop() != (r.a, r.b)
    same("signals: halves pair as they nest", 0, wrong)


def test_dlopen():
    trace, _, _ = emit("dlopen", BUILD + "/plugin.so")
    same("dlopen: events of a library, three times loaded", [0, 1, 2],
         [r.a for r in trace.of("plugin")])


def test_killed():
    rounds = 300
    trace, _, out = run(["-e", "*", "-s", "256k"], [BUILD + "/emit", "killed", str(rounds)],
                        status=(0, 3))
    done = [tuple(map(int, line.split())) for line in out.splitlines()]
    # The kernel may give a thread's id to a later one, so each has a number of ours.
    ids = {n: tid for tid, n, _ in done if tid}
    got, last, alone = collections.Counter(), {}, []
    owners = collections.defaultdict(set)
    odd = unknown = 0
    for stream, _, name, tid, a, b, _ in trace.rows():
        if name == "one":
            alone.append(a)
        elif a in ids:
            got[a] += 1
            owners[stream].add(a)
            odd += tid != ids[a] or b <= last.get((stream, a), 0)
            last[stream, a] = b
        else:
            unknown += 1
    # a reader that is late on a busy machine loses some: all that it counts
    missing = sum(max(0, count - got[n]) for tid, n, count in done if tid)
    missing += rounds - len(alone)
    check("SIGKILL, %d times: what was committed is there, or counted" % rounds,
          missing <= trace.lost, (missing, trace.lost))
    same("SIGKILL: no record of a thread is wrong", 0, odd)
    same("SIGKILL: no record of an unknown thread", 0, unknown)
    check("SIGKILL: many had something to lose", len(got) > rounds / 10, len(got))
    check("SIGKILL: the bystander's records, each once and in order",
          alone and sorted(set(alone) & set(range(rounds))) == alone, alone)
    check("SIGKILL: at most the record that was cut is lost beside these",
          trace.lost <= missing + 4 * rounds, (missing, trace.lost))
    check("SIGKILL: rings are used again", any(len(t) > 1 for t in owners.values()),
          len(owners))


ONE_RECORD = 128
# Waits for a file to have more than one record, and prints its size.
GROWS = """
import os, sys, time
for _ in range(300):
    time.sleep(0.1)
    size = os.path.exists(sys.argv[1]) and os.path.getsize(sys.argv[1])
    if size > %d:
        break
print(size + 0)
""" % ONE_RECORD


def test_cut():
    trace, _, _ = run(["-e", "one"], ["sh", "-c", "%s/cut; %s/emit exec 0" %
                                      (BUILD, BUILD)], status=3)
    got = [(r.a, r.gap) for r in sorted(trace.records, key=lambda r: r.ts)]
    same("cut in the middle: the others are there", [1, 2, 0], [a for a, _ in got])
    same("cut in the middle: one record is lost", 1, trace.lost)
    check("cut in the middle: and it is told where", len(got) == 3 and
          got[0][1] != got[1][1], got)
    # a thread that ends there gives its ring back, and a killed process counts as ended
    # while it is a zombie: records behind the hole are read while the command goes on
    for what, begin in (("in a thread that ends", "cut thread;"),
                        ("in a process that stays a zombie", "cut &")):
        _, _, out = run(["-e", "one"], [
            "sh", "-c", "%s/%s exec python3 -c \"$0\" %s/trace/thread0" % (BUILD, begin, WORK),
            GROWS], status=3)
        check("cut %s: what is behind it does not wait" % what, int(out) > ONE_RECORD, out)
    # small rings: if the reader stopped at the hole, the ring would soon be full
    trace, _, _ = run(["-e", "one", "-s", "512"], [
        "sh", "-c", "%s/cut; sleep 0.3; %s/emit threads 8000" % (BUILD, BUILD)],
                      status=3)
    # the reader may be late on a busy machine: a ring that stands still loses most
    check("cut in the middle: the ring goes on", trace.lost < 6000 and
          len(trace.records) + trace.lost == 8003, (len(trace.records), trace.lost))


def test_flood():
    n = 1000000
    trace, said, _ = run(["-e", "two", "-s", "128"],
                         [BUILD + "/emit", "flood", str(n)], status=3)
    same("flood: written and lost make up all", n,
         len(trace.records) + trace.lost)
    check("flood: slots are used again", len(trace.records) > 128, len(trace.records))
    check("flood: it is told", "LOST" in said and "--slots" in said, said)
    values = [(r.a, r.gap) for r in trace.records]
    wrong = sum(1 for (a, g), (b, h) in zip(values, values[1:])
                if (b == a + 1) != (g == h))
    same("flood: each record says whether some are missing before it", 0, wrong)
    done = subprocess.run([FT, "dump", trace.path], stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, check=False)
    same("flood: ft dump's status", 3, done.returncode)


def test_kinds_of_programs():
    for name, what in (("emit-static", "static program"),
                       ("emit-c++", "C++"), ("emit-gc", "unused sections gone"),
                       ("emit-clang", "clang"), ("emit-lld", "lld"),
                       ("emit-nopie", "program at a fixed address"),
                       ("emit-portable", "triggers without a jump")):
        if not os.path.exists(os.path.join(BUILD, name)):
            print("skip %s: not built" % what)
            continue
        trace, _, _ = run(["-e", "none,one,three"],
                          [os.path.join(BUILD, name), "words"])
        same(what, ["none", "one", "three", "three_more"],
             [r.name for r in trace.records])


def waits(trace, family):
    return sum(1 for r in trace.of("contention_begin") if r.b & 0xff == 0x80 + family)


def test_locks():
    _, got = lock_records("plain")
    same("locks: plain mutexes", {"pthread_mutex_acquire": 5,
                                  "pthread_mutex_release": 5}, dict(got))
    _, got = lock_records("kinds")
    same("locks: recursive, error-checking, adaptive", (4, 4),
         (got["pthread_mutex_acquire"], got["pthread_mutex_release"]))
    _, got = lock_records("orphan")
    same("locks: whose owner has died", (2, 1),
         (got["pthread_mutex_acquire"], got["pthread_mutex_release"]))
    _, got = lock_records("others")
    same("locks: rwlock, spin, semaphore", {
        "pthread_read_acquire": 2, "pthread_read_release": 2,
        "pthread_write_acquire": 1, "pthread_write_release": 1,
        "pthread_spin_acquire": 1, "pthread_spin_release": 1,
        "posix_sem_acquire": 2, "posix_sem_release": 2,
        "contention_begin": 2, "contention_end": 2}, dict(got))
    trace, got = lock_records("conditions")
    same("locks: conditions, also one that is cancelled", (8, 8, 3, 3), (
        got["pthread_mutex_acquire"], got["pthread_mutex_release"],
        waits(trace, COND), got["contention_end"] - got["contention_begin"] +
        waits(trace, COND)))
    _, got = lock_records("clocks")
    same("locks: what takes a clock", {
        "pthread_mutex_acquire": 2, "pthread_mutex_release": 2,
        "pthread_read_acquire": 2, "pthread_read_release": 2,
        "pthread_write_acquire": 1, "pthread_write_release": 1,
        "posix_sem_acquire": 1, "posix_sem_release": 1,
        "contention_begin": 4, "contention_end": 4}, dict(got))


# The clock can be read before the atomic instruction in front of it has finished: an
# acquisition may be stamped before the release that it follows, by the time that a
# cache line takes from one CPU to another. That is far below this, and a release that
# was stamped late, or an acquisition of another thread's section, is far above.
EARLY_NS = 1000


def overlapping(trace, early_ns=EARLY_NS):
    """How many sections of mutexes are not over when the next one begins."""
    begun, sections = {}, []
    for r in sorted(trace.records, key=lambda r: r.ts):
        if r.name == "pthread_mutex_acquire":
            begun[r.tid] = r.ts
        elif r.name == "pthread_mutex_release":
            sections.append((begun.pop(r.tid), r.ts))
    sections.sort()
    early = early_ns * int(trace.session("clock_hz")) / 1e9
    return sum(a[1] > b[0] + early for a, b in zip(sections, sections[1:]))


def lock_turns(name, options, early_ns):
    trace, _, _ = run(["--locks", *options], [BUILD + "/locks", "turns"])
    got = collections.Counter(r.name for r in trace.records)
    same(name + ": of four threads, each recorded", (20000, 20000),
         (got["pthread_mutex_acquire"], got["pthread_mutex_release"]))
    same(name + ": no section overlaps another", 0, overlapping(trace, early_ns))
    check(name + ": some had to wait", got["contention_begin"] > 0 and
          got["contention_begin"] == got["contention_end"], dict(got))
    trace, _, _ = run(["--locks", "-s", "262144", *options],
                      [BUILD + "/locks", "interrupted"])
    same(name + ": nor does one that is interrupted anywhere", (400000, 0), (
        sum(r.name.startswith("pthread_mutex") for r in trace.records),
        overlapping(trace, early_ns)))
    with open(trace.path + "/metadata") as f:
        return f.read()


def test_lock_turns():
    text = lock_turns("turns", [], EARLY_NS)
    check("turns: the metadata says how the clock was read",
          'acquire_clock = "plain"' in text, text)
    text = lock_turns("turns in order", ["--ordered"], 0)
    check("turns in order: the metadata says so", 'acquire_clock = "ordered"' in text,
          text)


def test_locks_seen_behind():
    """Another library between ours and the C library sees each call, and no other."""
    env = dict(os.environ, LD_PRELOAD=BUILD + "/libseen.so")
    alone = subprocess.run([BUILD + "/locks", "plain"], stderr=subprocess.PIPE,
                           check=True, env=env, text=True).stderr
    _, said, _ = run(["--locks"], [BUILD + "/locks", "plain"], env=env)
    check("locks: another library behind sees what it sees alone",
          alone == "seen: 3 5\n" and alone in said, alone + said)


def test_releases():
    """Whoever takes a lock next may be recorded at once: so a release is, before it is."""
    env = dict(os.environ, LD_PRELOAD=BUILD + "/libmarks.so")
    for case, kinds in (("plain", 1), ("others", 4)):
        trace, said, _ = run(["--locks"], [BUILD + "/locks", case], env=env)
        marker = int(re.search("marker: (0x[0-9a-f]+)", said).group(1), 16)
        records = [(r.name, (r.a ^ marker) & (1 << 48) - 1 == 0)
                   for r in sorted(trace.records, key=lambda r: r.ts)
                   if not r.name.startswith("contention")]
        released = [(name, behind) for (name, marks), behind in zip(records, records[1:])
                    if name.endswith("_release") and not marks]
        check("releases, %s: recorded before they are" % case,
              len({name for name, _ in released}) == kinds and
              {behind for _, behind in released} == {("pthread_mutex_acquire", True)},
              released)


def test_locks_c11():
    trace, got = lock_records("c11")
    same("locks: C11's mutexes and conditions", (9, 9, 2), (
        got["pthread_mutex_acquire"], got["pthread_mutex_release"],
        waits(trace, COND)))
    same("locks: C11's: each wait has its end", got["contention_begin"],
         got["contention_end"])
    same("locks: C11's: which waits were given up", 2, sum(
        r.b == errno.ETIMEDOUT for r in trace.of("contention_end")))
    _, got = lock_records("", "own-mtx")
    same("locks: mutexes of others, called as C11's are", {}, dict(got))


def test_locks_of_an_allocator():
    _, got = lock_records("", "own-malloc")
    check("locks: those of an allocator, which is called before all else",
          got["pthread_mutex_acquire"] >= 200, dict(got))
    same("locks: of an allocator: each has its end", got["pthread_mutex_acquire"],
         got["pthread_mutex_release"])


def test_locks_cpp():
    trace, got = lock_records("kinds", "locks-c++")
    same("locks: C++'s mutexes, shared ones, conditions", (8, 8, 1, 1, 2, 2, 2), (
        got["pthread_mutex_acquire"], got["pthread_mutex_release"],
        got["pthread_read_acquire"], got["pthread_read_release"],
        got["pthread_write_acquire"], got["pthread_write_release"],
        waits(trace, COND)))


def test_lock_report():
    trace, _ = lock_records("contention")
    done = subprocess.run([FT, "report", trace.path], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False, text=True)
    text = done.stdout
    check("report: the holder's call site has its name",
          "hold_the_lock+0x" in text, text)
    check("report: the waiter's, too", "contender+0x" in text, text)
    check("report: the lock has its name", "lock [locks]" in text, text)
    same("report: says nothing but that", (0, ""), (done.returncode, done.stderr))
    order = [r.tid for r in sorted(trace.records, key=lambda r: r.ts)
             if r.name.startswith("pthread_mutex")]
    check("report: a release is before the next acquisition",
          len(order) == 4 and order[0] == order[1] != order[2] == order[3], order)
    wait = [r.ts for r in trace.records if r.name.startswith("contention")]
    taken = min(r.ts for r in trace.of("pthread_mutex_acquire"))
    hz = int(trace.session("clock_hz"))
    held = 0.05 * hz
    check("report: the waiter waited about as long as the lock was held",
          len(wait) == 2 and taken < wait[0] and held * 0.5 < wait[1] - wait[0], (taken, wait))


def test_names_cpp():
    trace, _ = lock_records("names", "locks-c++")
    shown, kept = "depot::Queue<int>::push", "_ZN5depot5QueueIiE4pushERKi"
    for command in (["report"], ["report", "--tsv"], ["report", "--json"], ["dump"],
                    ["export", "-f", "csv"], ["export", "-f", "chrome"]):
        name = "names of C++: " + " ".join(command)
        text = said_by(*command, trace.path)
        check(name, shown + "+0x" in text and "depot::gate" in text and
              kept not in text, text)
        text = said_by(*command, "--no-demangle", trace.path)
        check(name + " --no-demangle", kept + "+0x" in text and
              "_ZN5depot4gateE" in text and "::" not in text, text)
    with open(trace.path + "/info/programs") as f:
        check("names of C++: the trace has them as the file has", kept in f.read())
    for site in (shown, kept, shown + " [locks-c++]"):
        lines = said_by("report", "--tsv", "--site", site, trace.path).splitlines()
        same("names of C++: --site '%s'" % site, ["2"],
             [line.split("\t")[3] for line in lines if line.startswith("site\t")
              and line.split("\t")[2] == "count"])
    text = said_by("compare", trace.path, trace.path)
    check("names of C++: compare", shown + "+0x" in text and kept not in text, text)
    text = said_by("compare", "--tsv", trace.path, trace.path)
    check("names of C++: compare's rows are each function's own", kept in text and
          shown not in text, text)


def test_processes_apart():
    trace, _, _ = run(["--locks"], ["sh", "-c", "%s/locks plain; %s/locks plain" %
                                    (BUILD, BUILD)])
    locks = {r.a for r in trace.of("pthread_mutex_acquire")}
    tags = {a >> 48 for a in locks}
    check("processes: a lock at one address in two of them is two", len(tags) >= 2
          and 0 not in tags, tags)


def text_of(done):
    return done.stderr


def test_bad_input():
    emit_path = BUILD + "/emit"
    home = os.path.join(WORK, "bad")
    os.makedirs(home, exist_ok=True)

    def ft(*args, **kwargs):
        return subprocess.run([FT, "run"] + list(args), stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=False, text=True,
                              timeout=60, **kwargs)

    done = ft("-e", "*", "-o", "/proc/nothing", "--", emit_path, "words")
    check("bad: a directory that cannot be made", done.returncode == 125 and
          "/proc/nothing" in done.stderr, done.stderr)
    done = ft("-e", "*", "-o", home + "/a", "--", home + "/missing")
    check("bad: no such command, and nothing is left", done.returncode == 127 and
          "missing" in done.stderr and not os.path.exists(home + "/a"),
          done.stderr)
    for args, word in ((["--", "true"], "--locks"), (["--locks"], "command"),
                       (["--locks", "-s", "100", "--", "true"], "100"),
                       (["-e", "", "--", "true"], "empty")):
        done = ft(*args)
        check("bad: usage: " + " ".join(args), done.returncode == 125 and
              word in done.stderr, done.stderr)
    # no memory: the address space is too small for the session
    done = subprocess.run(
        ["sh", "-c", "ulimit -v 100000; exec \"$0\" run --locks -o %s/v -- true" %
         home, FT], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
        text=True)
    check("bad: no memory to share", done.returncode == 125 and
          "--slots" in done.stderr, done.stderr)
    # only the program has too little: it runs on
    done = ft("--locks", "-o", home + "/w", "--", "sh", "-c",
              "ulimit -v 60000; exec %s/locks plain" % BUILD)
    check("bad: no memory in the program: told, and it runs",
          done.returncode == 0 and "cannot join the trace" in done.stderr and
          "exited" not in done.stderr, done.stderr)
    done = ft("--locks", "-o", home + "/s", "--", BUILD + "/emit-static", "words")
    check("bad: a static program with --locks", done.returncode == 0 and
          "statically linked" in done.stderr, done.stderr)
    if runs_32():
        done = ft("--locks", "-o", home + "/m", "--", BUILD + "/true32")
        check("bad: another architecture: told, and it runs",
              "another architecture" in done.stderr and
              done.returncode == 0 and "exited" not in done.stderr, done.stderr)
    else:
        print("skip bad: another architecture: this kernel runs none")
    done = subprocess.run([emit_path, "words"], check=False,
                          stderr=subprocess.PIPE, text=True,
                          env={"FEATHER_TRACE_SESSION": "/proc/1/fd/77777"})
    same("bad: a session that is gone: silence", (0, ""),
         (done.returncode, done.stderr))
    done = subprocess.run([emit_path, "words"], check=False,
                          stderr=subprocess.PIPE, text=True,
                          env={"FEATHER_TRACE_SESSION": emit_path})
    check("bad: a session that is none", done.returncode == 0 and
          "cannot join" in done.stderr, done.stderr)


def test_interrupt():
    out = os.path.join(WORK, "trace")
    shutil.rmtree(out, ignore_errors=True)
    command = "%s/emit exec 3; trap 'exit 7' TERM; echo; " \
        "while :; do sleep 0.1; done" % BUILD
    with subprocess.Popen([FT, "run", "-e", "one", "-o", out, "--", "sh", "-c",
                           command], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True,
                          start_new_session=True) as ft:
        ft.stdout.readline()
        os.killpg(ft.pid, signal.SIGTERM)
        ft.communicate(timeout=60)
        same("interrupt: ends it, with the command's status", 7, ft.returncode)
    trace = Trace(out)
    same("interrupt: what there was is there", 4, len(trace.records))
    same("interrupt: the command could end in order", ("signal", "7"),
         (trace.session("ended"), trace.session("command_status")))


def test_late_library():
    trace, said, _ = run(["-e", "plugin"], [
        "python3", "-c", "import ctypes; p = ctypes.CDLL('%s/plugin.so'); "
        "p.plugin_announce(5)" % BUILD])
    same("a library that brings ours along", [5], [r.a for r in trace.records])


def test_set_uid():
    if os.geteuid():
        print("skip set-uid: needs root")
        return
    os.chmod(WORK, 0o755)
    program = os.path.join(WORK, "set-uid")
    shutil.copy(BUILD + "/locks", program)
    os.chmod(program, 0o4755)
    out = os.path.join(WORK, "nobody")
    os.makedirs(out, exist_ok=True)
    os.chmod(out, 0o777)
    done = subprocess.run(
        ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", FT, "run",
         "--locks", "-o", out + "/t", "--", program, "plain"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False, text=True)
    check("bad: a set-uid program: told, and it runs", done.returncode == 0 and
          "set-uid" in done.stderr and "exited" not in done.stderr, done.stderr)


TESTS = [test_words, test_babeltrace, test_forks, test_fork_threads, test_fork_end,
         test_fork_turn, test_vfork,
         test_threads, test_crowd, test_exec, test_daemon, test_setuid,
         test_signals, test_dlopen, test_cut, test_flood, test_killed,
         test_kinds_of_programs, test_locks, test_lock_turns, test_locks_seen_behind,
         test_releases,
         test_locks_c11, test_locks_cpp,
         test_locks_of_an_allocator, test_lock_report, test_interrupt, test_late_library,
         test_names_cpp, test_processes_apart, test_bad_input, test_set_uid]


main(TESTS)
