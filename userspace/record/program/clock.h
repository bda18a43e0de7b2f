/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The clock of a trace of programs: the one that the kernel module would take. */
#ifndef FT_RECORD_PROGRAM_CLOCK_H
#define FT_RECORD_PROGRAM_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct run_clock - wall clock = @offset_s + (@offset + ticks) / @hz
 * @source:	enum ft_clock_source
 * @hz:		0: not measured yet
 * @ticks:	when the measurement began, on this clock
 * @ns:		on CLOCK_MONOTONIC_RAW
 */
struct run_clock {
	uint32_t	source;
	uint64_t	hz;
	int64_t		offset_s;
	uint64_t	offset;
	uint64_t	ticks, ns;
};

/** run_clock_find - choose the clock; it is not complete before run_clock_settle() */
void run_clock_find(struct run_clock *clock);

/**
 * run_clock_settle - how fast it runs, and what it is on the wall clock
 * @now:	do not wait: the time since run_clock_find() has to do
 *
 * Return: false: not yet.
 */
bool run_clock_settle(struct run_clock *clock, bool now);

/** run_clock_rate - ticks in a second, roughly where it is not known yet */
uint64_t run_clock_rate(const struct run_clock *clock);

/** run_clock_now - what programs read just now */
uint64_t run_clock_now(const struct run_clock *clock);

/** run_clock_latest - no record that was made by now is later */
uint64_t run_clock_latest(const struct run_clock *clock);

#endif /* FT_RECORD_PROGRAM_CLOCK_H */
