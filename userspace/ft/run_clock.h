/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The clock of a trace of programs: the one that the kernel module would take. */
#ifndef FT_RUN_CLOCK_H
#define FT_RUN_CLOCK_H

#include <stdint.h>

/**
 * struct run_clock - wall clock = @offset_s + (@offset + ticks) / @hz
 * @source:	enum ft_clock_source
 */
struct run_clock {
	uint32_t	source;
	uint64_t	hz;
	int64_t		offset_s;
	uint64_t	offset;
};

/** run_clock_find - choose the clock, and set it against the wall clock */
void run_clock_find(struct run_clock *clock);

/** run_clock_now - what programs read just now */
uint64_t run_clock_now(const struct run_clock *clock);

/** run_clock_latest - no record that was made by now is later */
uint64_t run_clock_latest(const struct run_clock *clock);

#endif /* FT_RUN_CLOCK_H */
