# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Reads a trace of ft run, without any code of ft's."""
import collections
import os
import re
import struct

Record = collections.namedtuple("Record", "stream ts name tid a b gap")


class Trace:
    def __init__(self, path):
        self.path = path
        self.lost = 0
        self.streams = 0
        with open(os.path.join(path, "metadata")) as f:
            self.names = {int(i): n for i, n in re.findall(
                r'event \{\s*id = (\d+);\s*name = "(\w+)"', f.read())}
        self.records = []
        for name in sorted(os.listdir(path)):
            if name.startswith("thread"):
                self._stream(name)

    def _stream(self, name):
        with open(os.path.join(self.path, name), "rb") as f:
            data = f.read()
        self.streams += 1
        pos, seq, lost, last = 0, 0, 0, 0
        while pos < len(data):
            (magic, _uuid, stream_id, _instance, begin, end, content, packet,
             number, discarded, _stream, _hz) = struct.unpack_from(
                "<I16sIQQQQQQQQQ", data, pos)
            assert magic == 0xc1fc1fc1 and stream_id == 0, name
            assert number == seq, "%s: packet %d is %d" % (name, seq, number)
            assert discarded >= lost, name
            assert content == packet and packet % 256 == 0, name
            for at in range(pos + 96, pos + packet // 8, 32):
                ts, event, ctx, gap, tid, a, b = struct.unpack_from(
                    "<QHBBiQQ", data, at)
                assert ts >= last and begin <= ts <= end, name
                assert event in self.names, "%s: event %d" % (name, event)
                assert ctx == 0, name
                last = ts
                self.records.append(Record(name, ts, self.names[event], tid,
                                           a, b, gap))
            pos += packet // 8
            seq += 1
            lost = discarded
        assert pos == len(data), name
        self.lost += lost

    def of(self, name):
        return [r for r in self.records if r.name == name]

    def session(self, key):
        with open(os.path.join(self.path, "info", "session")) as f:
            for line in f:
                if line.startswith(key + "\t"):
                    return line[len(key) + 1:-1]
        return None
