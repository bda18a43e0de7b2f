#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Have sensors the sections and waits of a trace?

compiled.py ROWS SENSORS.json FIRST LAST MOVED ALIVE SENSOR...

ROWS is what ft sql --tsv says: of each section and wait of the tasks between FIRST and LAST, the
name of its sensor, the task, the length in ns, and whether it ended too late to be in the sensors.
The bins of each SENSOR, which is split by task, must have the same, of those of the tasks that are
not in the file ALIVE; there may be none of either. So many may lie in another bin as the trace has
MOVED, and one of 500: an event that is interrupted before it reads the clock has in the trace the
time of what interrupted it.

A task whose parent has waited for it may still have its last steps to do, and interrupts to
suffer: tasks with something that is too late do not count either. Of all others the sensors have
everything.

Prints for each sensor how many there are, and whether they are the same: "NUMBER yes NAME". What
is not the same is on stderr.
"""
import bisect
import collections
import json
import sys

OVER = -1.0     # what lies in no bin


def say(text):
    print("    " + text, file=sys.stderr)


def rows_of(path):
    """By sensor: how many of each task and length. And the tasks with something too late."""
    found = collections.defaultdict(collections.Counter)
    late = set()
    with open(path, encoding="utf-8") as f:
        next(f)
        # Many lines are the same, and to split one takes longer than to count it.
        for line, n in collections.Counter(f).items():
            name, tid, length, is_late = line.split("\t")
            found[name][int(tid), float(length)] += n
            if int(is_late):
                late.add(int(tid))
    return found, late


def is_same(sensor, traced_rows, counts, moved):
    """Return: how many the trace has, and whether the sensor has the same."""
    if sensor["crowded"] or sensor["emptied"]:
        say("%s: %d found no row; %d rows were emptied" %
            (sensor["name"], sensor["crowded"], sensor["emptied"]))
        return 0, False
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
    for (tid, length), n in traced_rows.items():
        if counts(tid):
            traced[tid, low_of(length, lows, limits)] += n
    apart = sum(((sensed - traced) + (traced - sensed)).values())
    total = sum(traced.values())
    say("%s: %d of %d tasks in %d bins; %d in another bin; %d were moved" %
        (sensor["name"], total, len({t for t, _ in traced}), len(lows), apart / 2, moved))
    bad = apart > 2 * (moved + total // 500 + 1)
    for key in sorted((sensed - traced) + (traced - sensed))[:20 if bad else 4]:
        say("task %d, from %g ns: sensed %d, in the trace %d" % (*key, sensed[key], traced[key]))
    if sum(sensed.values()) != total:
        say("%d were sensed; in all, %d ends were alone, %d begins forgotten" %
            (sum(sensed.values()), sensor["alone"], sensor["forgotten"]))
        bad = True
    return total, not bad


def low_of(length, lows, limits):
    """The bin that has @length, or OVER where the sensor has none."""
    low = lows[max(bisect.bisect_right(lows, length) - 1, 0)] if lows else length
    return low if low <= length < limits.get(low, 0) else OVER


def main():
    rows, shown, first, last, moved, alive, *names = sys.argv[1:]
    first, last, moved = int(first), int(last), int(moved)
    with open(alive, encoding="utf-8") as f:
        living = {int(line) for line in f}
    with open(shown, encoding="utf-8") as f:
        sensors = {s["name"]: s for s in json.load(f)["sensors"]}
    found, late = rows_of(rows)
    living |= late

    def counts(tid):
        return first < tid < last and tid not in living

    for name in names:
        total, same = is_same(sensors[name], found[name], counts, moved)
        print(total, "yes" if same else "no", name)


if __name__ == "__main__":
    main()
