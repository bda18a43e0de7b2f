# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Calls of /dev/ft_npt that it must refuse, and one that it takes. Prints what differs."""
import ctypes
import errno
import fcntl
import os
import struct

NPT = 0xc0004e80        # with the size of the structure
FORMAT = "QQQQIIQQQQQQQQQ"
BINS = 59 << 6
longs = ctypes.create_string_buffer(16 * 4096)
bins = ctypes.create_string_buffer(8 * BINS)


def call(device, ns=1000, turns=10, room=4096, to=ctypes.addressof(longs), into=ctypes.addressof(bins)):
    """Returns (what it said, number of turns)"""
    arg = bytearray(struct.pack(FORMAT, ns, turns, 1, to, room, 0, 0, into, 0, 0, 0, 0, 0, 0, 0))
    try:
        fcntl.ioctl(device, NPT | len(arg) << 16, arg)
    except OSError as error:
        return errno.errorcode[error.errno], 0
    return "", struct.unpack(FORMAT, arg)[1]


with open("/dev/ft_npt", "rb") as f:
    for name, want, got in (
            ("as it should be", ("", 10), call(f, ns=10**7)),
            ("no time", ("EINVAL", 0), call(f, ns=0)),
            ("too long", ("EINVAL", 0), call(f, ns=10**7 + 1)),
            ("no turns", ("EINVAL", 0), call(f, turns=0)),
            ("too much room", ("EINVAL", 0), call(f, room=4097)),
            ("no room", ("", 10), call(f, ns=10**7, room=0, to=0)),
            ("nowhere for turns", ("EFAULT", 0), call(f, ns=10**7, to=8)),
            ("nowhere for bins", ("EFAULT", 0), call(f, ns=10**7, into=8)),
            ("an address of the kernel", ("EFAULT", 0), call(f, ns=10**7, into=2**64 - 2**31))):
        if want != got:
            print("%s: %s, not %s" % (name, got, want))
    try:
        fcntl.ioctl(f, 0x4e81)
        print("another call was taken")
    except OSError as error:
        if error.errno != errno.ENOTTY:
            print("another call: %s" % error)

if not os.fork():
    os.setuid(65534)
    try:
        with open("/dev/ft_npt", "rb"):
            print("anybody may open it")
    except PermissionError:
        pass
    os._exit(0)
os.wait()
