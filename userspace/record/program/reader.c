// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Moves records from the rings of programs to files, one file for each ring.
 *
 * struct ft_ring in the shared memory is for the owner. The reader has a copy with
 * pointers of its own, and writes only @r and @limit back. It copies and checks all data
 * from the shared memory before it uses them: see shared.c.
 *
 * A hole, a slot that was reserved and will never be published, stops the reader. It
 * skips the hole once the owner is known to have ended: see @settled. One record is lost;
 * the gap of the records behind it counts one more.
 */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "libfeathertrace/session_init.h"
#include "record/program/lock_memory.h"
#include "record/program/locks.h"
#include "record/program/reader.h"
#include "record/program/run.h"
#include "record/program/seam.h"
#include "trace/trace.h"

/* After this many rings, run_read() prepares more if threads need them. */
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

/* Losses of a stream. The first stream also reports those that reached no ring. */
static __u64 lost_for(struct run *run, __u32 i)
{
	return run_ring_lost(run, i) - run->streams[i].forgotten +
	       (i ? 0 : run_early_lost(run));
}

/* Reports them: in the books of the part, and to the caller, for a packet. */
static __u64 tell_lost(struct run *run, __u32 i)
{
	struct run_stream *s = &run->streams[i];
	__u64 lost = lost_for(run, i);

	run_seam_books(run, s)->lost += lost - s->told;
	s->told = lost;
	return lost - s->told_before;
}

static bool file_open(struct run *run, __u32 i)
{
	struct run_stream *s = &run->streams[i];
	char name[TRACE_NAME_LEN];

	if (s->fd >= 0 || s->broken)
		return !s->broken;
	trace_stream_name(name, TRACE_THREADS + i);
	s->fd = record_dir_create(run_seam_dir(run, s), name);
	s->broken = s->fd < 0;
	return !s->broken;
}

/* The thread of a lock's record may have ended, but have been the ring's last owner. */
static void note_thread(struct run *run, const struct ft_user_ring *ring,
			const struct ft_record *r)
{
	/* Pairs with the release in own_place() of the library. */
	__s32 tid = __atomic_load_n(&ring->tid, __ATOMIC_ACQUIRE);
	__u64 tag = r->a >> FT_TAG_SHIFT;
	struct run_lock_thread thread = {
		.process = (__u32)tag - 1, .tid = tid, .at = ft_any_load(&ring->thread),
		.frame = ft_any_load(&ring->frame),
	};

	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (tid == r->tid && tid == __atomic_load_n(&ring->tid, __ATOMIC_RELAXED) &&
	    r->id < FT_ID_DYNAMIC && tag && tag <= FT_TAG_MAX)
		run_lock_thread(run, &thread);
}

static void stream_owner(struct run *run, __u32 i, const struct ft_record *r)
{
	const struct ft_user_ring *ring = ft_session_ring(run->session, i);
	__u64 owner = ft_any_load(&ring->owner);

	run->streams[i].tid = r->tid;
	if (r->tid > 0 && FT_RING_TID(owner) == r->tid)
		run_thread_met(run, owner);
	note_thread(run, ring, r);
}

/* A record of a lock has its process in the upper bits of its words, if it is one of the first. */
static void meet_process(struct run *run, struct run_stream *s, const struct ft_record *r)
{
	__u64 tag = r->a >> FT_TAG_SHIFT;

	if (r->id >= FT_ID_DYNAMIC || tag == s->tag)
		return;
	s->tag = tag;
	if (tag)
		map_put(&run->met, tag - 1, run);
}

/*
 * Copies @count ready records; invalid ones are left out and count as lost. Timestamps in
 * a file never decrease, whatever the clock does. Return: how many it copied.
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
		if (!run_record_is_asked(run, &to[n]) || run_flight_is_cut(run, &to[n]))
			continue;
		if (to[n].ts < s->floor)
			to[n].ts = s->floor;
		s->floor = to[n].ts;
		to[n].gap += s->gap;
		to[n].ctx = 0;
		meet_process(run, s, &to[n]);
		run_locks_see(run, &to[n]);
		if (to[n].tid != s->tid)
			stream_owner(run, i, &to[n]);
		n++;
	}
	return n;
}

static size_t packet_size(__u32 count)
{
	return sizeof(struct ft_packet_header) + count * sizeof(struct ft_record);
}

/* Return: how many of the @count records are in the packet. */
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
	header.discarded = tell_lost(run, i);
	memcpy(to, &header, sizeof(header));
	return count;
}

/* A partial write is cut off: readers refuse a truncated packet. */
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
	if (!run->failed)	/* one message is enough for all streams */
		warnx("cannot write %s/thread%u: %s: it ends with its last complete packet, "
		      "and so does every other file that cannot be written",
		      run_seam_dir(run, s)->path, i, strerror(-ret));
	if (ftruncate(s->fd, (off_t)s->bytes))
		warn("cutting %s/thread%u failed", run_seam_dir(run, s)->path, i);
	s->broken = true;
	return false;
}

/* Writes @count ready records as packets; frees their slots before it writes. */
static void stream_write(struct run *run, __u32 i, __u32 count)
{
	struct run_stream *s = &run->streams[i];
	struct run_books *books = run_seam_books(run, s);
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
		books->records += good;
		books->bytes += bytes;
	} else {
		run->failed = true;
		run->unwritten += good;
		books->unwritten += good;
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
 * May records that do not fill a packet stay in the ring for now? Not if the ring is small
 * and its owner cannot take another; nor if a hole follows them.
 */
static bool may_wait(const struct run *run, const struct run_stream *s,
		     __u32 count, __u64 settled)
{
	__u64 slots = (s->ring.mask + 1) / sizeof(struct ft_record);

	return slots >= (run->rings[FT_RINGS_MORE].rings ? 2 : 8) * FT_PACKET_RECORDS &&
	       s->ring.r + count * sizeof(struct ft_record) >= settled;
}

/* Losses that never reached a ring: threads and processes without one have counted them. */
static void find_early_lost(struct run *run)
{
	for (unsigned int why = 0; why < FT_LOST_KINDS; why++)
		run->early_lost[why] = run_grown(run, run->early_lost[why],
						 &run->session->lost[why]);
}

/* Losses that no packet has reported yet go into a packet without records. */
static void write_lost(struct run *run, __u32 i)
{
	packet_make(run, i, run->packets, 0);
	if (file_write(run, i, packet_size(0)))
		run_seam_books(run, &run->streams[i])->bytes += packet_size(0);
	else
		run->failed = true;
}

static void file_close(struct run *run, __u32 i)
{
	struct run_stream *s = &run->streams[i];

	if (s->fd >= 0 && close(s->fd)) {
		warn("cannot write %s/thread%u", run_seam_dir(run, s)->path, i);
		run->failed = true;
	}
	s->fd = -1;
}

/* A trace needs at least one stream, even without a record. */
static bool is_only_one(const struct run *run, __u32 i)
{
	return !i && run->class == RUN_CLASS_ALONE;
}

static void ring_cross(struct run *run, __u32 i)
{
	struct run_stream *s = &run->streams[i];

	if (is_only_one(run, i)) {
		find_early_lost(run);
		if (!s->broken && (lost_for(run, i) > s->told || !s->packets))
			write_lost(run, i);
	}
	file_close(run, i);
	run_seam_cross(run, s);
}

void run_cross(struct run *run)
{
	__u32 i;

	run_for_each_ring(run, i) {
		if (run_seam_is_ahead(run, &run->streams[i]))
			ring_cross(run, i);
	}
}

/* Writes @count ready records, those from before a seam into the old file. */
static void ring_write(struct run *run, __u32 i, __u32 count)
{
	struct run_stream *s = &run->streams[i];
	__u32 before = count;

	if (run_seam_is_ahead(run, s))
		before = run_seam_before(run, s, count);
	if (before)
		stream_write(run, i, before);
	if (before == count)
		return;
	ring_cross(run, i);
	stream_write(run, i, count - before);
}

static __u64 ring_read(struct run *run, __u32 i, bool all)
{
	struct ft_user_ring *shared = ft_session_ring(run->session, i);
	struct run_stream *s = &run->streams[i];
	__u64 sum = 0, settled;
	__u32 count = 0;

	if (ft_any_load(&shared->ring.w) == s->ring.r) {
		if (run_seam_is_due(run, s, true))
			ring_cross(run, i);
		return 0;
	}
	/* a ring that is written all the time must not keep the reader from the others */
	while (sum < run->slots) {
		/* Pairs with the release in ft_rings_give_back(): read it before the slots. */
		settled = __atomic_load_n(&shared->settled, __ATOMIC_ACQUIRE);
		count = ft_ring_ready(&s->ring, RUN_BATCH * FT_PACKET_RECORDS);
		if (!all && may_wait(run, s, count, settled))
			count -= count % FT_PACKET_RECORDS;
		if (count)
			ring_write(run, i, count);
		else if (!run_hole(run, i, settled))
			break;
		sum += count;
	}
	if (!count && run_seam_is_due(run, s, false))
		ring_cross(run, i);
	return sum;
}

void run_meet_ring(struct run *run, __u32 i)
{
	struct run_stream *s = &run->streams[i];

	if (s->ring.slots)
		return;
	ft_session_init_reader(run->session, run->rings, i, &s->ring);
	s->fd = -1;
	if (run->is_closed)
		ft_ring_close(&s->ring);
}

void run_find_streams(struct run *run)
{
	run->n_streams = 0;
	for (unsigned int kind = 0; kind < FT_RINGS_KINDS; kind++) {
		struct ft_session_rings *rings = &run->rings[kind];
		__u32 first = ft_session_first(run->rings, kind);
		/* Pairs with the release in ft_session_raise(). */
		__u32 high = ft_load_acquire(&run->session->rings[kind].high);

		if (high > rings->prepared)
			high = rings->prepared;
		while (rings->high < high)
			run_meet_ring(run, first + rings->high++);
		run->n_streams += rings->high;
	}
}

/* A first ring may fill up: its owner can take a larger one, so it says nothing of the load. */
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
		 * A round takes a while when there are many threads. If there is no memory
		 * for more rings, threads that find none lose records, and count them.
		 */
		if (!(i % PREPARE_EVERY))
			run_prepare(run);
	}
	return sum;
}

static void stream_finish(struct run *run, __u32 i)
{
	struct run_stream *s = &run->streams[i];
	__u64 lost = lost_for(run, i);

	run->lost += lost;
	if ((s->fd >= 0 || lost || is_only_one(run, i)) && !s->broken &&
	    (lost > s->told || !s->packets))
		write_lost(run, i);
	tell_lost(run, i);	/* also for streams without a packet, which have no file */
	run->books.streams += !!s->packets;
	file_close(run, i);
}

void run_read_end(struct run *run)
{
	__u32 i;

	run_read(run, true);
	run_for_each_ring(run, i) {
		__u64 w = ft_any_load(&ft_session_ring(run->session, i)->ring.w);

		/* run_finish() gave writers time: what is not published now never will be */
		while (run_hole(run, i, w))
			ring_read(run, i, true);
	}
	find_early_lost(run);
	stream_finish(run, 0);
	run_for_each_ring(run, i)
		if (i)
			stream_finish(run, i);
}
