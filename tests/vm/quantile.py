#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""quantile.py BUCKETS QUANTILES: are the 99th percentiles what the buckets imply?

Both are answers of a server of the same moment: series of buckets, and the percentile of
each host and family. In the bucket in which the rank lies values are taken to be spread
evenly; the first one begins at 0, and +Inf ends where it begins.

Prints what differs; exit status 1 if anything does, or if there is nothing to compare.
"""
import collections
import json
import math
import sys


def result(path):
    with open(path, encoding="utf-8") as f:
        return json.load(f)["data"]["result"]


def quantile(q, buckets):
    """buckets: (bound, count of values up to it), in order.

    rate() takes each series from its own first sample on, so a lower bucket may have more
    than a higher one, +Inf included: servers give the higher one as many.
    """
    total = max(count for _, count in buckets)
    if not total:
        return math.nan
    rank = q * total
    low = below = 0
    for bound, count in buckets:
        count = max(count, below)
        if count >= rank:
            return low if math.isinf(bound) else low + (bound - low) * (rank - below) / (count - below)
        low, below = bound, count
    return low


def key(series):
    return series["metric"]["host"], series["metric"]["family"]


buckets = collections.defaultdict(list)
for series in result(sys.argv[1]):
    buckets[key(series)].append((float(series["metric"]["le"]), float(series["value"][1])))
told = {key(series): float(series["value"][1]) for series in result(sys.argv[2])}
wrong = 0
for which in sorted(set(told) | set(buckets)):
    want, got = quantile(0.99, sorted(buckets[which]) or [(0, 0)]), told.get(which, math.nan)
    if not math.isclose(want, got, rel_tol=1e-9) and not (math.isnan(want) and math.isnan(got)):
        print(*which, "implied:", want, "told:", got)
        wrong += 1
print(len(told), "series")
sys.exit(wrong > 0 or not told)
