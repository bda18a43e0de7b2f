/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A snapshot of all rings in memory. A thread reads each ring at once, and then trimming
 * goes on: a slow or full disk for the copy does not disturb the recording.
 */
#ifndef FT_RECORD_KERNEL_FROZEN_H
#define FT_RECORD_KERNEL_FROZEN_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/kernel/clip.h"

/**
 * struct frozen_ring - a ring
 * @cpu:	whose
 * @fd:		its device; -1: the CPU is not there, or all was read
 * @packets:	what was in it, clipped
 * @len:	bytes of that
 * @room:	bytes there is memory for, the most that can be read
 * @slots:	size of the ring
 * @held:	how many records were in it at first
 * @begin:	it has all records from then on; 0: since the trace began
 */
struct frozen_ring {
	unsigned int	cpu;
	int		fd;
	char		*packets;
	size_t		len, room;
	uint32_t	slots;
	uint64_t	held;
	uint64_t	begin;
	struct clip	clip;

	/* private: how it is read */
	int		control;	/* is it still of this trace? */
	uint64_t	trace;
	pthread_t	thread;
	bool		started;
	int		error;
};

/**
 * struct frozen - all rings
 * @begin:	from then on all rings have all records; 0: since the trace began
 * @end:	time of the marks
 * @shortest:	CPU whose ring goes back least, if @begin is not 0
 * @session:	a control descriptor; -1: the default session
 */
struct frozen {
	struct frozen_ring	*ring;
	unsigned int		n;
	uint64_t		begin, end;
	unsigned int		shortest;
	int			session;
};

struct frozen_total {
	unsigned int	cpus;
	uint64_t	records, bytes, cut, lost;
};

/**
 * frozen_prepare - allocate memory for the content of all rings
 * @cpus:	all CPUs have a number below this
 * @session:	a control descriptor of the session; -1: the default session
 *
 * Return: false after a message.
 */
bool frozen_prepare(struct frozen *frozen, unsigned int cpus, int session);

/** frozen_is_empty - was there no record in any of them then? */
bool frozen_is_empty(const struct frozen *frozen);

/**
 * frozen_read - open, mark, read and clip all rings, and close them
 * @control:	a descriptor for the marks
 * @trace:	number of the trace; if another one begins, reading ends
 *
 * From opening it to its end a ring is not trimmed, so that what does not fit into it is lost:
 * all that takes time comes before.
 *
 * Return: false after a message, or without one where another trace has begun.
 */
bool frozen_read(struct frozen *frozen, int control, uint64_t trace);

void frozen_sum(const struct frozen *frozen, struct frozen_total *total);
void frozen_free(struct frozen *frozen);

#endif /* FT_RECORD_KERNEL_FROZEN_H */
