#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""layers.py DIR: what in DIR (userspace/, module/) is against DIR/layers.txt, a line each.

A layer is a folder, or a file: FOLDER/NAME is also all FOLDER/NAME_*. An include is a
path from DIR, in the file's own layer or in one that layers.txt lets it include. Each
layer is in layers.txt, below those that it includes, and includes them: what it may
include, and does not, is wrong, unless it stands in parentheses, as it is linked only.
"""
import glob
import os
import re
import sys


def layers(path):
    """What each layer may include, of that what need not be used, what is wrong with the list itself."""
    may, linked, wrong = {}, set(), []
    with open(path, encoding="utf-8") as f:
        for line in f:
            if line.startswith("#"):
                continue
            layer, _, others = line.strip().partition(":")
            if layer in may:
                wrong.append("layers.txt: %s is there twice" % layer)
                continue
            linked |= {(layer, other) for other in re.findall(r"\((\S+)\)", others)}
            others = others.replace("(", "").replace(")", "").split()
            wrong += ["layers.txt: %s: %s does not stand above it" % (layer, other)
                      for other in others if other not in may]
            may[layer] = {other for other in others if other in may} | {layer}
    return may, linked, wrong


def layer_of(path, may):
    """The layer of a file; where there is none, what it should be."""
    name = path.rsplit(".", 1)[0]
    names = [name]
    while "_" in os.path.basename(name):
        name = name.rsplit("_", 1)[0]
        names.append(name)
    folder = path.split("/")[0]
    return next((n for n in names if n in may), folder if "/" in path else name)


def check(top):
    may, linked, wrong = layers(os.path.join(top, "layers.txt"))
    used = set()
    files = sorted(os.path.relpath(path, top)
                   for path in glob.glob(os.path.join(top, "**", "*.[chS]"), recursive=True))
    for path in files:
        layer = layer_of(path, may)
        if layer == "examples":
            continue
        if layer not in may:
            wrong.append("%s: layers.txt has no %s" % (path, layer))
            continue
        with open(os.path.join(top, path), encoding="utf-8") as f:
            for number, line in enumerate(f, 1):
                found = re.match(r'\s*#\s*include\s*"([^"]+)"', line)
                if not found:
                    continue
                where, name = "%s:%d" % (path, number), found[1]
                if name not in files:
                    wrong.append('%s: "%s" is no path from the top' % (where, name))
                    continue
                other = layer_of(name, may)
                used.add((layer, other))
                if other not in may[layer]:
                    wrong.append("%s: %s may not include %s" % (where, layer, other))
    unused = {(layer, other) for layer in may for other in may[layer] - {layer}} - used
    wrong += ["layers.txt: %s does not include %s" % edge for edge in sorted(unused - linked)]
    wrong += ["layers.txt: %s includes %s, which is in parentheses" % edge
              for edge in sorted(linked & used)]
    return wrong


if __name__ == "__main__":
    for complaint in check(sys.argv[1]):
        print(complaint)
