/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What tasks are called, by number, as it is collected while a trace is recorded;
 * symbols/tasks.h reads what is made of it.
 *
 * Room is taken for 4096 numbers at a time, where one of them has a name: 64 MiB
 * if every number that a kernel can give was given, and a few KiB usually.
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
 * record_names_set - from now on @tid is called @name
 * @len: of the name, at most; what is longer than the kernel's names is cut
 *
 * Numbers that no task can have are ignored, as is 0, which every idle task has.
 * Return: 0 or -ENOMEM.
 */
int record_names_set(struct record_names *names, uint32_t tid,
		     const char *name, size_t len);

/** record_names_get - "" where it is not known */
const char *record_names_get(const struct record_names *names, uint32_t tid);

/** record_names_text - the file info/tasks, to be freed; NULL without memory */
char *record_names_text(const struct record_names *names, size_t *len);

void record_names_free(struct record_names *names);

#endif /* FT_RECORD_KERNEL_NAMES_H */
