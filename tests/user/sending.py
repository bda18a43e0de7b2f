# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""ft run --to, ft send and ft receive as tests run them, and what lies between them."""
import atexit
import json
import os
import shutil
import signal
import socket
import subprocess
import threading
import time

from runs import BUILD, FT, WORK
from told import check

OUT = os.path.join(WORK, "spool")
STORE = os.path.join(WORK, "store")
PROGRAM = BUILD + "/rotate"


def wait_until(true, seconds=60):
    end = time.monotonic() + seconds
    while not true() and time.monotonic() < end:
        time.sleep(0.02)
    return true()


class Receiver:
    """ft receive, at a port that the system chooses, or at one that it had before."""

    def __init__(self, *options, port=0, keep=False):
        if not keep:
            shutil.rmtree(STORE, ignore_errors=True)
        self.log = open(os.path.join(WORK, "receiver.log"), "w+", encoding="utf-8")
        self.ft = subprocess.Popen([FT, "receive", "-o", STORE, "-l", "127.0.0.1:%d" % port, *options],
                                   stderr=self.log, stdin=subprocess.DEVNULL)
        atexit.register(self.ft.kill)       # where a test breaks
        if not wait_until(lambda: "receiving at" in self.said() or self.ft.poll() is not None):
            check("the receiver begins", False, self.said())
        self.port = int(self.said().split("receiving at 127.0.0.1:")[1].split()[0])
        self.to = "127.0.0.1:%d" % self.port

    def said(self):
        with open(self.log.name, encoding="utf-8") as f:
            return f.read()

    def end(self, by=signal.SIGTERM):
        self.ft.send_signal(by)
        status = self.ft.wait(60)
        self.log.close()
        return status


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


# Bursts, each of which waits until the part that the one before it has written has ended.
PACED = """
import os, subprocess, sys, time
out, bursts, most, *command = sys.argv[1:]
def bytes_of_latest():
    latest = max(n for n in os.listdir(out) if n.isdigit())
    return sum(e.stat().st_size for e in os.scandir(os.path.join(out, latest)))
for _ in range(int(bursts)):
    subprocess.run(command, check=True)
    for _ in range(1200):
        if bytes_of_latest() < int(most):
            break
        time.sleep(0.05)
"""


def paced(bursts, most):
    """most: bytes of the latest part, so that a burst begins"""
    return "python3", "-c", PACED, OUT, str(bursts), str(most)


def record(to, n, *options, out=OUT, before=()):
    """before: what executes the program. Return: exit status, what was said."""
    shutil.rmtree(out, ignore_errors=True)
    done = subprocess.run([FT, "run", "-e", "*", "-s", "8k", "--block=60000", "-o", out, "--to", to,
                           *options, "--", *before, PROGRAM, "bursts", str(n)], stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False,
                          text=True, timeout=300)
    return done.returncode, done.stderr


def recorded(said):
    """As ft run has it."""
    return int(next(line for line in said.splitlines() if " records (" in line).split()[1])


def send(to, *options, out=OUT, told=None, env=None):
    """told: the numbers of parts, as ft record tells them."""
    done = subprocess.run([FT, "send", *options, out, to], stderr=subprocess.PIPE, check=False, text=True,
                          timeout=300, env=dict(os.environ, **(env or {})),
                          input="".join("%d\n" % int(n) for n in told or []))
    return done.returncode, done.stderr


def parts_here():
    """Four parts at least, none of them sent. Return: what was said, their names."""
    for n in 150000, 300000, 600000, 1200000:       # a fast machine has few of them
        said = record("127.0.0.1:%d" % free_port(), n, "--spool", "256M", "--rotate", "1M",
                      "--wait", "0.3")[1]
        numbers = sorted(n for n in os.listdir(OUT) if n.isdigit())
        if len(numbers) >= 4:
            break
    return said, numbers


def recordings():
    return sorted(os.path.join(STORE, host, r) for host in os.listdir(STORE) if host[0] != "."
                  for r in os.listdir(os.path.join(STORE, host)))


def report(path):
    """Return: exit status, the row of the trace."""
    done = subprocess.run([FT, "report", "--json", path], check=False, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return done.returncode, json.loads(done.stdout)["trace"][0] if done.stdout else done.stderr


def half_made():
    """What is in the store, and is no part with a name of its own."""
    return os.listdir(STORE + "/.incoming") if os.path.exists(STORE + "/.incoming") else []


class Proxy:
    """Between sender and receiver: cuts the first connection off after some bytes of one side.

    With alone=True others are refused until that is False. A slow one takes few bytes at a time.
    """

    def __init__(self, port, of_sender=None, of_receiver=None, alone=False, slow=False):
        self.alone, self.slow = alone, slow
        self.socket = socket.socket()
        if slow:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8192)
        self.socket.bind(("127.0.0.1", 0))
        self.socket.listen()
        self.to = "127.0.0.1:%d" % self.socket.getsockname()[1]
        self.port, self.limits = port, [of_sender, of_receiver]
        threading.Thread(target=self.run, daemon=True).start()

    def pump(self, source, target, limit):
        try:
            while True:
                if self.slow:
                    time.sleep(0.02)
                most = 4096 if self.slow else 65536
                data = source.recv(most if limit is None else min(limit, most))
                if limit is not None:
                    limit -= len(data)
                if not data or limit == 0:
                    break
                target.sendall(data)
        except OSError:
            pass
        for s in source, target:
            try:
                s.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            s.close()       # with what was not read: the other end learns of it at once

    def run(self):
        while True:
            sender = self.socket.accept()[0]
            if self.alone and self.limits == [None, None]:
                sender.close()
                continue
            receiver = socket.create_connection(("127.0.0.1", self.port))
            limits, self.limits = self.limits, [None, None]
            for args in (sender, receiver, limits[0]), (receiver, sender, limits[1]):
                threading.Thread(target=self.pump, args=args, daemon=True).start()
