/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * How early an acquisition can be stamped. The instruction that reads the clock need not
 * wait for the atomic one in front of it: an acquisition that takes the lock from another
 * CPU can bear a time before that CPU's release. So it is measured on this machine,
 * before each recording: two threads on two CPUs take turns at a lock.
 */
#ifndef FT_RECORD_EARLY_BOUND_H
#define FT_RECORD_EARLY_BOUND_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/**
 * record_early_measure - takes a few milliseconds
 * @clock:	enum ft_clock_source
 * @ordered:	the clock is read in order
 *
 * Return: ticks that an acquisition was stamped before the release in front of it, at
 * most; -1: it is not known, for want of a second CPU, or of turns in that time.
 */
int64_t record_early_measure(uint32_t clock, bool ordered);

/** record_early_ns - @ticks in nanoseconds, rounded up */
uint64_t record_early_ns(int64_t ticks, uint64_t hz);

/** record_early_put - for the session file; nothing where it is not known */
void record_early_put(FILE *f, int64_t ticks, uint64_t hz);

#endif /* FT_RECORD_EARLY_BOUND_H */
