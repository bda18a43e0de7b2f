/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Traces become compressed ones, and plain again. */
#ifndef FT_TRACE_CONVERT_H
#define FT_TRACE_CONVERT_H

#include <stddef.h>
#include <sys/types.h>

#include "base/crew/jobs.h"

/**
 * convert_trace - copy a trace
 * @dir:	compressed or not
 * @output:	the new directory
 * @level:	of the compression, 1 to PACKED_LEVEL_MAX; 0: the copy is plain
 * @jobs:	threads that do it
 *
 * Every stream comes back as it was, whatever is in it. Return: exit status.
 */
int convert_trace(const char *dir, const char *output, int level, const struct jobs *jobs);

/**
 * convert_read - the beginning of a stream, which may be compressed
 *
 * Return: how many bytes, or a negative number; no message.
 */
ssize_t convert_read(const char *path, void *buf, size_t len);

#endif /* FT_TRACE_CONVERT_H */
