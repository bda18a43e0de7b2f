/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Where the running kernel and its modules call the functions that acquire locks. */
#ifndef FT_NAMES_LOCK_CALLS_H
#define FT_NAMES_LOCK_CALLS_H

#include <stdio.h>

#include "names/kcore.h"
#include "names/kernel_symbols.h"

struct lock_call_sites;

/**
 * lock_call_sites_new - search the kernel's code for calls; tens of milliseconds
 *
 * Bytes that look like a call and are none do no harm: no record has such an address.
 * It belongs to the scope of the call (base/scope.h).
 */
struct lock_call_sites *lock_call_sites_new(const struct kcore *k,
					    const struct kernel_symbols *symbols);

/** lock_call_sites_put - the file of a trace (trace/lock_calls.h), with those of modules of now */
void lock_call_sites_put(struct lock_call_sites *c, FILE *f);

#endif /* FT_NAMES_LOCK_CALLS_H */
