# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Reads a trace of ft run, without any code of ft's."""
import collections
import functools
import os
import re
import struct

HEAD = struct.Struct("<I16sIQQQQQQQQQ")
RECORD = struct.Struct("<QHBBiQQ")
Record = collections.namedtuple("Record", "stream ts name tid a b gap")


class Trace:
    def __init__(self, path):
        self.path = path
        with open(os.path.join(path, "metadata")) as f:
            self.names = {int(i): n for i, n in re.findall(
                r'event \{\s*id = (\d+);\s*name = "(\w+)"', f.read())}
        self.files = sorted(n for n in os.listdir(path) if n.startswith("thread"))
        self.streams = len(self.files)
        self.lost = 0
        for name in self.files:
            with open(os.path.join(path, name), "rb") as f:
                self.lost += max(p[3] for p in packets(name, f.read()))

    def rows(self):
        """Each record, as a Record has it, without keeping them."""
        names = self.names
        for name in self.files:
            with open(os.path.join(self.path, name), "rb") as f:
                data = f.read()
            last = 0
            for content, begin, end, _ in packets(name, data):
                for ts, event, ctx, gap, tid, a, b in RECORD.iter_unpack(content):
                    assert last <= ts <= end and begin <= ts and not ctx, name
                    last = ts
                    yield name, ts, names[event], tid, a, b, gap

    @functools.cached_property
    def records(self):
        return [Record._make(row) for row in self.rows()]

    def of(self, name):
        return [r for r in self.records if r.name == name]

    def session(self, key):
        with open(os.path.join(self.path, "info", "session")) as f:
            for line in f:
                if line.startswith(key + "\t"):
                    return line[len(key) + 1:-1]
        return None


def packets(name, data):
    """Of a stream: the records' bytes, both times, how many were lost so far."""
    pos, seq, lost = 0, 0, 0
    while pos < len(data):
        (magic, _uuid, stream_id, _instance, begin, end, content, packet,
         number, discarded, _stream, _hz) = HEAD.unpack_from(data, pos)
        assert magic == 0xc1fc1fc1 and stream_id == 0, name
        assert number == seq, "%s: packet %d is %d" % (name, seq, number)
        assert discarded >= lost, name
        assert content == packet and packet % 256 == 0, name
        yield data[pos + HEAD.size:pos + packet // 8], begin, end, discarded
        pos += packet // 8
        seq += 1
        lost = discarded
    assert pos == len(data), name
