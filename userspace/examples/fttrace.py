#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Traces from Python: libfttrace by ctypes, and nothing else.

    import fttrace
    with fttrace.Reader("t", fttrace.SECTIONS) as reader:
        for item in reader:
            print(item.section.family, reader.name(item.section.site, fttrace.CODE))

Usage: fttrace.py TRACE       the critical sections, as ft export -f csv writes them

What the functions and members are is said in feather_trace/reader.h. FTTRACE names
the library's file, if the loader does not find it.
"""

import csv
import ctypes
import os
import sys
import time
from ctypes import POINTER, Structure, Union, byref, c_char_p, c_int, c_int32, c_int64, \
    c_size_t, c_uint, c_uint32, c_uint64, c_void_p

RECORDS, SECTIONS, WAITS, GAPS = 1, 2, 4, 8
SOFTIRQ, HARDIRQ, NMI = 0x01, 0x1E, 0xE0
SPINNING, PROGRAM, LATE = 1, 2, 4
HEX_FIELD, UNSIGNED_FIELD, SIGNED_FIELD, CODE_FIELD, PRIO_FIELD, LABEL_FIELD = range(6)
DATA, CODE = 0, 1


class Event(Structure):
    _fields_ = [("name", c_char_p), ("word", c_char_p * 2), ("style", c_uint32 * 2)]


class Field(Structure):
    _fields_ = [("name", c_char_p), ("style", c_uint32), ("bits", c_uint32)]


class Record(Structure):
    _fields_ = [("stamp", c_uint64), ("a", c_uint64), ("b", c_uint64),
                ("event", POINTER(Event)), ("id", c_uint32), ("stream_class", c_uint32)]


class Section(Structure):
    _fields_ = [("start", c_uint64), ("end", c_uint64), ("length", c_uint64),
                ("lock", c_uint64), ("site", c_uint64), ("family", c_char_p),
                ("depth_spinning", c_uint32), ("depth_sleeping", c_uint32),
                ("depth_both", c_uint32), ("depth_program", c_uint32),
                ("track", c_uint32), ("flags", c_uint32)]


class Wait(Structure):
    _fields_ = [("begin", c_uint64), ("end", c_uint64), ("length", c_uint64),
                ("lock", c_uint64), ("site", c_uint64), ("holder", c_uint64),
                ("family", c_char_p), ("holder_family", c_char_p)]


class Gap(Structure):
    _fields_ = [("lost", c_uint64)]


class Kinds(Union):
    _fields_ = [("record", Record), ("section", Section), ("wait", Wait), ("gap", Gap)]


class Item(Structure):
    _anonymous_ = ["kinds"]
    _fields_ = [("kind", c_uint32), ("context", c_uint32), ("cpu", c_int32),
                ("ring", c_int32), ("tid", c_int32), ("reserved", c_uint32),
                ("time", c_uint64), ("kinds", Kinds)]


def load():
    lib = ctypes.CDLL(os.environ.get("FTTRACE", "libfttrace.so.0"))
    for name, result, *arguments in (
            ("new", c_void_p),
            ("free", None, c_void_p),
            ("open", c_int, c_void_p, c_char_p, c_uint),
            ("next", c_int, c_void_p, POINTER(POINTER(Item))),
            ("error", c_char_p, c_void_p),
            ("notes", c_char_p, c_void_p),
            ("lost", c_uint64, c_void_p),
            ("start", c_uint64, c_void_p),
            ("frequency", c_uint64, c_void_p),
            ("wall", c_int, c_void_p, c_uint64, POINTER(c_int64), POINTER(c_uint32)),
            ("name", c_int, c_void_p, c_uint64, c_uint, c_char_p, c_size_t),
            ("class", c_int, c_void_p, c_uint64, c_char_p, c_size_t),
            ("task", c_char_p, c_void_p, c_int32),
            ("find_event", POINTER(Event), c_void_p, c_uint, c_uint32),
            ("field", POINTER(Field), c_void_p, POINTER(Event), c_uint),
            ("value", c_uint64, POINTER(Field), c_uint64, c_uint64),
            ("label", c_char_p, POINTER(Field), c_uint64)):
        function = getattr(lib, "ft_reader_" + name)
        function.restype, function.argtypes = result, arguments
    return lib


class Error(Exception):
    """number: a negative errno"""

    def __init__(self, number, text):
        super().__init__(text)
        self.number = number


class Reader:
    """A trace: iterate over it. An item is valid until the next one."""
    lib = None

    def __init__(self, path, kinds):
        if not Reader.lib:
            Reader.lib = load()
        self.handle = self.lib.ft_reader_new()
        if not self.handle:
            raise MemoryError
        try:
            self.check(self.lib.ft_reader_open(self.handle, os.fsencode(path), kinds))
        except Error:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.lib.ft_reader_free(self.handle)
        self.handle = None

    def check(self, result):
        if result < 0:
            raise Error(result, os.fsdecode(self.lib.ft_reader_error(self.handle)))
        return result

    def __iter__(self):
        item = POINTER(Item)()
        while self.check(self.lib.ft_reader_next(self.handle, byref(item))):
            yield item.contents

    def name(self, address, what):
        """"" where it has none."""
        text = ctypes.create_string_buffer(320)
        self.check(self.lib.ft_reader_name(self.handle, address, what, text, len(text)))
        return os.fsdecode(text.value)

    def lock_class(self, lock):
        """"" where it is not known."""
        text = ctypes.create_string_buffer(320)
        self.check(self.lib.ft_reader_class(self.handle, lock, text, len(text)))
        return os.fsdecode(text.value)

    def task(self, tid):
        name = self.lib.ft_reader_task(self.handle, tid)
        return name and os.fsdecode(name)

    def event(self, stream_class, number):
        event = self.lib.ft_reader_find_event(self.handle, stream_class, number)
        return event.contents if event else None

    def fields(self, record):
        """{name: value}: a number, a label where it has one"""
        values, i = {}, 0
        while record.event:
            field = self.lib.ft_reader_field(self.handle, record.event, i)
            if not field:
                break
            value = self.lib.ft_reader_value(field, record.a, record.b)
            label = self.lib.ft_reader_label(field, value)
            if field.contents.style in (SIGNED_FIELD, PRIO_FIELD) and value >> 63:
                value -= 2**64
            values[field.contents.name.decode()] = label.decode() if label else value
            i += 1
        return values

    def wall(self, ticks):
        """(seconds, nanoseconds) since 1970, or None"""
        seconds, ns = c_int64(), c_uint32()
        if self.lib.ft_reader_wall(self.handle, ticks, byref(seconds), byref(ns)):
            return None
        return seconds.value, ns.value

    @property
    def start(self):
        return self.lib.ft_reader_start(self.handle)

    @property
    def frequency(self):
        return self.lib.ft_reader_frequency(self.handle)

    @property
    def lost(self):
        return self.lib.ft_reader_lost(self.handle)

    @property
    def notes(self):
        return os.fsdecode(self.lib.ft_reader_notes(self.handle))


def context_name(context):
    return "nmi" if context & NMI else "hardirq" if context & HARDIRQ else \
        "softirq" if context & SOFTIRQ else "task"


def sections(reader, out):
    """All of them, as CSV."""
    def ns(ticks):
        ps = ticks * 10**12 // reader.frequency
        return "%d.%03d" % (ps // 1000, ps % 1000)

    def wall(ticks):
        at = reader.wall(ticks)
        return at and time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(at[0])) + \
            ".%09dZ" % at[1]

    rows = csv.writer(out, lineterminator="\n")
    rows.writerow("start_ns end_ns length_ns start_time family depth_spinning "
                  "depth_sleeping depth_both cpu tid context lock lock_symbol site "
                  "site_symbol depth_program class".split())
    for item in reader:
        s = item.section
        rows.writerow((ns(s.start - reader.start), ns(s.end - reader.start),
                       ns(s.length), wall(s.start), s.family.decode(), s.depth_spinning,
                       s.depth_sleeping, s.depth_both,
                       item.cpu if item.cpu >= 0 else "", item.tid,
                       context_name(item.context),
                       hex(s.lock), reader.name(s.lock, DATA),
                       hex(s.site), reader.name(s.site, CODE), s.depth_program,
                       reader.lock_class(s.lock)))


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    try:
        with Reader(sys.argv[1], SECTIONS) as reader:
            sections(reader, sys.stdout)
            if reader.lost:
                print("fttrace.py: %d records were lost" % reader.lost, file=sys.stderr)
    except Error as error:
        sys.exit("fttrace.py: %s" % error)


if __name__ == "__main__":
    main()
