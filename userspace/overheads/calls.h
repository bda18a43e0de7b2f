/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Times at which a program was about to enter the kernel. The trace has the times at which
 * the system call's function began: what lies between is the cost of entering the kernel.
 */
#ifndef FT_OVERHEADS_CALLS_H
#define FT_OVERHEADS_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of one task: 16 MiB, 17 minutes; later ones are not written down. */
#define CALLS_EACH	(1u << 20)

/**
 * struct call - as it lies in the file, in the byte order of this machine
 * @tid:	who
 * @ticks:	when, on the trace's clock; of one task they grow
 */
struct call {
	uint32_t	tid, reserved;
	uint64_t	ticks;
};

/**
 * struct calls - of all tasks
 * @at:		sorted by task, then by time
 * @next:	of the first one of a task: how many of them the trace has passed
 */
struct calls {
	struct call	*at;
	size_t		n;
	size_t		*next;
};

/** calls_write - Return: false after a message */
bool calls_write(const char *path, const struct call *calls, size_t n);

/** calls_read - Return: false after a message: it cannot be read, or is not such a file */
bool calls_read(struct calls *c, const char *path);
void calls_free(struct calls *c);

/**
 * calls_match - the call of task @tid whose function began at @time
 *
 * It is the last one before that: a task does one after the other. Times must not fall from
 * one call of this to the next. Return: when it was about to enter the kernel; false: that is
 * not known.
 */
bool calls_match(struct calls *c, uint32_t tid, uint64_t time, uint64_t *start);

#endif /* FT_OVERHEADS_CALLS_H */
