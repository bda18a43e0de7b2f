// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The change from one file of each ring to the next: see seam.h. */
#include <err.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "record/compress/blocks.h"
#include "record/kernel/seam.h"
#include "record/program/clock.h"

/*
 * How far ahead to announce a seam: no thread may have written a later record by then.
 * Usually longer than a preemption of the main thread.
 */
#define AHEAD_SECONDS	0.02

static void remove_files(struct rings *rings, const struct record_dir *dir)
{
	const struct seam *seam = &rings->seam;

	for (unsigned int cpu = 0; cpu < rings->n; cpu++) {
		if (seam->file[cpu] < 0)
			continue;
		close(seam->file[cpu]);
		ring_remove_file(&rings->ring[cpu], dir);
	}
}

static bool create_files(struct rings *rings, struct record_dir *dir)
{
	struct seam *seam = &rings->seam;

	if (!seam->file)
		seam->file = calloc(rings->n, sizeof(*seam->file));
	if (!seam->file) {
		warn("cannot prepare for %u CPUs", rings->n);
		return false;
	}
	for (unsigned int cpu = 0; cpu < rings->n; cpu++)
		seam->file[cpu] = -1;
	for (unsigned int cpu = 0; cpu < rings->n; cpu++) {
		if (!rings->ring[cpu].started)
			continue;
		seam->file[cpu] = ring_create_file(&rings->ring[cpu], dir);
		if (seam->file[cpu] < 0) {
			remove_files(rings, dir);
			return false;
		}
		atomic_fetch_add(&seam->left, 1);
	}
	return true;
}

bool seam_announce(struct rings *rings, struct record_dir *dir, uint32_t clock,
		   uint64_t hz)
{
	const struct run_clock now = { .source = clock, .hz = hz };
	struct seam *seam = &rings->seam;

	atomic_store(&seam->left, 0);
	if (!create_files(rings, dir))
		return false;
	seam->old_dir = rings->dir;
	rings->dir = dir;
	/* a ring hands out few records only at one of the next two ticks of its timer */
	seam->silent = monotonic_now() + AHEAD_SECONDS + 2e-6 * rings->wake_us + 1e-3;
	seam->at = run_clock_now(&now) + (uint64_t)(AHEAD_SECONDS * (double)hz);
	/* pairs with the acquire in seam_is_ahead() */
	atomic_fetch_add_explicit(&rings->seams, 1, memory_order_release);
	return true;
}

bool seam_is_crossed(const struct rings *rings)
{
	return !atomic_load(&rings->seam.left);
}

bool seam_close(struct rings *rings)
{
	bool ok = true;

	for (unsigned int cpu = 0; cpu < rings->n; cpu++) {
		struct ring *ring = &rings->ring[cpu];

		if (ring->old_file < 0)
			continue;
		if (close(ring->old_file)) {
			warn("closing %s/cpu%u failed", rings->seam.old_dir->path, cpu);
			ok = false;
		}
		ring->old_file = -1;
		if (!ring->old.bytes)
			ring_remove_file(ring, rings->seam.old_dir);
	}
	rings->seam.old_dir = NULL;
	return ok;
}

bool seam_is_due(const struct ring *ring)
{
	return seam_is_ahead(ring) && monotonic_now() > ring->rings->seam.silent;
}

void seam_change(struct ring *ring)
{
	struct seam *seam = &ring->rings->seam;

	ring->old_file = ring->file;
	ring->old = ring_books(ring);
	ring->file = seam->file[ring->cpu];
	ring->dir = ring->rings->dir;
	ring_begin_file(ring);
	ring->unwritten += ring->unwritten_next;
	ring->unwritten_next = 0;
	/* pairs with the main thread's read: it uses the above when 0 are left */
	if (atomic_fetch_sub(&seam->left, 1) == 1)
		rings_tell(ring->rings);
}

void seam_cross(struct ring *ring)
{
	packets_next_file(&ring->packets);
	ring->seams++;
	if (!ring->stream || !blocks_end_file(ring))
		seam_change(ring);
}
