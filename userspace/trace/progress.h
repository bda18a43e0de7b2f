/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* How far long work is: a line on stderr, a terminal, that the next one replaces. */
#ifndef FT_TRACE_PROGRESS_H
#define FT_TRACE_PROGRESS_H

#include "trace/trace.h"

/** progress_show - replace the line; control characters in it are made visible */
__attribute__((format(printf, 1, 2)))
void progress_show(const char *fmt, ...);

/** progress_read - show how much of the trace has been read */
void progress_read(const struct trace *t);

/** progress_end - take the line away */
void progress_end(void);

#endif /* FT_TRACE_PROGRESS_H */
