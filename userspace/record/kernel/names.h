/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Names of tasks by number, collected while a trace is recorded. symbols/tasks.h reads
 * the file made from them.
 *
 * Memory is allocated for 4096 numbers at a time: a few dozen KiB usually, and 64 MiB if
 * every number that a kernel can assign is in use.
 */
#ifndef FT_RECORD_KERNEL_NAMES_H
#define FT_RECORD_KERNEL_NAMES_H

#include <stddef.h>
#include <stdint.h>

#define RECORD_NAME_LEN		16	/* TASK_COMM_LEN */
#define RECORD_NAMES_MAX	(1u << 22)	/* PID_MAX_LIMIT */
#define RECORD_NAMES_CHUNK	(1u << 12)

struct record_names {
	char	(*chunk[RECORD_NAMES_MAX / RECORD_NAMES_CHUNK])[RECORD_NAME_LEN];
};

/**
 * record_names_set - set the name of @tid
 * @len:	its length, at most; a longer name than the kernel's is cut
 *
 * Ignores numbers that no task can have, and 0, which all idle tasks share. Return: 0 or
 * -ENOMEM.
 */
int record_names_set(struct record_names *names, uint32_t tid,
		     const char *name, size_t len);

/** record_names_get - the name of @tid; "" if unknown */
const char *record_names_get(const struct record_names *names, uint32_t tid);

/** record_names_text - the content of info/tasks, to be freed; NULL without memory */
char *record_names_text(const struct record_names *names, size_t *len);

void record_names_free(struct record_names *names);

#endif /* FT_RECORD_KERNEL_NAMES_H */
