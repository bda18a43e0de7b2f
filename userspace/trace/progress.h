/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Progress of long work: a line on stderr, a terminal, which the next one replaces. */
#ifndef FT_TRACE_PROGRESS_H
#define FT_TRACE_PROGRESS_H

#include "trace/trace.h"

/** progress_show - replace the line; control characters in it are made visible */
__attribute__((format(printf, 1, 2)))
void progress_show(const char *fmt, ...);

/** progress_read - show how much of the trace has been read */
void progress_read(const struct trace *t);

/** progress_end - remove the line */
void progress_end(void);

#endif /* FT_TRACE_PROGRESS_H */
