/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* A directory that a recording writes: the whole trace, or a part of a rotated one. */
#ifndef FT_RECORD_KERNEL_PART_H
#define FT_RECORD_KERNEL_PART_H

#include <stdbool.h>
#include <time.h>

#include "trace/directory.h"

struct record_part {
	struct record_dir	dir;
	unsigned int		number;		/* 0: it is the whole trace */
	int			session;	/* the session file */
	const char		*symbols;	/* what became of them */
	time_t			start;
	double			began;		/* monotonic_now() */
	double			seconds;	/* that it lasted, at its end */
};

#define RECORD_PART_INIT	{ .dir.fd = -1, .session = -1 }

/**
 * record_part_prepare - what is in a directory before the first record
 * @part:	its directory is open and cleared
 * @before:	the part before it, whose symbols it can share; or NULL
 *
 * Return: false after a message.
 */
bool record_part_prepare(struct record_part *part, const struct record_part *before);

/** record_part_close - @discard: and remove what was made */
void record_part_close(struct record_part *part, bool discard);

#endif /* FT_RECORD_KERNEL_PART_H */
