#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Find loops in a compiled function: loops.py OBJECT FUNCTION

Follows every jump, in the cold parts, too. Prints the jumps that close a cycle.
Exit status: 0 there is none, 1 there are some, 2 no such function.
"""

import re
import subprocess
import sys


def instructions(path, function):
    """Address -> (mnemonic, target or None, leaves the function)."""
    text = subprocess.run(["objdump", "-dr", "--no-show-raw-insn", path],
                          check=True, capture_output=True, text=True).stdout
    body = re.search(rf"^[0-9a-f]+ <{re.escape(function)}>:\n(.*?)(?:\n\n|\Z)",
                     text, re.M | re.S)
    found = {}
    last = None
    for line in body.group(1).splitlines() if body else []:
        insn = re.match(r"\s*([0-9a-f]+):\s+(?:notrack )?(\w+)\s*([0-9a-f]*)", line)
        if re.match(r"\s+[0-9a-f]+: R_X86_64_", line):
            # A jump or call whose target the linker fills in.
            if last is not None and found[last][0].startswith("j"):
                found[last] = (found[last][0], None, found[last][0] == "jmp")
        elif insn:
            last = int(insn[1], 16)
            target = int(insn[3], 16) if insn[2].startswith("j") and insn[3] else None
            found[last] = (insn[2], target, insn[2].startswith("ret"))
    return found


def successors(found):
    order = sorted(found)
    after = dict(zip(order, order[1:]))
    edges = {}
    for at, (name, target, leaves) in found.items():
        edges[at] = [] if leaves or name == "jmp" or at not in after else [after[at]]
        if target in found:
            edges[at].append(target)
    return edges


def cycles(edges, start):
    """The edges that lead back into the path that is being followed."""
    found, on_path, done = [], {start}, set()
    stack = [(start, iter(edges[start]))]
    while stack:
        at, rest = stack[-1]
        for to in rest:
            if to in on_path:
                found.append((at, to))
            elif to not in done:
                on_path.add(to)
                stack.append((to, iter(edges[to])))
                break
        else:
            on_path.discard(at)
            done.add(at)
            stack.pop()
    return found


def main():
    path, function = sys.argv[1:]
    found = instructions(path, function)
    if not found:
        print(f"no function {function} in {path}")
        return 2
    back = cycles(successors(found), min(found))
    for at, to in back:
        print(f"{at:x} {found[at][0]} {to:x}")
    return 1 if back else 0


if __name__ == "__main__":
    sys.exit(main())
