#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""overheads_delay.py N MS: wake a real-time task N times, and keep it from its CPU for MS each.

Who wakes it runs on the same CPU with a higher priority, and goes on for MS milliseconds; then
it sleeps, so that the task runs and sleeps again.
"""
import os
import sys
import time

N, MS = int(sys.argv[1]), int(sys.argv[2])


def real_time(priority):
    os.sched_setaffinity(0, {1})
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(priority))


here, there = os.pipe()
if not os.fork():
    os.close(there)
    real_time(20)
    while os.read(here, 1):
        pass
    os._exit(0)
os.close(here)
real_time(30)
time.sleep(0.1)
for _ in range(N):
    os.write(there, b"x")
    end = time.monotonic() + MS / 1000
    while time.monotonic() < end:
        pass
    time.sleep(0.005)
os.close(there)
os.wait()
