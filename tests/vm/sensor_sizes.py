#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Is what all sensors need of one CPU's memory within a bound? sensor_sizes.py MODULE.ko BYTES

For each CPU: the sensors' copies, with a share of their headers and of the rounding to pages;
the static per-CPU memory of the module, whether sensors need it or not; and of each pair of
events that is not on the stack of spinning locks, what it has for each CPU. What there is
once, however many CPUs there are, is told and not part of the bound: the tables of such
pairs, and the directory.

Prints a line each. Needs nothing but mmap() and the layout of linux/feather_trace_sensor.h.
"""
import mmap
import os
import struct
import sys

DIRECTORY = struct.Struct("<QIIIIQQ")
ENTRY = struct.Struct("<QQQII")
HEADER = struct.Struct("<QIIQQIIQQQIII")
# In its struct ft_sensor: event, begin, key.
SENSOR = struct.Struct("<16xIII")
SENSOR_BYTES = 256
PAGE = mmap.PAGESIZE

# module/watch/pairs.c has these: struct ft_pairs_cpu, and the table of struct ft_pairs
PAIRS_CPU = 1584
PAIRS_TABLE = 64 + 4096 * 32
LOCKS, SLEEPING = 16, 22        # FT_ID_LOCK, FT_ID_ACQUIRE(FT_LOCK_MUTEX)


def percpu_of(path):
    """Bytes of the section .data..percpu."""
    with open(path, "rb") as f:
        elf = f.read()
    offset, = struct.unpack_from("<Q", elf, 40)
    size, count, names = struct.unpack_from("<HHH", elf, 58)
    sections = [struct.unpack_from("<IIQQQQ", elf, offset + i * size) for i in range(count)]
    names = sections[names][4]
    return sum(s[5] for s in sections
               if elf[names + s[0]:].startswith(b".data..percpu\0"))


def sensors():
    """Of each: copies, bytes of a copy, bytes in all, event, begin, key."""
    with open("/dev/ft_trace_sensors", "rb", buffering=0) as device:
        with mmap.mmap(device.fileno(), PAGE, mmap.MAP_SHARED, mmap.PROT_READ) as page:
            head = DIRECTORY.unpack_from(page)
        with mmap.mmap(device.fileno(), head[6], mmap.MAP_SHARED, mmap.PROT_READ) as directory:
            entries = [ENTRY.unpack_from(directory, head[2] + i * head[3])
                       for i in range(head[4])]
        for serial, offset, size, _, _ in entries:
            if not serial:
                continue
            with mmap.mmap(device.fileno(), size, mmap.MAP_SHARED, mmap.PROT_READ,
                           offset=offset) as sensor:
                header = HEADER.unpack_from(sensor)
                yield (header[10], header[12], size) + \
                    SENSOR.unpack_from(sensor, header[2] - SENSOR_BYTES)


def main():
    found = list(sensors())
    if not found:
        print("there are no sensors")
        return 1
    is_rt = "PREEMPT_RT" in os.uname().version
    pairs = {(event, begin, key) for _, _, _, event, begin, key in found
             if begin and (is_rt or not LOCKS <= begin < SLEEPING)}
    copies = sum(copy for _, copy, *_ in found)
    rest = sum((size - n * copy) // n for n, copy, size, *_ in found)
    static = percpu_of(sys.argv[1])
    total = copies + rest + static + len(pairs) * PAIRS_CPU
    print("%d bytes: copies of %d sensors" % (copies, len(found)))
    print("%d bytes: headers, and rounding to pages" % rest)
    print("%d bytes: the module's static per-CPU memory" % static)
    print("%d bytes: %d pairs of events" % (len(pairs) * PAIRS_CPU, len(pairs)))
    print("%d bytes a CPU, %.3f MiB" % (total, total / 2**20))
    print("%d bytes in all, beside that: tables of pairs" % (len(pairs) * PAIRS_TABLE))
    return total > int(sys.argv[2])


sys.exit(main())
