#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""opens.py TIMES: opens /dev/net/tun so often, which calls a function of the module tun."""
import os
import sys

for _ in range(int(sys.argv[1])):
    os.close(os.open("/dev/net/tun", os.O_RDWR))
