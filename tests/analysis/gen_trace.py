# SPDX-License-Identifier: GPL-2.0-only OR MIT
"""Writes trace directories byte by byte, as the module would.

Nothing here comes from the tools under test: the layout is spelled out again,
so that a mistake in one place does not hide one in the other.
"""

import os
import struct

MAGIC = 0xC1FC1FC1
UUID = bytes.fromhex("2a6422d06cee11e08c08cb07d7b3a564")
HEADER = struct.Struct("<I16sIQQQQQQQQQ")
RECORD = struct.Struct("<QHBBiQQ")
assert HEADER.size == 96 and RECORD.size == 32

FAMILIES = ["spin", "rwlock_read", "rwlock_write", "mutex", "semaphore",
            "rwsem_read", "rwsem_write"]
SPINNING = FAMILIES[:3]
# What the first three are on PREEMPT_RT: the same events, other families.
RT = ["rt_" + family for family in SPINNING]
# And what spins there: Trace(version="... PREEMPT_RT ..."), unless raw=False.
RAW = "raw_spin"
PER_CPU = SPINNING + [RAW]
SOFTIRQ, HARDIRQ, NMI = 0x01, 0x02, 0x20

# Locks of programs, in streams of their own; addresses have a mark of the process.
PROGRAMS = ["pthread_mutex", "pthread_read", "pthread_write", "pthread_spin",
            "posix_sem", "pthread_cond"]
THREADS = 1 << 20
PROCESS = 1 << 48

# Events of waiting, where a trace has them: Trace(events=WAITS).
WAITS = ((300, "contention_begin", "word_t _lock", "uint64_t _flags"),
         (301, "contention_end", "word_t _lock", "int64_t _ret"))
SPIN, READ, WRITE, REALTIME, MUTEX = 1, 2, 4, 8, 32

METADATA = """/* CTF 1.8 */

typealias integer { size = 8;  align = 8;  signed = false; } := uint8_t;
typealias integer { size = 16; align = 16; signed = false; } := uint16_t;
typealias integer { size = 32; align = 32; signed = false; } := uint32_t;
typealias integer { size = 64; align = 64; signed = false; } := uint64_t;
typealias integer { size = 64; align = 64; signed = false; base = 16; } := word_t;
typealias integer { size = 64; align = 64; signed = true; } := int64_t;
typealias integer { size = 32; align = 16; signed = true; } := tid_t;

trace {
	major = 1;
	minor = 8;
	uuid = "%(uuid)s";
	byte_order = le;
	packet.header := struct {
		uint32_t magic;
		uint8_t  uuid[16];
		uint32_t stream_id;
		uint64_t stream_instance_id;
	};
};

env {
	hostname = "testbox";
	domain = "kernel";
	kernel_version = "%(version)s";
	tracer_name = "feather-trace";
	tracer_major = 0;
	tracer_minor = 1;
%(env)s};

clock {
	name = "monotonic";
	uuid = "9a1b5a0e-0b7e-4d7d-9a55-2f0a3f2a7c11";   /* boot id */
	description = "test clock";
	freq = %(freq)d;
	offset_s = %(offset_s)d;
	offset = %(offset)d;
};

typealias integer {
	size = 64; align = 64; signed = false;
	map = clock.monotonic.value;
} := stamp_t;
"""

STREAM = """
stream {
	id = %(id)d;
	packet.context := struct {
		stamp_t  timestamp_begin;
		stamp_t  timestamp_end;
		uint64_t content_size;
		uint64_t packet_size;
		uint64_t packet_seq_num;
		uint64_t events_discarded;
		uint64_t %(source)s;
		uint64_t _clock_hz;
	};
	event.header := struct {
		stamp_t  timestamp;
		uint16_t id;
	};
	event.context := struct {
		uint8_t  _ctx;
		uint8_t  %(gap)s;
		tid_t    _tid;
	};
};
"""

EVENT = """
event {
	id = %d; name = "%s"; stream_id = %d;
	fields := struct { %s; %s; };
};
"""


def uuid_text(uuid):
    h = uuid.hex()
    return "-".join((h[:8], h[8:12], h[12:16], h[16:20], h[20:]))


def metadata(freq=10**9, offset_s=1700000000, offset=0, events=(), uuid=UUID,
             gap="_gap", version="#1 SMP PREEMPT_DYNAMIC", programs=None, env=None, types="",
             raw=True):
    """programs: their events, where the trace has streams of them, too; env: more of
    what the trace says of itself; types: of fields, in TSDL; raw: the events of RAW, if the
    kernel has PREEMPT_RT"""
    def events_of(cls, more, first, families):
        text = ""
        for i, family in enumerate(families):
            for j, verb in enumerate(("acquire", "release")):
                text += EVENT % (first + 2 * i + j, family + "_" + verb, cls,
                                 "word_t _lock", "word_t _caller")
        return text + "".join(EVENT % (e[0], e[1], cls, *e[2:]) for e in more)

    text = METADATA % {"uuid": uuid_text(uuid), "freq": freq,
                       "version": version,
                       "env": "".join("\t%s = %s;\n" % e for e in (env or {}).items()),
                       "offset_s": offset_s, "offset": offset}
    text += types + STREAM % {"id": 0, "source": "cpu_id", "gap": gap}
    text += events_of(0, ((1, "mark", "uint64_t _a", "uint64_t _b"), *events), 16,
                      FAMILIES + [RAW] * (raw and "PREEMPT_RT" in version))
    if programs is not None:
        text += STREAM % {"id": 1, "source": "_stream", "gap": gap}
        text += events_of(1, programs, 64, PROGRAMS)
    return text


def event_id(family, verb):
    if family in PROGRAMS:
        return 64 + 2 * PROGRAMS.index(family) + (verb == "release")
    if family in RT:
        family = SPINNING[RT.index(family)]
    return 16 + 2 * (FAMILIES + [RAW]).index(family) + (verb == "release")


def stream_name(number):
    """Its file."""
    return ("cpu%d", "thread%d")[number // THREADS] % (number % THREADS)


class Stream:
    """One CPU, or one ring of programs: records are added, packets are cut, bytes come out.

    Where records were lost, the next record's gap differs (trace.gaps); or, as
    in traces that have no such field, a packet begins and counts more losses.
    """

    def __init__(self, trace, cpu):
        self.trace, self.cpu = trace, cpu
        self.records, self.packets = [], []
        self.discarded, self.seq = 0, 0
        self.gap, self.at_gap = 250, False      # any value, it may wrap

    def add(self, ts, event, tid, a, b, ctx=0):
        if self.trace.gaps:
            self.gap, self.at_gap = (self.gap + self.at_gap) % 256, False
            mark = self.gap
        else:
            mark = len(self.packets) % 256
        self.records.append(RECORD.pack(ts, event, ctx, mark, tid, a, b))
        if len(self.records) == self.trace.per_packet:
            self.cut()

    def cut(self, empty=False):
        """Ends the packet, if it has records or is wanted without any."""
        if not self.records and not empty:
            return
        stamps = [RECORD.unpack(r)[0] for r in self.records]
        if not stamps:
            stamps = [self.end_of_last()]
        size = 8 * (HEADER.size + RECORD.size * len(self.records))
        head = HEADER.pack(MAGIC, self.trace.uuid, self.cpu // THREADS, self.cpu,
                           stamps[0],
                           stamps[-1], size, size, self.seq, self.discarded,
                           self.cpu, self.trace.freq)
        self.packets.append(head + b"".join(self.records))
        self.records, self.seq = [], self.seq + 1

    def end_of_last(self):
        return HEADER.unpack(self.packets[-1][:96])[5] if self.packets else 0

    def lose(self, n):
        """n records are lost after the last one that was added."""
        if not self.trace.gaps:
            self.cut()
        self.at_gap = True
        self.discarded += n

    def data(self):
        """The file. trace.early: losses are counted long before their place."""
        self.cut()
        packets = list(self.packets)
        full = [i for i, p in enumerate(packets) if len(p) > HEADER.size]
        for i in full if self.trace.early else ():
            head = list(HEADER.unpack(packets[i][:HEADER.size]))
            head[9] = HEADER.unpack(packets[full[-1]][:HEADER.size])[9]
            packets[i] = HEADER.pack(*head) + packets[i][HEADER.size:]
        return b"".join(packets)


class Trace:
    def __init__(self, freq=10**9, per_packet=125, uuid=UUID, gaps=True,
                 early=False, programs=None, **clock):
        self.gaps, self.early = gaps, early
        self.freq, self.per_packet, self.uuid = freq, per_packet, uuid
        self.clock = clock
        self.programs = programs    # their events; None: none are recorded
        self.streams = {}
        self.files = {}

    def cpu(self, cpu):
        if cpu not in self.streams:
            self.streams[cpu] = Stream(self, cpu)
        return self.streams[cpu]

    def thread(self, ring):
        if self.programs is None:
            self.programs = ()
        return self.cpu(THREADS + ring)

    def lock(self, ts, cpu, tid, family, verb, lock, site=0x1000, ctx=0):
        """Of programs, cpu is the ring."""
        if family in PROGRAMS:
            self.thread(cpu).add(ts, event_id(family, verb), tid,
                                 PROCESS | lock, PROCESS | site)
            return
        self.cpu(cpu).add(ts, event_id(family, verb), tid, lock, site, ctx)

    def acquire(self, ts, cpu, tid, family, lock, site=0x1000, ctx=0):
        self.lock(ts, cpu, tid, family, "acquire", lock, site, ctx)

    def release(self, ts, cpu, tid, family, lock, site=0x2000, ctx=0):
        self.lock(ts, cpu, tid, family, "release", lock, site, ctx)

    def wait(self, ts, cpu, tid, lock, flags, ctx=0):
        self.cpu(cpu).add(ts, 300, tid, lock, flags, ctx)

    def waited(self, ts, cpu, tid, lock, ret=0, ctx=0):
        self.cpu(cpu).add(ts, 301, tid, lock, ret % 2**64, ctx)

    def start(self):
        """When the first record in any stream is."""
        starts = [HEADER.unpack(p[:HEADER.size])[4]
                  for st in self.streams.values() for p in st.packets
                  if len(p) > HEADER.size]
        return min(starts) if starts else 0

    def file(self, name, text):
        """A file beside the streams: info/session, info/kallsyms, ..."""
        self.files[name] = text

    def write(self, path):
        os.makedirs(path, exist_ok=True)
        raw = {"mode": "w", "errors": "surrogateescape"}    # "\udcff" is a byte
        with open(os.path.join(path, "metadata"), **raw) as f:
            f.write(metadata(self.freq, uuid=self.uuid, **self.clock,
                             gap="_gap" if self.gaps else "_lap",
                             programs=self.programs))
        for cpu, stream in self.streams.items():
            with open(os.path.join(path, stream_name(cpu)), "wb") as f:
                f.write(stream.data())
        for name, text in self.files.items():
            name = os.path.join(path, name)
            os.makedirs(os.path.dirname(name), exist_ok=True)
            with open(name, **raw) as f:
                f.write(text)
        return path
