# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""libfttrace with sanitizers: where memory ends, and in several threads."""

import os
import subprocess

import case_waits
from dumps import some_trace
from simulate import Machine

READERS = []


def reader(f):
    READERS.append(f)
    return f


def run(test, *args):
    program = os.path.join(os.path.dirname(test.program), "reader_check")
    r = subprocess.run([program, *args], capture_output=True, text=True, timeout=300,
                       check=False)
    return ["ended with %d: %s" % (r.returncode, r.stderr)] if r.returncode or r.stderr \
        else []


@reader
def no_memory(test):
    """Each piece is missing once: -ENOMEM, nothing is left behind, nothing printed."""
    chance = Machine(1, cpus=2, steps=300).run()[0]
    chance.file("info/programs", "process\t1\t10\t0\t0\tone\n")
    some = some_trace()
    some.file("info/tasks", "5\tworker\n")
    wrong = []
    for trace in (some, chance, case_waits.CASES[0]()[0]):
        wrong += run(test, "memory", trace.write(test.path("memory")))
    return wrong


@reader
def threads(test):
    """A thread a reader: each finds what it finds alone."""
    return run(test, "threads", *[
        Machine(seed, cpus=2).run()[0].write(test.path("thread%d" % seed))
        for seed in range(4)])
