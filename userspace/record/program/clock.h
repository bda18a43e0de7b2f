/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The clock of a trace of programs: the same as the kernel module would choose. */
#ifndef FT_RECORD_PROGRAM_CLOCK_H
#define FT_RECORD_PROGRAM_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct run_clock - wall clock = @offset_s + (@offset + ticks) / @hz
 * @source:	enum ft_clock_source
 * @hz:		0: not measured yet
 * @ticks:	start of the measurement, on this clock
 * @ns:		start of the measurement, on CLOCK_MONOTONIC_RAW
 */
struct run_clock {
	uint32_t	source;
	uint64_t	hz;
	int64_t		offset_s;
	uint64_t	offset;
	uint64_t	ticks, ns;
};

/** run_clock_find - choose the clock; its rate may be unknown until run_clock_settle() */
void run_clock_find(struct run_clock *clock);

/**
 * run_clock_settle - find the clock's rate, and its offset to the wall clock
 * @now:	do not wait longer: measure over the time since run_clock_find()
 *
 * Return: false: not known yet.
 */
bool run_clock_settle(struct run_clock *clock, bool now);

/** run_clock_rate - ticks per second; an estimate while the rate is not known */
uint64_t run_clock_rate(const struct run_clock *clock);

/** run_clock_now - the time that programs would read now */
uint64_t run_clock_now(const struct run_clock *clock);

/** run_clock_latest - an upper bound for the time of all records made so far */
uint64_t run_clock_latest(const struct run_clock *clock);

#endif /* FT_RECORD_PROGRAM_CLOCK_H */
