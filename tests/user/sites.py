#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""ft sites on what compilers and linkers make: sites.py BUILD FT

Each file is compared with its source code: every ft_event() is there, in its line
and its function. Prints a line for each check, as tests/lib.sh has it.
"""
import collections
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

from told import check, run_all, same

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD, FT = (os.path.abspath(p) for p in (*sys.argv[1:3], "")[:2])
WORKING = tempfile.TemporaryDirectory(prefix="ft-sites-")   # goes with the program
WORK = WORKING.name


def sites(path, *args, under=()):
    done = subprocess.run([*under, FT, "sites", "--json", *args, path], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode or done.stderr:
        check(path, False, "status %d: %s" % (done.returncode, done.stderr))
    return json.loads(done.stdout)


def built(name):
    path = os.path.join(BUILD, name)
    if os.path.exists(path):
        return path
    print("skip sites: %s: not built" % name)
    return None


def places(rows):
    """Of each event, in which lines and functions it is."""
    return {(s["event"], s["line"], s["function"]) for s in rows}


def triggers_in(name):
    """The same, from the source: functions begin in the first column."""
    out, function = set(), None
    with open(os.path.join(HERE, name)) as f:
        for number, line in enumerate(f, 1):
            head = re.match(r"\w[^;=]*?(\w+)\([^;]*$", line)
            if head:
                function = head.group(1)
            for event in re.findall(r"\bft_event(?:_at)?\((\w+)", line):
                out.add((event, number, function))
    return out


def copy(path, name, *command):
    """A copy, after a command that changes it."""
    new = os.path.join(WORK, name)
    shutil.copy(path, new)
    if command:
        subprocess.run([*command, new], check=True)
    return new


def test_programs():
    want = triggers_in("emit.c")
    check("sites: there are many in the source", len(want) > 25, len(want))
    for name, what in (("emit", "a program"), ("emit-static", "a static one"),
                       ("emit-gc", "one without unused sections"),
                       ("emit-nopie", "one at a fixed address"),
                       ("emit-lld", "lld"), ("emit-clang", "clang")):
        path = built(name)
        if not path:
            continue
        rows = sites(path)
        got = places(rows)
        if name == "emit-clang":    # it counts a function's first from its beginning
            same("sites: %s: events and functions" % what,
                 {(e, f) for e, _, f in want}, {(e, f) for e, _, f in got})
        else:
            same("sites: %s: events, lines, functions" % what, want, got)
        same("sites: %s: of one file" % what, {"emit.c"},
             {os.path.basename(s["source"]) for s in rows})


def test_portable():
    done = subprocess.run([FT, "sites", built("emit-portable")], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    check("sites: triggers that are no code are not there", done.returncode == 0 and
          not done.stdout and "no triggers" in done.stderr, done.stdout + done.stderr)


def test_32_bits():
    want = [("moved", 0), (None, 7), (None, 7)]
    for name in ("triggers32", "triggers32-pie", "triggers32.o"):
        path = built(name)
        if not path:
            continue
        rows = sites(path)
        same("sites: %s: events" % name, want, [(s["event"], s["id"]) for s in rows])
        same("sites: %s: functions" % name, {"announce"}, {s["function"] for s in rows})
        same("sites: %s: of one file" % name, {"trigger_steps.c"},
             {os.path.basename(s["source"]) for s in rows})


def test_addresses():
    """They are those of instructions that a disassembler sees."""
    path = built("emit")
    text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", path],
                          stdout=subprocess.PIPE, text=True, check=True).stdout
    tests = set(re.findall(r"^ *([0-9a-f]+):\s+test +\$0x[0-9a-f]+,%eax", text, re.M))
    missing = [s["address"] for s in sites(path) if s["address"][2:] not in tests]
    same("sites: each address is that of a trigger", [], missing)
    functions = dict(line.split()[::-2] for line in subprocess.run(
        ["nm", path], stdout=subprocess.PIPE, text=True,
        check=True).stdout.splitlines() if len(line.split()) == 3)
    wrong = [s for s in sites(path) if int(functions[s["function"]], 16) +
             s["offset"] != int(s["address"], 16)]
    same("sites: and so many bytes behind the function's begin", [], wrong)


def test_stripped():
    path = built("emit")
    want = [(s["event"], s["address"]) for s in sites(path)]
    for name, command in (("stripped", ["strip"]),
                          ("without sections", [sys.executable, __file__,
                                                "--drop-sections"])):
        rows = sites(copy(path, "bare", *command))
        same("sites: %s: the same events and addresses" % name, want,
             [(s["event"], s["address"]) for s in rows])
        same("sites: %s: and nothing else" % name, {(None, None)},
             {(s["function"], s["source"]) for s in rows})
    rows = sites(copy(built("plugin.so"), "bare.so", "strip"))
    same("sites: a stripped library has the names that it exports",
         [("plugin", "plugin_announce", None)],
         [(s["event"], s["function"], s["source"]) for s in rows])


def drop_sections(path):
    with open(path, "r+b") as f:
        for at, size in ((0x28, 8), (0x3c, 4)):
            f.seek(at)
            f.write(bytes(size))


def test_debug_files():
    path = built("emit")
    want = places(sites(path))
    bare = copy(path, "bare", "strip")
    debug = os.path.join(WORK, ".debug")
    os.mkdir(debug)
    subprocess.run(["objcopy", "--only-keep-debug", path, debug + "/emit.debug"],
                   check=True)
    linked = copy(bare, "linked", "objcopy", "--add-gnu-debuglink=%s/emit.debug" % debug)
    same("sites: debug information beside it", want, places(sites(linked)))
    done = subprocess.run([FT, "sites", debug + "/emit.debug"], text=True,
                          stderr=subprocess.PIPE, check=False)
    check("sites: of debug information alone: told", done.returncode == 1 and
          "no code" in done.stderr, done.stderr)
    build_id = re.search(r"Build ID: (\w\w)(\w+)", subprocess.run(
        ["readelf", "-n", path], stdout=subprocess.PIPE, text=True,
        check=True).stdout)
    own = ["unshare", "--mount", "--map-root-user", "sh", "-c", "mount -t tmpfs none "
           "/usr/lib/debug && mkdir -p /usr/lib/debug/.build-id/%s && cp %s/emit.debug "
           "/usr/lib/debug/.build-id/%s/%s.debug && exec \"$0\" \"$@\"" % (
               build_id[1], debug, build_id[1], build_id[2])]
    if subprocess.run([*own, "true"], stderr=subprocess.DEVNULL,
                      check=False).returncode:
        print("skip sites: debug information by build-id: no right to mount")
        return
    same("sites: debug information by build-id", want, places(sites(bare, under=own)))


def test_inlined():
    rows = sites(built("inlined"))
    line = next(n for _, n, f in triggers_in("inlined.c") if f == "push")
    same("sites: inlined: the innermost's line, and into what",
         2 * [("item", line, "fill", ["push", "push_both"])],
         [(s["event"], s["line"], s["function"], s["inlined"]) for s in rows])
    text = subprocess.run([FT, "sites", built("inlined")], text=True,
                          stdout=subprocess.PIPE, check=False).stdout
    check("sites: inlined: for people", re.search(
        r"^item +0x\w+ +fill\+0x\w+ +\S*inlined.c:%d \(inlined push\)$" % line, text,
        re.M), text)


def test_packed_relocations():
    """What a program's start adds to is in the data, not in a table."""
    for name, flags in (("ld", ["-Wl,-z,pack-relative-relocs"]),
                        ("lld", ["-fuse-ld=lld", "-Wl,--pack-dyn-relocs=relr"])):
        out = os.path.join(WORK, "packed")
        done = subprocess.run(
            ["cc", "-O2", "-g", "-I" + os.path.join(HERE, "../../include"), "-o", out,
             os.path.join(HERE, "inlined.c"), *flags, "-L" + BUILD + "/userspace",
             "-lfeathertrace"], stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode:
            print("skip sites: packed relocations: %s cannot" % name)
            continue
        same("sites: packed relocations: %s" % name, ["item", "item"],
             [s["event"] for s in sites(out)])


def test_cpp():
    rows = sites(built("emit-c++"))
    same("sites: C++: events", {"none", "one", "three", "silent"},
         {s["event"] for s in rows})
    names = {s["function"] for s in rows}
    check("sites: C++: a template, once", [s["function"] for s in rows].count(
        "announce<unsigned char>") == 1, names)
    check("sites: C++: a lambda", any(
        "main::{lambda()#1}" in s["function"] or "operator()" in s["inlined"]
        for s in rows if s["event"] == "none"), rows)
    rows = sites(built("emit-c++"), "--no-demangle")
    check("sites: C++: --no-demangle", "_Z8announceIhEvT_" in
          {s["function"] for s in rows}, rows)


def test_numbers():
    got = collections.Counter(s["id"] for s in sites(built("control_test"))
                              if s["event"] is None)
    check("sites: numbers without an event", got[501] and got[502], got)


def test_object():
    out = os.path.join(WORK, "words_too.o")
    subprocess.run(["c++", "-O2", "-g", "-c", "-I" + os.path.join(HERE, "../../include"),
                    "-o", out, os.path.join(HERE, "words_too.cc")], check=True)
    rows = sites(out)
    same("sites: an object file that only announces them", {"one", "silent", "three"},
         {s["event"] for s in rows})
    check("sites: an object file: sections and functions", all(
        s["section"].startswith(".text") and s["function"] and s["line"]
        for s in rows), rows)


def main():
    return run_all([test_programs, test_32_bits, test_portable, test_addresses, test_stripped,
                    test_debug_files, test_inlined, test_packed_relocations,
                    test_cpp, test_numbers, test_object], sys.argv[3:])


if sys.argv[1] == "--drop-sections":
    drop_sections(sys.argv[2])
else:
    sys.exit(main())
