#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Seeds for the fuzzers, from the traces of the analysis tests.

Usage: corpus.py DIR | --metadata

A trace is one file here: see files.h. Without metadata of its own it gets a
default one, which --metadata prints as a C string.
"""

import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "analysis"))
# pylint: disable=wrong-import-position
import case_both                                                # noqa: E402
import elf                                                      # noqa: E402
from bad import good_trace                                      # noqa: E402
from cases import CASES                                         # noqa: E402
from classes import LOCKS                                       # noqa: E402
from dumps import KALLSYMS, MODULES, some_trace                 # noqa: E402
from gen_trace import metadata, stream_name                     # noqa: E402
from realtime_inversions import goes_on, one_cpu, two_cpus      # noqa: E402
from realtime_trace import ALL_EVENTS, TYPES                    # noqa: E402
from simulate import Machine                                    # noqa: E402

NAMES = ["metadata", "info/session", "info/kallsyms", "info/modules", "cpu0",
         "cpu1", "cpu2", "cpu3", "thread0", "thread1"]
SESSION = ("host\tbox\nkernel_release\t6.1.0\nstart\t2023-11-14\n"
           "command\tmake -j2\\ta\\nb\\\\\nlost.cpu3\t17\nrecords\t5\n")
MAX_SEED = 6000


def pack(trace, with_metadata=False):
    files = {stream_name(c): s.data() for c, s in trace.streams.items()}
    files.update((n, text.encode()) for n, text in trace.files.items())
    if with_metadata:
        files["metadata"] = metadata(trace.freq, uuid=trace.uuid, **trace.clock,
                                     gap="_gap" if trace.gaps else "_lap",
                                     programs=trace.programs).encode()
    return b"".join(struct.pack("<BI", NAMES.index(n), len(data)) + data
                    for n, data in sorted(files.items()))


def traces():
    yield "good", pack(good_trace())
    yield "files", pack(some_trace(), True)
    for make in CASES + case_both.CASES:
        trace, _ = make()
        own = trace.freq != 10**9 or not trace.gaps or trace.programs
        yield make.__name__, pack(trace, own)
    yield "inversion", pack(goes_on(one_cpu(), 1400))
    yield "inherited", pack(two_cpus(20))
    for seed in 1, 2:
        trace, _ = Machine(seed, cpus=2, steps=120, losses=0.02).run()
        yield "chance%d" % seed, pack(trace, True)


def small_metadata():
    """All kinds of statement, few of each."""
    text = metadata(events=[(300, "own", "int64_t _x", "float_t y")])
    head, events = text.split("\nevent {", 1)
    events = events.split("\nevent {")
    return "\nevent {".join([head] + events[:2] + events[-1:]).encode()


def elf_files():
    some = ["one", "_ZN5depot4LockE", "one", 7]
    yield "program", elf.program(some)
    yield "fixed", elf.program(some, elf.EXEC)
    yield "module", elf.module(["one", "two"], missing=("two",))
    yield "object", elf.module(some, "ft_triggers", function="_ZN5depot5Lock%dEv")
    yield "kernel", elf.kernel([0, 1, 13])


def changes():
    """Writes into a session, three rounds of them: see shared.c."""
    def pack_all(*writes):
        return b"".join(struct.pack("<BBHQ", part, 0, at, value)
                        for part, at, value in writes) * 3
    most = 2**64 - 1
    yield "header", pack_all((0, 9, 0), (0, 10, most), (0, 12, most))
    yield "slots", pack_all((1, 0, 64 * 32), (5, 0, 5), (5, 2, 64), (5, 8, 5),
                            (5, 10, 256 | 1 << 24), (5, 18, 65535))
    yield "entries", pack_all((3, 0, 2), (3, 4, most), (4, 0, 2), (4, 4, most),
                              (2, 0, 2), (2, 8, most), (0, 10, 5), (0, 11, 5))


def frames(*parts):
    """As receive.c takes them."""
    return b"".join(struct.pack("<BH", kind, len(data)) + data for kind, data in parts)


def conversations():
    recording = b"0123456789abcdef"
    session = b"recording\t%s\npart\t%d\nended\tx\n"
    hello = 1, struct.pack("<II", 1, 0)

    def part(number, size, more=()):
        text = session % (recording, number)
        files = [(b"metadata", b"m"), (b"info/session", text), (b"cpu0", b"x" * size)]
        yield 2, struct.pack("<64s24sIIQ", b"host", recording, number, len(files) + len(more),
                             sum(len(data) for _, data in files))
        for name, data in files:
            yield 3, struct.pack("<32sQII", name, len(data), 0, 0)
            yield 4, data
        for name, length, of in more:
            yield 3, struct.pack("<32sQII", name, length, of, 0)
        yield 5, b""

    yield "two", frames(hello, *part(1, 100), *part(2, 7, [(b"info/programs", 3, 1)]))
    yield "linked", frames(hello, *part(1, 9), *part(2, 9, [(b"info/kallsyms", 9, 1)]))
    yield "raw", frames(hello, (0x80, b"FTw1" + bytes(20)))


def write(top, kind, name, data):
    if len(data) > MAX_SEED:
        return
    os.makedirs(os.path.join(top, kind), exist_ok=True)
    with open(os.path.join(top, kind, name), "wb") as f:
        f.write(data)


def main():
    if sys.argv[1] == "--metadata":
        print("/* SPDX-License-Identifier: GPL-2.0-only OR MIT */")
        print("static const char default_metadata[] =")
        for line in metadata(programs=(), events=ALL_EVENTS, types=TYPES).splitlines():
            print('\t"%s\\n"' % line.replace("\\", "\\\\").replace('"', '\\"'))
        print(";")
        return
    top = sys.argv[1]
    for name, data in traces():
        write(top, "trace", name, data)
    write(top, "metadata", "whole", small_metadata())
    write(top, "metadata", "types", (
        "typealias integer { size = 8; signed = true; base = hex; } := t;\n"
        "typealias struct { t a; } := s; callsite { x = 1; y { z = -2; } };\n"
        "clock { freq = 0x10; offset_s = -3; };\nstream { };\nevent { id = 7; "
        'name = "a\\n\\"b"; fields := struct { t _a; integer { size = 64; } b; }; '
        "};\n").encode())
    write(top, "metadata", "fields", (
        "typealias integer { size = 16; align = 16; signed = true; } := prio_t;\n"
        "typealias integer { size = 32; align = 16; signed = true; } := tid_t;\n"
        'typealias enum : integer { size = 16; } { "A" = 0, "B", "C" = 5 ... 7, } := state_t;\n'
        "clock { freq = 16; };\nstream { };\nevent { id = 7; name = \"s\"; fields := struct { "
        "tid_t _next; state_t _state; prio_t _prio; tid_t _ft_unused_3; "
        'enum e : integer { size = 32; } { "X" = 9 } _x; }; };\n').encode())
    write(top, "session", "session", SESSION.encode())
    for name, data in changes():
        write(top, "shared", name, data)
    for name, file in elf_files():
        write(top, "sites", name, bytes(file.data))
    for name, data in conversations():
        write(top, "receive", name, data)
    write(top, "locks", "kinds", LOCKS.encode())
    write(top, "kallsyms", "both", (KALLSYMS + "\0" + MODULES).encode())


if __name__ == "__main__":
    main()
