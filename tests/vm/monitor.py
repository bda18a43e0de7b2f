#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""A monitor that needs nothing but mmap(): reads /dev/ft_trace_sensors as its header says.

Usage: monitor.py [NAME]      prints a line for each sensor: name, count, sum, least, most
"""
import mmap
import os
import struct
import sys

DIRECTORY = 0x7264736E65735446      # "FTsensdr", in the byte order of the machine
SENSOR = 0x726F736E65735446         # "FTsensor"
U64 = 0xFFFFFFFFFFFFFFFF


def word(memory, offset):
    return struct.unpack_from("=Q", memory, offset)[0]


def entries(fd):
    """Names, offsets and sizes: read again if they change meanwhile."""
    with mmap.mmap(fd, mmap.PAGESIZE, prot=mmap.PROT_READ) as page:
        magic, version, header, entry, count, generation, size = struct.unpack_from("=QIIIIQQ", page)
        if magic != DIRECTORY or version != 1:
            sys.exit("monitor: no directory of sensors, or one of another version")
    with mmap.mmap(fd, size, prot=mmap.PROT_READ) as directory:
        while True:
            before = word(directory, 24)
            found = []
            for i in range(count):
                serial, offset, size, _, instance, name = struct.unpack_from(
                    "=QQQII64s", directory, header + i * entry)
                if serial:
                    name = name.split(b"\0")[0].decode()
                    found.append((name if instance == 1 else f"{name}#{instance}", offset, size))
            if not before & 1 and word(directory, 24) == before:
                return found


def mark(sensor, at):
    """The words of a mark, whole: (seq, least, most, ts, a, b, ...)."""
    while True:
        words = struct.unpack_from("=6QiI2Q", sensor, at)
        if not words[0] & 1 and word(sensor, at) == words[0]:
            return words


def read(sensor):
    """What all copies and rows have counted: read again if rows are emptied meanwhile."""
    while True:
        before, counted, after = moves(sensor), add_up(sensor), moves(sensor)
        if before == after and not any(n & 1 for n in before):
            return counted


def moves(sensor):
    copies, first, copy_bytes = struct.unpack_from("=3I", sensor, 64)
    return [word(sensor, first + i * copy_bytes) for i in range(copies)]


def add_up(sensor):
    """Count, sum, least and most."""
    (magic, version, header_bytes, _, _, _, _, _, _, _, copies, first, copy_bytes, rows_at,
     row_bytes, rows, key, count_at, sum_at, under, over, marks, bins, n_marks, mark_bytes,
     n_bins) = struct.unpack_from("=QIIQQIIQQQ16I", sensor)
    if magic != SENSOR or version != 1 or header_bytes < 432:
        sys.exit("monitor: no sensor, or one of another version")
    count = total = most = 0
    least = None
    for i in range(copies):
        for j in range(rows):
            row = first + i * copy_bytes + rows_at + j * row_bytes
            if count_at:
                count += word(sensor, row + count_at)
            else:
                count += word(sensor, row + under) + word(sensor, row + over)
                count += sum(struct.unpack_from(f"={n_bins}Q", sensor, row + bins))
            if sum_at:
                total += word(sensor, row + sum_at)
            for k in range(n_marks):
                seq, low, high = mark(sensor, row + marks + k * mark_bytes)[:3]
                if seq:
                    most = max(most, high)
                    least = low if least is None else min(least, low)
    return count, total & U64, least or 0, most


def main():
    fd = os.open("/dev/ft_trace_sensors", os.O_RDONLY)
    for name, offset, size in entries(fd):
        if len(sys.argv) > 1 and name != sys.argv[1]:
            continue
        with mmap.mmap(fd, size, prot=mmap.PROT_READ, offset=offset) as sensor:
            print(name, *read(sensor))


main()
