/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* A directory that a recording writes to: the whole trace, or a part of a rotated one. */
#ifndef FT_RECORD_KERNEL_PART_H
#define FT_RECORD_KERNEL_PART_H

#include <stdbool.h>
#include <time.h>

#include "trace/directory.h"

struct record_part {
	struct record_dir	dir;
	unsigned int		number;		/* 0: the whole trace */
	int			session;	/* the session file */
	const char		*symbols;	/* whether they were saved */
	time_t			start;
	double			began;		/* monotonic_now() */
	double			seconds;	/* its duration, set at its end */
};

#define RECORD_PART_INIT	{ .dir.fd = -1, .session = -1 }

/**
 * record_part_prepare - write the files that precede the first record
 * @part:	whose directory is open and empty
 * @before:	the previous part, to share its symbols; or NULL
 *
 * Return: false after a message.
 */
bool record_part_prepare(struct record_part *part, const struct record_part *before);

/** record_part_close - @discard: also remove its files */
void record_part_close(struct record_part *part, bool discard);

#endif /* FT_RECORD_KERNEL_PART_H */
