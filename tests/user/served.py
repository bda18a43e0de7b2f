#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""ft requests of a real program: served.py BUILD FT

served.c is a server whose slow requests wait for a mutex that a thread holds. Prints a line for
each check, as tests/lib.sh has it.
"""
import json
import os

from runs import BUILD, WORK, main, run, said_by
from told import check, same


def answer(*args):
    said = said_by("requests", "--json", "--limit", "1000", *args, os.path.join(WORK, "trace"))
    return json.loads(said[said.index("{"):])


def served():
    """Return: the answer, who is who."""
    _, _, said = run(["--locks", "-e", "request_*"], [BUILD + "/served"])
    return answer(), {name: int(tid) for name, tid in (line.split() for line in said.splitlines())}


def test_slow_ones():
    """Which requests are slow, for which lock they wait, by name, and who holds it."""
    r, who = served()
    same("slow ones: all are there", (200, 0), (r["requests"], sum(r["left_out"].values())))
    slow = {one["id"]: one for one in r["slowest"] if one["causes"].get("waiting", 0) > 2e6}
    same("slow ones: these", [7, 47, 87, 127, 167], sorted(slow))
    for n, one in slow.items():
        first = one["waits"][0]
        check("slow ones: %d waits for the cache, which the flusher holds" % n,
              first.get("class", first.get("lock_symbol")).startswith("cache") and
              first.get("task") == who["flusher"] and first["ns"] > 2e6, str(one))
    top = r["difference"]
    check("slow ones: what differs most is that wait", top["causes"][0]["cause"] == "waiting" and
          top["holders"][0]["holder"] == "task" and
          top["holders"][0]["difference_ns"] > 2e6, str(top))


def test_handed_over():
    """A request of two threads, in one of which it was joined."""
    r, who = served()
    handed = {one["id"]: one for one in r["slowest"] if len(one["threads"]) > 1}
    same("handed over: these", [9, 59, 109, 159], sorted(handed))
    for n, one in handed.items():
        tasks = sorted(t["task"] for t in one["threads"])
        check("handed over: %d" % n, tasks == sorted((who["helper"], who["served"])) and
              one["no_thread_ticks"] and one["ticks"] ==
              sum(t["ticks"] for t in one["threads"]) + one["no_thread_ticks"], str(one))


def test_text():
    """People read the same."""
    served()
    said = said_by("requests", os.path.join(WORK, "trace"))
    for words in ("200 requests: p50 ", "pthread mutex cache", "waiting for a lock",
                  "This trace has no sched_switch"):
        check("text: " + words, words in said, said)


main([test_slow_ones, test_handed_over, test_text])
