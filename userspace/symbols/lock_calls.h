/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* How a lock was acquired at a call site, from TRACE/info/lock_calls (trace/lock_calls.h). */
#ifndef FT_SYMBOLS_LOCK_CALLS_H
#define FT_SYMBOLS_LOCK_CALLS_H

#include <stdint.h>

#include "trace/lock_calls.h"

struct lock_calls;

/** lock_calls_open - NULL: the trace has no such file, or it is not understood: a message */
struct lock_calls *lock_calls_open(const char *dir);
void lock_calls_free(struct lock_calls *c);

/** lock_calls_at - LOCK_CALL_*; 0: it is not known. @c may be NULL */
unsigned int lock_calls_at(const struct lock_calls *c, uint64_t site);

#endif /* FT_SYMBOLS_LOCK_CALLS_H */
