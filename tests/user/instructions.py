# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Instructions of the library at which a test interrupts an event: see break.h."""
import os
import subprocess

from runs import BUILD

# Functions of the library's thread.c and restart.h; the compiler makes one of most of them.
SLOW_WAY = {"ft_thread_slow", "record_slow", "put", "reserve", "find_ring",
            "placed_ring", "is_own", "is_refused", "is_owned", "own_begin", "own_push", "own_take", "own_find_room",
            "place_fill", "ft_rings_take", "ft_restart_reserve", "ft_try_reserve", "ft_unsafe_reserve",
            "ft_restart_put", "ft_try_put", "ft_unsafe_put"}
# Of them, those that hold a slot: it is reserved, and not published yet.
HOLD_A_SLOT = {"put", "clock_now", "ft_restart_put", "ft_try_put", "ft_unsafe_put"}
# And what counts in a sensor.
COUNTS = SLOW_WAY | {"ft_thread_sense", "sense_value", "own_copy", "count_begin", "count_end"}


def instructions(functions):
    """Return: the offsets of their instructions in the library that programs are traced with."""
    library = os.path.join(BUILD, "userspace/libfeathertrace.so.0")
    code = subprocess.run(["objdump", "-d", "--no-show-raw-insn", library], check=True,
                          stdout=subprocess.PIPE, text=True).stdout
    found, inside = [], False
    for line in code.splitlines():
        if line.endswith(">:"):
            name = line.split("<")[1][:-2].split(".")[0]
            inside = name in functions
        elif inside and ":\t" in line:
            found.append(line.split(":")[0].strip())
    return found
