#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""What ft run says of a program's locks is what they are in its source: names.py BUILD FT

Runs names.c, which prints what each of its locks is. Prints a line for each check, as
tests/lib.sh has it.
"""
import json
import os
import re
import shutil
import subprocess

from runs import BUILD, FT, WORK, main
from told import check, same

OUT = os.path.join(WORK, "names")
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "names.c")
TAG = 48


def record(command, *options):
    """Return: what the program printed, what ft said."""
    shutil.rmtree(OUT, ignore_errors=True)
    done = subprocess.run([FT, "run", "--locks", "-o", OUT, *options, "--", *command],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False, text=True, timeout=120)
    check("recorded: %s %s" % (os.path.basename(command[0]), " ".join(options)),
          not done.returncode, done.stderr)
    return done.stdout, done.stderr


def named(trace=OUT):
    """What the trace says: by address, without the process: (kind, types, class)."""
    path = os.path.join(trace, "info/locks")
    if not os.path.exists(path):
        return {}
    with open(path) as f:
        rows = [line.rstrip("\n").split("\t") for line in f]
    same("the file has a version", ["lock names 1"], rows[0])
    return {int(r[0], 16) & (1 << TAG) - 1: (r[1], int(r[2]), r[4]) for r in rows[1:]}


def line_of(word):
    """The number of the source's line that ends with the comment."""
    with open(SOURCE) as f:
        return next(n for n, line in enumerate(f, 1) if line.endswith("/* %s */\n" % word))


def expected(text, module):
    """By address, what the program has printed, as ft says it."""
    want = {}
    for line in text.splitlines():
        address, name = line.split(" ", 1)
        found = re.fullmatch(r"<(\w+) (\w+)>( \d)?", name)
        types = 1
        if found:
            function, word, several = found.groups()
            taken = word == "taken"
            name = "heap, %s in %s (names.c:%d)" % (
                "first taken" if taken else "initialised", function,
                line_of(("first: " if taken else "site: ") + word))
            types = int(several or 1)
        elif " of " not in name:
            name += " [%s]" % ("libnamed.so" if name == "hidden[]" else module)
        want[int(address, 16)] = (types, name)
    return want


def compare(name, want, have):
    same(name, sorted(set(want.values())),
         sorted({have[a][1:] if a in have else "nothing" for a in want}))
    wrong = {hex(a): (want[a], have.get(a)) for a in want if have.get(a, (0,))[1:] != want[a]}
    same(name + ": each lock", {}, wrong)


def report(*options):
    done = subprocess.run([FT, "report", "--json", "--top", "0", *options, OUT], check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return json.loads(done.stdout) if not done.returncode else {"said": done.stderr}


def test_names():
    text, _ = record([BUILD + "/names", BUILD])
    want = expected(text, "names")
    have = named()
    compare("classes are those of the source", want, have)
    same("and each of its locks is printed", set(), set(have) - set(want))
    same("kinds of memory", {"data", "heap", "stack", "thread"},
         {kind for kind, _, _ in have.values()})
    with open(OUT + "/info/session") as f:
        check("the session says that names are complete", "lock_names\tcomplete\n" in f,
              "something else")


def test_report():
    text, _ = record([BUILD + "/names", BUILD])
    rows = {r["class"]: r for r in report("--by", "class").get("class", ())}
    same("by class: elements of an array are one", 3,
         rows.get("table[].in.lock [names]", {}).get("locks"))
    again = "heap, initialised in heap (names.c:%d)" % line_of("site: again")
    check("by class: memory that was used again is likely only",
          again + " (probably; 2 sites)" in rows, sorted(rows))
    for name, n in (("table[].in.lock [names]", 3), ("table[].in.lock", 3), ("alone", 1),
                    ("alone [names]", 1), ("hidden[]", 2),
                    ("heap, initialised in make_queue (names.c:%d)" % line_of("site: sem"), 2)):
        have = report("--by", "lock", "--lock", name)
        same("--lock %s" % name, n, len(have.get("lock", ())))
    locks = report("--by", "lock")["lock"]
    same("a lock of an array has an address", 3, len({
        r["symbol"] for r in locks
        if re.fullmatch(r"table\[\]\.room \[names\] 0x[0-9a-f]{6,12}", r["symbol"])}))
    same("lines of the program", 0, text.count("(null)"))


def test_stripped():
    text, said = record([BUILD + "/names-stripped"])
    want = expected(text, "names-stripped")
    have = named()
    same("stripped: it is said once", 1, said.count(
        "'names-stripped' has no symbols (stripped): its locks have no names but their places"))
    data = [have[a][2] for a, (_, name) in want.items() if name.endswith("]")]
    check("stripped: the place in the file", data and all(
        re.fullmatch(r"0x[0-9a-f]+ \[names-stripped\]", name) for name in data), data)
    _, said = record([BUILD + "/names-stripped", BUILD], "--rotate", "1s")
    parts = [n for n in os.listdir(OUT) if n.isdigit()]
    check("stripped: there are parts", len(parts) > 1, parts)
    same("stripped: it is said once for all parts", 1, said.count("names-stripped' has no symbols"))
    check("stripped: code, too", any(re.fullmatch(
        r"heap, initialised in 0x[0-9a-f]+ \[names-stripped\]", have[a][2]) for a in want), have)


def test_unwanted():
    record([BUILD + "/names"], "--no-lock-names")
    same("not wanted: no file", {}, named())
    with open(OUT + "/info/session") as f:
        check("not wanted: the session says it", "lock_names\tnone: --no-lock-names\n" in f,
              "nothing")
    classes = {r["class"] for r in report("--by", "class").get("class", ())}
    check("not wanted: variables have their symbols", "alone [names]" in classes, classes)


def test_parts():
    text, _ = record([BUILD + "/names"], "--flight")
    compare("a snapshot has names", expected(text, "names"), named(OUT + "/1"))
    text, _ = record([BUILD + "/names", BUILD], "--rotate", "1s")
    parts = sorted(n for n in os.listdir(OUT) if n.isdigit())
    check("there are parts", len(parts) > 1, parts)
    have = {}
    for part in parts:
        have.update(named(os.path.join(OUT, part)))
    compare("parts have names", expected(text, "names"), have)


def test_locked():
    shutil.rmtree(OUT, ignore_errors=True)
    done = subprocess.run([FT, "run", "--locks", "-o", OUT, "--", BUILD + "/names", "locked"],
                          check=False, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode == 77:
        print("skip memory that is locked: not allowed")
        return
    same("memory that is locked: the program runs", 0, done.returncode)
    have = {name for _, _, name in named().values()}
    same("memory that is locked: no table, but first uses", {"heap, first taken in use (names.c:%d)" %
         line_of("first: taken")}, {name for name in have if " use " in name})


def test_forced():
    record([BUILD + "/names"])
    check("names are there", named(), "none")
    subprocess.run([FT, "run", "--locks", "--force", "--no-lock-names", "-o", OUT, "--",
                    BUILD + "/names"], check=False, stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL)
    same("--force removes those of the old trace", {}, named())


main([test_names, test_report, test_stripped, test_unwanted, test_parts, test_locked, test_forced])
