// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* From one file of each ring to the next. See seam.h. */
#include "base/clock.h"
#include "record/program/seam.h"

/* Longer than a processor takes to show others that a slot is taken. */
#define SETTLED_SECONDS	0.001

/* A record that was begun before the seam is waited for so long. */
#define LATE_SECONDS	1.0

void run_seam_announce(struct run *run, const struct record_dir *dir)
{
	struct run_seam *seam = &run->seam;
	double now = monotonic_now();

	seam->at = run_clock_now(&run->clock);
	seam->settled = now + SETTLED_SECONDS;
	seam->late = now + LATE_SECONDS;
	seam->number++;
	seam->old_dir = run->dir;
	seam->old = run->books;
	run->books = (struct run_books){ 0 };
	run->dir = dir;
}

bool run_seam_is_crossed(const struct run *run)
{
	__u32 i;

	if (monotonic_now() < run->seam.settled)
		return false;
	run_for_each_ring(run, i) {
		if (run_seam_is_ahead(run, &run->streams[i]))
			return false;
	}
	return true;
}

void run_seam_close(struct run *run)
{
	run->seam.old_dir = NULL;
}

void run_seam_look_back(struct run *run, const struct record_dir *dir)
{
	__u32 i;

	run->dir = dir;
	run->books = run->seam.old;
	run->told_events = 0;	/* they may be new there */
	run_for_each_ring(run, i)
		run->streams[i].bytes = run->streams[i].old_bytes;
}

/* An invalid time is left out by who copies the record. */
__u32 run_seam_before(const struct run *run, const struct run_stream *s, __u32 count)
{
	__u64 pos = s->ring.r, latest = run_clock_latest(&run->clock), floor = s->floor;

	for (__u32 n = 0; n < count; n++, pos += sizeof(struct ft_record)) {
		__u64 ts = ft_any_load(&ft_ring_slot(&s->ring, pos)->ts);

		if (ts > latest)
			continue;
		if (ts > floor)
			floor = ts;
		if (floor >= run->seam.at)
			return n;
	}
	return count;
}

bool run_seam_is_due(const struct run *run, const struct run_stream *s, bool empty)
{
	return run_seam_is_ahead(run, s) &&
	       monotonic_now() >= (empty ? run->seam.settled : run->seam.late);
}

void run_seam_cross(struct run *run, struct run_stream *s)
{
	s->old_bytes = s->bytes;
	s->bytes = 0;
	run->seam.old.streams += !!s->packets;
	s->packets = 0;
	s->told_before = s->told;
	s->seam = run->seam.number;
}
