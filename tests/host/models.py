#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""models.py MODEL.pml...: functions named in comments of the models that are not in the
sources any more, a line each.

NAME() in a comment stands for what a step does. It is a function or macro of the sources
below, of the model itself, or of the kernel, in the list. NAME*() stands for several.
"""
import glob
import re
import sys

SOURCES = ("module/**/*.[chS]", "include/**/*.h", "userspace/libfeathertrace/*.[ch]",
           "userspace/sensor/*.[ch]")
KERNEL = {
    "hrtimer_cancel", "mutex_lock", "preempt_disable_notrace", "preempt_enable_notrace", "read",
    "static_branch_unlikely", "static_call", "synchronize_rcu_tasks",
}
COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
# Not members, as in ft_source.set().
NAMED = re.compile(r"(?<![\w.])([a-z_]\w*\*?)\(\)")


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def known():
    """Names in the sources, and patterns of those that macros make of parts."""
    text = "\n".join(COMMENT.sub("", read(path)) for pattern in SOURCES
                     for path in glob.glob(pattern, recursive=True))
    for path in glob.glob("patches/*/*.patch"):
        text += "\n".join(line[1:] for line in read(path).splitlines() if re.match(r"\+(?! \*)", line))
    made = [re.compile("".join(part if "_" in (part[:1], part[-1:]) else r"\w+" for part in name.split("##")))
            for name in re.findall(r"\b[a-z]\w*_(?:##\w+)+", text)]
    return set(re.findall(r"\b[a-z_]\w*(?=\()", text)), made


def main(paths):
    names, made = known()
    for path in paths:
        text = read(path)
        own = set(re.findall(r"\b(?:inline|proctype)\s+(\w+)", text)) | KERNEL
        for comment in COMMENT.finditer(text):
            for found in NAMED.finditer(comment[0]):
                name = found[1]
                if name.endswith("*"):
                    there = any(other.startswith(name[:-1]) for other in names)
                else:
                    there = name in names | own or any(pattern.fullmatch(name) for pattern in made)
                if not there:
                    line = text.count("\n", 0, comment.start() + found.start()) + 1
                    print("%s:%d: %s() is no function" % (path, line, name))


main(sys.argv[1:])
