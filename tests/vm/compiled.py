#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Have sensors the sections and waits of a trace?

compiled.py ROWS SENSORS.json FIRST LAST MOVED ALIVE SENSOR...

ROWS is what ft sql --tsv says: of each section and wait of the tasks between FIRST and LAST, the
name of its sensor, the task, the length in ns, and whether it ended too late to be in the sensors.
The bins of each SENSOR, which is split by task, must have the same, of those of the tasks that are
not in the file ALIVE; there may be none of either. So many may lie further away than the next bin
as the trace has MOVED, at most one of 50, and one of 100; and one of 50 in the next: an event that
is interrupted between its place in the ring and the clock has in the trace the time of what
interrupted it. Of these there are few, and ten times as many where the emulator has stood still and
the kernel has left the TSC for a clock that it takes long to read. Waits are between tracepoints,
where a sensor reads the clock once more, next to the record: some are in the next bin. Between two
readings the emulator may stand still: one of ten is anywhere.

A task whose parent has waited for it may still have its last steps to do, and interrupts to
suffer: tasks with something that is too late do not count either. Of all others the sensors have
everything.

Prints for each sensor how many there are, and whether they are the same: "NUMBER NAME yes", or why
not. What is not the same is on stderr.
"""
import collections
import json
import sys

OVER = 64       # as many bins as the sensors have


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


def bin_of(length):
    """Which of the bins of ft sensors new --bits 1 has @length: two between powers of two."""
    power = int(length).bit_length() - 1
    return int(length) if power < 1 else min(2 * power + (int(length) >> (power - 1) & 1), OVER)


def bins_of(sensor, counts):
    """By task, how many are in which bin."""
    found = collections.defaultdict(collections.Counter)
    for row in sensor["rows"]:
        tid = int(row["key"], 16)
        if counts(tid):
            for b in row["bins"]:
                found[tid][bin_of(float(b["low"]))] += b["count"]
            found[tid][OVER] += row["over"] + row["under"]
    return found


def distances(sensed, traced):
    """By how many bins each of a task's lengths differs, the shortest with the shortest."""
    return (abs(a - b) for a, b in zip(sorted(sensed.elements()), sorted(traced.elements())))


def compare(sensor, traced_rows, counts, moved):
    """Return: how many the trace has, and why the sensor has not the same; or "yes"."""
    if sensor["crowded"] or sensor["emptied"]:
        return 0, "%d found no row; %d rows were emptied" % (sensor["crowded"], sensor["emptied"])
    sensed = bins_of(sensor, counts)
    traced = collections.defaultdict(collections.Counter)
    for (tid, length), n in traced_rows.items():
        if counts(tid):
            traced[tid][bin_of(length)] += n
    tids = sensed.keys() | traced.keys()
    total = sum(traced[tid].total() for tid in tids)
    others = [tid for tid in tids if sensed[tid].total() != traced[tid].total()]
    apart = [d for tid in tids for d in distances(sensed[tid], traced[tid]) if d]
    far = sum(d > 1 for d in apart)
    say("%s: %d of %d tasks; %d in another bin, %d of them not in the next; %d were moved" %
        (sensor["name"], total, sum(traced[tid].total() > 0 for tid in tids), len(apart), far,
         moved))
    if others:
        tid = others[0]
        return total, ("%d tasks have other numbers: %d of task %d were sensed, %d traced; in all, "
                       "%d ends were alone, %d begins forgotten" %
                       (len(others), sensed[tid].total(), tid, traced[tid].total(),
                        sensor["alone"], sensor["forgotten"]))
    far_may = min(moved, total // 50) + total // 100 + 3
    near_may = far_may + total // 50
    if sensor["name"].startswith("wait/"):
        far_may += total // 10
        near_may += total // 3
    if far > far_may or len(apart) > near_may:
        return total, "%d of %d in the next bin, %d further away, %d were moved" % (
            len(apart) - far, total, far, moved)
    return total, "yes"


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
        total, said = compare(sensors[name], found[name], counts, moved)
        print(total, name, said)


if __name__ == "__main__":
    main()
