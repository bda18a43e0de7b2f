# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""What goes between ft send and ft receive, made by hand: userspace/wire/frame.h."""
import socket
import struct

MASK = (1 << 64) - 1


def sum_word(total, word):
    total ^= word
    total = total * 0x9fb21c651e98df25 & MASK
    return total ^ total >> 32


def frame(kind, data=b"", magic=b"FTw1", length=None, total=None):
    s = sum_word(0x46545a, len(data))
    for at in range(0, len(data) - 7, 8):
        s = sum_word(s, int.from_bytes(data[at:at + 8], "little"))
    s = sum_word(s, int.from_bytes(data[len(data) & ~7:], "little"))
    return struct.pack("<4sIIIQ", magic, kind, len(data) if length is None else length, 0,
                       s if total is None else total) + data


HELLO, PART, FILE, DATA, END, GO, HAVE, REFUSED = 1, 2, 3, 4, 5, 16, 17, 18
ID = b"0123456789abcdef"


def part(host=b"host", recording=ID, number=1, files=2, size=6):
    return frame(PART, struct.pack("<64s24sIIQ", host, recording, number, files, size))


def file(name, size, same_as=0):
    return frame(FILE, struct.pack("<32sQII", name, size, same_as, 0))


hello = frame(HELLO, struct.pack("<II", 1, 0))


def talk(port, data):
    """Return: kinds of the answers."""
    kinds = []
    with socket.create_connection(("127.0.0.1", port), 60) as s:
        try:
            s.sendall(data)
            s.shutdown(socket.SHUT_WR)
            got = b""
            while True:
                more = s.recv(65536)
                if not more:
                    break
                got += more
        except ConnectionError:
            return kinds
    while got:
        _, kind, length, _, _ = struct.unpack("<4sIIIQ", got[:24])
        kinds.append(kind)
        got = got[24 + length:]
    return kinds


class Talk:
    """A sender that waits for as many answers as it expects."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), 60)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def say(self, data, answers):
        """Return: their kinds."""
        self.socket.sendall(data)
        kinds = []
        for _ in range(answers):
            _, kind, length, _, _ = struct.unpack("<4sIIIQ", self.socket.recv(24, socket.MSG_WAITALL))
            self.socket.recv(length, socket.MSG_WAITALL)
            kinds.append(kind)
        return kinds
