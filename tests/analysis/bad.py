# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Input that is not as it should be: a message that helps, and never a crash."""

import os
import random
import struct

from gen_trace import HEADER, Trace

BAD = []


def bad(f):
    BAD.append(f)
    return f


def good_trace():
    t = Trace(per_packet=4)
    for i in range(8):
        t.acquire(1000 + 100 * i, 0, 5, "spin", 0xa0)
        t.release(1050 + 100 * i, 0, 5, "spin", 0xa0)
        t.acquire(1020 + 100 * i, 1, 6, "mutex", 0xb0)
        t.release(1070 + 100 * i, 1, 6, "mutex", 0xb0)
    return t


SIZE = 96 + 4 * 32      # of a packet

# Two of four packets are good: so much is reported, and that the rest is not
# there; sleeping locks of the other CPU count until then, as a gap would have it.
WHAT_WAS_BEFORE = ["family\tspin\tcount\t4", "cpu\t0\trecords\t8",
                   "cpu\t0\tgaps\t1", "cpu\t1\trecords\t16",
                   "family\tmutex\tcount\t3"]


def damaged(test, name, change):
    """A good trace whose cpu0 went through change(bytearray)."""
    path = good_trace().write(test.path(name))
    name = os.path.join(path, "cpu0")
    with open(name, "rb") as f:
        data = bytearray(f.read())
    changed = change(data)
    data = data if changed is None else changed
    with open(name, "wb") as f:
        f.write(data)
    return path


def expect(test, path, status, *words, stdout=()):
    """Both commands must end so, and say these words on stderr."""
    wrong = []
    for command in ("report", "dump"):
        r = test.ft(command, "--tsv", path)
        if r.returncode != status:
            wrong.append("%s: exit status %d, not %d" % (command, r.returncode,
                                                         status))
        wrong += ["%s: '%s' is not in: %s" % (command, w, r.stderr)
                  for w in words if w not in r.stderr]
        if command == "report":
            wrong += ["'%s' is not printed" % w.replace("\t", " ")
                      for w in stdout if w + "\n" not in r.stdout]
    return wrong


def field(packet, offset, fmt, value):
    def change(data):
        struct.pack_into(fmt, data, packet * SIZE + offset, value)
    return change


@bad
def magic(test):
    path = damaged(test, "bad", field(2, 0, "<I", 0x12345678))
    return expect(test, path, 1, "cpu0", "offset %d" % (2 * SIZE), "0x12345678",
                  "ft fix", stdout=WHAT_WAS_BEFORE)


@bad
def another_trace(test):
    path = damaged(test, "bad", field(1, 4, "<I", 99))
    return expect(test, path, 1, "offset %d" % SIZE, "another trace", "uuid")


@bad
def another_cpu(test):
    path = damaged(test, "bad", field(0, 80, "<Q", 7))
    return expect(test, path, 1, "CPU 7, not 0", "ft fix",
                  stdout=["family\tspin\tcount\t0", "family\tmutex\tcount\t0",
                          "cpu\t1\trecords\t16"])


@bad
def impossible_size(test):
    wrong = []
    for content, packet in ((95 * 8, 95 * 8), (97 * 8, 97 * 8), (2**63, 2**63),
                            (0, 0), (SIZE * 8, (SIZE - 32) * 8),
                            (SIZE * 8, 2**32), (SIZE * 8 + 1, SIZE * 8 + 1)):
        def change(data):
            struct.pack_into("<QQ", data, SIZE + 48, content, packet)
        path = damaged(test, "bad", change)
        wrong += expect(test, path, 1, "offset %d" % SIZE, "impossible size")
    return wrong


@bad
def packets_missing(test):
    def change(data):
        del data[SIZE:2 * SIZE]
    return expect(test, damaged(test, "bad", change), 1, "packets between them")


@bad
def first_packets_missing(test):
    def change(data):
        del data[:SIZE]
    return expect(test, damaged(test, "bad", change), 0, "begins with packet 1",
                  stdout=["family\tspin\tcount\t6"])


@bad
def losses_fall(test):
    path = damaged(test, "bad", field(0, 72, "<Q", 5))
    return expect(test, path, 1, "falls from 5 to 0")


@bad
def packet_goes_back(test):
    path = damaged(test, "bad", field(1, 32, "<Q", 10))
    return expect(test, path, 1, "offset %d" % SIZE, "clock goes back")


@bad
def record_goes_back(test):
    path = damaged(test, "bad", field(1, 96 + 64, "<Q", 1))
    return expect(test, path, 1, "offset %d" % (SIZE + 96 + 64), "time 1,")


@bad
def record_after_the_end(test):
    path = damaged(test, "bad", field(1, 96 + 96, "<Q", 10**6))
    return expect(test, path, 1, "time 1000000,")


@bad
def torn(test):
    """Wherever a file ends: whole records are read, the others are lost and counted."""
    wrong = []
    for length in range(0, 4 * SIZE, 29):
        def change(data):
            return data[:length]
        path = damaged(test, "bad", change)
        whole, rest = divmod(length, SIZE)
        some = max(rest - 96, 0) // 32
        lost = (4 - some if rest >= 96 else 1) if rest else 0
        words = ["torn", "offset %d" % (whole * SIZE)] if rest else []
        wrong += expect(test, path, 3 if lost else 0, *words,
                        stdout=["cpu\t0\trecords\t%d" % (4 * whole + some),
                                "cpu\t0\tlost\t%d" % lost,
                                "family\tspin\tcount\t%d" % (2 * whole + some // 2),
                                "cpu\t0\ttorn_bytes\t%d" % rest])
    return wrong


def padded(n):
    """Not ours, but CTF: packets may be longer than their content."""
    def change(data):
        out = b""
        for at in range(0, len(data), SIZE):
            packet = bytearray(data[at:at + SIZE])
            struct.pack_into("<Q", packet, 56, (SIZE + n) * 8)
            out += packet + bytes(n)
        return out
    return change


@bad
def padding(test):
    return expect(test, damaged(test, "bad", padded(200 * 1024)), 0,
                  stdout=["family\tspin\tcount\t8"])


@bad
def unknown_event(test):
    def change(data):
        struct.pack_into("<H", data, 96 + 8, 999)
    path = damaged(test, "bad", change)
    wrong = expect(test, path, 0, stdout=["trace\t-\tunknown\t1"])
    if "\tid=999\t" not in test.ft("dump", "--tsv", path).stdout:
        wrong.append("dump does not show the number of the event")
    return wrong


def no_trace(test, prepare, *words):
    path = good_trace().write(test.path("bad"))
    prepare(path)
    return expect(test, path, 1, *words)


def write_metadata(path, change):
    name = os.path.join(path, "metadata")
    with open(name) as f:
        text = change(f.read())
    with open(name, "w") as f:
        f.write(text)


@bad
def no_metadata(test):
    return no_trace(test, lambda p: os.unlink(os.path.join(p, "metadata")),
                    "metadata", "not a trace?")


@bad
def no_streams(test):
    def prepare(path):
        for name in ("cpu0", "cpu1"):
            os.unlink(os.path.join(path, name))
    return no_trace(test, prepare, "there is no file cpu0")


@bad
def fifos(test):
    """Nobody writes them: none is waited for."""
    wrong = []
    for name in ("cpu0", "metadata", "info/kallsyms", "info/session"):
        def prepare(path, name=name):
            at = os.path.join(path, name)
            os.makedirs(os.path.dirname(at), exist_ok=True)
            if os.path.exists(at):
                os.unlink(at)
            os.mkfifo(at)
        if name.startswith("info"):
            path = good_trace().write(test.path("fifo"))
            prepare(path)
            wrong += expect(test, path, 0)
        else:
            wrong += no_trace(test, prepare, name)
    return wrong


@bad
def no_directory(test):
    return expect(test, os.path.join(test.work, "none"), 1, "cannot open", "none")


@bad
def other_tracer(test):
    return no_trace(test, lambda p: write_metadata(p, lambda t: t.replace(
        "feather-trace", "lttng-modules")), "lttng-modules", "babeltrace2")


@bad
def big_endian(test):
    return no_trace(test, lambda p: write_metadata(p, lambda t: t.replace(
        "byte_order = le", "byte_order = be")), "metadata:15:", "byte_order")


@bad
def packetized_metadata(test):
    return no_trace(test, lambda p: write_metadata(p, lambda t: "W\x1d" + t),
                    "metadata:1:") + \
        no_trace(test, lambda p: open(os.path.join(p, "metadata"), "wb").write(
            b"\x57\x1d\xd1\x75" + bytes(60)), "packetized")


@bad
def metadata_mistakes(test):
    wrong = []
    for old, new, word in (("freq = 1000000000", "freq = 0", "frequency"),
                           ("id = 16;", "id = 17;", "is taken"),
                           ("id = 16;", "id = 70000;", "bad id"),
                           ("id = 16;", "id = x;", "expected a number"),
                           ('name = "spin_acquire";', "", "needs an id"),
                           ("2a6422d0", "2a6422d", "bad uuid"),
                           ("major = 1", "major = 2", "CTF 1"),
                           ("word_t _lock;", "word_t _l; word_t _m;",
                            "two words"),
                           ("word_t _lock;", "uint8_t _l; word_t _m;",
                            "without a gap"),
                           ("clock {", 'typealias enum : enum : uint8_t { "A" } { "B" } '
                            ":= x; clock {", "an enumeration is of integers"),
                           ("env {", "env [", "near"),
                           ("clock {", "clocks {", "no clock")):
        wrong += no_trace(test, lambda p: write_metadata(
            p, lambda t: t.replace(old, new, 1)), "metadata", word)
    return wrong


@bad
def metadata_spelled_otherwise(test):
    """Blanks and comments do not matter, nor what is not needed."""
    def change(text):
        text = text.replace(" = ", "=").replace(";", " ;\n").replace(
            "env {", "/**/ /* env { */ callsite { a = 1; b { c = 2; } };\nenv\n{")
        return text.replace("\t", " // tab\n")
    path = good_trace().write(test.path("bad"))
    write_metadata(path, change)
    return expect(test, path, 0, stdout=["family\tspin\tcount\t8"])


@bad
def usage(test):
    wrong = []
    path = good_trace().write(test.path("bad"))
    for args, status in ((["report"], 2), (["report", path, path], 1),
                         (["report", "--top", "x", path], 2),
                         (["report", "--nonsense", path], 2),
                         (["report", "--running-kernel", "--kallsyms", "x", path], 2),
                         (["report", "--tsv", "--json", path], 2),
                         (["report", "--sort", "totals", path], 2),
                         (["report", "--below", "5,x", path], 2),
                         (["report", "--below", "0.0001", path], 2),
                         (["report", "--below", "1,2,3,4,5,6,7,8,9", path], 2),
                         (["report", "--longest", "-1", path], 2),
                         (["report", "--cpu", "3-1", path], 2),
                         (["report", "--cpu", "", path], 2),
                         (["report", "--from", "now", path], 2),
                         (["report", "--from", "2", "--to", "1", path], 2),
                         (["report", "--family", "spin,futex", path], 2),
                         (["report", "--task", "make", path], 1),
                         (["report", "--site", "no_such", path], 1),
                         (["report", "--lock", "no_such", path], 1),
                         (["report", "--help"], 0), (["dump", "--help"], 0),
                         (["dump"], 2), (["dump", "--cpu", "-1", path], 2),
                         (["dump", "--clock=sun", path], 2),
                         (["dump", "--cpu", "5", path], 1),
                         (["dump", "--event", "spin_aquire", path], 1)):
        r = test.ft(*args)
        if r.returncode != status:
            wrong.append("%s: exit status %d, not %d" % (args, r.returncode,
                                                         status))
        if status and not r.stderr:
            wrong.append("%s: no message" % args)
    if "spin_acquire" not in r.stderr:
        wrong.append("no name is proposed for a mistyped one: " + r.stderr)
    return wrong


@bad
def flipped_bits(test):
    """Whatever a file holds: an exit status, no signal, within a second."""
    rng, wrong = random.Random(1), []
    for _ in range(60):
        def change(data):
            for _ in range(rng.randrange(1, 6)):
                data[rng.randrange(len(data))] = rng.randrange(256)
        path = damaged(test, "bad", change)
        if rng.random() < 0.3:
            write_metadata(path, lambda t: "".join(
                rng.choice("{};=\"/*x0") if rng.random() < 0.01 else c
                for c in t))
        for command in ("report", "dump"):
            r = test.ft(command, path)
            if r.returncode not in (0, 1, 3):
                wrong.append("%s: exit status %d: %s" % (command, r.returncode,
                                                         r.stderr[-2000:]))
    return wrong
