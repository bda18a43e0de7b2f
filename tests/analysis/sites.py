# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""ft sites on files that are as they should be, and on those that are not.

Files that compilers made are in tests/user/sites.py.
"""

import json
import os
import struct

import elf

SITES = []


def sites(f):
    SITES.append(f)
    return f


def write(test, e, name="file"):
    path = os.path.join(test.work, "sites-" + name)
    with open(path, "wb") as f:
        f.write(e if isinstance(e, bytes) else e.data)
    return path


def rows(test, e, *args):
    """Event, section, address and function of each trigger."""
    r = test.ft("sites", "--tsv", *args, write(test, e))
    if r.returncode or r.stderr:
        raise ValueError("status %d: %s" % (r.returncode, r.stderr))
    lines = [line.split("\t") for line in r.stdout.splitlines()]
    if lines[0] != ["file", "event", "id", "section", "address", "function",
                    "offset", "source", "line", "inlined"]:
        raise ValueError(lines[0])
    return [(c[1] if c[1] != "-" else int(c[2]), c[3], int(c[4], 16), c[5])
            for c in lines[1:]]


def differ(have, want):
    return [] if have == want else ["got %s" % have, "not %s" % want]


@sites
def programs(test):
    bad = []
    for kind, base in (elf.DYN, 0), (elf.EXEC, 0x400000):
        e = elf.program(["one", "two", "one", 7, 65535], kind)
        code = base + e.at["code"]
        bad += differ(rows(test, e), [
            (event, "-", code + 8 * i, "-")
            for i, event in enumerate(["one", "two", "one", 7, 65535])])
    return bad


@sites
def modules(test):
    bad = []
    for missing in (), ("beta",), ("alpha", "beta"):
        bad += differ(rows(test, elf.module(["alpha", "beta", "alpha"],
                                            missing=missing)), [
            ("alpha", ".text", 0, "f0"), ("beta", ".text", 8, "f1"),
            ("alpha", ".text", 16, "f2")])
    # other keys in the jump table are no events
    e = elf.module(["alpha", "beta"], symbol="%s")
    r = test.ft("sites", write(test, e))
    if r.returncode or r.stdout or "no triggers" not in r.stderr:
        bad.append("other keys: " + r.stdout + r.stderr)
    return bad


@sites
def objects(test):
    return differ(rows(test, elf.module(["one", 3, "two", "one"], "ft_triggers",
                                        missing=("two",))), [
        ("one", ".text", 0, "f0"), (3, ".text", 8, "f1"),
        ("two", ".text", 16, "f2"), ("one", ".text", 24, "f3")])


@sites
def kernels(test):
    names = ["%s_%s" % (lock, end) for lock in (
        "spin", "rwlock_read", "rwlock_write", "mutex", "semaphore", "rwsem_read",
        "rwsem_write") for end in ("acquire", "release")]
    e = elf.kernel(range(14))
    code = e.base + e.at["code"]
    return differ(rows(test, e), [(name, "-", code + 8 * i, "_raw_spin_lock")
                                  for i, name in enumerate(names)])


@sites
def order(test):
    # in the table they stand in another order than in the code
    e = elf.program(["b", "a", 9, "b", 3])
    code = e.at["code"]
    for i, place in enumerate([3, 0, 4, 1, 2]):
        e.set("triggers", "<i", code + 8 * place - e.at["triggers"] - 12 * i,
              skip=12 * i)
    bad = []
    for key, want in (("file", [("b", 3), ("a", 0), (9, 4), ("b", 1), (3, 2)]),
                      ("event", [(3, 2), (9, 4), ("a", 0), ("b", 3), ("b", 1)]),
                      ("address", [("a", 0), ("b", 1), (3, 2), ("b", 3), (9, 4)])):
        bad += differ([(r[0], (r[2] - code) // 8)
                       for r in rows(test, e, "--sort", key)], want)
    return bad


@sites
def several_files(test):
    """Each is shown, whatever the others are; for people with its name."""
    good = write(test, elf.program(["one"]), "good")
    none = write(test, elf.program([]), "none")
    text = write(test, b"hello, world\n", "text")
    bad = []
    r = test.ft("sites", good, text, none, good)
    if r.returncode != 1 or r.stdout.count(good + ":\n") != 2:
        bad.append("status %d: %s" % (r.returncode, r.stdout))
    if "%s: no ELF file" % text not in r.stderr or \
            "%s: no triggers" % none not in r.stderr:
        bad.append(r.stderr)
    r = test.ft("sites", none)
    if r.returncode or r.stdout:
        bad.append("no triggers: status %d: %s" % (r.returncode, r.stdout))
    r = test.ft("sites", "--json", good, none, good)
    got = json.loads(r.stdout)
    if [(s["file"], s["event"], s["id"], s["section"], s["function"], s["source"],
         s["inlined"]) for s in got] != 2 * [(good, "one", 0, None, None, None, [])]:
        bad.append("json: %s" % got)
    if json.loads(test.ft("sites", "--json", none).stdout) != []:
        bad.append("json: nothing is no array")
    return bad


@sites
def names_are_demangled(test):
    e = elf.module(["one"], "ft_triggers", function="_ZN5depot5Lock%d4takeEi")
    return differ(rows(test, e), [("one", ".text", 0, "depot::Lock0::take")]) + \
        differ(rows(test, e, "--no-demangle"),
               [("one", ".text", 0, "_ZN5depot5Lock04takeEi")])


@sites
def other_files(test):
    """What it is and what to do, where that can be told."""
    head = bytes(elf.program(["one"]).data)
    small = bytearray(head)
    small[4] = 1
    arm = bytearray(head)
    struct.pack_into("<H", arm, 18, 183)
    core = bytearray(head)
    struct.pack_into("<H", core, 16, 4)
    bad = []
    for content, word in (
            (b"", "is empty"), (b"text\n", "no ELF file"), (b"\x7fELF", "truncated"),
            (head[:63], "truncated"), (b"\x1f\x8b" + bytes(20), "gunzip"),
            (b"\xfd7zXZ\0" + bytes(20), "unxz"),
            (b"\x28\xb5\x2f\xfd" + bytes(20), "unzstd"),
            (b"!<arch>\n" + bytes(20), "archive"), (b"MZ" + bytes(20), "vmlinux"),
            (bytes(small), "32 bits"), (bytes(arm), "AArch64"),
            (bytes(core), "core dump")):
        path = write(test, content)
        r = test.ft("sites", path)
        if r.returncode != 1 or r.stdout or path not in r.stderr or \
                word not in r.stderr:
            bad.append("%s: status %d: %s" % (word, r.returncode, r.stderr))
    for path, word in ((test.work, "regular file"), ("/dev/null", "regular file"),
                       (test.work + "/sites-missing", "No such file")):
        r = test.ft("sites", path)
        if r.returncode != 1 or path not in r.stderr or word not in r.stderr:
            bad.append("%s: status %d: %s" % (path, r.returncode, r.stderr))
    return bad


@sites
def damaged_tables(test):
    """Entries that make no sense are counted, the others are shown."""
    far, bad = 0x7fffffff, []
    for name, fmt, values, skip, wrong in (
            ("note", "<ii", (0, 0), 28, 1), ("note", "<i", (far,), 28, 1),
            ("note", "<i", (far,), 32, 1), ("note", "<i", (-far,), 32, 1),
            ("triggers", "<i", (far,), 0, 1), ("triggers", "<i", (0,), 0, 1),
            ("triggers", "<i", (far,), 4, 1), ("triggers", "<i", (-far,), 4, 1),
            ("triggers", "<I", (0,), 20, 1), ("triggers", "<I", (65536,), 20, 1),
            ("code", "<B", (0x90,), 0, 1), ("code", "<i", (far,), 1, 1),
            ("relocs", "<Q", (2**64 - 8,), 16, 1), ("relocs", "<q", (-1,), 16, 1),
            ("relocs", "<Q", (0,), 8, 1), ("relocs", "<Q", (0,), 0, 1),
            ("name one", "<B", (0x1b,), 0, 1), ("name one", "<B", (0,), 0, 1)):
        e = elf.program(["one", 5])
        e.set(name, fmt, *values, skip=skip)
        r = test.ft("sites", "--tsv", write(test, e))
        if r.returncode != 1 or "damaged: %d of its" % wrong not in r.stderr or \
                len(r.stdout.splitlines()) > 2:
            bad.append("%s+%d = %s: status %d: %s%s" % (
                name, skip, values, r.returncode, r.stdout, r.stderr))
    return bad


@sites
def sections_of_nothing(test):
    """A table that is said to be there, in a section of a type that has no content."""
    e = elf.module(["one"], "ft_triggers")
    struct.pack_into("<I", e.data, e.at["sections"] + 64 * elf.TABLE + 4, 0)
    struct.pack_into("<Q", e.data, e.at["sections"] + 64 * elf.TABLE + 32, 2**62)
    r = test.ft("sites", write(test, e))
    if r.returncode != 1 or r.stdout or "damaged" not in r.stderr:
        return ["status %d: %s%s" % (r.returncode, r.stdout, r.stderr)]
    return []


@sites
def cut_and_broken_anywhere(test):
    """Whatever is wrong: a message or what is left, within the file."""
    bad = []
    for e in (elf.program(["one", 5]), elf.module(["one", "two"], missing=("two",)),
              elf.module(["one", 5], "ft_triggers"), elf.kernel([0, 6])):
        files = [bytes(e.data[:n]) for n in range(5, len(e.data), 29)]
        for i in range(0, len(e.data) - 8, 23):
            copy = bytearray(e.data)
            copy[i:i + 8] = b"\xff" * 8
            files.append(bytes(copy))
        paths = [write(test, content, "file%d" % i)
                 for i, content in enumerate(files)]
        r = test.ft("sites", "--tsv", *paths, errors="replace")
        if r.returncode != 1 or "Sanitizer" in r.stderr or "runtime" in r.stderr:
            bad.append("status %d: %s" % (r.returncode, r.stderr[-3000:]))
        for path in paths:
            os.unlink(path)
    return bad
