# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""ft why: both readings say the same (why_trace.check() compares them), and what is selected."""

import fcntl
import json
import os
import random
import subprocess
import time

from gen_trace import MUTEX, SPIN, Stream
from realtime_trace import Tasks
from why import A, B, RUNNING, expect
from why_model import Model
from why_trace import check, taken_apart, why


@why
def why_another_ran(test):
    """sched_switch names a task that did not run; a task runs, or was moved, without a record."""
    t = Tasks()
    t.switch(1000, 0, 0, "R", 5)
    t.acquire(1010, 0, 5, "mutex", A)
    t.switch(1100, 0, 77, "S", 8)
    t.waking(1150, 0, 8, 5)
    t.switch(1200, 0, 8, "S", 5)
    t.release(1300, 0, 5, "mutex", A)
    t.acquire(1310, 0, 5, "mutex", B)
    t.switch(1400, 0, 5, "S", 0)
    t.waking(1450, 0, 0, 5)
    t.at(1500, 0, 0)
    t.at(1550, 0, 5)
    t.release(1600, 0, 5, "mutex", B)
    r = taken_apart(test, t.write(test.path("why")))
    return expect(r, "held", B, 5, {RUNNING: 90 + 50, (("asleep", "S", None),): 50,
                                    (("ready", 0),): 100})


@why
def why_idle_was_away(test):
    """An idle task waits while another one has its CPU: what it did then is not known."""
    t = Tasks()
    t.switch(1000, 0, 5, "S", 0)
    t.wait(1010, 0, 0, A, SPIN)
    t.at(1050, 0, 5)
    t.at(1100, 0, 5)
    t.switch(1150, 0, 5, "S", 0)
    t.at(1180, 0, 0)
    t.waited(1200, 0, 0, A)
    r = taken_apart(test, t.write(test.path("why")))
    have = r["waited"]["all"]["causes"]["unknown"]
    return [] if have == 100 else ["unknown is %d" % have]


@why
def why_records_missing(test):
    """Some records of random traces are left out: both readings make the same of the rest."""
    bad, add = [], Stream.add
    for seed in range(8):
        rng = random.Random(seed)

        def some(self, *args, **more):
            if rng.random() > 0.03:
                add(self, *args, **more)

        Stream.add = some
        try:
            m = Model(seed, 1, 6, 0).run(1000)
        finally:
            Stream.add = add
        r = test.ft("why", "--json", "--limit", "100000", "--top", "0",
                    m.trace.write(test.path("why")))
        bad += ["%d: %s" % (seed, line) for line in check(json.loads(r.stdout))]
    return bad


@why
def why_gap(test):
    """A lock that sleeps, held over a gap, is cut; so is none that is acquired again."""
    t = Tasks()
    t.switch(1000, 0, 0, "R", 5)
    t.switch(1000, 1, 0, "R", 6)
    t.acquire(1010, 0, 5, "mutex", A)
    t.at(1100, 1, 6)
    t.cpu(1).lose(2)
    t.at(1200, 1, 6)
    t.release(1300, 0, 5, "mutex", A)
    t.acquire(1400, 0, 5, "mutex", A)
    t.release(1500, 0, 5, "mutex", A)
    r = taken_apart(test, t.write(test.path("why")), status=3)
    bad = expect(r, "held", A, 5, {RUNNING: 100})
    t = Tasks()
    t.switch(1000, 0, 0, "R", 5)
    for i in range(400):
        t.acquire(1010 + 10 * i, 0, 5, "mutex", 0x100 * (i + 1))
        t.cpu(1).lose(1)
        t.at(1015 + 10 * i, 1, 6)
    r = taken_apart(test, t.write(test.path("why")), status=3)
    return bad + (["%d are refused" % r["refused"]] if r["refused"] else [])


@why
def why_selected(test):
    """Filters are of waits, too; the longest of a row; and equal ones in the order of time."""
    t = Tasks()
    t.switch(1000, 0, 0, "R", 5)
    t.switch(1000, 1, 0, "R", 6)
    for now, cpu, tid, lock, n in ((1100, 0, 5, A, 50), (1200, 1, 6, A, 40), (1300, 0, 5, B, 50),
                                   (1400, 0, 5, A, 20), (1500, 0, 5, B, 10)):
        t.wait(now, cpu, tid, lock, MUTEX)
        t.waited(now + n, cpu, tid, lock)
        t.acquire(now + n, cpu, tid, "mutex", lock)
        t.release(now + n + n, cpu, tid, "mutex", lock)
    path = t.write(test.path("why"))
    bad = []
    for args, want in (((), [100, 300, 200, 400, 500]), (("--task", "6"), [200]),
                       (("--lock", "0xb0"), [300, 500])):
        r = taken_apart(test, path, *args)
        have = {kind: [i["at_ns"] - (kind == "held") * i["ticks"]
                       for i in r[kind]["longest"]] for kind in ("held", "waited")}
        if have != {"held": want, "waited": want}:
            bad.append("%s: %s, not %s" % (args, have, want))
        longest = max(i["ns"] for i in r["waited"]["longest"])
        if r["waited"]["all"]["max_ns"] != longest or \
                max(row["max_ns"] for row in r["waited"]["rows"]) != longest:
            bad.append("the longest of %s is not %d" % (r["waited"]["all"], longest))
    for args, words in (((), "no section is selected: the trace has mutex in "),
                        (("--waits",), "no wait is selected: the trace has 5\n")):
        r = test.ft("why", "--task", "4711", *args, path)
        if r.returncode or words not in r.stderr:
            bad.append("not told: %s: %d %s" % (words, r.returncode, r.stderr))
    return bad


@why
def why_needs_locks(test):
    """Without events of locks nothing can be said, and the command says what to do."""
    t = Tasks()
    t.switch(1000, 0, 0, "R", 5)
    t.switch(1100, 0, 5, "S", 0)
    r = test.ft("why", t.write(test.path("why")))
    return [] if r.returncode == 1 and "no lock event was recorded" in r.stderr and \
        "ft record --locks -e 'sched_*," in r.stderr else ["%d: %s" % (r.returncode, r.stderr)]


@why
def why_many_wakeups(test):
    """A wait for hundreds of holders, each often preempted by who is woken: that has an end."""
    t = Tasks(per_packet=4000)
    holders, preempters, now = 200, 200, 1010
    t.switch(1000, 0, 0, "R", 5)
    t.switch(1000, 1, 0, "R", 6)
    t.acquire(1000, 0, 5, "mutex", A)
    t.wait(1000, 1, 6, A, MUTEX)
    t.switch(1001, 1, 6, "D", 0)
    t.release(now, 0, 5, "mutex", A)
    t.switch(now, 0, 5, "S", 100)
    for tid in range(100, 100 + holders):
        t.acquire(now, 0, tid, "mutex", A)
        for i in range(preempters):
            t.switch(now + 1, 0, tid, "R+", 10000 + i)
            t.switch(now + 5, 0, 10000 + i, "S", tid)
            t.waking(now + 6, 0, tid, 10000 + (i + 7) % preempters)
            now += 10
        t.release(now, 0, tid, "mutex", A)
        t.switch(now + 3, 0, tid, "S", tid + 1)
        now += 6
    t.waking(now, 0, 100 + holders, 6)
    t.switch(now + 1, 1, 0, "R", 6)
    t.waited(now + 2, 1, 6, A)
    r = test.ft("why", "--json", t.write(test.path("why")))     # this has a limit, a generous one
    return check(json.loads(r.stdout))


def read_again(test, path, change, *args):
    """
    change() comes between the two readings: the command has its files open, and waits for
    room in the pipe for what the first reading says. Return: its status, output, messages.
    """
    said, end = os.pipe()
    fcntl.fcntl(end, 1031, 4096)        # F_SETPIPE_SZ
    os.write(end, b"." * 4096)
    with subprocess.Popen([test.program, "why", *args, path], stderr=end,
                          stdout=subprocess.PIPE, text=True) as process:
        os.close(end)
        for _ in range(30000):
            with open("/proc/%d/stat" % process.pid, encoding="utf-8") as f:
                state = f.read().rsplit(")", 1)[1].split()[0]
            files = "/proc/%d/fd/" % process.pid
            if state == "S" and path + "/cpu0" in {
                    os.readlink(files + fd) for fd in os.listdir(files)}:
                break
            time.sleep(0.002)
        else:
            process.kill()
            raise ValueError("it did not come to the end of the trace")
        change()
        with open(said, encoding="utf-8") as f:
            messages = f.read()[4096:]
        return process.wait(), process.stdout.read(), messages


def torn(test, name):
    """Two CPUs, of which one has something to say, so that the other one can be changed."""
    t = Tasks(per_packet=4)
    t.switch(1000, 0, 0, "R", 5)
    t.switch(1000, 1, 0, "R", 6)
    for i in range(8):
        t.acquire(1100 + 100 * i, 0, 5, "mutex", A)
        t.release(1150 + 100 * i, 0, 5, "mutex", A)
        t.at(1160 + 100 * i, 1, 6)
    path = t.write(test.path(name))
    with open(path + "/cpu1", "r+b") as f:
        f.truncate(os.path.getsize(f.name) - 50)
    return path


@why
def why_late_waking(test):
    """A waking comes late, as its stream waited for a release: it is not from the next sleep."""
    t = Tasks()
    for cpu, tid in enumerate((5, 6, 7)):
        t.switch(1000, cpu, 0, "R", tid)
    t.switch(1100, 0, 5, "S", 0)
    t.acquire(1500, 2, 7, "spin", B)
    t.acquire(2000, 1, 6, "spin", B)            # it is read after what CPU 0 did at 2300
    t.waking(2100, 1, 6, 5)
    t.waking(2200, 0, 0, 5, name="sched_wakeup")
    t.switch(2300, 0, 0, "R", 5)
    t.acquire(3200, 0, 5, "mutex", A)
    t.switch(3500, 0, 5, "S", 0)
    t.waking(9000, 1, 6, 5)
    t.waking(9010, 0, 0, 5, name="sched_wakeup")
    t.switch(9100, 0, 0, "R", 5)
    t.release(9150, 0, 5, "mutex", A)
    r = taken_apart(test, t.write(test.path("why")))
    return expect(r, "held", A, 5, {RUNNING: 300 + 50, (("asleep", "S", 6),): 5500,
                                    (("ready", 0),): 100})


@why
def why_changes_meanwhile(test):
    """What the second reading does not have any more is said, with the reason, once."""
    bad = []

    def put(content):
        """In place of cpu0, whose first reading goes on."""
        os.rename(path + "/cpu0", path + "/.cpu0")
        if content is None:
            os.mkdir(path + "/cpu0")
        else:
            with open(path + "/cpu0", "wb") as f:
                f.write(content(whole))

    def spoilt(content):
        at = len(content) // 2 & ~7
        return content[:at] + bytes(8) + content[at + 8:]

    for content, words in (
            (lambda whole: whole[:len(whole) // 2], "records when it was first read"),
            (lambda whole: b"", "records when it was first read"),
            (None, "is not a regular file"), (spoilt, "the rest of it is not read")):
        path = torn(test, "changes")
        with open(path + "/cpu0", "rb") as f:
            whole = f.read()
        status, out, said = read_again(test, path, lambda c=content: put(c), "--json")
        if status != 1 or out or words not in said or "cannot be read again" not in said or \
                said.count("cpu1: the last packet is torn") != 1:
            bad.append("%s: %d %r" % (words, status, said))
    return bad


@why
def why_grows_meanwhile(test):
    """A trace that is being recorded may have more at the second reading."""
    path = torn(test, "grows")
    with open(path + "/cpu0", "rb") as f:
        whole = f.read()
    with open(path + "/cpu0", "r+b") as f:
        f.truncate(len(whole) // 2 & ~31)

    def grow():
        with open(path + "/.cpu0", "wb") as f:
            f.write(whole)
        os.rename(path + "/.cpu0", path + "/cpu0")

    status, out, said = read_again(test, path, grow, "--json")
    return ["%d %s" % (status, said)] if status != 3 or "read again" in said else \
        check(json.loads(out))
