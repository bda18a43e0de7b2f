# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""ft export against the truth, its output read by other programs."""

import csv
import datetime
import io
import json
import os
import shutil
import subprocess
from collections import Counter, defaultdict
from decimal import Decimal
from fractions import Fraction

from case_limits import CASES as LIMITS
from case_losses import CASES as LOSSES
from cases import CASES
from gen_trace import HARDIRQ, HEADER, NMI, PER_CPU, SOFTIRQ, Trace
from model import ns
from simulate import Machine

EXPORTS = []
JQ = shutil.which("jq")
CONTEXTS = {0: "task", SOFTIRQ: "softirq", SOFTIRQ | HARDIRQ: "hardirq",
            HARDIRQ: "hardirq", NMI: "nmi"}


def export(f):
    EXPORTS.append(f)
    return f


def run(test, form, path, *args, status=None):
    r = test.ft("export", "-f", form, *args, path)
    if r.returncode not in ((0, 3) if status is None else (status,)):
        raise ValueError("exit status %d: %s" % (r.returncode, r.stderr))
    return r.stdout


def rows(text):
    return list(csv.DictReader(io.StringIO(text, newline=""), strict=True))


def differ(what, have, want):
    """Multisets of tuples: what is too much, what is missing."""
    have, want = Counter(have), Counter(want)
    return ["%s: too much: %s" % (what, t) for t in (have - want)][:5] + \
        ["%s: missing: %s" % (what, t) for t in (want - have)][:5]


def start_of(trace):
    """The first time in any header of a packet with records."""
    return min(HEADER.unpack(p[:96])[4] for s in trace.streams.values()
               for p in s.packets if len(p) > 96)


def wall(trace, ts):
    clock = dict({"offset_s": 1700000000, "offset": 0}, **trace.clock)
    at = clock["offset_s"] * 10**9 + \
        (clock["offset"] + ts) * 10**9 // trace.freq
    day = datetime.datetime(1970, 1, 1) + \
        datetime.timedelta(seconds=at // 10**9)
    return day.strftime("%Y-%m-%dT%H:%M:%S") + ".%09dZ" % (at % 10**9)


# Chrome trace events.

def micro(value):
    """Nanoseconds, as Perfetto makes them: multiplied and cut."""
    n = int(value * 1000)
    if Decimal(repr(value)).quantize(Decimal("0.001")) * 1000 != n:
        raise ValueError("%r us would not become whole nanoseconds" % value)
    return n


def parse_chrome(text):
    """(slices, instants, problems): what a viewer makes of the events."""
    events, bad = json.loads(text)["traceEvents"], []
    slices, instants, open_async, names = [], [], {}, {}
    for e in events:
        key = (e["pid"], e["tid"])
        if e["ph"] == "M":
            if (key, e["name"]) in names:
                bad.append("named twice: %s" % e)
            names[key, e["name"]] = e["args"]
        elif e["ph"] == "X":
            slices.append((e, micro(e["ts"]), micro(e["dur"]), key))
        elif e["ph"] == "b":
            open_async[e["id"]] = e
        elif e["ph"] == "e":
            b = open_async.pop(e["id"])
            slices.append((b, micro(b["ts"]), micro(e["ts"]) - micro(b["ts"]),
                           ("async", e["id"])))
        else:
            instants.append(e)
    tracks = defaultdict(list)
    for e, start, length, track in slices:
        tracks[track].append((start, -length))
        named = (e["pid"], e["tid"]), "thread_name"
        if named not in names or ((e["pid"], 0), "process_name") not in names:
            bad.append("the track of %s has no name" % e)
        elif not names[named]["name"].endswith(
                str(e["args"]["cpu"] if e["args"]["family"] in PER_CPU or
                    not e["args"]["tid"] else e["args"]["tid"])):
            bad.append("%s is on the track %s" % (e, names[named]))
    for track, mine in tracks.items():
        ends = []
        for start, length in sorted(mine):
            while ends and ends[-1] <= start:
                ends.pop()
            if ends and start - length > ends[-1]:
                bad.append("slices do not nest on track %s" % (track,))
            ends.append(start - length)
    if open_async:
        bad.append("asynchronous events without an end")
    return slices, instants, bad


def of_chrome(e, length):
    a = e["args"]
    own = "spinning" if a["family"] in PER_CPU else "sleeping"
    return (a["family"], int(a["site"], 16), length, a["depth_" + own],
            a["depth_both"])


def check_case(test, trace, truth):
    path = trace.write(test.path("export"))
    freq, bad = trace.freq, []
    have = rows(run(test, "csv", path))
    # where a gap is open on another CPU, that depth is not known
    both = not any(k == ("depth", "both") for k in truth.ignored)
    bad += differ("csv", [(
        r["family"], int(r["site"], 16), r["length_ns"],
        int(r["depth_spinning" if r["family"] in PER_CPU else
              "depth_sleeping"]), int(r["depth_both"]) * both) for r in have],
        [(s.family, s.site, ns(s.length, freq), s.depth, s.both * both)
         for s in truth.sections])
    text = run(test, "chrome", path)
    slices, _, wrong = parse_chrome(text)
    got = Counter((s[0]["args"]["family"], s[0]["args"]["site"]) for s in slices)
    bad += wrong + differ("chrome", got.elements(), [
        (s.family, "0x%x" % s.site) for s in truth.sections])
    # each slice is a row: start and end rounded down to nanoseconds
    bad += differ("chrome and csv", [
        (s, s + d, e["args"]["lock"], e["args"]["depth_both"], e["args"]["tid"])
        for e, s, d, _ in slices], [
        (int(Decimal(r["start_ns"])), int(Decimal(r["end_ns"])), r["lock"],
         int(r["depth_both"]), int(r["tid"])) for r in have])
    return bad


@export
def cases(test):
    """Every trace made by hand, in both formats."""
    bad = []
    for make in CASES + LOSSES + LIMITS:
        if make.__name__ not in ("huge_times", "huge_sums"):  # beyond what doubles hold
            bad += ["%s: %s" % (make.__name__, b)
                    for b in check_case(test, *make())]
    return bad


def machine(seed, losses):
    trace, known = Machine(seed, losses=losses, cpus=1 + seed % 4).run()
    return known, trace, known.truth()


def full_rows(m, trace):
    """All columns of all complete sections."""
    t0, out = start_of(trace), []
    for s in m.sections:
        if m.cut(s) or not s.seen_start:
            continue
        own, both = m.depths(s)
        out.append((ns(s.start - t0, trace.freq), ns(s.end - t0, trace.freq),
                    ns(s.end - s.start, trace.freq), wall(trace, s.start),
                    s.family, own, both if not m.gaps else 0, s.cpu, s.task,
                    CONTEXTS[s.ctx], "0x%x" % s.lock, "", "0x%x" % s.site, ""))
    return out


@export
def by_chance(test):
    """Every column of every row; locks are often released out of order."""
    bad, tracks = [], set()
    for seed in range(8):
        m, trace, truth = machine(seed, 0.01 * (seed % 2))
        bad += check_case(test, trace, truth)
        path = os.path.join(test.work, "export")
        own = {True: "depth_spinning", False: "depth_sleeping"}
        bad += differ("csv", [(
            r["start_ns"], r["end_ns"], r["length_ns"], r["start_time"],
            r["family"], int(r[own[r["family"] in PER_CPU]]),
            int(r["depth_both"]) if not m.gaps else 0, int(r["cpu"]),
            int(r["tid"]), r["context"], r["lock"], r["lock_symbol"], r["site"],
            r["site_symbol"]) for r in rows(run(test, "csv", path))],
            full_rows(m, trace))
        tracks |= {s[3][0] for s in
                   parse_chrome(run(test, "chrome", path))[0]}
    if not any(p > 3 for p in tracks):
        bad.append("no section was on an overlapping track: nothing was tested")
    return bad


@export
def hand_over_hand(test):
    """A chain of locks: three tracks' worth of overlap on two tracks."""
    t = Trace()
    for i in range(6):
        t.acquire(1000 + 100 * i, 0, 5, "spin", 0x100 + i)
        t.acquire(1005 + 100 * i, 1, 6, "mutex", 0x200 + i)
        if i:
            t.release(1050 + 100 * i, 0, 5, "spin", 0x100 + i - 1)
            t.release(1055 + 100 * i, 1, 6, "mutex", 0x200 + i - 1)
    t.release(2000, 0, 5, "spin", 0x105)
    t.release(2005, 1, 6, "mutex", 0x205)
    slices, _, bad = parse_chrome(run(test, "chrome",
                                      t.write(test.path("export")), status=0))
    have = [(e["args"]["lock"], s, d, k[0]) for e, s, d, k in slices]
    want = []
    for i in range(6):
        end = 1150 + 100 * i if i < 5 else 2000
        for family, at in (0, 0), (1, 5):
            want.append(("0x%x" % (0x100 * (family + 1) + i), 100 * i + at,
                         end - 1000 - 100 * i, 1 + family + 4 * (i % 2)))
    return bad + differ("slices", have, want)


@export
def moments(test):
    """Losses and marks are instants; interrupts have a category of their own."""
    t = Trace()
    for i, ctx in enumerate(CONTEXTS):
        t.acquire(1000 + 10 * i, 0, 5, "spin", 0xa0, ctx=ctx)
        t.release(1005 + 10 * i, 0, 5, "spin", 0xa0, ctx=ctx)
    t.cpu(0).lose(4)
    t.cpu(0).add(2000, 1, 5, 7, 2**64 - 1)
    slices, instants, bad = parse_chrome(
        run(test, "chrome", t.write(test.path("export")), status=3))
    bad += differ("categories", [e["cat"] for e, *_ in slices], [
        "spin" + ("," + c if c != "task" else "") for c in CONTEXTS.values()])
    bad += differ("contexts", [e["args"]["context"] for e, *_ in slices],
                  CONTEXTS.values())
    return bad + differ("instants", [
        (e["name"], micro(e["ts"]), e["tid"], e["args"].get("lost_so_far"),
         e["args"].get("a"), e["args"].get("b")) for e in instants],
        [("records lost", 45, 0, 4, None, None),
         ("mark", 1000, 0, None, "7", str(2**64 - 1))])


@export
def odd_symbols(test):
    """Names with the signs that CSV and JSON need quotes for."""
    t = Trace()
    t.acquire(100, 0, 5, "spin", 0xffffffff82000000, site=0xffffffff81001023)
    t.release(200, 0, 5, "spin", 0xffffffff82000000)
    t.file("info/kallsyms", 'ffffffff81001000 T odd,"name"\\\n'
                            "ffffffff82000000 D lock,1\n")
    path = t.write(test.path("export"))
    bad, name = [], 'odd,"name"\\+0x23'
    row, = rows(run(test, "csv", path))
    if row["site_symbol"] != name or row["lock_symbol"] != "lock,1":
        bad.append("csv: %s" % row)
    (e, *_), = parse_chrome(run(test, "chrome", path))[0]
    if e["name"] != name or e["args"]["lock_symbol"] != "lock,1":
        bad.append("chrome: %s" % e)
    return bad


@export
def classes_of_locks(test):
    """Of the file with names, of symbols, and of neither."""
    t = Trace()
    for i, lock in enumerate((0xffff888000001000, 0xffff888000002000, 0xffffffff82000000, 0xa0)):
        t.acquire(100 * i + 100, 0, 5, "spin", lock)
        t.release(100 * i + 150, 0, 5, "spin", lock)
    t.file("info/kallsyms", "ffffffff81001000 T a\nffffffff82000000 D big_lock\n")
    t.file("info/locks", "lock names 1\n0xffff888000001000\tslab\t1\t-\tinode.i_lock\n"
                         "0xffff888000002000\tslab\t2\t-\tA,B+0x8\n")
    path, want = t.write(test.path("export")), ["inode.i_lock", "A,B+0x8 (probably)", "big_lock"]
    return differ("csv", [r["class"] for r in rows(run(test, "csv", path))], want + [""]) + \
        differ("chrome", [e["args"].get("class") for e, *_ in parse_chrome(
            run(test, "chrome", path))[0]], want + [None])


@export
def task_names(test):
    """Tracks of tasks are called like these, as far as that is known."""
    t = Trace()
    for tid in (5, 6, 7):
        t.acquire(100 * tid, 0, tid, "mutex", tid)
        t.release(100 * tid + 50, 0, tid, "mutex", tid)
    t.file("info/tasks", '5\tmake\n6\todd "\\\\\xc3\n0\tnobody\n')
    events = json.loads(run(test, "chrome", t.write(test.path("export"))))
    return differ("tracks", [
        e["args"]["name"] for e in events["traceEvents"]
        if e["name"] == "thread_name"],
        ["make 5", 'odd "\\\\\xc3 6', "task 7"])


@export
def programs(test):
    """Sections of a program have no CPU; a gap of theirs is not that of a CPU; what is a
    lock by its number among those of CPUs is none among those of programs."""
    t = Trace()
    t.acquire(100, 2, 5, "pthread_mutex", 0xa0)
    t.acquire(110, 2, 5, "mutex", 0xb0)
    t.release(120, 2, 5, "mutex", 0xb0)
    t.release(130, 2, 5, "pthread_mutex", 0xa0)
    t.thread(2).add(140, 16, 5, 1, 2)
    t.thread(2).add(150, 17, 5, 1, 2)
    t.thread(2).lose(1)
    t.thread(2).add(200, 16, 5, 1, 2)
    path = t.write(test.path("export"))
    bad = differ("csv", [
        (r["family"], r["cpu"], r["depth_both"], r["depth_program"])
        for r in rows(run(test, "csv", path, status=3))],
        [("mutex", "2", "0", "1"), ("pthread_mutex", "", "0", "0")])
    slices, instants, wrong = parse_chrome(run(test, "chrome", path, status=3))
    bad += wrong + differ("one track", [(2, 5), (2, 5)], [
        (e["pid"], e["tid"]) for e, *_ in slices])
    bad += differ("no CPU", [2, None], [e["args"].get("cpu") for e, *_ in slices])
    return bad + differ("gap", [(4, 2, 2)], [
        (e["pid"], e["tid"], e["args"]["ring"]) for e in instants])


@export
def no_wall_clock(test):
    t = Trace(offset_s=0)
    t.acquire(100, 0, 5, "spin", 1)
    t.release(200, 0, 5, "spin", 1)
    row, = rows(run(test, "csv", t.write(test.path("export"))))
    return [] if row["start_time"] == "" else [str(row)]


@export
def filters(test):
    m, trace, _ = machine(2, 0)
    path, bad = trace.write(test.path("export")), []
    every = rows(run(test, "csv", path))
    starts = sorted(Fraction(r["start_ns"]) for r in every)
    low = -(-starts[len(starts) // 4] // 1)
    # to the very nanosecond at which one begins: that one is out
    exact = sorted(Fraction(r["start_ns"]) for r in every if r["cpu"] == "1")
    high = [start for start in exact[:len(exact) * 3 // 4] if start.denominator == 1][-1]
    seconds = ["%d.%09d" % divmod(int(x), 10**9) for x in (low, high)]
    for args, want in (
            (["--family", "spin,rwsem_*"], lambda r: r["family"] in (
                "spin", "rwsem_read", "rwsem_write")),
            (["--cpu", "0,2"], lambda r: r["cpu"] in ("0", "2")),
            (["--cpu", "1-2"], lambda r: r["cpu"] in ("1", "2")),
            (["--from", seconds[0]], lambda r: Fraction(r["start_ns"]) >= low),
            (["--to", seconds[1], "--from=" + seconds[0], "--cpu=1"],
             lambda r: low <= Fraction(r["start_ns"]) < high and
             r["cpu"] == "1")):
        have = rows(run(test, "csv", path, *args))
        if have != [r for r in every if want(r)]:
            bad.append("%s: %d rows, not %d" % (
                args, len(have), len([r for r in every if want(r)])))
        if not have or len(have) == len(every):
            bad.append("%s: nothing was tested" % args)
    return bad


@export
def other_readers(test):
    """jq reads the JSON to its end, from a file that --output made."""
    _, trace, _ = machine(1, 0.01)
    path, bad = trace.write(test.path("export")), []
    name = os.path.join(test.work, "export.json")
    run(test, "chrome", path, "--output", name)
    with open(name) as f:
        text = f.read()
    if text != run(test, "chrome", path):
        bad.append("--output writes something else than standard output")
    r = JQ and subprocess.run([JQ, "-e", ".traceEvents | length", name],
                              capture_output=True, text=True, timeout=60)
    if r and (r.returncode or
              int(r.stdout) != len(json.loads(text)["traceEvents"])):
        bad.append("jq: " + r.stderr + r.stdout)
    return bad


@export
def usage(test):
    path, bad = Trace().write(test.path("export")), []
    for args, status, word in (
            ([path], 2, "--format"), (["-f", "xml", path], 2, "'xml'"),
            (["-f", "csv"], 2, "which trace"),
            (["-f", "csv", path, path], 1, "is not a part of a rotated recording"),
            (["-f", "csv", "--family", "spim", path], 2, "'spin'"),
            (["-f", "csv", "--cpu", "3-1", path], 2, "'3-1'"),
            (["-f", "csv", "--cpu", "", path], 2, "''"),
            (["-f", "csv", "--from", "x", path], 2, "'x'"),
            (["-f", "csv", "--from", "99999999999999", path], 2, "--from"),
            (["-f", "csv", "--from", "2", "--to=1.5", path], 2, "nothing is left"),
            (["-f", "csv", "-o", "/no/such/file", path], 1, "cpu0"),
            (["--nonsense"], 2, "nonsense"), (["--help"], 0, "")):
        r = test.ft("export", *args)
        if r.returncode != status or word not in r.stderr:
            bad.append("%s: exit status %d: %s" % (args, r.returncode, r.stderr))
    t = Trace()
    t.acquire(100, 0, 5, "spin", 1)
    t.release(200, 0, 5, "spin", 1)
    t.write(path)
    for args, word in ((["--cpu", "5"], "no CPU 5"),
                       (["-o", "/no/such/file"], "/no/such/file")):
        r = test.ft("export", "-f", "csv", *args, path)
        if r.returncode != 1 or word not in r.stderr:
            bad.append("%s: exit status %d: %s" % (args, r.returncode, r.stderr))
    return bad
