/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Where commands may write: not into a trace. */
#ifndef FT_TRACE_OUTSIDE_H
#define FT_TRACE_OUTSIDE_H

#include <stdbool.h>

/**
 * outside_traces - is @path, which is to be written, outside of all traces?
 *
 * Inside of one, readers of CTF would take a file for a stream of it, and ft a directory in a
 * rotated recording for a part of that. To replace a trace as a whole is another thing.
 *
 * Return: false after a message. NULL and "" are no path.
 */
bool outside_traces(const char *path);

#endif /* FT_TRACE_OUTSIDE_H */
