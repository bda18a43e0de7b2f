/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * How early an acquisition can be stamped. The instruction that reads the clock need not
 * wait for the atomic one before it: an acquisition can carry an earlier time than the
 * release by the CPU that held the lock. So each recording first measures the bound on
 * this machine: two threads on two CPUs take turns at a lock.
 */
#ifndef FT_RECORD_EARLY_BOUND_H
#define FT_RECORD_EARLY_BOUND_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/**
 * record_early_measure - measure for a few milliseconds
 * @clock:	enum ft_clock_source
 * @ordered:	acquisitions read the clock in order
 *
 * Return: the largest number of ticks by which an acquisition was stamped before the
 * preceding release; -1 if unknown: there is no second CPU, or there were too few turns.
 */
int64_t record_early_measure(uint32_t clock, bool ordered);

/** record_early_ns - @ticks in nanoseconds, rounded up */
uint64_t record_early_ns(int64_t ticks, uint64_t hz);

/** record_early_put - write it to the session file, unless it is unknown */
void record_early_put(FILE *f, int64_t ticks, uint64_t hz);

#endif /* FT_RECORD_EARLY_BOUND_H */
