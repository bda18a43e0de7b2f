#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Stacks of programs are those of their source: stacks.py BUILD FT

Runs stacks.c under ft run --stacks and compares what the trace says with what is written
there. Addresses are named with nm, without any code of ft's. Prints a line for each check, as
tests/lib.sh has it.
"""
import bisect
import collections
import functools
import os
import re
import struct
import subprocess

from runs import BUILD, FT, WORK, main, run
from told import check, same

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "stacks.c")
CHAIN = ["deep%d" % n for n in range(8, 0, -1)]
TAG = 48
OF = ["acquisition", "section", "wait"]
FP, PLAIN = os.path.join(BUILD, "stacks-fp"), os.path.join(BUILD, "stacks")
HOWS = {"fp": FP, "dwarf": PLAIN}


@functools.lru_cache()
def symbols(path):
    text = subprocess.run(["nm", "--defined-only", path], stdout=subprocess.PIPE, text=True,
                          check=False, stderr=subprocess.DEVNULL).stdout
    rows = sorted((int(a, 16), n) for a, kind, n in
                  (line.split(" ", 2) for line in text.splitlines()) if kind in "tTwW")
    return [r[0] for r in rows], [r[1] for r in rows]


class Stacks:
    """The file of stacks, and the records that name them."""

    def __init__(self, trace):
        self.trace = trace
        with open(os.path.join(trace.path, "info/stacks")) as f:
            head, *lines = f.read().splitlines()
        self.head = head
        found = re.fullmatch(r"# feather-trace stacks 1 full=(\d+) failed=(\d+)", head)
        self.full, self.failed = (int(n) for n in found.groups())
        self.by_id, self.pid = {}, {}
        for line in lines:
            pid, number, *addresses = line.split(" ")
            assert int(number) not in self.by_id, line
            self.by_id[int(number)] = [int(a, 16) for a in addresses]
            self.pid[int(number)] = int(pid)
        self.read_programs()

    def read_programs(self):
        files, self.objects, self.tags = [], [], {}
        with open(os.path.join(self.trace.path, "info/programs")) as f:
            for line in f:
                row = line.rstrip("\n").split("\t")
                if row[0] == "file":
                    files.append(row[2])
                elif row[0] == "process":
                    self.tags[int(row[1])] = int(row[2])
                elif row[0] == "object":
                    start, end, bias = (int(x, 16) for x in row[3:6])
                    self.objects.append((start, end, bias, files[int(row[6])]))

    def name(self, address):
        at = (address & (1 << TAG) - 1) - 1
        for start, end, bias, path in self.objects:
            if start <= at < end:
                addresses, names = symbols(path)
                i = bisect.bisect_right(addresses, at - bias)
                return names[i - 1] if i and "stacks" in os.path.basename(path) else "?"
        return "??"

    def names(self, number):
        return [self.name(a) for a in self.by_id[number]]

    def records(self):
        """(what it is of, its id, its lock), of each record."""
        return [(OF[r.a >> 32], r.a & 0xffffffff, r.b) for r in self.trace.of("stack")]

    def of(self, what):
        return [self.names(i) if i else [] for of, i, _ in self.records() if of == what]


def long_sections(trace):
    """The locks that were held for longer than a millisecond, in the order of the ends: on a busy
    machine also those that the program gives back at once."""
    begun, found = {}, []
    for r in sorted(trace.records, key=lambda r: r.ts):
        if r.name == "pthread_mutex_acquire":
            begun[r.tid, r.a] = r.ts
        elif r.name == "pthread_mutex_release":
            if (r.ts - begun.pop((r.tid, r.a))) * 1000 > int(trace.session("clock_hz")):
                found.append(r.a)
    return found


def stacks(case, what="sections>1ms", how="fp", program=None, **kwargs):
    options = ["--locks", "--stacks=" + what if what else "--stacks", "--unwind=" + how]
    trace, said, _ = run(options, [program or HOWS[how], *case.split()], **kwargs)
    return Stacks(trace), said


def chain_of(names):
    """Of a stack, what is the program's."""
    return [n for n in names if n not in ("?", "??")]


def test_chain():
    for how in HOWS:
        for case, last in (("chain", ["chain", "main"]), ("thread", ["deep"])):
            s, _ = stacks(case, how=how)
            same("%s: %s: one record, of a section" % (how, case), ["section"],
                 [of for of, _, _ in s.records()])
            got = chain_of(s.of("section")[0])
            same("%s: %s: the stack is as it is written" % (how, case), CHAIN,
                 got[:len(CHAIN)])
            same("%s: %s: then its callers" % (how, case), last, got[8:8 + len(last)])
            same("%s: %s: nothing failed" % (how, case), (0, 0), (s.full, s.failed))


def test_record():
    """A record follows the release that it is of; the file names the process."""
    s, _ = stacks("chain")
    kinds = [(r.name, r.a) for r in s.trace.records]
    same("the record comes after the release",
         ["pthread_mutex_acquire", "pthread_mutex_release", "stack"], [k for k, _ in kinds])
    same("and names its lock", kinds[1][1], s.records()[0][2])
    number = s.records()[0][1]
    same("the file has its process, which its addresses are marked with", [s.pid[number]],
         sorted({s.tags.get(a >> TAG, 0) for a in s.by_id[number]}))
    dump = subprocess.run([FT, "dump", s.trace.path], stdout=subprocess.PIPE, check=False,
                          text=True).stdout
    got = re.findall(r"^ +(deep\d)\+0x", dump, re.M)
    same("ft dump prints the stack below it", CHAIN, got)
    babel = subprocess.run(["babeltrace2", s.trace.path], stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, check=False, text=True)
    same("babeltrace2 reads the record", 1, babel.stdout.count(" stack: "))


def line_of(word):
    with open(SOURCE) as f:
        return next(n for n, line in enumerate(f, 1) if line.endswith("/* %s */\n" % word))


def test_inlined():
    for how in HOWS:
        s, _ = stacks("inlined", how=how)
        dump = subprocess.run([FT, "dump", s.trace.path], stdout=subprocess.PIPE, check=False,
                              text=True).stdout
        got = re.findall(r"^ +(inlined_\w+)\S*.*?  stacks\.c:(\d+)( +\(inlined\))?", dump, re.M)
        same("%s: inlined functions are shown, with their lines" % how,
             [("inlined_in", line_of("INNER") + 1, True),
              ("inlined_mid", line_of("MIDDLE"), True),
              ("inlined_out", line_of("OUTER"), False)],
             [(name, int(line) + (name == "inlined_in" and int(line) == line_of("INNER")),
               bool(i)) for name, line, i in got])
        folded = subprocess.run([FT, "export", "-f", "folded", "--of", "hold", s.trace.path],
                                stdout=subprocess.PIPE, check=False, text=True).stdout
        # outermost first, each with its file
        same("%s: and in what flame graphs are made of" % how,
             ["inlined_out", "inlined_mid", "inlined_in"],
             re.findall(r"(?:^|;)(inlined_\w+) \[", folded))
    path = s.trace.path
    os.rename(PLAIN, PLAIN + ".kept")
    try:
        subprocess.run(["cp", FP, PLAIN], check=True)
        other = subprocess.run([FT, "dump", path], stdout=subprocess.PIPE, check=False,
                               text=True).stdout
        os.unlink(PLAIN)
        gone = subprocess.run([FT, "dump", path], stdout=subprocess.PIPE, check=False,
                              text=True).stdout
    finally:
        os.rename(PLAIN + ".kept", PLAIN)
    check("the file is gone: the symbol alone", "inlined_out+" in gone and
          "(inlined)" not in gone, gone)
    for line in re.findall(r"^ {12,}(\S+).*stacks\.c:\d+", other, re.M):
        check("another file of this name: nothing but functions that are there too",
              re.sub(r"\+.*", "", line) in symbols(PLAIN)[1] or line.startswith("inlined_"), line)


def test_stripped():
    s, _ = stacks("chain", how="dwarf", program=os.path.join(BUILD, "stacks-stripped"))
    dump = subprocess.run([FT, "dump", s.trace.path], stdout=subprocess.PIPE, check=False,
                          text=True).stdout
    rows = re.findall(r"^ {12,}(\S.*)$", dump, re.M)
    check("stripped: places in the file", len(rows) >= 9 and all(
        re.fullmatch(r"0x[0-9a-f]+ \[stacks-stripped\]", r) for r in rows[:9]), rows)


def test_no_frame_pointers():
    """Compiled without: the first one is right, and the rest are calls of this program."""
    s, _ = stacks("chain", program=PLAIN)
    got = s.of("section")[0]
    same("no frame pointers: the call itself", ["deep8"], got[:1])
    places = [s.name(a) for a in s.by_id[s.records()[0][1]]]
    check("no frame pointers: nothing that is no function's", "??" not in places, places)
    s, _ = stacks("wild", program=PLAIN)
    stacked = s.of("section")
    same("a wild frame pointer: each section has its record", 4, len(stacked))
    check("a wild frame pointer: only the call is known", all(
        n == ["wild"] for n in stacked), stacked)


def test_thresholds():
    s, _ = stacks("sections")
    check("sections: few of 101 are long", len(s.records()) < 50, len(s.records()))
    same("sections: those that are", long_sections(s.trace), [lock for _, _, lock in s.records()])
    s, _ = stacks("sections", what="sections")
    same("sections: all, without a limit", 101, len(s.records()))
    same("sections: each stack is stored once", 2,
         len({tuple(v) for v in s.by_id.values()}))
    same("sections: and not twice", len({tuple(v) for v in s.by_id.values()}), len(s.by_id))
    s, _ = stacks("sections", what="sections>10s")
    same("sections: none is that long", (0, {}), (len(s.records()), s.by_id))
    s, _ = stacks("sections", what="1/10")
    same("one in 10 acquisitions", ["acquisition"] * 10, [of for of, _, _ in s.records()])
    s, _ = stacks("nested")
    same("nested: each lock has its own time", long_sections(s.trace),
         [lock for _, _, lock in s.records()])
    same("nested: the long one", ["nested"], s.of("section")[-1][:1])
    s, _ = stacks("crossed")
    same("crossed: each lock has its own time", long_sections(s.trace),
         [lock for _, _, lock in s.records()])
    check("crossed: the long one", s.trace.of("pthread_mutex_acquire")[0].a in
          {lock for _, _, lock in s.records()}, s.records())
    same("the session file says what was asked for", ("1000000", None, "fp"),
         (s.trace.session("stacks_sections_ns"), s.trace.session("stacks_waits_ns"),
          s.trace.session("unwind")))


def test_waits():
    for how in HOWS:
        s, _ = stacks("waits", what="waits>1ms", how=how)
        names = [r.name for r in s.trace.records]
        same("%s: waits: one" % how, ["wait"], [of for of, _, _ in s.records()])
        same("%s: waits: after its end" % how, "contention_end",
             sorted(s.trace.records, key=lambda r: r.ts)[
                 [r.name for r in sorted(s.trace.records, key=lambda r: r.ts)].index("stack")
                 - 1].name if "stack" in names else None)
        same("%s: waits: where it waited" % how, ["deep8", "taker"],
             chain_of(s.of("wait")[0])[:2])
    s, _ = stacks("waits", what="waits>10s")
    same("waits: none is that long", 0, len(s.records()))
    s, _ = stacks("waits", what="")
    same("--stacks alone: waits and sections", ["section", "wait"],
         sorted({of for of, _, _ in s.records()}))


def test_fork():
    for how in HOWS:
        s, _ = stacks("child", how=how)
        got = collections.Counter(s.pid[i] for _, i, _ in s.records())
        same("%s: fork: a stack of each process" % how, [1, 1], sorted(got.values()))
        check("%s: fork: the child's" % how, any(
            chain_of(n)[:8] == CHAIN for n in s.of("section")), s.of("section"))
    s, _ = stacks("inherited")
    same("fork: no section of the child's", 1, len(s.records()))


def test_handler():
    s, _ = stacks("handler")
    same("fp: a handler: its own callers", CHAIN + ["on_signal"],
         chain_of(s.of("section")[0])[:9])
    same("fp: a handler: nothing beyond it", 9, len(s.of("section")[0]))
    s, said = stacks("handler", how="dwarf")
    same("dwarf: a handler: refused, and counted", ([("section", 0)], 1, {}),
         ([r[:2] for r in s.records()], s.failed, s.by_id))
    check("dwarf: a handler: it is said", "1 stacks could not be taken" in said, said)
    for case in "alternate", "coroutine", "full":
        for how in HOWS:
            s, said = stacks(case, how=how)
            # on a busy machine a section before it may be long, too, and has its stack
            same("%s: %s: another stack: refused, and counted" % (how, case),
                 ([("section", 0)], 1), ([r[:2] for r in s.records()[-1:]], s.failed))
            check("%s: %s: it is said" % (how, case), "could not be taken" in said, said)


def damaged(source, damage):
    """A copy of the program whose unwind tables are wrong: it never unwinds itself."""
    path = os.path.join(WORK, "damaged")
    text = subprocess.run(["readelf", "-SW", source], stdout=subprocess.PIPE, text=True,
                          check=True).stdout
    with open(source, "rb") as f:
        data = bytearray(f.read())
    at = int(re.search(r" [.]eh_frame_hdr +PROGBITS +\w+ (\w+)", text).group(1), 16)
    count, = struct.unpack_from("<I", data, at + 8)
    damage(data, at, count)
    with open(path, "wb") as f:
        f.write(data)
    os.chmod(path, 0o755)
    return path


def damage_count(data, at, _):
    struct.pack_into("<I", data, at + 8, 0x3fffffff)


def damage_rows(data, at, count):
    for i in range(count):
        struct.pack_into("<i", data, at + 12 + 8 * i + 4, 0x7ffffff0)


def damage_lengths(data, at, count):
    for i in range(count):
        row, = struct.unpack_from("<i", data, at + 12 + 8 * i + 4)
        struct.pack_into("<I", data, at + row, 0x7ffffff0)


def test_damaged():
    """Tables that lead out of their file: the program goes on, and nothing is invented."""
    for how, program in HOWS.items():
        for damage in damage_count, damage_rows, damage_lengths:
            s, _ = stacks("chain", how=how, program=damaged(program, damage))
            name = "%s: %s" % (how, damage.__name__)
            same(name + ": the section has its record", ["section"],
                 [of for of, _, _ in s.records()])
            check(name + ": the call itself at most", all(
                len(a) == 1 for a in s.by_id.values()), s.by_id)


def test_unload():
    """Words on the stack of a thread point into a library that another one unloads."""
    s, _ = stacks("unload " + os.path.join(BUILD, "plugin.so"), what="sections",
                  program=PLAIN, status=(0, 3)) # records may be lost
    check("unload: there are stacks", s.by_id, s.head)


def test_unload_under():
    """It is unloaded while that thread reads its tables, and has no CPU for half a second."""
    _, _, said = run(["--locks", "--stacks=sections", "--unwind=fp"],
                     [PLAIN, "unload-under", os.path.join(BUILD, "plugin.so")], status=(0, 3))
    same("unload under a reader: it is there until then", "1 1", said.strip())


def test_table():
    s, said = stacks("many 32768", what="sections", how="fp")
    same("full table: each section has its record", 32768, len(s.records()))
    none = sum(not i for _, i, _ in s.records())
    check("full table: most of it is used", len(s.by_id) > 16000, len(s.by_id))
    same("full table: who found no room is counted", (none, 0), (s.full, s.failed))
    check("full table: it is said", "%d stacks found no room" % none in said, said)
    same("full table: the session file has it", str(none), s.trace.session("stacks_full"))
    check("full table: every id is in the file", all(
        not i or i in s.by_id for _, i, _ in s.records()), "an unknown id")
    same("full table: each stack once", len(s.by_id),
         len({tuple(a) for a in s.by_id.values()}))


def test_sanitized():
    """Programs that are built with a sanitizer, whose frames are of other kinds."""
    for kind in "address", "thread":
        s, _ = stacks("chain", how="dwarf", program=os.path.join(BUILD, "stacks-" + kind),
                      env=dict(os.environ, ASAN_OPTIONS="verify_asan_link_order=0"))
        # their run time takes locks of its own
        check("%s: the stack is as it is written" % kind, any(
            chain_of(n)[:8] == CHAIN for n in s.of("section")), s.of("section"))


def test_parts():
    """A snapshot, and the parts of a rotated recording."""
    out = os.path.join(WORK, "flight")
    subprocess.run([FT, "run", "--locks", "--stacks=sections>1ms", "--flight", "-o", out, "--",
                    FP, "chain"], stderr=subprocess.DEVNULL, check=False)
    with open(os.path.join(out, "1/info/stacks")) as f:
        text = f.read()
    same("a snapshot has its stacks", 2, len(text.splitlines()))


def test_options():
    for options, want in (
            (["--stacks"], "--stacks is for locks and the heap: add --locks or --heap"),
            (["--locks", "--unwind=fp", "--stacks=sometimes"], "'sometimes'"),
            (["--locks", "--stacks=waits>1"], "a number and ns, us, ms or s"),
            (["--locks", "--stacks=waits>1h"], "a number and ns, us, ms or s"),
            (["--locks", "--stacks=waits>"], "a number and ns, us, ms or s"),
            (["--locks", "--stacks=waits>99999999999s"], "too long"),
            (["--locks", "--stacks=waits,waits>1us"], "once"),
            (["--locks", "--stacks=1/0"], "1/N"),
            (["--locks", "--stacks=1/2,1/3"], "once"),
            (["--locks", "--stacks=sleeps"], "of the kernel: ft record"),
            (["--locks", "--stacks=sleeps,sleeps"], "once"),
            (["--locks", "--stacks=sleeps>1us"], "it takes"),
            (["--locks", "--stacks=waits,"], "''"),
            (["--locks", "--unwind=dwarf"], "--unwind is for stacks: add --stacks"),
            (["--locks", "--stacks", "--unwind=guess"], "guess")):
        if options[-1] == "--stacks":
            options = options + ["-e", "x"]
        done = subprocess.run([FT, "run", *options, "--", "true"], stderr=subprocess.PIPE,
                              check=False, text=True)
        if options[-1] == "--stacks=waits,":
            want = "it takes"
        check("refused: %s" % " ".join(options), done.returncode == 125 and
              want in done.stderr, done.stderr)


main([test_chain, test_record, test_inlined, test_stripped, test_no_frame_pointers,
      test_thresholds, test_waits, test_fork, test_handler, test_damaged, test_unload,
      test_unload_under, test_table, test_sanitized, test_parts, test_options])
