# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Reads a trace of ft run or ft record, without any code of ft's."""
import collections
import functools
import os
import re
import struct

HEAD = struct.Struct("<I16sIQQQQQQQQQ")
RECORD = struct.Struct("<QHBBiQQ")
Record = collections.namedtuple("Record", "stream ts name tid a b gap")


class Trace:
    """Records of programs are in .records, those of CPUs in .kernel."""

    def __init__(self, path):
        self.path = path
        with open(os.path.join(path, "metadata")) as f:
            self.names = {(int(s), int(i)): n for i, n, s in re.findall(
                r'event \{\s*id = (\d+);\s*name = "(\w+)";\s*stream_id = (\d+)',
                f.read())}
        # beside CPUs, streams of programs are of a class of their own
        self.threads_class = int(any(c == 1 for c, _ in self.names))
        files = sorted(os.listdir(path))
        self.files = [n for n in files if n.startswith("thread")]
        self.cpus = [n for n in files if n.startswith("cpu")]
        self.streams = len(self.files)
        self.lost = 0
        for name in self.files + self.cpus:
            self.lost += max((p[3] for p in self._packets(name)), default=0)

    def _packets(self, name):
        with open(os.path.join(self.path, name), "rb") as f:
            data = f.read()
        return packets(name, data, self.threads_class if name in self.files else 0)

    def rows(self, files=None):
        """Each record, as a Record has it, without keeping them."""
        for name in self.files if files is None else files:
            is_cpu = name.startswith("cpu")
            stream_class = 0 if is_cpu else self.threads_class
            last = 0
            for content, begin, end, _ in self._packets(name):
                for ts, event, ctx, gap, tid, a, b in RECORD.iter_unpack(content):
                    assert last <= ts <= end and begin <= ts, name
                    assert is_cpu or not ctx, name
                    last = ts
                    yield (name, ts, self.names[stream_class, event], tid, a, b,
                           gap)

    @functools.cached_property
    def records(self):
        return [Record._make(row) for row in self.rows()]

    @functools.cached_property
    def kernel(self):
        return [Record._make(row) for row in self.rows(self.cpus)]

    def of(self, name):
        return [r for r in self.records if r.name == name]

    def session(self, key):
        with open(os.path.join(self.path, "info", "session")) as f:
            for line in f:
                if line.startswith(key + "\t"):
                    return line[len(key) + 1:-1]
        return None


def packets(name, data, stream_class):
    """Of a stream: the records' bytes, both times, how many were lost so far."""
    pos, seq, lost = 0, 0, 0
    while pos < len(data):
        (magic, _uuid, stream_id, _instance, begin, end, content, packet,
         number, discarded, _stream, _hz) = HEAD.unpack_from(data, pos)
        assert magic == 0xc1fc1fc1 and stream_id == stream_class, name
        assert number == seq, "%s: packet %d is %d" % (name, seq, number)
        assert discarded >= lost, name
        assert content == packet and packet % 256 == 0, name
        yield data[pos + HEAD.size:pos + packet // 8], begin, end, discarded
        pos += packet // 8
        seq += 1
        lost = discarded
    assert pos == len(data), name
