#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Is what all sensors need of one CPU's memory within a bound? sensor_sizes.py BYTES

Needs nothing but mmap() and the layout of linux/feather_trace_sensor.h.
"""
import mmap
import struct
import sys

DIRECTORY = struct.Struct("<QIIIIQQ")
ENTRY = struct.Struct("<QQQII")
HEADER = struct.Struct("<QIIQQIIQQQIII")
PAGE = mmap.PAGESIZE


def main():
    total = 0
    with open("/dev/ft_trace_sensors", "rb", buffering=0) as device:
        with mmap.mmap(device.fileno(), PAGE, mmap.MAP_SHARED, mmap.PROT_READ) as page:
            head = DIRECTORY.unpack_from(page)
        size = head[6]
        with mmap.mmap(device.fileno(), size, mmap.MAP_SHARED, mmap.PROT_READ) as directory:
            entries = [ENTRY.unpack_from(directory, head[2] + i * head[3])
                       for i in range(head[4])]
        for serial, offset, size, _, _ in entries:
            if not serial:
                continue
            with mmap.mmap(device.fileno(), size, mmap.MAP_SHARED, mmap.PROT_READ,
                           offset=offset) as sensor:
                total += HEADER.unpack_from(sensor)[12]
    print("%d bytes a CPU" % total)
    return not 0 < total <= int(sys.argv[1])


sys.exit(main())
