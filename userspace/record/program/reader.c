// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * From the rings of programs to files, a file for each ring.
 *
 * The ring in the shared memory is the owner's side of it; the reader has a copy
 * with pointers of its own, and writes @r and @limit back. Of what it finds in the
 * shared memory nothing is used before it was copied and checked: see shared.c.
 *
 * A hole, a slot that was reserved and will never be published, stops a ring. It
 * is skipped once it is known that its owner has ended: see @settled. What it cost
 * is that record; the records behind it carry another gap.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "libfeathertrace/session_init.h"
#include "record/program/reader.h"
#include "record/program/run.h"
#include "trace/trace.h"

/* Rings that are read before it is looked whether threads need more of them. */
#define PREPARE_EVERY	64

__u64 run_early_lost(const struct run *run)
{
	__u64 sum = 0;

	for (unsigned int why = 0; why < FT_LOST_KINDS; why++)
		sum += run->early_lost[why];
	return sum;
}

__u64 run_ring_lost(struct run *run, __u32 i)
{
	struct run_stream *s = &run->streams[i];

	s->lost = run_grown(run, s->lost, &ft_session_ring(run->session, i)->ring.lost);
	return s->lost + s->holes;
}

/* Of a stream: the first one tells of those that got to none, too. */
static __u64 lost_for(struct run *run, __u32 i)
{
	return run_ring_lost(run, i) - run->streams[i].forgotten +
	       (i ? 0 : run_early_lost(run));
}

static bool file_open(struct run *run, __u32 i)
{
	struct run_stream *s = &run->streams[i];
	char name[TRACE_NAME_LEN];

	if (s->fd >= 0 || s->broken)
		return !s->broken;
	trace_stream_name(name, TRACE_THREADS + i);
	s->fd = record_dir_create(run->dir, name);
	s->broken = s->fd < 0;
	return !s->broken;
}

static void stream_owner(struct run *run, __u32 i, __s32 tid)
{
	__u64 owner = ft_any_load(&ft_session_ring(run->session, i)->owner);

	run->streams[i].tid = tid;
	if (tid > 0 && FT_RING_TID(owner) == tid)
		run_thread_met(run, owner);
}

/*
 * Copies @count ready records, but for those that make no sense, which are lost.
 * Timestamps never fall, whatever clocks do. Return: how many it copied.
 */
static __u32 packet_records(struct run *run, __u32 i, struct ft_record *to,
			    __u32 count)
{
	struct run_stream *s = &run->streams[i];
	__u64 latest = count ? run_clock_latest(&run->clock) : 0;
	__u64 pos = s->ring.r;
	__u32 n = 0;

	for (; count--; pos += sizeof(*to)) {
		if (!run_record(run, ft_ring_slot(&s->ring, pos), latest, &to[n])) {
			s->holes++;
			s->gap++;
			continue;
		}
		if (run_flight_is_cut(run, &to[n]))
			continue;
		if (to[n].ts < s->floor)
			to[n].ts = s->floor;
		s->floor = to[n].ts;
		to[n].gap += s->gap;
		to[n].ctx = 0;
		if (to[n].tid != s->tid)
			stream_owner(run, i, to[n].tid);
		n++;
	}
	return n;
}

static size_t packet_size(__u32 count)
{
	return sizeof(struct ft_packet_header) + count * sizeof(struct ft_record);
}

/* Return: how many of the @count records are in it. */
static __u32 packet_make(struct run *run, __u32 i, char *to, __u32 count)
{
	struct ft_packet_header header = {
		.magic = FT_PACKET_MAGIC,
		.stream_id = run->class,
		.stream_instance = TRACE_THREADS + i,
		.cpu = TRACE_THREADS + i,
		.clock_hz = run->clock.hz,
	};
	struct run_stream *s = &run->streams[i];
	struct ft_record *records = (void *)(to + sizeof(header));

	count = packet_records(run, i, records, count);
	memcpy(header.uuid, run->uuid, sizeof(header.uuid));
	header.seq = s->packets++;
	header.content_bits = header.packet_bits = packet_size(count) * 8;
	header.ts_begin = count ? records[0].ts : s->floor;
	header.ts_end = s->floor;
	header.discarded = s->told = lost_for(run, i);
	memcpy(to, &header, sizeof(header));
	return count;
}

/* What did not get into the file as a whole is cut off: readers refuse torn packets. */
static bool file_write(struct run *run, __u32 i, size_t bytes)
{
	struct run_stream *s = &run->streams[i];
	int ret;

	if (!file_open(run, i))
		return false;
	ret = write_full(s->fd, run->packets, bytes, NULL);
	if (!ret) {
		s->bytes += bytes;
		return true;
	}
	if (!run->failed)	/* the first one says it for all */
		warnx("cannot write %s/thread%u: %s: it ends with its last whole packet, "
		      "and so does each other that cannot be written", run->dir->path, i,
		      strerror(-ret));
	if (ftruncate(s->fd, (off_t)s->bytes))
		warn("cutting %s/thread%u failed", run->dir->path, i);
	s->broken = true;
	return false;
}

/* Writes @count ready records, as packets; the slots are free before that. */
static void stream_write(struct run *run, __u32 i, __u32 count)
{
	struct run_stream *s = &run->streams[i];
	__u32 made, good = 0, n;
	size_t bytes = 0;

	for (; count; count -= n) {
		n = count < FT_PACKET_RECORDS ? count : FT_PACKET_RECORDS;
		made = packet_make(run, i, run->packets + bytes, n);
		bytes += packet_size(made);
		good += made;
		ft_ring_release(&s->ring, n);
	}
	ft_session_give_back(run->session, i, &s->ring);
	if (file_write(run, i, bytes)) {
		run->records += good;
		run->bytes += bytes;
	} else {
		run->failed = true;
		run->unwritten += good;
	}
}

bool run_hole(struct run *run, __u32 i, __u64 settled)
{
	struct run_stream *s = &run->streams[i];

	if (s->ring.r >= settled ||
	    settled - s->ring.r > s->ring.mask + 1 ||
	    ft_ring_is_ready(&s->ring, s->ring.r))
		return false;
	s->holes++;
	s->gap++;
	ft_ring_release(&s->ring, 1);
	ft_session_give_back(run->session, i, &s->ring);
	return true;
}

/*
 * May what does not fill a packet stay in the ring for now? Not if the ring is small, and
 * its owner can have no other one; nor if a hole is behind it.
 */
static bool may_wait(const struct run *run, const struct run_stream *s,
		     __u32 count, __u64 settled)
{
	__u64 slots = (s->ring.mask + 1) / sizeof(struct ft_record);

	return slots >= (run->rings[FT_RINGS_MORE].rings ? 2 : 8) * FT_PACKET_RECORDS &&
	       s->ring.r + count * sizeof(struct ft_record) >= settled;
}

static __u64 ring_read(struct run *run, __u32 i, bool all)
{
	struct ft_user_ring *shared = ft_session_ring(run->session, i);
	struct run_stream *s = &run->streams[i];
	__u64 sum = 0, settled;
	__u32 count;

	if (ft_any_load(&shared->ring.w) == s->ring.r)
		return 0;
	/* one that is written to all the time must not keep us from the others */
	while (sum < run->slots) {
		/* Pairs with the release in thread_end(): before the slots. */
		settled = __atomic_load_n(&shared->settled, __ATOMIC_ACQUIRE);
		count = ft_ring_ready(&s->ring, RUN_BATCH * FT_PACKET_RECORDS);
		if (!all && may_wait(run, s, count, settled))
			count -= count % FT_PACKET_RECORDS;
		if (count)
			stream_write(run, i, count);
		else if (!run_hole(run, i, settled))
			break;
		sum += count;
	}
	return sum;
}

void run_find_streams(struct run *run)
{
	run->n_streams = 0;
	for (unsigned int kind = 0; kind < FT_RINGS_KINDS; kind++) {
		struct ft_session_rings *rings = &run->rings[kind];
		/* Pairs with the release in raise_high(). */
		__u32 high = ft_load_acquire(&run->session->rings[kind].high);

		if (high > rings->high)
			rings->high = high < rings->prepared ? high : rings->prepared;
		run->n_streams += rings->high;
	}
}

/* A ring after which its owner can take another one says nothing. */
static bool is_first(const struct run *run, __u32 i)
{
	return run->rings[FT_RINGS_MORE].rings &&
	       ft_session_kind(run->rings, i) == FT_RINGS_FIRST;
}

unsigned int run_fullest(struct run *run)
{
	unsigned int most = 0;
	__u32 i;

	run_find_streams(run);
	run_for_each_ring(run, i) {
		const struct ft_ring *ring = &run->streams[i].ring;
		__u64 used = ft_any_load(&ft_session_ring(run->session, i)->ring.w) -
			     ring->r;
		__u64 keep = run->flight ? run_flight_keep(ring) : 0;
		unsigned int part = used > ring->mask ? 256 : used < keep ? 0 :
				    (unsigned int)((used - keep) * 256 / (ring->mask + 1));

		if (part > most && !is_first(run, i))
			most = part;
	}
	return most;
}

__u64 run_read(struct run *run, bool all)
{
	__u64 sum = 0;
	__u32 i;

	run_find_streams(run);
	run_for_each_ring(run, i) {
		sum += ring_read(run, i, all);
		/*
		 * A round takes a while where many threads have begun. Without memory
		 * for more, threads that find no ring lose what they do: counted.
		 */
		if (!(i % PREPARE_EVERY))
			run_prepare(run);
	}
	return sum;
}

/* A trace needs a stream, even if nothing came. */
static bool is_only_one(const struct run *run, __u32 i)
{
	return !i && run->class == RUN_CLASS_ALONE;
}

/* What no packet has told of yet: one without records does. */
static void stream_finish(struct run *run, __u32 i)
{
	struct run_stream *s = &run->streams[i];
	__u64 lost = lost_for(run, i);

	run->lost += lost;
	if ((s->fd >= 0 || lost || is_only_one(run, i)) && !s->broken &&
	    (lost > s->told || !s->packets)) {
		packet_make(run, i, run->packets, 0);
		if (!file_write(run, i, packet_size(0)))
			run->failed = true;
	}
	if (s->fd >= 0 && close(s->fd)) {
		warn("cannot write %s/thread%u", run->dir->path, i);
		run->failed = true;
	}
	s->fd = -1;
}

void run_read_end(struct run *run)
{
	__u32 i;

	run_read(run, true);
	run_for_each_ring(run, i) {
		__u64 w = ft_any_load(&ft_session_ring(run->session, i)->ring.w);

		/* what is not finished by now was given a while to be */
		while (run_hole(run, i, w))
			ring_read(run, i, true);
	}
	for (unsigned int why = 0; why < FT_LOST_KINDS; why++)
		run->early_lost[why] = run_grown(run, 0, &run->session->lost[why]);
	stream_finish(run, 0);
	run_for_each_ring(run, i)
		if (i)
			stream_finish(run, i);
}
