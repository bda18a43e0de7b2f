/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Where commands may write: not into a trace. */
#ifndef FT_TRACE_OUTSIDE_H
#define FT_TRACE_OUTSIDE_H

#include <stdbool.h>

/**
 * outside_traces - is @path, which will be written, outside all traces?
 *
 * Inside one, readers of CTF would take a file for one of its streams, and ft would take a
 * directory in a rotated recording for a part. Replacing a whole trace is another matter.
 *
 * Return: false after a message. NULL and "" are no path.
 */
bool outside_traces(const char *path);

#endif /* FT_TRACE_OUTSIDE_H */
