# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Names in a trace are chosen by whoever wrote it: none of their control characters
reaches a terminal, whatever shows them."""

import json
import os
import pty
import re
import subprocess

import elf
from gen_trace import Trace

VISIBLE = []
EVIL = "evil\x1b[31m\x07\x9b2J\udcff\udc9b31m"     # the last two are bytes, and no UTF-8
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\udc80-\udcff]")


def visible(f):
    VISIBLE.append(f)
    return f


def control(output):
    """What a terminal may obey, with what is around it; or None. A byte of 0x80 or more
    that is no part of a character of UTF-8 is such a thing, too."""
    text = output if isinstance(output, str) else output.decode(errors="surrogateescape")
    found = CONTROL.search(text)
    return found and ascii(text[max(found.start() - 40, 0):found.end() + 10])


def evil_trace(test, name):
    """A trace with such a name wherever one can be."""
    t = Trace(events=((300, EVIL, "word_t _a" + "b", "word_t _c"),),
              version="#1 " + EVIL, env={"hostname2": '"%s"' % EVIL})
    t.acquire(100, 0, 5, "spin", 0xffffffff82000000, site=0xffffffff81001010)
    t.cpu(0).add(110, 300, 5, 1, 2)
    t.release(200, 0, 5, "spin", 0xffffffff82000000)
    t.acquire(300, 0, 5, "mutex", 0xb0)
    t.release(900, 0, 5, "mutex", 0xb0)
    t.file("info/tasks", "5\t%s\n" % EVIL)
    t.file("info/kallsyms", "ffffffff81001000 t bad%s\nffffffff82000000 d %s\n" %
           ("\x9b2J\udcff\udc9b2J", "lock\x9b31m"))
    t.file("info/session", "".join("%s\tevil\\x1b[31m\\x07\\xc2\\x9b2J\\xff\\x9b\n" % key for key in (
        "host", "kernel_release", "command", "lock_source", "virtual")))
    return t.write(test.path(name))


@visible
def names_are_shown(test):
    """In text, TSV, JSON, pages and exports; and what is said on stderr."""
    path, out, wrong = evil_trace(test, "evil"), test.path("out"), []
    other = evil_trace(test, "other")
    os.makedirs(out)
    study = test.path("study")
    os.makedirs(study)
    os.rename(evil_trace(test, "third"), os.path.join(study, "idle"))
    os.makedirs(os.path.join(study, "info"))
    with open(os.path.join(study, "info", "session"), "w", errors="surrogateescape") as f:
        f.write("idle\t%s\tend\n" % EVIL)
    for args in (("report", path), ("report", "--tsv", path), ("report", "--json", path),
                 ("report", "--task", EVIL, path), ("report", "--site", EVIL, path),
                 ("report", "--html", os.path.join(out, "page.html"), path),
                 ("report", "--tsv", "--distributions", path),
                 ("dump", path), ("dump", "--tsv", path),
                 ("export", "-f", "csv", path), ("export", "-f", "chrome", path),
                 ("compare", path, other), ("compare", "--json", path, other),
                 ("compare", "--html", os.path.join(out, "compare.html"), path, other),
                 ("study", "--page", study)):
        r = test.ft(*args, errors="surrogateescape")
        shown = r.stdout + r.stderr
        if EVIL in args:        # what the user types is the user's
            shown = shown.replace(EVIL, "")
        found = control(shown)
        if found:
            wrong.append("%s: %s" % (" ".join(args[:2]), found))
        if args[0] == "report" and len(args) == 2 and "evil\\x1b[31m" not in r.stdout:
            wrong.append("the names are not shown: " + r.stdout[:300])
    for name in ("study.html", "study.txt"):
        os.rename(os.path.join(study, name), os.path.join(out, name))
    with open(os.path.join(out, "study.html"), encoding="utf-8", errors="replace") as f:
        if "evil\\x1b[31m\\x07\\xc2\\x9b2J\\xff\\x9b31m\\x09end" not in f.read():
            wrong.append("study.html does not show what the study's session says")
    for top, _, names in os.walk(out):
        for name in names:
            if name.endswith(".png"):
                continue
            with open(os.path.join(top, name), "rb") as f:
                found = control(f.read())
            if found:
                wrong.append("%s: %s" % (name, found))
    return wrong


def told(what, output):
    """What a terminal must not get, but for what takes a line of progress away."""
    output = output.replace(b"\r\x1b[K", b"")
    found = control(output)
    return ["%s: %s" % (what, found)] if found else []


@visible
def progress_is_shown(test):
    """The line of progress on a terminal names the trace."""
    path = test.path(EVIL)
    os.rename(evil_trace(test, "fourth"), path)
    terminal, other = pty.openpty()
    try:
        subprocess.run([test.program, "compare", path, path], stdout=subprocess.DEVNULL,
                       stderr=other, check=False)
        os.close(other)
        said = b""
        while b := read_some(terminal):
            said += b
    finally:
        os.close(terminal)
    said = said.replace(b"\r\n", b"\n")
    return told("progress", said) + \
        ([] if b"reading " in said and b"evil\\x1b[31m" in said else ["it said %r" % said])


def read_some(terminal):
    try:
        return os.read(terminal, 65536)
    except OSError:     # all of it was read, and nobody can write more
        return b""


@visible
def sites_are_shown(test):
    """ft sites: names of files, sections and functions."""
    paths, wrong = [], []
    for name, e in (("one", elf.module(["alpha"], function="evil\x1b[31m%d")),
                    ("two", elf.module(["alpha"], function="_ZN3\x9b2JE%d"))):
        paths.append(test.path(name + EVIL))
        with open(paths[-1], "wb") as f:
            f.write(bytes(e.data).replace(b".text", b"\x1b[1mt"))
    for args in ((), ("--tsv",), ("--json",)):
        r = test.ft("sites", *args, *paths, errors="surrogateescape")
        wrong += told("sites " + " ".join(args), os.fsencode(r.stdout + r.stderr))
        if r.returncode or "\\x1b[31m0" not in r.stdout:
            wrong.append("status %d: %s%s" % (r.returncode, r.stdout, r.stderr))
    if [site["file"] for site in json.loads(r.stdout)] != [
            CONTROL.sub(lambda m: "\ufffd" if m[0] > "\ud800" else m[0], p) for p in paths]:
        wrong.append("another file in: " + r.stdout)
    return wrong
