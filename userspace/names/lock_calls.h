/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Where the running kernel and its modules call the functions that acquire locks. */
#ifndef FT_NAMES_LOCK_CALLS_H
#define FT_NAMES_LOCK_CALLS_H

#include "names/kcore.h"
#include "names/kernel_symbols.h"

/**
 * lock_calls_text - search their code for calls; tens of milliseconds
 *
 * Bytes that look like a call and are none do no harm: no record has such an address.
 *
 * Return: the file of a trace (trace/lock_calls.h), to be freed; NULL: no memory.
 */
char *lock_calls_text(const struct kcore *k, const struct kernel_symbols *symbols, size_t *len);

#endif /* FT_NAMES_LOCK_CALLS_H */
