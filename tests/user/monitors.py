#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""What others read of the sensors of programs, whatever is written there: monitors.py BUILD FT

ft sensors, ft top and ft monitor beside ft run --sensors, and a reader that knows nothing but
mmap().
"""
import fcntl
import json
import mmap
import os
import struct
import subprocess
import time

from runs import FT, main
from sensed import ENV, PROGRAM, Monitor, a_row, copied, number, offsets_of, on_terminal, \
    sensors_of, set_row, shown
from told import check, same


def read_alone(path):
    """The counter "rounds", by nothing but mmap()."""
    with open(path, "rb") as f:
        directory = mmap.mmap(f.fileno(), 65536, prot=mmap.PROT_READ)
        _, _, head, step, n = struct.unpack_from("<QIIII", directory)
        for i in range(n):
            serial, offset, size, _, _, name = struct.unpack_from("<QQQII64s", directory,
                                                                  head + i * step)
            if not serial or name.rstrip(b"\0") != b"rounds":
                continue
            at = mmap.mmap(f.fileno(), size, prot=mmap.PROT_READ, offset=offset)
            copies, first, copy, row = struct.unpack_from("<IIII", at, 64)
            count = struct.unpack_from("<I", at, 92)[0]
            return sum(struct.unpack_from("<Q", at, first + c * copy + row + count)[0]
                       for c in range(copies))
    return None


def counting(number_of):
    """Return: an ft run whose program has counted so often, and waits for the next line."""
    ft = subprocess.Popen([FT, "run", "--sensors", "--", PROGRAM, "lines"], env=ENV, text=True,
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    ft.stdin.write("%d\n" % number_of)
    ft.stdin.flush()
    ft.stdout.readline()
    time.sleep(0.5)
    return ft


def test_monitors():
    """While the program runs: by ft, by its number or not, and by anybody who can mmap()."""
    with counting(1234) as ft:
        program = "--program=%d" % ft.pid
        got = shown("sensors", "show", "--json", program)
        rounds = [number(s) for s in json.loads(got.stdout)["sensors"] if s["name"] == "rounds"]
        same("monitors: by its number", [1234], rounds)
        got = shown("sensors", "show", "--program", "rounds")
        # Others may run such programs at the same time.
        check("monitors: the only one, or which", "1234" in got.stdout or
              "several ft run have sensors" in got.stderr,
              got.stdout + got.stderr)
        text = ""
        for _ in range(100):        # the names are saved a moment later
            text = shown("sensors", "show", program, "lock/pthread_mutex/hold").stdout
            if "run_lines" in text:
                break
            time.sleep(0.1)
        check("monitors: with names", "run_lines" in text, text)
        same("monitors: one that knows nothing but mmap()", 1234,
             read_alone(next(sensors_of(ft.pid))))
        top = shown("top", program, "--json", "--delay", "0.2")
        check("monitors: ft top", '"by": "site"' in top.stdout or '"by":"site"' in top.stdout,
              top.stdout + top.stderr)
        top = shown("top", program, "--json", "--by", "lock")
        same("monitors: ft top: rows that there cannot be", 2, top.returncode)
        check("monitors: ft top on a terminal: whose locks", "ft top: locks of programs by site" in
              on_terminal("top", program))
        metrics = shown("sensors", "show", program, "--openmetrics").stdout
        check("monitors: OpenMetrics", 'ft_lock_hold_seconds_count{family="pthread_mutex"}' in
              metrics, metrics[:500])
        check("monitors: OpenMetrics: whose locks", "of programs" in metrics, metrics[:500])
        same("monitors: programs make them themselves", 2,
             shown("sensors", "end", program, "rounds").returncode)
        ft.stdin.close()
        ft.wait(60)
        same("monitors: it ends", 0, ft.returncode)
        got = shown("sensors", "show", "--program=%d" % ft.pid)
        same("monitors: then there is nothing", (1, True),
             (got.returncode, "is not an ft run --sensors" in got.stderr))


HOLD, WAIT = "lock/pthread_mutex/hold", "lock/pthread_mutex/wait"


def test_left_out():
    """What ft cannot read: it shows the rest, and does not say that this is all."""
    fd = copied("site")
    program, at = "--program=%d" % os.getpid(), offsets_of(fd)
    os.pwrite(fd, b"\2", at[WAIT] + 225)        # the first axis' values are signed
    got = shown("sensors", "list", program)
    same("left out: a signed one: ft says that it shows none", (0, True, False),
         (got.returncode, "'%s': ft shows no sensor of signed" % WAIT in got.stderr,
          WAIT in got.stdout))
    same("left out: a signed one by its name", 1,
         shown("sensors", "show", program, WAIT).returncode)
    os.pwrite(fd, bytes(8), at["rounds"])
    for action in "list", "show":
        got = shown("sensors", action, program)
        same("left out: %s: the rest, and the status says that it is not all" % action,
             (1, True, True), (got.returncode, HOLD in got.stdout,
                               "'rounds': it is no sensor" in got.stderr))
    got = shown("sensors", "show", program, HOLD, "rounds")
    same("left out: two by their names", (1, True), (got.returncode, HOLD in got.stdout))
    got = shown("sensors", "show", program, HOLD)
    same("left out: nothing that was asked for", (0, False),
         (got.returncode, "rounds" in got.stderr))
    got = shown("sensors", "show", program, "--openmetrics")
    same("left out: OpenMetrics", (1, True),
         (got.returncode, "\nft_sensors_unreadable 1\n" in got.stdout))
    with Monitor(program) as monitor:
        for _ in range(3):
            text = monitor.metrics()
        check("left out: ft monitor says so", "\nft_sensors_unreadable 1\n" in text, text[-300:])
        said = monitor.ends()
    same("left out: ft monitor: a message each, not at each answer",
         [True, True], [said.count("'%s'" % name) == 1 for name in ("rounds", WAIT)])
    os.close(fd)


def test_rows_grow():
    """What ft monitor says of rows never falls, and goes on growing after a fall."""
    fd = copied("site")
    row = a_row(fd, offsets_of(fd)[HOLD])
    with Monitor("--program=%d" % os.getpid()) as monitor:
        got = []
        for n in 100, 130, 20, 25, 25:
            set_row(fd, row, n)
            text = monitor.metrics()
            got.append([sum(float(line.split()[-1]) for line in text.splitlines()
                            if line.startswith('ft_row_%s_total{sensor="%s"' % (what, HOLD)))
                        for what in ("values", "seconds")])
        monitor.ends()
    same("rows grow: values", [0, 30, 30, 35, 35], [n for n, _ in got])
    check("rows grow: seconds", [0] == [s for _, s in got][:1] and
          got[1][1] == got[2][1] > 0 and abs(got[4][1] / got[1][1] - 35 / 30) < 1e-3, got)
    check("rows grow: others are no series", "(others)" not in text, text)
    once = shown("sensors", "show", "--program=%d" % os.getpid(), "--openmetrics").stdout
    check("rows grow: in one answer they are gauges", "# TYPE ft_row_values gauge\n" in once and
          '\nft_row_values{sensor="%s"' % HOLD in once and "ft_row_values_total" not in once, once)
    os.close(fd)


def test_hostile():
    """What anybody may have written is no reason to die."""
    empty = os.memfd_create("feather-trace-sensors")
    for command in (["sensors", "show"], ["top", "--once"]):
        got = shown(*command, "--program=%d" % os.getpid())
        check("hostile: an empty file: %s: is not looked at" % command[0], got.returncode == 1 and
              "is not an ft run --sensors" in got.stderr, (got.returncode, got.stderr))
    os.close(empty)
    # a directory that is larger than its file; then a file that is larger than any
    cut = os.memfd_create("feather-trace-sensors", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    os.pwrite(cut, struct.pack("<QIIIIQQ", 0x7264736e65735446, 1, 64, 512, 1, 0, 1 << 20), 0)
    os.ftruncate(cut, 4096)
    fcntl.fcntl(cut, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK)
    got = shown("sensors", "show", "--program=%d" % os.getpid())
    check("hostile: a directory behind the end", got.returncode == 1 and
          "it is too small" in got.stderr, (got.returncode, got.stderr))
    os.ftruncate(cut, 1 << 40)
    got = shown("sensors", "show", "--program=%d" % os.getpid())
    check("hostile: a huge file: is not looked at", got.returncode == 1 and
          "is not an ft run --sensors" in got.stderr, (got.returncode, got.stderr))
    os.close(cut)
    with counting(1) as ft:
        with open(next(sensors_of(ft.pid)), "r+b") as f, mmap.mmap(f.fileno(), 8192) as m:
            head, size = struct.unpack_from("<I", m, 12)[0], struct.unpack_from("<I", m, 16)[0]
            for i in range(20):         # struct ft_sensor_entry.offset
                struct.pack_into("<Q", m, head + i * size + 8, 1 << 40)
        got = shown("sensors", "show", "--program=%d" % ft.pid)
        check("hostile: a sensor behind the end: ft lives", got.returncode in (0, 1) and
              "too small" in got.stderr, (got.returncode, got.stderr))
        _, said = ft.communicate(timeout=60)
        check("hostile: its ft run ends, and says what it cannot show", ft.returncode == 125 and
              "too small" in said, (ft.returncode, said))


main([test_monitors, test_left_out, test_rows_grow, test_hostile])
