#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""
Usage: endbr.py MODULE.ko

In a module for a kernel with IBT: does everything that can be reached by an indirect
call or jump begin with ENDBR? That is all code whose address is in the module's data or
is loaded by an instruction. Not so, as nothing but direct calls and jumps, or a return,
reaches them:

  ft_hook_FUNCTION    the hooks (their other entry is ft_hook_ip_FUNCTION)
  ft_hook_return      a return goes there
  __SCT__NAME         static calls

Nor may the kernel take such an ENDBR away when it loads the module: objtool lists those
that it takes for unused.

Exit status: 0 all do; 1 with a line for each that does not; 77 the module is built
without IBT.
"""
import re
import subprocess
import sys

ENDBR = b"\xf3\x0f\x1e\xfa"
DIRECT = re.compile(r"ft_hook_(?!ip_)|__SCT__")


def read(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def sections(path):
    """Number, name, type, offset and size of each."""
    for line in read("readelf", "-SW", path).splitlines():
        found = re.match(r" *\[ *(\d+)\] (\S*) +(\S+) +\w+ (\w+) (\w+)", line)
        if found:
            yield int(found[1]), found[2], int(found[4], 16), int(found[5], 16)


def main(path):
    with open(path, "rb") as file:
        image = file.read()
    by_number, by_name = {}, {}
    for number, name, offset, size in sections(path):
        by_number[number] = name
        by_name[name] = (offset, size)

    symbols, names = {}, {}         # where a symbol is; what is there
    for line in read("readelf", "-sW", path).splitlines():
        word = line.split()
        if len(word) < 7 or not word[6].isdigit():
            continue
        place = (by_number.get(int(word[6]), ""), int(word[1], 16))
        name = word[7] if len(word) > 7 else place[0]
        symbols[name] = place
        if word[3] in ("FUNC", "NOTYPE"):
            names.setdefault(place, name)

    targets, sealed, inside = set(), set(), ""
    for line in read("readelf", "-rW", path).splitlines():
        found = re.match(r"Relocation section '\.rela?([^']*)'", line)
        if found:
            inside = found[1]
            continue
        found = re.match(r"([0-9a-f]+) +[0-9a-f]+ (R_X86_64_\w+) +[0-9a-f]+ (\S+) ([-+]) ([0-9a-f]+)", line)
        if not found or found[3] not in symbols:
            continue
        section, value = symbols[found[3]]
        value += int(found[4] + found[5], 16)
        if not re.match(r"\.(text|init\.text|exit\.text|static_call\.text)", section):
            continue
        if inside == ".ibt_endbr_seal":
            sealed.add((section, value))
        elif found[2] == "R_X86_64_64" and re.match(r"\.(data|rodata|init\.data|init\.rodata|gnu)", inside):
            targets.add((section, value))
        elif found[2] in ("R_X86_64_32S", "R_X86_64_32") and ".text" in inside:
            # Of an instruction: an address, or where a call comes from (not a beginning).
            targets.update({(section, value)} & names.keys())

    if ENDBR not in image[slice(by_name[".text"][0], sum(by_name[".text"]))]:
        return 77
    bad = 0
    for section, value in sorted(targets):
        name = names.get((section, value), f"{section}+{value:#x}")
        at = by_name[section][0] + value
        if DIRECT.match(name):
            continue
        if image[at:at + 4] != ENDBR:
            print(f"{name} can be reached indirectly and has no ENDBR")
            bad += 1
        elif (section, value) in sealed:
            print(f"{name}: the kernel will take its ENDBR away")
            bad += 1
    print(f"{len(targets)} places")
    return bool(bad or not targets)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip())
    sys.exit(main(sys.argv[1]))
