# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""What threads and CPUs do, as ft export -f chrome tells it of a trace without losses:
does it agree with itself? Prints what does not, and at last the numbers of spans.

Usage: chrome_threads.py FILE
"""
import json
import sys
from collections import Counter, defaultdict

with open(sys.argv[1], encoding="utf-8") as f:
    events = json.load(f)["traceEvents"]
names = {e["pid"]: e["args"]["name"] for e in events
         if e["ph"] == "M" and e["name"] == "process_name"}
bad, tracks, arrows, ran = [], defaultdict(list), [], Counter()


def ns(us):
    return int(us * 1000)


for e in events:
    if e["ph"] == "X" and e["cat"] in ("thread", "cpu", "interrupt", "call"):
        begin = ns(e["ts"])
        end = begin + ns(e["dur"])
        tracks[names[e["pid"]], e["tid"]].append((begin, end, e["name"]))
        if e["name"] == "runs":
            ran[e["args"]["tid"]] += end - begin
        elif e["cat"] == "cpu":
            ran[e["args"]["tid"]] -= end - begin
    elif e["ph"] == "f":
        arrows.append((e["tid"], ns(e["ts"])))

starts = {(track[1], begin) for track, spans in tracks.items() if track[0] == "Threads"
          for begin, _, name in spans if name == "ready"}
for track, spans in tracks.items():
    if track[0] == "CPUs: interrupts":
        continue                    # these nest
    spans.sort()
    for one, other in zip(spans, spans[1:]):
        if other[0] < one[1]:
            bad.append("%s: %s overlaps %s" % (track, one, other))
        elif track[0] == "Threads" and other[0] > one[1]:
            bad.append("%s: nothing is between %s and %s" % (track, one, other))
# a span of no length is not drawn
missing = [a for a in arrows if a not in starts]
if len(missing) * 100 > len(arrows):
    bad.append("%d of %d arrows lead to no thread that is ready: %s" % (
        len(missing), len(arrows), missing[:3]))
# a few nanoseconds are lost where times are rounded, twice a span
bad += ["task %d: its track runs %d ns longer than the CPUs have it" % d
        for d in ran.items() if abs(d[1]) > 2 * len(tracks["Threads", d[0]])]
for line in bad[:10]:
    print(line)
kinds = Counter()
for track, spans in tracks.items():
    kinds[track[0]] += len(spans)
print(*("%s: %s;" % (kind, "some" if kinds[kind] > 20 else kinds[kind]) for kind in sorted(kinds)),
      "arrows:", "some" if len(arrows) > 20 else len(arrows))
