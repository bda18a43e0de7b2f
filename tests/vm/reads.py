#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""reads.py [TIMES]: so often 1000 reads of 0 to 999 bytes from descriptor 77, and one that fails."""
import os
import sys

os.dup2(os.open("/dev/zero", os.O_RDONLY), 77)
for _ in range(int(sys.argv[1]) if len(sys.argv) > 1 else 1):
    for size in range(1000):
        os.read(77, size)
    try:
        os.read(7777, 1)
    except OSError:
        pass
