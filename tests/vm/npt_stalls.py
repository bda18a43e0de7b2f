# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Did ft npt find what ft_stall did? npt_stalls.py JSON STALLS NAME [INNER]

NAME: an expression for the cause that each must have. Prints how many of them lie in a
turn, how many of these turns have such a cause, as long as the stall; and how many other
turns have one that is half as long: a cause called INNER, if that is given. What else has a
cause NAME may really take as long, if the machine stands still meanwhile.
"""
import json
import re
import sys

with open(sys.argv[1], encoding="utf-8") as f:
    said = json.load(f)
with open(sys.argv[2], encoding="utf-8") as f:
    stalls = [tuple(map(int, line.split())) for line in f]
name = re.compile(sys.argv[3])
inner = re.compile(sys.argv[-1])


def named(turn, expression):
    """The longest of its causes with such a name, in ticks; 0: none."""
    return max((c["length_ns"] * said["clock_hz"] / 1e9 for c in turn.get("causes", ())
                if expression.search(c["name"])), default=0)


found, right, theirs = 0, 0, []
for begin, end in stalls:
    for turn in said["longest"]:
        if turn["begin_ticks"] <= begin and end <= turn["end_ticks"]:
            found += 1
            right += named(turn, name) >= (end - begin) * 0.999
            theirs.append(turn["begin_ticks"])
half = min(end - begin for begin, end in stalls) / 2
others = [turn for turn in said["longest"] if turn["begin_ticks"] not in theirs and named(turn, inner) > half]
print("%d found, %d named, %d others" % (found, right, len(others)))
for turn in others + said["longest"][:12] if (found, right, len(others)) != (len(stalls), len(stalls), 0) else []:
    print(turn, file=sys.stderr)
