# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""ft requests, against the truth: where the time of marked requests went, and what differs."""

import json

from gen_trace import MUTEX, PROCESS
from pages import make_page
from realtime_trace import Tasks

REQUESTS = []
LOCK, OTHER = 0xa0, 0xb0

MARKS = {"begin": 65010, "end": 65011, "join": 65012, "leave": 65013}
PROGRAMS = ((65000, "contention_begin", "word_t _lock", "uint64_t _flags"),
            (65001, "contention_end", "word_t _lock", "int64_t _ret"),
            *((number, "request_" + name, "uint64_t _id", "uint64_t _size")
              for name, number in MARKS.items()))
FT_MARK = 0x52657100
FAULTS = ("nested", "doubled", "crossed", "unended", "lost", "too_many", "not_kept")


def requests(f):
    REQUESTS.append(f)
    return f


class Served(Tasks):
    """ring: of the thread; that of task 5 is 5 unless it is said."""

    def __init__(self, **more):
        super().__init__(**more)
        self.programs = PROGRAMS

    def mark(self, ts, tid, role, number, size=0):
        self.thread(tid).add(ts, MARKS[role], tid, number, size)

    def ft_mark(self, ts, cpu, role, number, tid):
        """By ft mark, which runs as task 99."""
        word = FT_MARK + list(MARKS).index(role) << 32 | tid
        self.cpu(cpu).add(ts, 1, 99, number, word)

    def locks(self, ts, tid, lock, held=0):
        """A mutex of the program; held: it waits for so long before."""
        if held:
            self.thread(tid).add(ts, 65000, tid, PROCESS | lock, 128 | 0x3000 << 8)
            self.thread(tid).add(ts + held, 65001, tid, PROCESS | lock, 0)
        self.acquire(ts + held, tid, tid, "pthread_mutex", lock)

    def unlocks(self, ts, tid, lock):
        self.release(ts, tid, tid, "pthread_mutex", lock)


def sums(r):
    """What does not add up."""
    bad = []
    for one in r["slowest"]:
        for what, want, parts in (
                ("threads", one["thread_ticks"], [t["ticks"] for t in one["threads"]]),
                ("causes", one["thread_ticks"], one["causes"].values()),
                ("waits", one["causes"].get("waiting", 0) + one["causes"].get("spinning", 0),
                 [w["ticks"] for w in one["waits"]] + [one["waits_others_ticks"]])):
            if sum(parts) != want:
                bad.append("%s of request %d add up to %d, not %d" % (
                    what, one["id"], sum(parts), want))
        for thread in one["threads"]:
            if sum(thread["causes"].values()) != thread["ticks"] or \
                    sum(thread["causes_ns"].values()) != thread["ns"]:
                bad.append("a thread of %d does not add up: %s" % (one["id"], thread))
    for i in range(2) if r["requests"] else ():
        column, d = ("p50_ns", "p99_ns")[i], r["difference"]
        causes = {c["cause"]: c[column] for c in d["causes"]}
        waits = causes.get("waiting", 0) + causes.get("spinning", 0)
        for what, want, rows in (("causes", d["threads"][column], d["causes"]),
                                 ("locks", waits, d["locks"]), ("holders", waits, d["holders"])):
            rest = sum(one["waits_others_ticks"] for one in r["slowest"])
            if (what == "causes" or not rest) and \
                    abs(sum(row[column] for row in rows) - want) > 0.06 * (len(rows) + 1):
                bad.append("%s of %s add up to %s, not %s" % (
                    what, column, sum(row[column] for row in rows), want))
    for rows in ("causes", "locks", "holders") if r["requests"] else ():
        size = [abs(row["difference_ns"]) for row in r["difference"][rows]]
        if size != sorted(size, reverse=True):
            bad.append("%s are not sorted by what differs: %s" % (rows, size))
    return bad


def served(test, path, *args, status=0):
    """The JSON. Text and lines say the same of how many and how long."""
    r = test.ft("requests", "--json", "--limit", "100000", "--top", "0", *args, path)
    if r.returncode != status or "Sanitizer" in r.stderr:
        raise ValueError("exit status %d: %s" % (r.returncode, r.stderr))
    answer = json.loads(r.stdout)
    text = test.ft("requests", *args, path)
    lines = test.ft("requests", "--tsv", *args, path).stdout.splitlines()
    bad = sums(answer)
    names, rows = lines[0].split("\t"), [line.split("\t") for line in lines[1:]]
    answer["tsv"] = [dict(zip(names, row)) for row in rows]
    if sorted(int(row["ns"]) for row in answer["tsv"]) != \
            sorted(one["ns"] for one in answer["slowest"]):
        bad.append("--tsv has other requests")
    for row in answer["tsv"]:
        if sum(int(row[name + "_ns"]) for name in (
                "interrupt", "softirq", "running", "spinning", "preempted", "ready", "waiting",
                "uninterruptible", "asleep", "unknown")) != int(row["thread_ns"]):
            bad.append("a line does not add up: %s" % row)
    bad += ["wider than 100 columns: " + line for line in text.stdout.splitlines()
            if len(line) > 100 and path not in line]
    answer["text"] = text.stdout
    if bad or text.returncode != status:
        raise ValueError("; ".join(bad[:3]) or text.stderr)
    return answer


def by_id(r):
    return {one["id"]: one for one in r["slowest"]}


def expect(what, have, want):
    return [] if have == want else ["%s: %s, not %s" % (what, have, want)]


def faults(r, stray=(), **want):
    """left out: those that are not named, none"""
    bad = expect("left out", r["left_out"], {name: want.get(name, 0) for name in FAULTS})
    marks = {name: dict(stray).get(name, 0) for name in ("end", "join", "leave", "in_interrupts")}
    return bad + expect("stray marks", r["stray_marks"], marks)


def both_run():
    """Tasks 5 and 6, each on a CPU of its own."""
    t = Served()
    t.switch(1000, 0, 0, "R", 5)
    t.switch(1000, 1, 0, "R", 6)
    return t


@requests
def requests_two_threads(test):
    """A request that is handed over: each thread's time by cause, and what is in no thread."""
    t = both_run()
    t.locks(1050, 6, LOCK)
    t.mark(1100, 5, "begin", 70)
    t.switch(1200, 0, 5, "R+", 8)
    t.switch(1250, 0, 8, "S", 5)
    t.mark(1300, 5, "leave", 70)
    t.mark(1340, 6, "join", 70)
    t.unlocks(1390, 6, LOCK)
    t.mark(1400, 5, "join", 70)
    t.mark(1450, 6, "leave", 70)
    t.switch(1460, 0, 5, "D", 0)
    t.waking(1480, 1, 6, 5)
    t.switch(1490, 0, 0, "R", 5)
    t.mark(1500, 5, "end", 70)
    r = served(test, t.write(test.path("requests")))
    one = by_id(r)[70]
    return faults(r) + expect("ticks", (one["ticks"], one["no_thread_ticks"], one["at_ns"]),
                              (400, 40, 100)) + expect(
        "threads", {t["task"]: t["causes"] for t in one["threads"]},
        {5: {"running": 100 + 50 + 60 + 10, "preempted": 50, "uninterruptible": 20, "ready": 10},
         6: {"running": 110}})


@requests
def requests_slow_ones(test):
    """Each 50th waits for a lock, which a task with a name holds: that is what differs."""
    t = Served()
    t.file("info/tasks", "5\tserver\n6\tflusher\n")
    t.switch(1000, 0, 0, "R", 5)
    t.switch(1000, 1, 0, "R", 6)
    for i in range(1000):
        now, slow = 10000 * (i + 1), i % 50 == 7
        t.mark(now, 5, "begin", i)
        if slow:
            t.locks(now + 10, 6, LOCK)
            t.thread(5).add(now + 50, 65000, 5, PROCESS | LOCK, 128 | 0x3000 << 8)
            t.switch(now + 60, 0, 5, "S", 0)
            t.unlocks(now + 5000, 6, LOCK)
            t.waking(now + 5000, 1, 6, 5)
            t.switch(now + 5010, 0, 0, "R", 5)
            t.thread(5).add(now + 5020, 65001, 5, PROCESS | LOCK, 0)
            t.acquire(now + 5020, 5, 5, "pthread_mutex", LOCK)
            t.unlocks(now + 5030, 5, LOCK)
        t.mark(now + (6000 + i if slow else 500 + i % 7), 5, "end", i)
    r = served(test, t.write(test.path("requests")))
    d = r["difference"]
    slowest = [one["ns"] for one in r["slowest"]]
    waits = by_id(r)[957]["waits"]
    return faults(r) + expect("percentiles", (r["requests"], r["p50_ns"], r["p99_ns"], r["max_ns"]),
                              (1000, sorted(slowest)[499], sorted(slowest)[989], 6957)) + expect(
        "bands", (d["p50_requests"], d["p99_requests"]), (101, 11)) + expect(
        "what differs most", [c["cause"] for c in d["causes"][:2]], ["waiting", "running"]) + \
        expect(
        "locks", [(w["lock"], w["p50_ns"], w["p99_ns"]) for w in d["locks"]],
        [("0x%x" % (PROCESS | LOCK), 0, 4940 + 10 + 10)]) + expect(
        "holders", [(w.get("task_name"), w["p99_ns"]) for w in d["holders"]],
        [("flusher", 4950), (None, 10)]) + expect(
        "of one", [(w.get("task_name"), w["ticks"]) for w in waits],
        [("flusher", 4950), (None, 10)]) + [
            "the text does not say: " + words for words in (
                "1000 requests: p50 503 ns, p99 6.", "flusher: pthread mutex",
                "held by flusher 6", "request 957, at ")
            if words not in r["text"]]


@requests
def requests_left_out(test):
    """Marks that contradict each other: said, counted, and the others are as they were."""
    t = Served()
    for cpu, tid in enumerate((5, 6, 7)):
        t.switch(1000, cpu, 0, "R", tid)
    t.mark(1100, 5, "begin", 1)
    t.mark(1110, 5, "begin", 2)             # nested
    t.mark(1120, 5, "end", 2)
    t.mark(1200, 5, "end", 1)
    t.mark(1210, 5, "end", 1)               # stray
    t.mark(1300, 5, "begin", 3)
    t.mark(1310, 6, "begin", 4)
    t.mark(1320, 6, "end", 3)               # crossed
    t.mark(1330, 6, "end", 4)
    t.mark(1400, 5, "begin", 5)
    t.mark(1410, 5, "begin", 5)             # doubled
    t.mark(1420, 5, "end", 5)
    t.mark(1500, 5, "begin", 6)
    t.mark(1510, 6, "begin", 6)             # it joins
    t.mark(1520, 6, "join", 6)              # stray
    t.mark(1530, 7, "end", 6)
    t.mark(1540, 6, "leave", 6)             # it has just ended
    t.mark(1550, 6, "leave", 6)             # stray
    t.mark(1560, 6, "join", 77)             # stray
    t.mark(1600, 5, "begin", 7)
    t.mark(1610, 6, "begin", 8)
    t.mark(1620, 6, "join", 7)              # nested
    t.mark(1630, 6, "end", 8)
    t.mark(1640, 5, "end", 7)
    t.cpu(0).add(1650, 1, 5, 9, FT_MARK << 32 | 5, 2)   # in an interrupt
    t.mark(1700, 5, "begin", 1)             # unended
    t.at(2000, 0, 5)
    r = served(test, t.write(test.path("requests")))
    return faults(r, {"end": 1, "join": 2, "leave": 1, "in_interrupts": 1}, nested=2, doubled=1,
                  crossed=1, unended=1) + expect(
        "good ones", {n: (one["ticks"], one["thread_ticks"]) for n, one in by_id(r).items()},
        {1: (100, 100), 4: (20, 20), 6: (30, 50), 8: (20, 20)}) + [
            "the text does not say: " + words for words in (
                "2 left out: a thread joined it", "1 left out: its end is not in the trace",
                "1 marks 'end' changed nothing", "1 marks in interrupts")
            if words not in r["text"]]


@requests
def requests_unended_asleep(test):
    """The trace ends while a thread sleeps for one request, and another one waits."""
    t = both_run()
    t.mark(1100, 5, "begin", 1)
    t.mark(1100, 6, "begin", 2)
    t.switch(1200, 0, 5, "S", 0)
    t.wait(1250, 1, 6, OTHER, MUTEX)
    t.switch(1260, 1, 6, "D", 0)
    t.mark(1300, 7, "begin", 3)
    t.mark(1320, 7, "end", 3)
    r = served(test, t.write(test.path("requests")))
    return faults(r, unended=2) + expect("good ones", list(by_id(r)), [3])


@requests
def requests_many_threads(test):
    """Those beyond the 31st of a request are one; and so are its waits beyond the 64th."""
    t = Served()
    t.mark(1000, 5, "begin", 1)
    for tid in range(10, 60):
        t.mark(2000 + 100 * tid, tid, "join", 1)
        t.mark(2010 + 101 * tid, tid, "leave", 1)
    for i in range(80):
        t.locks(9000 + 20 * i, 5, 0x1000 + 0x40 * i, 2)
        t.unlocks(9010 + 20 * i, 5, 0x1000 + 0x40 * i)
    t.mark(11000, 5, "end", 1)
    r = served(test, t.write(test.path("requests")))
    one = by_id(r)[1]
    return faults(r) + expect("told apart", (len(one["threads"]), len(one["waits"])), (32, 64)) + \
        expect("the others", (sum(t["ticks"] for t in one["threads"] if t.get("others")),
                              one["waits_others_ticks"]),
               (10000 + sum(10 + tid for tid in range(41, 60)), 32))


@requests
def requests_ids_again(test):
    """An id is used again as soon as its request has ended."""
    t = Served()
    t.switch(1000, 0, 0, "R", 5)
    for i in range(20):
        t.mark(2000 + 100 * i, 5, "begin", i % 2)
        t.mark(2010 + 101 * i, 5, "end", i % 2)
    r = served(test, t.write(test.path("requests")))
    return faults(r) + expect("how long", sorted(one["ticks"] for one in r["slowest"]),
                              list(range(10, 30)))


@requests
def requests_lost(test):
    """Where marks may be lost, what is under way is left out; what only waits is not."""
    t = Served()
    t.switch(1000, 0, 0, "R", 5)
    t.mark(1100, 5, "begin", 1)
    t.thread(5).lose(3)
    t.mark(1200, 5, "begin", 2)
    t.mark(1300, 5, "end", 2)
    t.mark(1400, 5, "begin", 3)
    t.at(1450, 0, 5)
    t.cpu(0).lose(3)
    t.at(1500, 0, 5)
    t.mark(1600, 5, "end", 3)
    r = served(test, t.write(test.path("requests")), status=3)
    return faults(r, lost=1) + expect(
        "good ones", {n: one["causes"] for n, one in by_id(r).items()},
        {2: {"running": 100}, 3: {"running": 50 + 100, "unknown": 50}})


@requests
def requests_lost_of_another(test):
    """One that begins while another thread's marks are lost may be that one's, too."""
    t = Served()
    t.mark(1000, 6, "begin", 1)
    t.mark(1050, 6, "end", 1)
    t.thread(6).lose(3)
    t.mark(1100, 5, "begin", 2)
    t.mark(1200, 5, "end", 2)
    t.mark(1300, 5, "begin", 3)
    t.mark(1400, 6, "leave", 9)
    t.mark(1500, 5, "end", 3)
    t.mark(1600, 5, "begin", 4)
    t.mark(1700, 5, "end", 4)
    r = served(test, t.write(test.path("requests")), status=3)
    return faults(r, {"leave": 1}, lost=2) + expect("good ones", sorted(by_id(r)), [1, 4])


@requests
def requests_of_ft_mark(test):
    """ft mark names the thread, which is not its own; plain marks are none of a request."""
    t = Tasks()
    t.switch(1000, 0, 0, "R", 5)
    t.switch(1000, 1, 0, "R", 99)
    mark = Served.ft_mark
    mark(t, 1100, 1, "begin", 3, 5)
    t.at(1150, 1, 99)
    t.acquire(1160, 1, 99, "mutex", OTHER)
    t.wait(1200, 0, 5, OTHER, MUTEX)
    t.switch(1210, 0, 5, "D", 0)
    t.release(1300, 1, 99, "mutex", OTHER)
    t.waking(1300, 1, 99, 5)
    t.switch(1300, 0, 0, "R", 5)
    t.waited(1310, 0, 5, OTHER)
    t.acquire(1310, 0, 5, "mutex", OTHER)
    mark(t, 1400, 1, "end", 3, 5)
    t.release(1410, 0, 5, "mutex", OTHER)
    r = served(test, t.write(test.path("requests")))
    one = by_id(r)[3]
    return faults(r) + expect("causes", one["causes"], {
        "running": 190, "spinning": 20, "waiting": 90}) + expect(
        "waits", [(w["lock"], w.get("task"), w["ticks"]) for w in one["waits"]],
        [("0xb0", 99, 100), ("0xb0", None, 10)])


@requests
def requests_woken_at_once(test):
    """Nobody looks at a thread that sleeps: but a record that names it ends that, in the same
    tick, too; and so does a gap."""
    t = both_run()
    t.mark(1100, 5, "begin", 1)
    t.mark(1110, 6, "begin", 2)
    t.switch(1200, 0, 5, "S", 0)
    t.waking(1200, 1, 6, 5)
    t.switch(1300, 0, 0, "R", 5)
    t.switch(1350, 0, 5, "S", 0)
    t.waking(1450, 1, 6, 5)
    t.switch(1500, 0, 0, "R", 5)
    t.switch(1550, 0, 5, "S", 0)
    t.at(1600, 1, 6)
    t.cpu(1).lose(2)
    t.at(1650, 1, 6)
    t.mark(1700, 5, "end", 1)
    r = served(test, t.write(test.path("requests")), status=3)
    return expect("causes", by_id(r)[1]["causes"], {
        "running": 200, "ready": 150, "asleep": 150, "unknown": 100})


def tables(page):
    """Those of the section: what differs, and the slowest."""
    return [[[cell[1] for cell in row] for row in page.table(*names)] for names in
            (("p50", "p99", "difference"), ("request", "longest wait"))]


@requests
def requests_in_the_page(test):
    """The page of a report has them, of a program or of ft mark, if there are any."""
    t = Served()
    t.switch(1000, 0, 0, "R", 5)
    for i in range(20):
        t.mark(2000 + 1000 * i, 5, "begin", i)
        t.mark(2100 + 1000 * i + 30 * i, 5, "end", i)
    wrong, text, page = make_page(test, t.write(test.path("requests")))
    differs, slowest = tables(page)
    wrong += expect("slowest", [row[:2] for row in slowest[:2]],
                    [["0.670 \u00b5s", "19"], ["0.640 \u00b5s", "18"]])
    wrong += expect("p50, p99", differs[0][:3],
                    ["0.370 \u00b5s", "0.670 \u00b5s", "+0.300 \u00b5s"])
    wrong += expect("a sentence", "20 requests of the whole trace" in text, True)
    t = Tasks()
    t.switch(1000, 0, 0, "R", 5)
    Served.ft_mark(t, 1100, 1, "begin", 7, 5)
    Served.ft_mark(t, 1400, 1, "end", 7, 5)
    more, _, page = make_page(test, t.write(test.path("requests")))
    wrong += more + expect("of ft mark", [row[1] for row in tables(page)[1]], ["7"])
    t = Tasks()
    t.switch(1000, 0, 0, "R", 5)
    t.cpu(0).add(1100, 1, 99, 7, 8)
    more, text, _ = make_page(test, t.write(test.path("requests")))
    return wrong + more + expect("of a plain mark", 'id="requests"' in text, False)


@requests
def requests_late(test):
    """Marks come late, as their ring waited for a release that did not come."""
    t = both_run()
    t.mark(1500, 6, "begin", 1)
    t.locks(1600, 7, LOCK)
    t.locks(2000, 5, LOCK)              # this, and what is behind it, is read after 3000
    t.mark(2100, 5, "join", 1)
    t.mark(2200, 5, "leave", 1)
    t.mark(2290, 5, "end", 2)
    t.mark(2300, 6, "leave", 1)
    t.mark(2400, 8, "begin", 2)
    t.mark(3100, 6, "end", 1)
    r = served(test, t.write(test.path("requests")))
    one, two = by_id(r)[1], by_id(r)[2]
    return expect("ticks", (one["ticks"], one["no_thread_ticks"], one["thread_ticks"]),
                  (1600, 800, 800 + 100)) + expect("ticks", (two["ticks"], two["no_thread_ticks"]),
                                                   (0, 0))


@requests
def requests_late_end(test):
    """An end that comes late: the request lasts until what was read of it before."""
    bad = []
    for leave, want in ((2950, (1450, 600, 800 + 50)), (None, (1400, 600, 800))):
        t = both_run()
        t.mark(1500, 6, "begin", 1)
        t.locks(1600, 8, LOCK)
        t.locks(2000, 5, LOCK)
        t.mark(2200, 5, "end", 1)
        t.mark(2300, 6, "leave", 1)
        t.mark(2900, 7, "join", 1)
        if leave:
            t.mark(leave, 7, "leave", 1)
        t.at(3100, 1, 6)
        one = by_id(served(test, t.write(test.path("requests"))))[1]
        have = one["ticks"], one["no_thread_ticks"], one["thread_ticks"]
        bad += expect("ticks, left at %s" % leave, have, want)
    return bad


@requests
def requests_programs_alone(test):
    """Without the scheduler's events: who waits for which lock of its program, and no more."""
    t = Served()
    t.mark(1000, 5, "begin", 1)
    t.locks(1010, 6, LOCK)
    t.locks(1100, 5, LOCK, 400)
    t.unlocks(1450, 6, LOCK)
    t.locks(1460, 7, LOCK)
    t.unlocks(1490, 7, LOCK)
    t.unlocks(1550, 5, LOCK)
    t.mark(1600, 5, "end", 1)
    r = served(test, t.write(test.path("requests")))
    one = by_id(r)[1]
    return faults(r) + expect("causes", one["causes"], {"waiting": 400, "unknown": 200}) + expect(
        "waits", [(w.get("task"), w["ticks"]) for w in one["waits"]],
        [(6, 350), (7, 30), (None, 20)]) + (
            [] if "no sched_switch: what threads do" in r["text"] else ["the text says nothing"])


@requests
def requests_name_with_tabs(test):
    """A task's name is one column, whatever is in it."""
    t = Served()
    t.file("info/tasks", "5\tserver\n6\ta\tb\n")
    t.locks(1050, 6, LOCK)
    t.mark(1100, 5, "begin", 1)
    t.thread(5).add(1110, 65000, 5, PROCESS | LOCK, 128 | 0x3000 << 8)
    t.unlocks(1190, 6, LOCK)
    t.thread(5).add(1200, 65001, 5, PROCESS | LOCK, 0)
    t.mark(1300, 5, "end", 1)
    row = served(test, t.write(test.path("requests")))["tsv"][0]
    return expect("waits", row["waits_ns"].partition("(")[2],
                  "a b 6) 80; pthread mutex 0x%x (unknown) 10" % (PROCESS | LOCK))


@requests
def requests_by_other_names(test):
    """Events and the field with the id, as they are named."""
    t = Served()
    t.switch(1000, 0, 0, "R", 5)
    t.mark(1100, 5, "join", 1, 8)
    t.mark(1200, 5, "join", 1, 9)
    t.mark(1300, 5, "leave", 2, 8)
    path = t.write(test.path("requests"))
    r = served(test, path, "--begin", "request_join", "--end", "request_leave", "--join", "j",
               "--leave", "l", "--id", "size")
    bad = faults(r, nested=1) + expect("ids", {n: one["ticks"] for n, one in by_id(r).items()},
                                       {8: 200})
    for args, words in ((("--id", "nothing"), "has no field 'nothing'; its first one is 'id'"),
                        (("--begin", "a", "--end", "a"), "--begin and --end are the same event"),
                        (("--json", "--tsv"), "not both"),
                        (("--begin", "x", "--end", "y", "--join", "z", "--leave", "v"),
                         "no request is marked in it, by 'x'")):
        said = test.ft("requests", *args, path)
        bad += [] if said.returncode in (1, 2) and words in said.stderr else \
            ["%s: %d: %s" % (args, said.returncode, said.stderr)]
    return bad
