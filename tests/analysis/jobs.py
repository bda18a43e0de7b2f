# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Whatever the number of threads is, all that is written and said is the same.

Other tests use several threads each other time, too: see Test.ft() in report_test.py. Their
traces are small; here some have many lots of sections, and several compressed blocks a CPU.
"""

import os
import random
import shutil
import subprocess
import time

import bench
from bad import good_trace
from gen_trace import PROCESS, Trace, stream_name
from packed import convert
from parts import part, rotated, stamps
from simulate import Machine

JOBS = []
# Events of the heap, from id 128 on.
HEAP = ("size", "malloc", "calloc", "realloc", "aligned", "new", "map", "free", "realloc_free",
        "realloc_undo", "unmap", "exit")
COMMANDS = (("report",), ("report", "--json", "--distributions"), ("dump", "--raw"),
            ("dump", "--tsv"), ("export", "-f", "csv"), ("export", "-f", "chrome"))


def jobs(f):
    JOBS.append(f)
    return f


def busy_trace(seed, steps, **kwargs):
    trace, _ = Machine(seed, steps=steps, **kwargs).run()
    trace.file("info/kallsyms", "".join("%x t %sfunction_%d\n" % (
        0xffffffff81000000 + 64 * i, "_Z4" * (i % 3), i) for i in range(2000)))
    return trace


def large_trace(test, name):
    """Several compressed blocks of each CPU."""
    bench.BLOCK, bench.LOCKS, bench.SYMBOLS = 80, 3000, 2000
    path = test.path(name)
    bench.write_trace(path, 60000, 2, bench.block)
    return path


def heap_trace(test, name):
    """Two threads allocate and free; several compressed blocks of each."""
    rng, now, live = random.Random(3), 10**9, {}
    trace = Trace(programs=[(128 + i, "heap_" + event, "word_t _block",
                             "uint64_t _size" if event == "size" else "word_t _caller")
                            for i, event in enumerate(HEAP)])
    for _ in range(30000):
        now, thread = now + rng.randrange(1, 900), rng.randrange(2)
        block = PROCESS | 0x5000 + 64 * rng.randrange(400)
        event = "free" if live.pop(block, None) else HEAP[rng.randrange(1, 6)]
        if event != "free":
            live[block] = True
            trace.thread(thread).add(now, 128, 10 + thread, block, rng.randrange(1, 64))
        trace.thread(thread).add(now + 1, 128 + HEAP.index(event), 10 + thread, block,
                                 PROCESS | 0x1000 + 16 * rng.randrange(50))
        now += 1
    return trace.write(test.path(name))


def answers(test, path, commands, number):
    for command in commands:
        r = test.ft(command[0], "-j", str(number), *command[1:], path)
        yield command, (r.returncode, r.stdout, r.stderr)


def differences(test, path, commands=COMMANDS, numbers=(2, 4)):
    """All commands, with one thread and with others."""
    wrong, want = [], list(answers(test, path, commands, 1))
    for number in numbers:
        for (command, expected), (_, got) in zip(want, answers(test, path, commands, number)):
            if got != expected:
                wrong.append("%s: with %d threads: %s, not %s" % (
                    " ".join(command), number, str(got)[:200], str(expected)[:200]))
    return wrong


def small_and_plain(test, path):
    """The trace at this path, as it is and compressed."""
    small, wrong = convert(test, "compressed", path, "small")
    return wrong + differences(test, path) + differences(test, small)


@jobs
def as_many_as_there_are(test):
    wrong = small_and_plain(test, busy_trace(1, 8000, cpus=2).write(test.path("busy")))
    return wrong + small_and_plain(test, large_trace(test, "large"))


@jobs
def with_losses(test):
    path = busy_trace(2, 7000, cpus=3, losses=0.01).write(test.path("losses"))
    return small_and_plain(test, path)


@jobs
def parts_of_a_recording(test):
    trace, wrong = busy_trace(6, 7000, cpus=2), []
    times = stamps(trace)
    seams = [times[len(times) // 3], times[len(times) // 2]]
    for path in rotated(trace, test.path("rotated"), seams):
        wrong += differences(test, path, (("report", "--json"), ("dump", "--raw")), (3,))
    for number in range(1, 4):      # a part is compressed, the next one is plain
        where = part(path, number)
        if number % 2:
            small, bad = convert(test, "compressed", where, "part")
            wrong += bad
            shutil.rmtree(where)
            os.rename(small, where)
    return wrong + differences(test, path, (("report", "--json"), ("dump", "--raw")), (3,))


@jobs
def traces_side_by_side(test):
    paths = [busy_trace(seed, 3000, cpus=2).write(test.path("side%d" % seed))
             for seed in range(2)]
    paths[1], wrong = convert(test, "compressed", paths[1], "side_small")
    want, got = [test.ft("compare", "-j", number, "--json", *paths) for number in "13"]
    if want.returncode or (got.returncode, got.stdout, got.stderr) != (
            0, want.stdout, want.stderr):
        wrong.append("compare is another one with 3 threads: %d, %d: %s" % (
            want.returncode, got.returncode, got.stderr))
    return wrong


@jobs
def compressed_by_several(test):
    """A trace is compressed, and plain again, by any number of threads."""
    path, wrong, copies = large_trace(test, "copied"), [], {}
    for number in "1", "2", "4":
        small, plain = test.path("small" + number), test.path("plain" + number)
        for form, out, source in (("compressed", small, path), ("ctf", plain, small)):
            r = test.ft("export", "-f", form, "-j", number, "-o", out, source)
            if r.returncode:
                wrong.append("%s with %s: %s" % (form, number, r.stderr))
        copies[number] = [open(os.path.join(where, "cpu%d" % cpu), "rb").read()
                          for where in (small, plain) for cpu in range(2)]
    originals = [open(os.path.join(path, "cpu%d" % cpu), "rb").read() for cpu in range(2)]
    wrong += ["with %s threads it is another one" % number for number, copy in copies.items()
              if copy != copies["1"] or copy[2:] != originals]
    return wrong


@jobs
def damage_is_found_where_it_is(test):
    """A byte of a compressed stream is another one, or its end is missing."""
    rng, wrong = random.Random(7), []
    path = large_trace(test, "whole")
    small, bad = convert(test, "compressed", path, "damaged")
    name = os.path.join(small, stream_name(1))
    with open(name, "rb") as f:
        good = f.read()
    for i in range(8):
        data, at = bytearray(good), rng.randrange(len(good))
        if i % 4:
            data[at] ^= 1 << rng.randrange(8)
        else:
            del data[at:]
        with open(name, "wb") as f:
            f.write(data)
        command = (("report", "--json"), ("dump", "--raw"), ("export", "-f", "csv"))[i % 3]
        wrong += differences(test, small, (command,), (2, 4))
        if test.ft(command[0], "-j", "3", *command[1:], small).returncode not in (1, 3):
            wrong.append("damage at %d is not told" % at)
    shutil.rmtree(small)
    return bad + wrong


def full_pipe():
    """(to read from, to write to, what is in it): who writes to it waits."""
    out, into = os.pipe()
    os.set_blocking(into, False)
    filled = 0
    try:
        while True:
            filled += os.write(into, bytes(4096 if filled < 4096 else 1024))
    except BlockingIOError:
        pass
    os.set_blocking(into, True)
    return out, into, filled


def threads_of(test, want, *command):
    """How many a command has while it waits for its output, and what that is."""
    out, into, filled = full_pipe()
    with subprocess.Popen([test.program, *command], stdout=into, stderr=subprocess.PIPE) as p:
        os.close(into)
        for _ in range(1500):
            threads = len(os.listdir("/proc/%d/task" % p.pid))
            if threads == want or p.poll() is not None:
                break
            time.sleep(0.02)
        with open(out, "rb") as f:
            answer = f.read()[filled:]
        said = p.stderr.read()
    return threads, (p.returncode, answer, said)


@jobs
def all_that_read_have_help(test):
    """-j N has N threads read each kind of answer, which is the same."""
    locks, wrong = convert(test, "compressed", large_trace(test, "locks"), "locks_small")
    heap, bad = convert(test, "compressed", heap_trace(test, "heap"), "heap_small")
    wrong += bad
    rows = ("export", "-f", "clickhouse", "--table")
    for path, command in ((locks, (*rows, "records")), (locks, (*rows, "sections")),
                          (heap, ("export", "-f", "csv", "--heap")),
                          (heap, ("report", "--heap")), (heap, ("report", "--heap", "--json"))):
        alone, want = threads_of(test, 1, *command, "-j", "1", path)
        threads, got = threads_of(test, 3, *command, "-j", "3", path)
        if (alone, threads) != (1, 3):
            wrong.append("%s: %d threads, and %d of 3" % (" ".join(command), alone, threads))
        if got != want or want[0] or not want[1]:
            wrong.append("%s: %s, and with 3 threads %s" % (
                " ".join(command), str(want)[:200], str(got)[:200]))
    return wrong


def reads_of(test, name, *command):
    """How often a file of this name is read; None: that cannot be seen here."""
    log = test.path("strace")
    r = subprocess.run(["strace", "-f", "-y", "-e", "trace=pread64", "-o", log, test.program,
                        *command], capture_output=True, timeout=300, check=False,
                       env=dict(os.environ, ASAN_OPTIONS="detect_leaks=0"))
    with open(log) as f:
        lines = f.read().splitlines()
    os.remove(log)
    read = [line for line in lines if "/%s>" % name in line]
    return None if r.returncode or not read else len(read)


@jobs
def streams_that_are_skipped(test):
    """Nobody decodes blocks of a CPU that is not asked for."""
    path, wrong = convert(test, "compressed", large_trace(test, "skipped"), "skipped_small")
    reads = {}
    if not shutil.which("strace"):
        return "there is no strace"
    for cpu in "01":
        for number in "1", "3":
            reads[cpu, number] = reads_of(test, "cpu1", "dump", "--raw", "--cpu", cpu,
                                          "-j", number, path)
    if reads["0", "1"] is None or reads["1", "1"] is None:
        return "strace sees nothing here"
    if reads["0", "3"] != reads["0", "1"] or reads["1", "1"] < reads["0", "1"] + 4:
        wrong.append("reads of cpu1: %s" % reads)
    return wrong + differences(test, path, (("dump", "--raw", "--cpu", "1"),
                                            ("dump", "--tsv", "--cpu", "0")), (3,))


@jobs
def output_that_ends(test):
    """Nobody reads it any more, or the disk is full: as with one thread."""
    path = busy_trace(5, 6000, cpus=2).write(test.path("ends"))
    wrong = []
    for command in ("dump",), ("export", "-f", "csv"):
        said = []
        for number in "1", "4":
            with open("/dev/full", "w") as full:
                r = subprocess.run([test.program, command[0], "-j", number, *command[1:], path],
                                   stdout=full, stderr=subprocess.PIPE, text=True, timeout=120,
                                   check=False)
            said.append((r.returncode, r.stderr))
        if said[0] != said[1] or said[0][0] != 1 or "No space left" not in said[0][1]:
            wrong.append("%s on a full disk: %s" % (command[0], said))
    return wrong


@jobs
def numbers_that_are_none(test):
    path, wrong = good_trace().write(test.path("good")), []
    for command in ("report",), ("dump",), ("export", "-f", "csv"), ("compare", path):
        for value in "0", "65", "-1", "two", "", "1.5", "99999999999999999999":
            r = test.ft(command[0], "--jobs=" + value, *command[1:], path)
            if r.returncode != 2 or r.stdout or "--jobs is not a number from 1 to 64" not in \
                    r.stderr:
                wrong.append("%s --jobs=%s: %d, %s" % (command[0], value, r.returncode,
                                                       r.stderr))
        r = test.ft(command[0], "-j", "64", *command[1:], path)
        if r.returncode:
            wrong.append("%s -j 64: %s" % (command[0], r.stderr))
    r = test.ft("dump", "--live", "-j", "2")
    if r.returncode != 2 or "--jobs" not in r.stderr:
        wrong.append("dump --live -j 2: %d, %s" % (r.returncode, r.stderr))
    return wrong
