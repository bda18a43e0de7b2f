#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Runs in the VM for bench/kernel/run npt. Usage: npt.py TURNS

The loop of ft npt --kernel, TURNS times, by calls of /dev/ft_npt: without the calibration of
ft npt, in which each turn would have its event, too. Prints the turns' number, mean, standard
deviation and longest, in ticks of the TSC, tab separated.
"""
import ctypes
import fcntl
import math
import struct
import sys

FORMAT = "QQQQIIQQQQQQQQQ"      # struct ft_npt of <linux/feather_trace_npt.h>
NPT = 0xc0004e80 | struct.calcsize(FORMAT) << 16
LONGEST_PART = 10**7            # FT_NPT_NS_MAX
BINS = (65 - 6) << 6            # FT_NPT_BINS


def main():
    wanted = int(sys.argv[1])
    bins = ctypes.create_string_buffer(8 * BINS)
    turns = total = squares = longest = 0
    with open("/dev/ft_npt", "rb") as device:
        while turns < wanted:
            part = bytearray(struct.pack(FORMAT, LONGEST_PART, wanted - turns, 2**64 - 1, 0, 0, 0, 0,
                                         ctypes.addressof(bins), 0, 0, 0, 0, 0, 0, 0))
            fcntl.ioctl(device, NPT, part)
            answer = struct.unpack(FORMAT, part)
            turns += answer[1]
            total += answer[9]
            longest = max(longest, answer[11])
            squares += answer[13] + (answer[14] << 64)
    # Exact numbers: the variance is a small difference of large ones.
    variance = (squares * turns - total * total) / (turns * turns)
    print("%d\t%.4f\t%.4f\t%d" % (turns, total / turns, math.sqrt(variance), longest))


main()
