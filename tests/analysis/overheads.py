# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""ft overheads and ft compare on experiments that were made by hand."""

import json
import math
import os
import random
import struct

from exports_threads import TYPED, Typed
from gen_trace import HARDIRQ, NMI, SOFTIRQ

OVERHEADS = []
NAMES = ("schedule", "switch", "tick", "release", "wakeup", "wakeup_rt", "reschedule", "call",
         "syscall")
POINT = ("word_t di", "word_t si")
VECTOR = ("uint32_t vector; uint32_t on_cpu", "uint64_t _ft_unused_0")
EVENTS = {
    "__schedule_0x0": (120, *POINT),
    "finish_task_switch_isra_0_0x0": (121, *POINT),
    "native_smp_send_reschedule_0x0": (122, *POINT),
    "native_send_call_func_single_ipi_0x0": (123, *POINT),
    "__x64_sys_getppid_0x0": (124, *POINT),
    "reschedule_entry": (126, *VECTOR),
    "call_function_single_entry": (127, *VECTOR),
}
SENT = {"ipi_send_cpu": (125, "uint32_t cpu; uint32_t _ft_unused_0", "code_t callback")}
TICK, NOHZ, WAKEUP, OTHER, CALL = (0xffffffff81001000 + 0x100 * i for i in range(5))
FACTS = "overheads_version\t1\nclock\ttsc\nstatus\t0\nload\town\n"
SYMBOLS = "".join("%x T %s\n" % s for s in (
    (TICK, "tick_sched_timer"), (NOHZ, "tick_nohz_handler"), (WAKEUP, "hrtimer_wakeup"),
    (OTHER, "it_real_fn"), (CALL, "generic_smp_call_function_single_interrupt"),
    (CALL + 0x100, "others")))


def case(f):
    OVERHEADS.append(f)
    return f


class Machine(Typed):
    EVENTS = {**TYPED, **EVENTS}

    def point(self, ts, cpu, tid, name, di=0, ctx=0):
        self.cpu(cpu).add(ts, self.EVENTS[name + "_0x0"][0], tid, di, 0, ctx)

    def schedule(self, ts, cpu, tid, ctx=0):
        self.point(ts, cpu, tid, "__schedule", ctx=ctx)

    def finish(self, ts, cpu, tid, ctx=0):
        self.point(ts, cpu, tid, "finish_task_switch_isra_0", ctx=ctx)

    def waking(self, ts, cpu, tid, woken, prio=120, ctx=0):
        self.typed(ts, cpu, tid, "sched_waking", woken, (prio % 2**16) << 16, woken, ctx)

    def timer(self, ts, cpu, timer, function, ctx=HARDIRQ):
        self.cpu(cpu).add(ts, self.EVENTS["hrtimer_expire_entry"][0], 9, timer, function, ctx)

    def expired(self, ts, cpu, timer, ctx=HARDIRQ):
        self.cpu(cpu).add(ts, self.EVENTS["hrtimer_expire_exit"][0], 9, timer, 0, ctx)

    def irq(self, ts, cpu, ctx=HARDIRQ):
        self.typed(ts, cpu, 9, "irq_handler_entry", 24, cpu, OTHER, ctx)

    def write_all(self, path, calls=(), clock="tsc", facts=FACTS):
        """An experiment. calls: (tid, ticks)"""
        os.makedirs(os.path.join(path, "info"), exist_ok=True)
        with open(os.path.join(path, "info/session"), "w", encoding="utf-8") as f:
            f.write(facts)
        with open(os.path.join(path, "calls"), "wb") as f:
            f.write(b"".join(struct.pack("=IIQ", tid, 0, ticks) for tid, ticks in calls))
        self.file("info/kallsyms", SYMBOLS)
        self.file("info/session", "host\tma_chine\nkernel_release\t6.1\ncpus\t2\nclock\t%s\n" % clock)
        self.write(os.path.join(path, "trace"))
        return path


class Sending(Machine):
    EVENTS = {**TYPED, **EVENTS, **SENT}

    def send(self, ts, cpu, to, callback=0):
        self.typed(ts, cpu, 9, "ipi_send_cpu", to, 0, callback)


def found(test, path, *args, status=0):
    """{name: (samples, disturbed, cut, min, max)} in ns"""
    done = test.ft("overheads", "--read", path, "--json", *args)
    if done.returncode != status:
        raise ValueError("exit status %d: %s" % (done.returncode, done.stderr))
    return {name: (o["samples"], o["disturbed"], o["cut"], o.get("min_ns"), o.get("max_ns"))
            for name, o in json.loads(done.stdout)["overheads"].items()}


def differ(have, **want):
    """What is not as said; of the others there is nothing."""
    bad = []
    for name in NAMES:
        expected = want.get(name, (0, 0, 0, None, None))
        if have[name] != expected:
            bad.append("%s: %r, not %r" % (name, have[name], expected))
    return bad


@case
def overheads_of_each_kind(test):
    """A pair of each, with the length that it has."""
    t = Machine()
    t.schedule(1000, 0, 5)
    t.switch(1010, 0, 5, "S", 6)
    t.finish(1025, 0, 6)
    t.schedule(1030, 0, 6)                  # nobody else is to run
    t.schedule(1040, 0, 6)
    t.switch(1047, 0, 6, "R+", 5)
    t.finish(1058, 0, 5)
    t.timer(1100, 0, 0xa0, TICK)
    t.expired(1120, 0, 0xa0)
    t.timer(1130, 0, 0xa0, NOHZ)
    t.expired(1160, 0, 0xa0)
    t.timer(1200, 0, 0xb0, WAKEUP)
    t.waking(1205, 0, 9, 7, 89, HARDIRQ)
    t.expired(1209, 0, 0xb0)
    t.timer(1210, 0, 0xc0, OTHER)
    t.expired(1220, 0, 0xc0)
    t.waking(1230, 0, 5, 8)
    t.point(1240, 0, 5, "native_smp_send_reschedule", 0xdead00000001)
    t.typed(1242, 1, 9, "reschedule_entry", 253, 1, 0, HARDIRQ)
    t.point(1250, 0, 5, "native_send_call_func_single_ipi", 1)
    t.typed(1254, 1, 9, "call_function_single_entry", 251, 1, 0, HARDIRQ)
    t.switch(1260, 1, 9, "S", 7)
    t.switch(1270, 1, 7, "S", 8)
    t.finish(1271, 1, 8)
    t.point(1300, 0, 5, "__x64_sys_getppid")
    return differ(
        found(test, t.write_all(test.path("overheads"), [(5, 1297)])),
        schedule=(2, 0, 0, 7.0, 10.0), switch=(3, 0, 1, 1.0, 15.0), tick=(2, 0, 0, 20.0, 30.0),
        release=(1, 0, 0, 9.0, 9.0), wakeup=(2, 0, 0, 40.0, 55.0), wakeup_rt=(1, 0, 0, 55.0, 55.0),
        reschedule=(1, 0, 0, 2.0, 2.0), call=(1, 0, 0, 4.0, 4.0), syscall=(1, 0, 0, 3.0, 3.0))


@case
def overheads_disturbed(test):
    """An interrupt within a cost: not what was at its begin or end, nor what is not above."""
    t = Machine()
    t.irq(990, 0)
    t.schedule(1000, 0, 5)
    t.irq(1005, 0)                          # of this CPU
    t.switch(1010, 0, 5, "S", 6)
    t.irq(1012, 1)                          # of another one
    t.finish(1025, 0, 6, SOFTIRQ)           # who runs now was preempted in a softirq
    t.schedule(1030, 0, 6)
    t.irq(1031, 0, NMI)
    t.switch(1040, 0, 6, "R+", 5)
    t.timer(1100, 0, 0xa0, TICK)
    t.waking(1110, 0, 9, 7, 120, HARDIRQ)
    t.expired(1120, 0, 0xa0)
    t.timer(1200, 0, 0xa0, TICK)
    t.irq(1210, 0, NMI)
    t.expired(1220, 0, 0xa0)
    t.timer(1300, 0, 0xd0, WAKEUP, SOFTIRQ)
    t.timer(1310, 0, 0xa0, WAKEUP)          # an interrupt in the softirq
    t.expired(1315, 0, 0xa0)
    t.expired(1320, 0, 0xd0, SOFTIRQ)
    t.irq(1330, 1)                          # latencies are with interrupts
    t.switch(1340, 1, 9, "S", 7)
    return differ(found(test, t.write_all(test.path("overheads"))),
                  schedule=(0, 2, 0, None, None), switch=(1, 0, 2, 15.0, 15.0),
                  tick=(1, 1, 0, 20.0, 20.0), release=(1, 1, 0, 5.0, 5.0),
                  wakeup=(1, 0, 0, 230.0, 230.0))


@case
def overheads_across_gaps(test):
    """Where records were lost nothing is paired, on that CPU or with others."""
    t = Machine()
    t.schedule(1000, 0, 5)
    t.timer(1001, 0, 0xa0, TICK)
    t.waking(1002, 1, 9, 7)
    t.waking(1003, 1, 9, 8, 10)
    t.point(1004, 1, 9, "native_smp_send_reschedule", 0)
    t.irq(1005, 0)
    t.cpu(0).lose(2)
    t.waking(1100, 1, 9, 6)                 # meanwhile
    t.point(1101, 1, 9, "native_smp_send_reschedule", 0)
    t.switch(1200, 0, 5, "S", 6)
    t.expired(1210, 0, 0xa0)
    t.typed(1220, 0, 9, "reschedule_entry", 253, 0, 0, HARDIRQ)
    t.switch(1230, 0, 6, "S", 7)
    t.switch(1240, 0, 7, "S", 8)
    t.finish(1244, 0, 8)
    t.point(1250, 0, 5, "__x64_sys_getppid")   # it was about to when records were lost
    t.point(1260, 0, 5, "__x64_sys_getppid")
    t.schedule(1300, 2, 3)
    t.cpu(2).lose(1)
    t.point(1400, 2, 3, "__x64_sys_getppid")
    calls = [(5, 1150), (5, 1255), (3, 1350)]
    return differ(found(test, t.write_all(test.path("overheads"), calls), status=3),
                  schedule=(0, 0, 2, None, None), switch=(1, 0, 2, 4.0, 4.0),
                  tick=(0, 0, 1, None, None), wakeup=(0, 0, 3, None, None),
                  wakeup_rt=(0, 0, 1, None, None), reschedule=(0, 0, 2, None, None),
                  syscall=(1, 2, 0, 5.0, 5.0))


@case
def overheads_wakeups(test):
    """From the wake-up to the CPU: not of who still ran, the last one of several."""
    t = Machine()
    t.waking(1000, 0, 5, 5)                 # it was about to sleep
    t.switch(1010, 0, 5, "R+", 6)
    t.switch(1020, 0, 6, "S", 5)
    t.waking(1030, 1, 9, 7)
    t.waking(1040, 1, 9, 7)
    t.switch(1045, 0, 5, "S", 7)
    t.waking(1050, 1, 9, 8, -1)             # SCHED_DEADLINE
    t.waking(1051, 1, 9, 10, 99)            # the lowest of real-time tasks
    t.waking(1052, 1, 9, 11, 100)
    t.switch(1060, 0, 7, "S", 8)
    t.switch(1063, 0, 8, "S", 10)
    t.switch(1070, 0, 10, "S", 11)
    t.waking(1080, 1, 9, 12)                # the end
    return differ(found(test, t.write_all(test.path("overheads"))),
                  wakeup=(4, 0, 1, 5.0, 18.0), wakeup_rt=(2, 0, 0, 10.0, 12.0),
                  switch=(0, 0, 6, None, None))


@case
def overheads_calls(test):
    """The last time before it of the same task; none that was before, or on the way."""
    t = Machine()
    t.point(1000, 0, 5, "__x64_sys_getppid")
    t.point(1010, 0, 5, "__x64_sys_getppid")    # no time of its own
    t.point(1020, 1, 6, "__x64_sys_getppid")
    t.point(1030, 0, 7, "__x64_sys_getppid")    # somebody else
    t.switch(1040, 0, 5, "R+", 9)
    t.switch(1050, 0, 9, "S", 5)
    t.point(1060, 0, 5, "__x64_sys_getppid")    # it was preempted on the way
    t.irq(1071, 0)
    t.point(1080, 0, 5, "__x64_sys_getppid")
    t.point(1095, 0, 5, "__x64_sys_getppid")
    calls = [(6, 1011), (5, 1035), (5, 980), (5, 991), (5, 1070), (5, 1093), (5, 2000), (4, 1), (8, 1)]
    return differ(found(test, t.write_all(test.path("overheads"), calls)),
                  syscall=(3, 2, 0, 2.0, 9.0), switch=(0, 0, 2, None, None))


@case
def overheads_ipis(test):
    """Which IPI a callback means; of several that are under way, the first."""
    t = Sending()
    t.send(1000, 0, 1)
    t.send(1005, 2, 1)
    t.send(1005, 1, 1, OTHER)                   # irq_work
    t.send(1006, 0, 1, CALL)
    t.send(1008, 0, 2**32 - 1)
    t.typed(1010, 1, 9, "reschedule_entry", 253, 1, 0, HARDIRQ)
    t.typed(1012, 1, 9, "reschedule_entry", 253, 1, 0, HARDIRQ)
    t.typed(1020, 1, 9, "call_function_single_entry", 251, 1, 0, HARDIRQ)
    t.send(1030, 0, 2)
    return differ(found(test, t.write_all(test.path("overheads"))),
                  reschedule=(1, 0, 1, 10.0, 10.0), call=(1, 0, 0, 14.0, 14.0))


@case
def overheads_hostile(test):
    """Numbers that no kernel has."""
    t = Sending()
    for i, tid in enumerate((0, -1, 2**31 - 1, -2**31, 2**22 + 1)):
        t.waking(1100 + 10 * i, 0, 9, tid % 2**32)
        t.cpu(0).add(1102 + 10 * i, 124, tid, 0, 0, 0)
        t.switch(1105 + 10 * i, 0, tid, "S", tid % 2**32)
    for i in range(70000):
        t.timer(2000 + i, 0, i, OTHER + 2 * i)
        t.send(2000 + i, 1, i)                  # so many that each must be cheap
    return differ(found(test, t.write_all(test.path("overheads"), [(2**32 - 1, 1), (0, 1)])),
                  switch=(0, 0, 5, None, None), reschedule=(0, 0, 2**16, None, None))


@case
def overheads_woken_on_the_way_to_sleep(test):
    """One that was about to sleep in __schedule() is woken: unlike one that still ran."""
    t = Machine()
    t.schedule(1000, 0, 7)
    t.waking(1010, 1, 9, 7)                 # it is on its way
    t.switch(1020, 0, 7, "S", 6)
    t.switch(1050, 0, 6, "R+", 7)
    t.waking(1060, 1, 9, 7)                 # before that
    t.schedule(1070, 0, 7)
    t.switch(1080, 0, 7, "S", 6)
    t.switch(1090, 0, 6, "S", 7)
    t.schedule(1100, 0, 7)
    t.waking(1110, 1, 9, 7)                 # it does not sleep
    t.switch(1120, 0, 7, "R+", 6)
    t.switch(1130, 0, 6, "S", 7)
    return differ(found(test, t.write_all(test.path("overheads"))),
                  wakeup=(1, 0, 0, 40.0, 40.0), schedule=(3, 0, 0, 10.0, 20.0),
                  switch=(0, 0, 6, None, None))


@case
def overheads_that_did_not_end(test):
    """Began, and began again: cut. A decision for the same task is none."""
    t = Machine()
    t.timer(1000, 0, 0xa0, TICK)
    t.timer(1010, 0, 0xa0, TICK)
    t.expired(1015, 0, 0xa0)
    t.timer(1020, 0, 0xd0, WAKEUP, SOFTIRQ)  # its thread is preempted
    t.switch(1030, 0, 9, "R+", 5)
    t.switch(1040, 0, 5, "S", 9)
    t.expired(1050, 0, 0xd0, SOFTIRQ)
    t.schedule(1060, 0, 5)
    t.point(1070, 0, 5, "__x64_sys_getppid")
    t.switch(1900, 0, 5, "S", 9)
    t.finish(1905, 0, 9)
    path = t.write_all(test.path("overheads"))
    bad = differ(found(test, path), tick=(1, 0, 1, 5.0, 5.0), release=(0, 1, 0, None, None),
                 switch=(1, 0, 2, 5.0, 5.0))
    text = test.ft("overheads", "-r", path).stdout
    row = [line for line in text.splitlines() if line.startswith("release by a timer")][0]
    return bad + [row] * (row.split()[4:] != "0 1 0 all were disturbed or cut".split())


@case
def overheads_incomplete(test):
    """What the kernel left out is told, also when it is read again."""
    t, _ = random_machine(9, n=100)
    path = t.write_all(test.path("overheads"), facts=FACTS.replace("status\t0", "status\t3"))
    text = test.ft("overheads", "-r", path)
    got = test.ft("overheads", "-r", path, "--json")
    good = t.write_all(test.path("good"))
    compared = test.ft("compare", good, path)
    return ["%s" % done for done in (text, got, compared) if done.returncode != 3] + \
        [text.stdout] * ("left out a kprobe" not in text.stdout) + \
        [got.stdout] * json.loads(got.stdout)["complete"]


@case
def overheads_missing(test):
    """What is not in the trace is said, kind by kind."""
    t = Typed()
    t.switch(1000, 0, 5, "S", 6)
    path = Machine.write_all(t, test.path("overheads"), clock="monotonic")
    got = json.loads(test.ft("overheads", "--read", path, "--json").stdout)["overheads"]
    have = {name: got[name].get("reason") for name in NAMES}
    return ["%s: %r, not %r" % (name, have[name], want) for name, want in {
        "schedule": "the trace has no event '__schedule'",
        "switch": "the trace has no event 'finish_task_switch'",
        "tick": "it did not happen", "release": "it did not happen",
        "wakeup": "it did not happen", "wakeup_rt": "it did not happen",
        "reschedule": "the trace has no event 'ipi_send_cpu'",
        "call": "the trace has no event 'ipi_send_cpu'",
        "syscall": "the trace has another clock than programs",
    }.items() if have[name] != want]


def random_machine(seed, scale=1.0, n=3000, growing=False, **more):
    """Context switches of known lengths."""
    rng, at, t, lengths = random.Random(seed), 1000, Machine(**more), []
    for i in range(n):
        length = 100 + 900 * i // n if growing else int(scale * rng.randrange(100, 1000))
        t.switch(at, 0, 5 + i % 2, "S", 6 - i % 2)
        t.finish(at + length, 0, 6 - i % 2)
        lengths.append(length)
        at += length + rng.randrange(1, 5000)
    return t, lengths


def percentile(values, share):
    """As NumPy has it."""
    values = sorted(values)
    at = share * (len(values) - 1)
    low = math.floor(at)
    high = min(low + 1, len(values) - 1)
    return values[low] + (at - low) * (values[high] - values[low])


@case
def overheads_statistics(test):
    """Each figure, in each format; and the samples, in each format's unit."""
    t, lengths = random_machine(7, freq=2 * 10**9)
    t.waking(2**33, 0, 9, 7)
    t.switch(2**33 + 100, 0, 6, "S", 7)
    path, bad = t.write_all(test.path("overheads")), []
    half = [x / 2 for x in lengths]
    mean = sum(half) / len(half)
    squares = sum((x - mean)**2 for x in half)
    want = {"samples": len(half), "min_ns": min(half), "mean_ns": mean, "max_ns": max(half),
            "stddev_ns": math.sqrt(squares / (len(half) - 1)), "p50_ns": percentile(half, .5),
            "p95_ns": percentile(half, .95), "p99_ns": percentile(half, .99),
            "p999_ns": percentile(half, .999)}
    got = json.loads(test.ft("overheads", "--read", path, "--json").stdout)["overheads"]["switch"]
    bad += ["JSON: %s is %s, not %s" % (k, got[k], v) for k, v in want.items()
            if abs(got[k] - v) > 0.051]
    lines = [line.split("\t") for line in
             test.ft("overheads", "--read", path, "--tsv").stdout.splitlines()]
    row = dict(zip(lines[0], next(line for line in lines if line[0] == "switch")))
    bad += ["TSV: %s is %s, not %s" % (k, row[k], v) for k, v in want.items()
            if abs(float(row[k]) - v) > 0.051]
    samples = test.path("samples")
    done = test.ft("overheads", "--read", path, "--csv", "--samples-to", samples)
    bad += ["a directory that is not there: %s" % done.stderr] * (
        done.returncode != 1 or "cannot write" not in done.stderr)
    os.makedirs(samples)
    done = test.ft("overheads", "--read", path, "--csv", "--samples-to", samples)
    head, *rows = (line.split(", ") for line in done.stdout.splitlines())
    row = dict(zip(head, next(row for row in rows if row[2] == "CXS")))
    for key, value in {"max": max(half), "99.9th perc.": want["p999_ns"], "99th perc.": want["p99_ns"],
                       "95th perc.": want["p95_ns"], "avg": mean, "med": want["p50_ns"],
                       "min": min(half), "std": want["stddev_ns"], "var": squares / len(half) / 1000,
                       "#samples": len(half) * 1000}.items():
        if abs(float(row[key]) - value / 1000) > 0.00002:
            bad.append("CSV: %s is %s, not %s" % (key, row[key], value / 1000))
    bad += ["CSV: %s" % row] * (row["#Plugin"] != "Linux" or row["#cores"] != "2" or
                               row["Unit"] != "microseconds" or row["#tasks"] != "*")
    for name, size, want in ((row["file"], len(lengths), lengths),
                             (row["file"].replace("=CXS.", "=WAKEUP-LATENCY."), 1, [50.0])):
        with open(os.path.join(samples, name), "rb") as f:
            have = [x[0] for x in struct.iter_unpack("=f", f.read())]
        bad += ["%s: %d samples, not %d" % (name, len(have), size)] * (len(have) != size)
        bad += ["%s: other samples" % name] * (have != want)
    bad += ["the file's name is %s" % row["file"]] * (
        row["file"] != "overheads_host=ma-chine_scheduler=Linux_m=2_overhead=CXS.float32")
    return bad


@case
def overheads_chosen(test):
    """So many samples by chance: each may be one, and they are the same each time."""
    t, lengths = random_machine(8, growing=True)
    path = t.write_all(test.path("overheads"))
    bad, n, mean = [], 1000, sum(lengths) / len(lengths)
    first = test.ft("overheads", "--read", path, "--json", "--samples", str(n)).stdout
    got = json.loads(first)["overheads"]["switch"]
    bad += ["%d samples" % got["samples"]] * (got["samples"] != n)
    bad += ["the mean is %s, that of all %s" % (got["mean_ns"], mean)] * (
        abs(got["mean_ns"] - mean) > 4 * 260 / math.sqrt(n) or got["mean_ns"] == mean)
    bad += ["not the same again"] * (
        first != test.ft("overheads", "--read", path, "--json", "--samples", str(n)).stdout)
    all_of_them = found(test, path, "--samples", "5000")["switch"]
    return bad + ["of fewer: %r" % (all_of_them,)] * (
        all_of_them[:1] + all_of_them[3:] != (3000, min(lengths), max(lengths)))


@case
def overheads_bad_input(test):
    """What cannot be read, and what is not an experiment."""
    t, _ = random_machine(9, n=10)
    bad, good = [], t.write_all(test.path("overheads"))
    cases = [(["--read", test.path("none")], 1, "is not an experiment of ft overheads -o"),
             (["--read", os.path.join(good, "trace")], 1, "is not an experiment"),
             (["--read", good, "--", "true"], 2, "nothing is recorded"),
             (["--read", good, "--samples", "0"], 2, "from 1 on"),
             (["--force"], 2, "--output"), (["--duration", "0.01"], 2, "0.1 to"),
             (["--duration", "1", "--", "true"], 2, "our own load"),
             (["--samples-to", test.path("none")], 1, "cannot write into")]
    for line in FACTS.splitlines(True):
        path = test.path("without-" + line.split("\t")[0])
        t.write_all(path, facts=FACTS.replace(line, ""))
        cases.append((["--read", path], 1,
                      "is not an experiment" if "version" in line else "is damaged, or of another version"))
    path = test.path("version")
    t.write_all(path, facts=FACTS.replace("version\t1", "version\t2"))
    cases.append((["--read", path], 1, "is damaged, or of another version"))
    path = t.write_all(test.path("calls"), [(5, 1)])
    with open(os.path.join(path, "calls"), "ab") as f:
        f.write(b"x")
    cases.append((["--read", path], 1, "17 bytes are not a list"))
    path = t.write_all(test.path("no-calls"))
    os.remove(os.path.join(path, "calls"))
    cases.append((["--read", path], 1, "calls"))
    path = t.write_all(test.path("no-trace"))
    os.remove(os.path.join(path, "trace", "metadata"))
    cases.append((["--read", path], 1, "trace"))
    for args, status, text in cases:
        done = test.ft("overheads", *args)
        if done.returncode != status or text not in done.stderr or done.stdout:
            bad.append("%s: status %d, %s" % (args, done.returncode, done.stderr))
    return bad


@case
def overheads_compared(test):
    """Equal numbers of samples; a change, none, and too few of them."""
    a = random_machine(1, n=4000)[0].write_all(test.path("a"))
    b = random_machine(2, n=3000)[0].write_all(test.path("b"))
    c = random_machine(3, 1.3, n=5000)[0].write_all(test.path("c"))
    few = random_machine(4, 2, n=50)[0].write_all(test.path("few"))
    bad = []
    done = test.ft("compare", "--json", a, b, c)
    got = json.loads(done.stdout)["overheads"]
    switch = got["switch"]
    bad += ["status %d: %s" % (done.returncode, done.stderr)] * (done.returncode != 0)
    bad += ["%d samples" % switch["samples"]] * (switch["samples"] != 3000)
    chosen = json.loads(test.ft("overheads", "-r", a, "--json", "-n", "3000").stdout)
    bad += ["A: %s, not %s" % (switch["values"][0]["mean_ns"], chosen["overheads"]["switch"])] * (
        switch["values"][0]["mean_ns"] != chosen["overheads"]["switch"]["mean_ns"])
    bad += ["%s" % switch] * (switch["values"][1]["is_change"] or not switch["values"][2]["is_change"])
    bad += ["%s" % switch] * (abs(switch["values"][2]["mean_change"] - 0.3) > 0.05)
    bad += ["no samples: %s" % got["tick"]] * (got["tick"] != {"samples": 0, "values": []})
    for args, text in (((a, b), "no change"), ((a, c), "longer by"), ((c, a), "shorter by"),
                       ((a, few), "too few samples"), ((a, c, "--limit", "50"), "no change")):
        out = test.ft("compare", *args).stdout
        part = out[out.index("context switch, "):out.index("tick:")]
        bad += ["%s: no %r: %s" % (args, text, part)] * (text not in part)
        bad += ["%s: %s" % (args, out)] * ("tick: not in all of them" not in out)
    rows = [line.split("\t") for line in test.ft("compare", "--tsv", a, c).stdout.splitlines()]
    bad += ["TSV: %s" % rows] * (["switch", "A", "4000"] not in [row[:3] for row in rows] or
                                any(len(row) != len(rows[0]) for row in rows))
    for args, status, text in (((a, os.path.join(b, "trace")), 1, "with each other"),
                               ((a, b, "--top", "5"), 2, "--top"),
                               ((a, b, "--html", test.path("page")), 2, "--html"),
                               ((a, b, "--family", "mutex"), 2, "options that select")):
        done = test.ft("compare", *args)
        if done.returncode != status or text not in done.stderr:
            bad.append("%s: status %d, %s" % (args, done.returncode, done.stderr))
    return bad
