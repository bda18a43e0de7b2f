/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Spinlocks that sleeping locks take inside themselves: the wait_lock of a mutex,
 * rwsem, semaphore or rt_mutex. The function that acquires them tells them apart.
 */
#ifndef FT_LOCKS_INTERNAL_H
#define FT_LOCKS_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include "symbols/symbols.h"

struct internal;

/**
 * internal_functions - the functions of sleeping locks that take such locks, in order
 * @ranges: to be freed
 *
 * Return: how many; 0 without symbols.
 */
size_t internal_functions(const struct symbols *symbols, struct symbols_range **ranges);

/** internal_new - NULL without symbols, and where there is no such function */
struct internal *internal_new(const struct symbols *symbols);
void internal_free(struct internal *in);

/** internal_is - is a spinlock that is acquired at @site such a lock? */
bool internal_is(struct internal *in, uint64_t site);

#endif /* FT_LOCKS_INTERNAL_H */
