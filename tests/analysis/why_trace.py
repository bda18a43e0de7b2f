# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""What ft why says of a trace, in each of its outputs, and what must be true of any answer."""

import json
import re

WHY = []


def why(f):
    WHY.append(f)
    return f


def part_key(part):
    """A part without its numbers, as the tests write it."""
    cause = part["cause"]
    if cause in ("interrupt", "softirq"):
        return (cause, part["interrupt"])
    if cause in ("preempted", "ready"):
        return (cause, part.get("task", 0))
    if cause in ("waiting", "spinning"):
        holder = {"unknown": None, "interrupt": "interrupt"}.get(part["holder"], part.get("task"))
        word = (part["holder"],) if part["holder"] in ("cycle", "cut") else ()
        return (cause, int(part["lock"], 16), holder) + word
    if cause in ("asleep", "uninterruptible"):
        return (cause, part["state"], part.get("interrupt", part.get("task")))
    return (cause,)


def leaves(item):
    """Its parts that have none: path: ticks. Parts of a part stand behind it, deeper."""
    parts, path, found = item["parts"], [], {}
    for i, part in enumerate(parts):
        path[part["depth"]:] = [part_key(part)]
        if i + 1 == len(parts) or parts[i + 1]["depth"] <= part["depth"]:
            key = tuple(path)
            found[key] = found.get(key, 0) + part["ticks"]
    return found


def sums(item, unit):
    """What does not add up: the parts of each part, and of the whole."""
    bad, parts = [], [dict(item, depth=-1)] + item["parts"]
    for i, whole in enumerate(parts):
        inside = []
        for part in parts[i + 1:]:
            if part["depth"] <= whole["depth"]:
                break
            if part["depth"] == whole["depth"] + 1:
                inside.append(part[unit])
        if inside and sum(inside) != whole[unit]:
            bad.append("%s of %s add up to %d" % (unit, whole, sum(inside)))
    return bad


def both_readings(r, kind):
    """Where all are taken apart, their parts are what the first reading has summed up."""
    found = {}
    for part in [part for item in r[kind]["longest"] for part in item["parts"]]:
        if not part["depth"]:
            found[part["cause"]] = found.get(part["cause"], 0) + part["ticks"]
    want = {cause: ticks for cause, ticks in r[kind]["all"]["causes"].items() if ticks}
    return [] if found == want or len(r[kind]["longest"]) < r[kind]["all"]["count"] else \
        ["the parts of all are %s, and the sums %s" % (found, want)]


def sleep_sums(row):
    """What each cause of sleep was is told for all of its time."""
    found = {}
    for part in row["sleep"]:
        found[part["cause"]] = found.get(part["cause"], 0) + part["ticks"]
    want = {cause: row["causes"][cause] for cause in ("waiting", "uninterruptible", "asleep")
            if row["causes"][cause]}
    return [] if found == want else ["sleep of %s adds up to %s" % (row, found)]


def rows_sums(table):
    """All rows together are all sections or waits."""
    return ["%s of rows is not that of all" % name for name in ("count", "ticks")
            if sum(row[name] for row in table["rows"]) != table["all"][name]]


def check(r, top=10):
    """top: rows that a table may have: more are cut"""
    bad = []
    for kind in ("held", "waited"):
        if kind not in r:
            continue
        for item in r[kind]["longest"]:
            bad += sums(item, "ticks") + sums(item, "ns")
            if item["ticks"] and not item["parts"]:
                bad.append("nothing is said of %s" % item)
        bad += both_readings(r, kind)
        for row in [r[kind]["all"]] + r[kind]["rows"]:
            if sum(row["causes"].values()) != row["ticks"]:
                bad.append("causes of %s do not add up" % row)
            bad += sleep_sums(row)
        if len(r[kind]["rows"]) < top and not r[kind]["without_row"]:
            bad += rows_sums(r[kind])
    return bad


def text_sums(text):
    """The printed parts of each printed whole, in nanoseconds."""
    bad, whole, total = [], None, 0
    for line in text.splitlines() + ["0.000 us  held: "]:
        m = re.match(r" *(\d+)\.(\d{3}) us +(?:[\d.e]+ %|-)( {2,})\S", line)
        if m and len(m[3]) == 2:
            total += int(m[1] + m[2])
        m = re.match(r" *(\d+)\.(\d{3}) us  (held|waited): ", line)
        if m:
            if whole is not None and whole != total:
                bad.append("the text's parts are %d ns of %d" % (total, whole))
            whole, total = int(m[1] + m[2]), 0
    return bad


def taken_apart(test, path, *args, status=0):
    """The JSON. Text and page say the same of how long."""
    r = test.ft("why", "--json", *args, path)
    if r.returncode != status or "Sanitizer" in r.stderr:
        raise ValueError("exit status %d: %s" % (r.returncode, r.stderr))
    answer = json.loads(r.stdout)
    text = test.ft("why", *args, path)
    page = path + ".html"
    if text.returncode != status or \
            test.ft("why", "--html", page, *args, path).returncode != status:
        raise ValueError("the text or the page fails: %s" % text.stderr)
    top = int(args[args.index("--top") + 1]) or 10**9 if "--top" in args else 10
    bad = check(answer, top) + text_sums(text.stdout)
    bad += ["wider than 100 columns: " + line for line in text.stdout.splitlines()
            if len(line) > 100 and path not in line]
    with open(page) as f:
        answer["page"] = re.sub(r"<[^>]*>", " ", f.read())
    answer["text"] = text.stdout
    if bad:
        raise ValueError("; ".join(bad[:3]))
    return answer
