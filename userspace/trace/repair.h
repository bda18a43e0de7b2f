/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Repairing a trace: packets that pass all checks are copied into another directory.
 *
 *	repair.c	the directory: metadata, files
 *	repair_stream.c	a stream: which packets are good, and what is lost between them
 */
#ifndef FT_TRACE_REPAIR_H
#define FT_TRACE_REPAIR_H

#include <stdint.h>
#include <stdio.h>

#include "trace/metadata.h"

#define PLURAL(n)	((n) == 1 ? "" : "s")

/**
 * repair_trace - repair the trace in @dir, print what was done
 * @output:	the new directory; NULL: only print what would be done
 *
 * Return: exit status.
 */
int repair_trace(const char *dir, const char *output);

/** struct repair_books - counts of a stream; @findings: of damage */
struct repair_books {
	uint64_t	packets, saved, lost, findings;
};

/**
 * repair_stream - copy the good packets of @path to @out
 * @cpu:	the number of the stream
 *
 * Return: 0, or -1 with a message.
 */
int repair_stream(const char *path, FILE *out, const struct metadata *meta, unsigned int cpu,
		  struct repair_books *books);

#endif /* FT_TRACE_REPAIR_H */
