# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Damaged traces through ft fix: what is saved, what is lost, and how it shows."""

import filecmp
import os
import random
import shutil
import struct
import subprocess

from bad import SIZE, damaged, field, good_trace
from gen_trace import Trace
from simulate import Machine

FIXES = []
READER = shutil.which("babeltrace2")


def fix(f):
    FIXES.append(f)
    return f


def read(*path):
    with open(os.path.join(*path), "rb") as f:
        return f.read()


def tree(path):
    # other tests leave a FIFO and a link to /dev/full, whose ends nobody sees
    return {os.path.relpath(os.path.join(top, n), path):
            read(top, n) for top, _, names in os.walk(path) for n in names
            if os.path.isfile(os.path.join(top, n))}


def mend(test, path, status, *args):
    """(the mended trace, problems); the damaged one must stay as it is."""
    out, before = test.path("fixed"), tree(path)
    r = test.ft("fix", "-o", out, *args, path)
    if r.returncode != status:
        return out, ["fix: exit status %d, not %d: %s" % (r.returncode, status,
                                                         r.stdout + r.stderr)]
    bad = ["the damaged trace was changed"] if tree(path) != before else []
    if status in (0, 3):
        bad += readable(test, out)
    return out, bad


def readable(test, path):
    """Both readers take it to its end."""
    bad, r = [], test.ft("report", "--tsv", path)
    if r.returncode not in (0, 3) or "packet at" in r.stderr or "torn" in r.stderr:
        bad.append("report: exit status %d: %s" % (r.returncode, r.stderr))
    if READER:
        r = subprocess.run([READER, path], capture_output=True, text=True,
                           timeout=120)
        if r.returncode:
            bad.append("babeltrace2: " + r.stderr)
    return bad


def numbers(test, path):
    """What the report says, but for how the records were packed."""
    r = test.ft("report", "--tsv", "--top=0", "--balance", path)
    return [line for line in r.stdout.splitlines()
            if "\tpackets\t" not in line and "\tgaps\t" not in line]


def same_report(test, path, other):
    have, want = numbers(test, path), numbers(test, other)
    return ["report: %s" % d for d in
            sorted(set(have) - set(want)) + ["not"] +
            sorted(set(want) - set(have))] if have != want else []


def good(test, trace=None):
    return (trace or good_trace()).write(test.path("good"))


def same_files(path, other, names=("cpu0", "cpu1", "metadata")):
    return ["%s is not what it was" % n for n in names
            if not filecmp.cmp(os.path.join(path, n), os.path.join(other, n),
                               shallow=False)]


@fix
def whole(test):
    """Nothing to mend: the same bytes."""
    bad = []
    for args in ({}, {"gaps": False}, {"early": True}):
        t, _ = Machine(3, losses=0.01).run()
        t.gaps, path = args.get("gaps", True), good(test, t)
        out, wrong = mend(test, path, 0)
        bad += wrong + same_files(out, path, os.listdir(path))
    return bad


def with_loss(test, change, lost):
    """One packet of cpu0 is damaged: it is lost, whole, and no other record."""
    out, bad = mend(test, damaged(test, "bad", change), 3 if lost else 0)
    have = numbers(test, out) if not bad else []
    for line in ("cpu\t0\trecords\t%d" % (16 - lost), "cpu\t0\tlost\t%d" % lost,
                 "cpu\t1\trecords\t16"):
        if not bad and line not in have:
            bad.append("not in the report: " + line)
    return bad


@fix
def headers(test):
    """A packet with a wrong field in its header is lost, and those around it are not."""
    bad = []
    for name, offset, fmt, value, packets in (
            ("magic", 0, "<I", 0x12345678, "0123"), ("uuid", 4, "<I", 99, "0123"),
            ("stream", 20, "<I", 7, "0123"), ("instance", 24, "<Q", 3, "0123"),
            ("begin", 32, "<Q", 10, "123"), ("begin", 32, "<Q", 2**63, "0123"),
            ("end", 40, "<Q", 10, "0123"), ("end", 40, "<Q", 2**64 - 1, "012"),
            ("content", 48, "<Q", 2**63, "0123"), ("content", 48, "<Q", 0, "0123"),
            ("packet", 56, "<Q", 2**63, "0123"), ("packet", 56, "<Q", 8, "0123"),
            ("number", 64, "<Q", 2**60, "0123"), ("number", 64, "<Q", 0, "123"),
            ("number", 64, "<Q", 7, "012"), ("lost", 72, "<Q", 55, "012"),
            ("lost", 72, "<Q", 2**63, "3"),
            ("cpu", 80, "<Q", 1, "0123"), ("clock", 88, "<Q", 5, "0123")):
        for packet in map(int, packets):
            # what it says of its own times is put right where its records are good
            bad += ["%s %d in packet %d: %s" % (name, value, packet, w) for w in
                    with_loss(test, field(packet, offset, fmt, value), 4)]
    return bad


@fix
def sizes(test):
    """Packets that say that they are shorter or longer than they are."""
    bad = []
    for packet in range(3):
        bad += with_loss(test, field(packet, 48, "<Q", 8 * 160), 4)
        bad += with_loss(test, field(packet, 56, "<Q", 8 * 2 * SIZE), 4)
    for value in (0, 8, 2**63, 2**40):
        def change(data):
            struct.pack_into("<QQ", data, SIZE + 48, value, value)
        bad += with_loss(test, change, 4)
    return bad


def losing(test, change, at, n, **args):
    """The damage must look as if the tracer had lost n records before the one
    numbered at."""
    bad = []
    for gaps in (True, False):
        t, want = good_trace(), good_trace()
        t.gaps = want.gaps = gaps
        want.streams.clear()
        for i in range(8):
            for j, verb in enumerate(("acquire", "release")):
                if at <= 2 * i + j < at + n:
                    want.cpu(0).lose(1)
                else:
                    want.lock(1000 + 100 * i + 50 * j, 0, 5, "spin", verb, 0xa0)
                want.lock(1020 + 100 * i + 50 * j, 1, 6, "mutex", verb, 0xb0)
        if at + n == 16:
            stream = want.cpu(0)
            stream.discarded = 0
            stream.cut()
            stream.discarded = n
            stream.cut(empty=True)
        path = t.write(test.path("bad"))
        with open(os.path.join(path, "cpu0"), "r+b") as f:
            data = bytearray(f.read())
            data = change(data) or data
            f.seek(0)
            f.truncate()
            f.write(data)
        out, wrong = mend(test, path, 3)
        bad += wrong or same_report(test, out, want.write(test.path("want")))
    return bad


@fix
def records_out_of_time(test):
    """A record whose time cannot be: its packet is lost."""
    bad = []
    for at in (1, 5, 6, 7, 10, 14):
        packet, record = divmod(at, 4)
        for value in (1, 10**6, 2**64 - 1):
            bad += ["record %d, time %d: %s" % (at, value, b) for b in losing(
                test, field(packet, 96 + 32 * record, "<Q", value), 4 * packet, 4)] \
                if packet else []
    return bad


@fix
def impossible_ids(test):
    bad = []
    for value in (0, 2, 200, 999, 65535):
        bad += losing(test, field(1, 96 + 32 + 8, "<H", value), 4, 4)
    return bad


@fix
def overwritten_packet(test):
    def change(data):
        data[SIZE:2 * SIZE] = random.Random(1).randbytes(SIZE)
    return losing(test, change, 4, 4)


@fix
def overwritten_across(test):
    """From within a packet into the next one's header and records: both are lost."""
    def change(data):
        data[SIZE + 96 + 64:2 * SIZE + 96 + 32] = bytes(SIZE - 32)
    return with_loss(test, change, 8)


@fix
def last_packet_overwritten(test):
    def change(data):
        data[3 * SIZE:] = bytes(SIZE)
    return losing(test, change, 12, 4)


def foreign_packet():
    other = Trace(uuid=bytes(range(100, 116)), per_packet=4)
    for i in range(4):
        other.acquire(1210 + i, 0, 5, "spin", 0xc0)
    return other.cpu(0).data()


@fix
def foreign_bytes(test):
    """What was put between two packets costs nothing, whatever it is."""
    bad, path = [], good(test)
    for junk in (b"x", bytes(1000), random.Random(2).randbytes(300000),
                 foreign_packet(), b"\xc1\x1f\xfc\xc1" * 50):
        for at in (0, SIZE, 3 * SIZE):
            def change(data):
                return data[:at] + junk + data[at:]
            out, wrong = mend(test, damaged(test, "bad", change), 0)
            bad += wrong or same_files(out, path)
    return bad


@fix
def packet_of_another_trace(test):
    """In the place of one of ours: that one is lost."""
    def change(data):
        data[SIZE:2 * SIZE] = foreign_packet()
    return losing(test, change, 4, 4)


@fix
def repeated_packets(test):
    """Written twice, at once or later: once is enough."""
    bad, path = [], good(test)
    for which in range(3):
        for at in range(which + 1, 5):
            def change(data):
                return data[:at * SIZE] + data[which * SIZE:(which + 1) * SIZE] + \
                    data[at * SIZE:]
            out, wrong = mend(test, damaged(test, "bad", change), 0)
            bad += wrong or same_files(out, path)
    return bad


@fix
def pieces_repeated(test):
    """The beginning of a packet once more: in between it costs nothing, over the next
    packet it costs that one."""
    bad, path = [], good(test)
    for n in (96, 112, 160, 190):
        def insert(data):
            return data[:3 * SIZE] + data[2 * SIZE:2 * SIZE + n] + data[3 * SIZE:]
        out, wrong = mend(test, damaged(test, "bad", insert), 0)
        wrong = wrong or same_files(out, path)

        def overwrite(data):
            data[2 * SIZE:2 * SIZE + n] = data[SIZE:SIZE + n]
        wrong += with_loss(test, overwrite, 4)
        bad += ["%d bytes: %s" % (n, w) for w in wrong]
    return bad


def ten_packets(test, change):
    t = Trace(per_packet=4)
    for i in range(20):
        t.acquire(1000 + 100 * i, 0, 5, "spin", 0xa0)
        t.release(1050 + 100 * i, 0, 5, "spin", 0xa0)
    data = bytearray(t.cpu(0).data())
    path = t.write(test.path("bad"))
    change(data)
    with open(os.path.join(path, "cpu0"), "wb") as f:
        f.write(data)
    return path


@fix
def neighbours(test):
    """A wrong value in a header, and the next headers are wrong, too: it costs no packet
    behind them."""
    bad = []
    for name, offset, value in (("end", 40, 2**40), ("number", 64, 2**20 + 3),
                                ("lost", 72, 2**40)):
        for wrong, last, records in ((96, 4, 32), (8, 4, 32), (8, 7, 24)):
            if (last, name) in ((7, "number"), (7, "lost")):
                continue                # of so many, none is left to check it by

            def change(data):
                struct.pack_into("<Q", data, 3 * SIZE + offset, value)
                for at in range(4 * SIZE, (last + 1) * SIZE, SIZE):
                    if wrong == 96:
                        data[at:at + 96] = bytes(96)
                    else:
                        struct.pack_into("<Q", data, at + 64, 0)
            out, more = mend(test, ten_packets(test, change), 3)
            have = numbers(test, out)
            bad += ["%s, to packet %d: %s" % (name, last, line) for line in more + [
                "not in the report: " + line for line in (
                    "cpu\t0\trecords\t%d" % records,
                    "cpu\t0\tlost\t%d" % (40 - records)) if line not in have]]
    return bad


@fix
def last_packet(test):
    """Nothing confirms its number and its count: they make up no losses."""
    bad = with_loss(test, field(3, 72, "<Q", 2**40), 4)
    out, wrong = mend(test, damaged(test, "bad", field(3, 64, "<Q", 2**20 + 3)), 3)
    have = numbers(test, out)
    return bad + wrong + ["not in the report: " + line for line in
                          ("cpu\t0\trecords\t16", "cpu\t0\tlost\t1")
                          if line not in have]


def mended_once(test, change):
    """(the mended trace, problems): what is mended has nothing to mend."""
    out, bad = mend(test, damaged(test, "bad", change), 3)
    again = test.ft("fix", "-n", out)
    if again.returncode or again.stdout.count(": whole") != 2:
        bad.append("mended, and again: " + again.stdout + again.stderr)
    return out, bad


@fix
def highest_number(test):
    """No packet can follow it: the mended trace does not begin with it."""
    def change(data):
        struct.pack_into("<Q", data, 64, 2**64 - 1)
        del data[SIZE + 20:]
    return mended_once(test, change)[1]


@fix
def highest_of_each(test):
    """A number or a count as high as is believed: its packet is kept, and what the damage
    adds to it is believed as well."""
    def number(data):               # one packet more counts what is lost at the end
        struct.pack_into("<Q", data, 64, 2**56)
        del data[SIZE + 20:]

    def last_count(data):
        struct.pack_into("<Q", data, 3 * SIZE + 72, 2**32)
        data[2 * SIZE:3 * SIZE] = bytes(SIZE)

    def only_count(data):
        struct.pack_into("<QQ", data, 64, 7, 2**32)
        return bytes(10) + data[:SIZE]

    def every_count(data):
        for at in range(0, 4 * SIZE, SIZE):
            struct.pack_into("<Q", data, at + 72, 2**56)
        data[SIZE:2 * SIZE] = bytes(SIZE)

    bad = []
    for change, records, lost in ((number, 4, 1), (last_count, 12, 2**32),
                                  (only_count, 4, 2**32), (every_count, 12, 2**56)):
        out, wrong = mended_once(test, change)
        have = numbers(test, out)
        wrong += ["not in the report: " + line for line in (
            "cpu\t0\trecords\t%d" % records, "cpu\t0\tlost\t%d" % lost)
            if line not in have]
        bad += ["%s: %s" % (change.__name__, w) for w in wrong]
    return bad


@fix
def long_packets(test):
    """Headers only, each of a packet that takes all that follows: it ends soon."""
    t = good_trace()
    head = bytearray(t.cpu(0).data()[:96])
    struct.pack_into("<QQ", head, 48, 8 * (96 + 32 * 500000), 8 * (96 + 32 * 500000))
    path = t.write(test.path("bad"))
    with open(os.path.join(path, "cpu0"), "wb") as f:
        f.write(bytes(head) * (2**24 // 96))
    try:
        subprocess.run([test.program, "fix", "-n", path], capture_output=True,
                       timeout=240)
    except subprocess.TimeoutExpired:
        return ["it does not end"]
    return []


@fix
def packet_missing(test):
    """Nobody knows how many records it had: at least one."""
    def change(data):
        del data[SIZE:2 * SIZE]
    out, bad = mend(test, damaged(test, "bad", change), 3)
    for line in ("cpu\t0\tlost\t1", "cpu\t0\tgaps\t1", "family\tspin\tcount\t6",
                 "cpu\t0\trecords\t12"):
        if line not in test.ft("report", "--tsv", out).stdout:
            bad.append("not in the report: " + line)
    return bad


@fix
def bytes_missing(test):
    """Cut out anywhere, of any length: what is whole stays."""
    bad, rng = [], random.Random(4)
    for _ in range(40):
        at, n = rng.randrange(4 * SIZE), rng.randrange(1, 400)
        def change(data):
            del data[at:at + n]
        path = damaged(test, "bad", change)
        out, wrong = mend(test, path, 3)
        # those of untouched packets
        whole = sum(4 for p in range(4)
                    if not (at < (p + 1) * SIZE and at + n > p * SIZE))
        have = test.ft("report", "--tsv", out).stdout
        records = int(have.split("cpu\t0\trecords\t")[1].split()[0])
        if records < whole or records > 15:
            wrong.append("%d records are left, of %d whole ones" % (records,
                                                                  whole))
        bad += ["%d bytes at %d: %s" % (n, at, w) for w in wrong]
    return bad


@fix
def torn(test):
    """Wherever a file ends: whole records are saved, the others counted."""
    bad = []
    for length in range(0, 4 * SIZE + 1, 13):
        path = damaged(test, "bad", lambda data: data[:length])
        whole, rest = divmod(length, SIZE)
        some = max(rest - 96, 0) // 32
        lost = (4 - some if rest >= 96 else 1) if rest else 0
        out, wrong = mend(test, path, 3 if lost else 0)
        have = test.ft("report", "--tsv", out)
        for line in ("cpu\t0\trecords\t%d\n" % (4 * whole + some),
                     "cpu\t0\tlost\t%d\n" % lost):
            if line not in have.stdout:
                wrong.append("not in the report: " + line.strip())
        if have.returncode != (3 if lost else 0):
            wrong.append("report: exit status %d" % have.returncode)
        bad += ["%d bytes: %s" % (length, w) for w in wrong]
    return bad


@fix
def torn_as_mended(test):
    """Wherever its last packet is cut, a trace is to the report what it is when it has
    been mended: no section goes on over the end, on no CPU."""
    t = Trace(per_packet=10)
    for i in range(5):
        at = 1000 * i
        t.acquire(1000 + at, 0, 5, "mutex", 0xa0)
        t.release(1010 + at, 0, 5, "mutex", 0xa0)
        t.acquire(1020 + at, 0, 6, "spin", 0xb0)
        t.release(1030 + at, 0, 6, "spin", 0xb0)
    t.acquire(50000, 1, 5, "spin", 0xc0)
    t.release(60000, 1, 5, "mutex", 0xa0)       # acquired in what is torn off
    t.release(60010, 1, 5, "spin", 0xc0)
    bad, size = [], 96 + 10 * 32
    for gaps in (True, False):
        t.gaps = gaps
        for length in range(size + 1, 2 * size):
            if length % 8:                      # boundaries of records, and between
                continue
            path = t.write(test.path("bad"))
            os.truncate(os.path.join(path, "cpu0"), length)
            out, wrong = mend(test, path, 3)
            have, want = ([line for line in numbers(test, p)
                           if "\ttorn_bytes\t" not in line] for p in (path, out))
            if have != want:
                wrong.append("%s, not %s" % (sorted(set(have) - set(want)),
                                             sorted(set(want) - set(have))))
            bad += ["%d bytes: %s" % (length, w) for w in wrong]
    return bad


def raw_records(test, path):
    """Records as they lie in the trace; not what the tools make of them."""
    r = test.ft("dump", "--raw", "--tsv", path)
    return [line.split("\t")[:1] + line.split("\t")[2:]
            for line in r.stdout.splitlines()[1:] if "\tLOST\t" not in line]


@fix
def by_chance(test):
    """Any damage: both readers take what remains, and nothing is invented."""
    bad, saved, total = [], 0, 0
    for seed in range(30):
        rng = random.Random(seed)
        trace, _ = Machine(seed, cpus=2, steps=600, losses=0.01 * (seed % 2)).run()
        path = trace.write(test.path("bad"))
        known = {tuple(r) for r in raw_records(test, path)}
        total += len(known)
        changed = 0
        for cpu in range(2):
            name = os.path.join(path, "cpu%d" % cpu)
            data = bytearray(read(name))
            for _ in range(rng.randrange(5)):
                at, n = rng.randrange(len(data) or 1), rng.choice((1, 8, 40, 500))
                what = rng.randrange(4)
                if what == 0:
                    data[at:at + n] = rng.randbytes(len(data[at:at + n]))
                elif what == 1:
                    del data[at:at + n]
                elif what == 2:
                    data[at:at] = rng.randbytes(n)
                else:
                    data[at:at] = data[at:at + n]
                changed += n // 32 + 2      # records that it may have hit
                data = data or bytearray(1)
            with open(name, "wb") as f:
                f.write(data)
        r = test.ft("fix", "-n", path)
        if r.returncode not in (0, 3):
            bad.append("seed %d: exit status %d: %s" % (seed, r.returncode,
                                                        r.stderr))
            continue
        out, wrong = mend(test, path, r.returncode)
        have = raw_records(test, out)
        saved += len(have)
        invented = sum(tuple(r) not in known for r in have)
        if invented > changed:
            wrong.append("%d records that there never were" % invented)
        bad += ["seed %d: %s" % (seed, w) for w in wrong]
    if saved < total * 3 // 4:
        bad.append("only %d of %d records are saved" % (saved, total))
    return bad
