/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The clock of the records. */
#ifndef _FT_CLOCK_H
#define _FT_CLOCK_H

#include <linux/types.h>
#include <uapi/linux/feather_trace.h>

/**
 * struct ft_clock - what a reader needs to make sense of timestamps
 * @source:	which clock
 * @hz:		its ticks a second
 * @offset_s:	wall clock time at tick 0 of it, whole seconds since 1970
 * @offset:	and the rest, in ticks
 */
struct ft_clock {
	enum ft_clock_source	source;
	u64			hz;
	u64			offset_s;
	u64			offset;
};

/**
 * ft_clock_init() - choose the clock
 * @name:	"auto", "tsc" or "mono"
 *
 * Return: 0; -EINVAL no such clock; -ENODEV it is not usable on this machine.
 */
int ft_clock_init(const char *name);

/**
 * ft_clock_get() - the clock, with its present distance from the wall clock
 * @clock:	out
 */
void ft_clock_get(struct ft_clock *clock);

/* The source that ft_clock_init() chose. */
enum ft_clock_source ft_clock_source(void);

#endif /* _FT_CLOCK_H */
