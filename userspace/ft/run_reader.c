// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * From the rings of programs to files, a file for each ring.
 *
 * The ring in the shared memory is the owner's side of it; the reader has a copy
 * with pointers of its own, and writes @r and @limit back. Nothing that it finds in
 * the shared memory is trusted further than that it may be written to the file.
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

#include "run.h"
#include "../lib/session_init.h"
#include "run_reader.h"
#include "trace.h"
#include "util.h"

static __u64 ring_lost(const struct run *run, __u32 i)
{
	return ft_any_load(&ft_session_ring(run->session, i)->ring.lost) +
	       run->streams[i].holes;
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

/* Names of threads, as they are met. */
static void stream_owner(struct run *run, __u32 i, __s32 tid)
{
	const struct ft_user_ring *shared = ft_session_ring(run->session, i);
	char name[sizeof(shared->comm) + 1] = "";

	run->streams[i].tid = tid;
	if (tid <= 0 || FT_RING_TID(ft_any_load(&shared->owner)) != tid)
		return;
	memcpy(name, shared->comm, sizeof(shared->comm));
	if (map_get(&run->tasks, (__u32)tid))
		return;
	map_put(&run->tasks, (__u32)tid, strdup(name));
}

/* Copies @count ready records. Timestamps never fall, whatever clocks do. */
static void packet_records(struct run *run, __u32 i, struct ft_record *to,
			   __u32 count)
{
	struct run_stream *s = &run->streams[i];
	__u64 pos = s->ring.r;

	for (__u32 n = 0; n < count; n++, pos += sizeof(*to)) {
		to[n] = *ft_ring_slot(&s->ring, pos);
		if (to[n].ts < s->floor)
			to[n].ts = s->floor;
		s->floor = to[n].ts;
		to[n].gap += s->gap;
		to[n].ctx = 0;
		if (to[n].tid != s->tid)
			stream_owner(run, i, to[n].tid);
	}
}

static size_t packet_make(struct run *run, __u32 i, char *to, __u32 count,
			  __u64 lost)
{
	struct ft_packet_header header = {
		.magic = FT_PACKET_MAGIC,
		.stream_id = run->class,
		.stream_instance = TRACE_THREADS + i,
		.cpu = TRACE_THREADS + i,
		.clock_hz = run->clock.hz,
		.discarded = lost,
	};
	size_t bytes = sizeof(header) + count * sizeof(struct ft_record);
	struct run_stream *s = &run->streams[i];
	struct ft_record *records = (void *)(to + sizeof(header));

	memcpy(header.uuid, run->uuid, sizeof(header.uuid));
	header.seq = s->packets++;
	header.content_bits = header.packet_bits = bytes * 8;
	packet_records(run, i, records, count);
	header.ts_begin = count ? records[0].ts : s->floor;
	header.ts_end = s->floor;
	memcpy(to, &header, sizeof(header));
	s->told = lost;
	return bytes;
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
	warnx("cannot write %s/thread%u: %s: it ends with its last whole packet",
	      run->dir->path, i, strerror(-ret));
	if (ftruncate(s->fd, (off_t)s->bytes))
		warn("cutting %s/thread%u failed", run->dir->path, i);
	s->broken = true;
	return false;
}

/* Writes @count ready records, as packets; the slots are free before that. */
static void stream_write(struct run *run, __u32 i, __u32 count)
{
	struct run_stream *s = &run->streams[i];
	__u64 lost = ring_lost(run, i);
	__u32 left = count, n;
	size_t bytes = 0;

	do {
		n = left < FT_PACKET_RECORDS ? left : FT_PACKET_RECORDS;
		bytes += packet_make(run, i, run->packets + bytes, n, lost);
		ft_ring_release(&s->ring, n);
		left -= n;
	} while (left);
	ft_session_give_back(run->session, i, &s->ring);
	if (file_write(run, i, bytes)) {
		run->records += count;
		run->bytes += bytes;
	} else {
		run->failed = true;
		run->unwritten += count;
	}
}

/* Return: true when a slot that will never be published was skipped. */
static bool stream_hole(struct run *run, __u32 i, __u64 settled)
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
 * May what does not fill a packet stay in the ring for now? Not if the ring is small;
 * nor if a hole is behind it.
 */
static bool may_wait(const struct run *run, const struct run_stream *s,
		     __u32 count, __u64 settled)
{
	return run->slots >= 8 * FT_PACKET_RECORDS &&
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
	for (;;) {
		/* Pairs with the release in thread_end(): before the slots. */
		settled = __atomic_load_n(&shared->settled, __ATOMIC_ACQUIRE);
		count = ft_ring_ready(&s->ring, RUN_BATCH * FT_PACKET_RECORDS);
		if (!all && may_wait(run, s, count, settled))
			count -= count % FT_PACKET_RECORDS;
		if (count)
			stream_write(run, i, count);
		else if (!stream_hole(run, i, settled))
			return sum;
		sum += count;
	}
}

__u64 run_read(struct run *run, bool all)
{
	__u64 sum = 0;

	run->n_streams = __atomic_load_n(&run->session->rings_high,
					 __ATOMIC_ACQUIRE);
	if (run->n_streams > run->session->rings)
		run->n_streams = run->session->rings;
	for (__u32 i = 0; i < run->n_streams; i++)
		sum += ring_read(run, i, all);
	return sum;
}

/* A trace needs a stream, even if nothing came. */
static bool is_only_one(const struct run *run, __u32 i)
{
	return !i && run->class == RUN_CLASS_ALONE;
}

/* What no packet has told of yet: one without records does. */
static void stream_finish(struct run *run, __u32 i, __u64 no_ring)
{
	struct run_stream *s = &run->streams[i];
	__u64 lost = ring_lost(run, i) + no_ring;

	run->lost += lost;
	if ((s->fd >= 0 || lost || is_only_one(run, i)) && !s->broken &&
	    (lost > s->told || !s->packets) &&
	    !file_write(run, i, packet_make(run, i, run->packets, 0, lost)))
		run->failed = true;
	if (s->fd >= 0 && close(s->fd)) {
		warn("cannot write %s/thread%u", run->dir->path, i);
		run->failed = true;
	}
	s->fd = -1;
}

void run_read_end(struct run *run)
{
	__u64 no_ring;

	run_read(run, true);
	for (__u32 i = 0; i < run->n_streams; i++) {
		const struct ft_ring *ring = &ft_session_ring(run->session, i)->ring;

		/* what is not finished by now was given a while to be */
		while (stream_hole(run, i, ft_any_load(&ring->w)))
			ring_read(run, i, true);
	}
	no_ring = __atomic_load_n(&run->session->no_ring, __ATOMIC_RELAXED);
	for (__u32 i = 0; i < (run->n_streams ? run->n_streams : 1); i++)
		stream_finish(run, i, i ? 0 : no_ring);
}
