#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""checkpatch_user.py CHECKPATCH FILE...: what checkpatch says of user-space code, a line each.

It follows the kernel's style as well, but for what only the kernel has, and but for what
checkpatch takes for something else.
"""
import os
import re
import subprocess
import sys

LINE_LENGTH = 100

# What only the kernel has, or forbids for reasons of its own.
KERNEL_ONLY = [
    "PREFER_KERNEL_TYPES",              # uint64_t is the C library's
    "PREFER_DEFINED_ATTRIBUTE_MACRO", "PREFER_FALLTHROUGH",
    "CAMELCASE",                        # Elf64_Sym, pthread's and libelf's names
    "VOLATILE", "BIT_MACRO", "USE_NEGATIVE_ERRNO", "ENOSYS", "ARCH_DEFINES",
    "AVOID_EXTERNS",                    # of assembly, and of libraries that are in front
    "NEW_TYPEDEFS",                     # __int128 and functions' types
    "SPDX_LICENSE_TAG",                 # wants // in .c, a program of ours is one with /*
    "NAKED_SSCANF",                     # values are set before
    "STATIC_CONST_CHAR_ARRAY",          # execv() wants them like that
]
# Style that user-space code has otherwise.
OTHERWISE = [
    "SPLIT_STRING", "LONG_LINE_STRING", "MULTIPLE_ASSIGNMENTS", "EMBEDDED_FUNCTION_NAME",
    "MACRO_ARG_REUSE", "MACRO_WITH_FLOW_CONTROL", "COMPLEX_MACRO",
    "MULTISTATEMENT_MACRO_USE_DO_WHILE", "FUNCTION_ARGUMENTS",
]
# Lines that it reads wrongly: types that it does not know, 1e-9 as a difference, HTML.
MISREAD = re.compile(r"__int128|_Atomic|atomic_[a-z]+\s|TAILQ_ENTRY|long double|ElfW\(|__typeof__|"
                     r"[0-9]e-[0-9]|\(\*\w+\)\(|^\s*\*\w+\(.*\) = |thead|REAL\(|\\xfd|"
                     r"ABCDEFGHIJKLMNOPQRSTUVWXYZ|_Unwind_|Dwarf_Die \*")


def misread(path, number):
    """The line may be the one above what is complained of, too."""
    with open(path, encoding="utf-8") as f:
        lines = f.readlines()
    return any(MISREAD.search(line) for line in lines[max(0, number - 2):number])


def main():
    checkpatch, files = os.path.abspath(sys.argv[1]), map(os.path.abspath, sys.argv[2:])
    said = subprocess.run(
        ["perl", checkpatch, "--no-tree", "--strict", "--terse", "--show-types", "--no-summary",
         "--quiet", "--max-line-length=%d" % LINE_LENGTH,
         "--ignore", ",".join(KERNEL_ONLY + OTHERWISE), "-f", *files],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
        # it leaves a list of names where it runs
        cwd=os.path.dirname(checkpatch), env=dict(os.environ, GIT_DIR=os.path.abspath(".git")))
    for line in said.stdout.splitlines():
        found = re.match(r"([^:]+):(\d+): ", line)
        if not (found and misread(found[1], int(found[2]))):
            print(os.path.relpath(line))


if __name__ == "__main__":
    main()
