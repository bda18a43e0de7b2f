#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""layers.py DIR: what in DIR (userspace/) is against DIR/layers.txt, a line each.

An include is "folder/file.h", of the file's own folder or of one that layers.txt lets
it include. Each folder is in layers.txt, below those that include it.
"""
import glob
import os
import re
import sys


def layers(path):
    """What each folder may include, and what is wrong with the list itself."""
    may, wrong = {}, []
    with open(path, encoding="utf-8") as f:
        for line in f:
            if line.startswith("#"):
                continue
            folder, _, others = line.strip().partition(":")
            if folder in may:
                wrong.append("layers.txt: %s is there twice" % folder)
            wrong += ["layers.txt: %s: %s does not stand above it" % (folder, other)
                      for other in others.split() if other not in may]
            may[folder] = set(others.split()) | {folder}
    return may, wrong


def check(top):
    may, wrong = layers(os.path.join(top, "layers.txt"))
    files = sorted(os.path.relpath(path, top)
                   for path in glob.glob(os.path.join(top, "**", "*.[ch]"), recursive=True))
    for path in files:
        folder = path.split("/")[0]
        if folder == "examples":
            continue
        if folder not in may:
            wrong.append("%s: layers.txt has no folder %s" % (path, folder))
            continue
        with open(os.path.join(top, path), encoding="utf-8") as f:
            for number, line in enumerate(f, 1):
                found = re.match(r'\s*#\s*include\s*"([^"]+)"', line)
                if not found:
                    continue
                where, name = "%s:%d" % (path, number), found[1]
                if name not in files:
                    wrong.append('%s: no "folder/file.h": "%s"' % (where, name))
                elif name.split("/")[0] not in may[folder]:
                    wrong.append("%s: %s may not include %s" % (where, folder, name.split("/")[0]))
    return wrong


if __name__ == "__main__":
    for complaint in check(sys.argv[1]):
        print(complaint)
