# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Reads a trace of ft run or ft record, without any code of ft's."""
import collections
import os
import re
import struct

Record = collections.namedtuple("Record", "stream ts name tid a b gap")


class Trace:
    """Records of programs are in .records, those of CPUs in .kernel."""

    def __init__(self, path):
        self.path = path
        self.lost = 0
        self.streams = 0
        with open(os.path.join(path, "metadata")) as f:
            self.names = {(int(s), int(i)): n for i, n, s in re.findall(
                r'event \{\s*id = (\d+);\s*name = "(\w+)";\s*stream_id = (\d+)',
                f.read())}
        self.records, self.kernel = [], []
        files = sorted(os.listdir(path))
        # beside CPUs, streams of programs are of a class of their own
        beside = any(c == 1 for c, _ in self.names)
        for name in files:
            if name.startswith("thread"):
                self.streams += 1
                self._stream(name, int(beside), self.records)
            elif name.startswith("cpu"):
                self._stream(name, 0, self.kernel)

    def _stream(self, name, stream_class, records):
        with open(os.path.join(self.path, name), "rb") as f:
            data = f.read()
        pos, seq, lost, last = 0, 0, 0, 0
        while pos < len(data):
            (magic, _uuid, stream_id, _instance, begin, end, content, packet,
             number, discarded, _stream, _hz) = struct.unpack_from(
                "<I16sIQQQQQQQQQ", data, pos)
            assert magic == 0xc1fc1fc1 and stream_id == stream_class, name
            assert number == seq, "%s: packet %d is %d" % (name, seq, number)
            assert discarded >= lost, name
            assert content == packet and packet % 256 == 0, name
            for at in range(pos + 96, pos + packet // 8, 32):
                ts, event, ctx, gap, tid, a, b = struct.unpack_from(
                    "<QHBBiQQ", data, at)
                assert ts >= last and begin <= ts <= end, name
                assert (stream_class, event) in self.names, \
                    "%s: event %d" % (name, event)
                assert ctx == 0 or name.startswith("cpu"), name
                last = ts
                records.append(Record(name, ts, self.names[stream_class, event],
                                      tid, a, b, gap))
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
