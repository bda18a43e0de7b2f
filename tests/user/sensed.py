# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Files in which the sensors of programs count, as ft run --sensors has them."""
import fcntl
import glob
import os
import pty
import select
import signal
import socket
import struct
import subprocess
import time
import urllib.request

from runs import BUILD, FT, WORK
from sending import wait_until
from told import check

PROGRAM = BUILD + "/sensors"
LIBRARY = BUILD + "/libsensors.so"
ENV = dict(os.environ, SENSORS_LIBRARY=LIBRARY, TMPDIR=WORK)


def sensors_of(pid):
    """Files of sensors that the process has open, which may close any of its files meanwhile."""
    for path in glob.glob("/proc/%d/fd/*" % pid):
        try:
            if "feather-trace-sensors" in os.readlink(path):
                yield path
        except OSError:
            pass


def copied(by):
    """A file of sensors as that of an ft run whose programs count by that, which has ended."""
    fd = os.memfd_create("feather-trace-sensors", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    at = 0
    with subprocess.Popen([FT, "run", "--sensors", "--sensors-by=" + by, "--", PROGRAM, "lines"],
                          env=ENV, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE) as ft:
        ft.stdin.write("1\n")
        ft.stdin.flush()
        ft.stdout.readline()
        with open(next(sensors_of(ft.pid)), "rb") as f:
            wait_until(lambda: shows(f.fileno()))
            os.ftruncate(fd, os.fstat(f.fileno()).st_size)
            fcntl.fcntl(fd, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK)
            while True:
                try:
                    at = os.lseek(f.fileno(), at, os.SEEK_DATA)
                except OSError:         # there is no more
                    break
                end = os.lseek(f.fileno(), at, os.SEEK_HOLE)
                os.pwrite(fd, os.pread(f.fileno(), end - at, at), at)
                at = end
        ft.stdin.close()
        ft.wait(60)
    return fd


def shows(fd, entries=None):
    """How many entries the directory shows; then it shows so many."""
    before = struct.unpack("<I", os.pread(fd, 4, 20))[0]
    if entries is not None:
        os.pwrite(fd, struct.pack("<I", entries), 20)
    return before


def remove_sensors(fd):
    """As an ft run that ends."""
    head, step, n = struct.unpack("<III", os.pread(fd, 12, 12))
    for i in range(n):
        serial, offset = struct.unpack("<QQ", os.pread(fd, 16, head + i * step))
        if serial:
            os.pwrite(fd, struct.pack("<I", 2), offset + 32)


def offsets_of(fd):
    """Where each sensor is that the directory shows, by its name."""
    head, step, n = struct.unpack("<III", os.pread(fd, 12, 12))
    found = {}
    for i in range(n):
        entry = os.pread(fd, step, head + i * step)
        serial, offset = struct.unpack_from("<QQ", entry)
        if serial:
            found[entry[32:96].split(b"\0")[0].decode()] = offset
    return found


def a_row(fd, offset):
    """A row that has a key, of the sensor there: where its first bin is, and its sum."""
    head = os.pread(fd, 176, offset)
    copies, first, copy, rows_at, step, rows, key, _, total, _, _, _, bins = \
        struct.unpack_from("<13I", head, 64)
    for c in range(copies):
        for r in range(1, rows):
            at = offset + first + c * copy + rows_at + r * step
            if struct.unpack("<Q", os.pread(fd, 8, at + key))[0]:
                return at + bins, at + total
    raise ValueError("no row has a key")


def set_row(fd, row, n):
    """As if so many values of some microseconds each had been counted in its first bin."""
    os.pwrite(fd, struct.pack("<Q", n), row[0])
    os.pwrite(fd, struct.pack("<Q", n * 10000), row[1])


class Monitor:
    """ft monitor, at a port that was free."""

    def __init__(self, *options):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            at = "127.0.0.1:%d" % probe.getsockname()[1]
        self.ft = subprocess.Popen([FT, "monitor", "--listen", at, *options], text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.url = self.ft.stdout.readline().strip()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.ft.kill()
        self.ft.wait(60)

    def metrics(self):
        with urllib.request.urlopen(self.url, timeout=60) as answer:
            return answer.read().decode()

    def ends(self):
        """Return: its messages."""
        self.ft.send_signal(signal.SIGTERM)
        return self.ft.communicate(timeout=60)[1]


def shown(*args):
    return subprocess.run([FT] + list(args), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, timeout=60, check=False)


def on_terminal(*args, keys=b"q", steps=()):
    """What ft draws in a terminal until q is pressed, as it was written. steps: text, and what is
    pressed or done when that was drawn, one after the other; each is a check."""
    ours, its = pty.openpty()
    drawn = since = b""
    left = list(steps or [("q quit", keys)])
    with subprocess.Popen([FT] + list(args), stdin=its, stdout=its, stderr=its,
                          env=dict(ENV, TERM="xterm", COLUMNS="120", LINES="24")) as ft:
        os.close(its)
        end = time.monotonic() + 60
        while select.select([ours], [], [], 10)[0] and time.monotonic() < end:
            try:
                since += os.read(ours, 65536)
            except OSError:             # it has ended
                break
            if left and left[0][0].encode() in since:
                _, does = left.pop(0)
                drawn, since = drawn + since, b""
                if callable(does):
                    does()
                else:
                    os.write(ours, does)
        ft.terminate()                  # one that draws nothing
    os.close(ours)
    for text, _ in steps:
        check("on a terminal: " + text, (text, _) not in left, repr(since[-1000:]))
    return (drawn + since).decode(errors="replace")


def number(sensor):
    return sensor["all"]["count"]
