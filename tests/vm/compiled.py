#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Has a sensor the sections of a trace?

compiled.py SECTIONS.csv SENSORS.json NAME FIRST LAST MOVED ALIVE UNTIL

Of the tasks between FIRST and LAST that are not in the file ALIVE, the bins of the sensor NAME,
which is split by task, must have what ft export -f csv says. So many may lie in another bin as the
trace has MOVED, and one of 500: an event that is interrupted before it reads the clock has in the
trace the time of what interrupted it.

A task whose parent has waited for it may still have its last steps to do, and interrupts to
suffer: tasks with a section that ends after UNTIL (wall clock, ns) do not count either. The sensors
were read after UNTIL, so of all others they have everything.
"""
import bisect
import collections
import csv
import datetime
import functools
import json
import sys

OVER = -1.0     # what lies in no bin


def main():
    sections, sensors, name, first, last, moved, alive, until = sys.argv[1:]
    first, last, moved, until = int(first), int(last), int(moved), int(until)

    with open(alive, encoding="utf-8") as f:
        living = {int(line) for line in f}
    rows = list(rows_of(sections))
    living |= {row.tid for row in rows if end_of(row) >= until}

    def counts(tid):
        return first < tid < last and tid not in living

    with open(sensors, encoding="utf-8") as f:
        sensor, = (s for s in json.load(f)["sensors"] if s["name"] == name)
    if sensor["crowded"] or sensor["emptied"]:
        sys.exit("    %d sections found no row; %d rows were emptied" %
                 (sensor["crowded"], sensor["emptied"]))
    sensed = collections.Counter()
    limits = {}
    for row in sensor["rows"]:
        tid = int(row["key"], 16)
        if not counts(tid):
            continue
        for b in row["bins"]:
            low, high = float(b["low"]), float(b["high"])
            sensed[tid, low] += b["count"]
            limits[low] = high
        if row["over"] or row["under"]:
            sensed[tid, OVER] += row["over"] + row["under"]

    traced = collections.Counter()
    lows = sorted(limits)
    for row in rows:
        if counts(row.tid):
            traced[row.tid, low_of(row.length, lows, limits)] += 1
    apart = sum(((sensed - traced) + (traced - sensed)).values())
    all_traced = sum(traced.values())
    print("    %d sections of %d tasks in %d bins; %d in another bin; %d were moved" %
          (all_traced, len({t for t, _ in traced}), len(lows), apart / 2, moved))
    bad = apart > 2 * (moved + all_traced // 500 + 1)
    for key in sorted((sensed - traced) + (traced - sensed))[:20 if bad else 4]:
        print("    task %d, from %g ns: sensed %d, in the trace %d" %
              (*key, sensed[key], traced[key]))
    if sum(sensed.values()) != all_traced:
        sys.exit("    %d were sensed; in all, %d ends were alone, %d begins forgotten" %
                 (sum(sensed.values()), sensor["alone"], sensor["forgotten"]))
    return bad or not traced


Section = collections.namedtuple("Section", "tid length start")


def rows_of(sections):
    with open(sections, encoding="utf-8", newline="") as f:
        rows = csv.reader(f)
        head = next(rows)
        tid, length, start = (head.index(name) for name in ("tid", "length_ns", "start_time"))
        for row in rows:
            yield Section(int(row[tid]), float(row[length]), row[start])


@functools.lru_cache
def second_of(text):
    return int(datetime.datetime.fromisoformat(text + "+00:00").timestamp())


def end_of(row):
    """When a section ended, in ns of the wall clock."""
    seconds, fraction = row.start.rstrip("Z").split(".")
    return second_of(seconds) * 10**9 + int(fraction) + int(row.length)


def low_of(length, lows, limits):
    """The bin that has @length, or OVER where the sensor has none."""
    low = lows[max(bisect.bisect_right(lows, length) - 1, 0)] if lows else length
    return low if low <= length < limits.get(low, 0) else OVER


if __name__ == "__main__":
    sys.exit(main())
