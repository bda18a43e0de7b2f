/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* A directory that a recording writes: the whole trace, or a part of a rotated one. */
#ifndef FT_RECORD_PART_H
#define FT_RECORD_PART_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "trace/directory.h"

struct record_part {
	struct record_dir	dir;
	unsigned int		number;		/* 0: the whole trace */
	int			session;	/* the session file */
	const char		*symbols;	/* what became of the kernel's */
	time_t			start;
	double			began;		/* monotonic_now() */
	double			seconds;	/* its duration, set at its end */
};

/* What a part has of the records. */
struct record_part_books {
	uint64_t	records, lost, bytes;
};

#define RECORD_PART_INIT	{ .dir.fd = -1, .session = -1 }

/**
 * record_part_session - create the session file, with room set aside
 *
 * The directory is open and cleared. Return: false after a message.
 */
bool record_part_session(struct record_part *part);

/** record_part_close - @discard: also remove its files */
void record_part_close(struct record_part *part, bool discard);

#endif /* FT_RECORD_PART_H */
