# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""What ft dump prints, and how symbols are found."""

import os
import subprocess

from gen_trace import HARDIRQ, NMI, SOFTIRQ, Trace

DUMPS = []

KALLSYMS = """0000000000000000 A fixed_percpu_data
0000000000014000 A __per_cpu_end
ffffffff81000000 T _stext
ffffffff81000000 T startup_64
ffffffff81001000 T do_work
ffffffff81001100 t __pfx_helper
ffffffff81001110 T never_returns
ffffffff81001140 T next_function
ffffffff82000000 D big_lock
ffffffff82000040 B _end
ffffffffc0000000 t mod_begin	[some_module]
ffffffffc0000100 t mod_end	[some_module]
"""
MODULES = "some_module 4096 0 - Live 0xffffffffc0000000 (OE)\n"

LOCK, CALL = 0xffffffff82000000, 0xffffffff81001023


def dump(f):
    DUMPS.append(f)
    return f


def some_trace():
    t = Trace(offset=500000000)
    t.acquire(2000000000, 0, 5, "spin", LOCK, site=CALL)
    t.acquire(2000000100, 1, 77, "mutex", 0xffff888000001000,
              site=0xffffffffc0000110, ctx=SOFTIRQ)
    t.release(2000001200, 1, 77, "mutex", 0xffff888000001000,
              site=0xffffffff81001140, ctx=HARDIRQ | SOFTIRQ)
    t.cpu(0).lose(4)
    t.release(3000000000, 0, -5, "spin", LOCK, site=0xffffffffc0002000, ctx=NMI)
    t.cpu(0).add(3000000001, 1, 5, 7, 2**64 - 1)
    t.file("info/kallsyms", KALLSYMS)
    t.file("info/modules", MODULES)
    return t


def lines(test, *args, trace=None, status=3, env=None):
    path = (trace or some_trace()).write(test.path("dump"))
    r = test.ft("dump", *args, path, env=env)
    if r.returncode != status:
        raise ValueError("exit status %d: %s" % (r.returncode, r.stderr))
    return r.stdout.splitlines()


def differ(have, want):
    if have == want:
        return []
    return ["printed:"] + have + ["not:"] + want


@dump
def tsv(test):
    return differ(lines(test, "--tsv"), [
        "time\tdelta\tcpu\tctx\ttid\tevent\ta\tb",
        "0.000000000\t0.000000000\t0\tt\t5\tspin_acquire"
        "\tlock=big_lock\tcaller=do_work+0x23",
        "0.000000000\t\t0\t\t\tLOST\tcounted=4\t",
        "0.000000100\t0.000000100\t1\ts\t77\tmutex_acquire"
        "\tlock=0xffff888000001000\tcaller=mod_end+0x10 [some_module]",
        "0.000001200\t0.000001100\t1\tsh\t77\tmutex_release"
        "\tlock=0xffff888000001000\tcaller=never_returns+0x30",
        "1.000000000\t0.999998800\t0\tn\t-5\tspin_release"
        "\tlock=big_lock\tcaller=0xffffffffc0002000",
        "1.000000001\t0.000000001\t0\tt\t5\tmark\ta=7\tb=18446744073709551615"])


@dump
def unread(test):
    """Words that could not be read are reported for printed events only, and are no error."""
    t = Trace(env={"unread_mark": 12, "unread_spin_acquire": 18446744073709551615,
                   "unread_spin_release": 0, "unread_mutex_acquire": '"many"', "unread_none": 7})
    t.cpu(0).add(1000, 1, 5, 0, 0)
    path = t.write(test.path("dump"))
    bad = []
    for args, want in (
            ((), ["mark: 12", "spin_acquire: 18446744073709551615"]),
            (("-e", "mark"), ["mark: 12"]), (("-e", "mutex_*"), [])):
        r = test.ft("dump", "--raw", *args, path)
        said = "".join("ft: %s: %s words could not be read, and are 0\n" % (path, w) for w in want)
        if r.returncode or r.stderr != said:
            bad.append("%s: %d: %s" % (args, r.returncode, r.stderr))
    return bad


@dump
def for_people(test):
    return differ(lines(test, "--event", "mutex_*,mark"), [
        "    0.000000000 *** CPU 0: records are missing after this "
        "(lost so far: 4) ***",
        "    0.000000100 +0.000000000   1 s        77 mutex_acquire       "
        " lock=0xffff888000001000 caller=mod_end+0x10 [some_module]",
        "    0.000001200 +0.000001100   1 sh       77 mutex_release       "
        " lock=0xffff888000001000 caller=never_returns+0x30",
        "    1.000000001 +0.999998801   0 t         5 mark                "
        " a=7 b=18446744073709551615"])


@dump
def one_cpu(test):
    """Times stay those of the whole trace."""
    return differ([line.split("\t")[0] + " " + line.split("\t")[1]
                   for line in lines(test, "--tsv", "--cpu", "1", status=0)],
                  ["time delta", "0.000000100 0.000000000",
                   "0.000001200 0.000001100"])


@dump
def same_time(test):
    """Of one tick: in the order of CPUs, whatever that of the files is."""
    t = Trace()
    for cpu in (2, 0, 3, 1):
        t.cpu(cpu).add(100, 1, 5, cpu, 0)
    have = lines(test, "--tsv", trace=t, status=0)
    return differ([line.split("\t")[2] for line in have], ["cpu", "0", "1", "2", "3"])


@dump
def raw(test):
    return differ(lines(test, "--raw", "--tsv", "-e", "spin_release"), [
        "time\tdelta\tcpu\tctx\ttid\tevent\ta\tb",
        "2000000000\t\t0\t\t\tLOST\tcounted=4\t",
        "3000000000\t0\t0\t20\t-5\tspin_release\tlock=0xffffffff82000000"
        "\tcaller=0xffffffffc0002000"])


@dump
def wall_clock(test):
    have = lines(test, "--clock=wall", "--tsv", "-e", "spin_acquire",
                 env=dict(os.environ, TZ="UTC"))
    return differ([line.split("\t")[0] for line in have],
                  ["time", "2023-11-14 22:13:22.500000000",
                   "2023-11-14 22:13:22.500000000"])


@dump
def without_symbols(test):
    t = some_trace()
    del t.files["info/kallsyms"]
    path = t.write(test.path("dump"))
    r = test.ft("dump", path)
    bad = [] if "caller=0xffffffff81001023" in r.stdout else ["no number"]
    if "--running-kernel" not in r.stderr or "--kallsyms" not in r.stderr:
        bad.append("no hint: " + r.stderr)
    return bad


@dump
def hidden_symbols(test):
    t = some_trace()
    t.file("info/kallsyms", "0000000000000000 T _stext\n" * 5)
    path = t.write(test.path("dump"))
    r = test.ft("dump", path)
    if r.stderr.count("all addresses") != 1 or "kptr_restrict" not in r.stderr:
        return ["it is not said, or not once: " + r.stderr]
    return []


@dump
def other_symbols(test):
    path = some_trace().write(test.path("dump"))
    name = os.path.join(test.work, "kallsyms")
    with open(name, "w") as f:
        f.write("ffffffff81001000 T other_name\n")
    r = test.ft("dump", "--kallsyms", name, path)
    bad = [] if "caller=other_name+0x23" in r.stdout else [r.stdout]
    os.unlink(name)
    for command in ("dump", "report", "export"):
        r = test.ft(command, "--kallsyms", name, path)
        if r.returncode != 1 or "cannot open " + name not in r.stderr:
            bad.append("%s: %d, %s" % (command, r.returncode, r.stderr))
    return bad


@dump
def sites_have_symbols(test):
    """ft report names its call sites, and shows the session."""
    t = Trace()
    t.acquire(100, 0, 5, "spin", LOCK, site=CALL)
    t.release(200, 0, 5, "spin", LOCK, site=CALL)
    t.file("info/kallsyms", KALLSYMS)
    t.file("info/session", "host\tsomewhere\nkernel_release\t6.1.0-x\n"
                           "command\tmake -j2\\ta\n")
    path = t.write(test.path("dump"))
    have = test.ft("report", "--tsv", path).stdout
    text = test.ft("report", path).stdout
    bad = ["'%s' is missing" % w for w in (
        "site\tspin:0xffffffff81001023\tsymbol\tdo_work+0x23\n",
        "trace\t-\thost\tsomewhere\n", "trace\t-\tcommand\tmake -j2\\ta\n")
        if w not in have]
    return bad + ["'%s' is missing" % w for w in (
        "somewhere", "6.1.0-x", "make -j2", "do_work+0x23", "none lost")
        if w not in text]


@dump
def reader_leaves(test):
    """A pipe that closes early is no error and makes no noise."""
    t = Trace()
    for i in range(20000):
        t.cpu(0).add(1000 + i, 1, 5, i, i)
    path = t.write(test.path("dump"))
    r = subprocess.run("'%s' dump --raw '%s' | head -n 3; echo ${PIPESTATUS[0]}"
                       % (test.program, path), shell=True, text=True,
                       executable="/bin/bash", capture_output=True, timeout=60)
    if r.stderr or r.stdout.splitlines()[-1] != "0":
        return ["%s, status %s" % (r.stderr, r.stdout.splitlines()[-1:])]
    return []


@dump
def full_disk(test):
    """But output that gets nowhere is one."""
    path = some_trace().write(test.path("dump"))
    bad = []
    for command in ("dump", "report"):
        with open("/dev/full", "w") as f:
            r = subprocess.run([test.program, command, path], stdout=f,
                               stderr=subprocess.PIPE, text=True, timeout=60)
        if r.returncode != 1 or "No space left" not in r.stderr:
            bad.append("%s: exit status %d: %s" % (command, r.returncode,
                                                   r.stderr))
    return bad
