/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The clock of the records. */
#ifndef _FT_CLOCK_H
#define _FT_CLOCK_H

#include <linux/types.h>
#include <uapi/linux/feather_trace.h>

/*
 * How probes read the clock: there is a copy of the hot path for each way. In order
 * means: not before the instructions in front of it have finished. The monotonic
 * clock is always read so.
 */
enum ft_clock_way {
	FT_WAY_TSC,
	FT_WAY_TSC_ORDERED,
	FT_WAY_MONO,
};

/**
 * struct ft_clock - what a reader needs to make sense of timestamps
 * @source:	which clock
 * @ordered:	acquisitions read it in order
 * @hz:		its ticks a second
 * @offset_s:	wall clock time at tick 0 of it, whole seconds since 1970
 * @offset:	and the rest, in ticks
 */
struct ft_clock {
	enum ft_clock_source	source;
	bool			ordered;
	u64			hz;
	u64			offset_s;
	u64			offset;
};

/**
 * struct ft_clock_look - a clock and the kernel's time at one moment
 * @ticks:	of the clock
 * @ns:		since boot, suspends included
 */
struct ft_clock_look {
	u64	ticks;
	u64	ns;
};

/**
 * ft_clock_init() - which clock is wanted
 * @name:	"auto", "tsc" or "mono"
 *
 * Return: 0; -EINVAL no such clock; -ENODEV it is not usable on this machine.
 */
int ft_clock_init(const char *name);
void ft_clock_exit(void);

/* How probes read the clock before the first ft_clock_choose(). */
enum ft_clock_way ft_clock_default(void);

/**
 * ft_clock_choose() - choose the clock of the trace that is about to start
 * @ordered:	acquisitions shall read it in order
 * @others:	traces or sensors run: this one has their clock, if it is taken at all
 * @way:	out
 *
 * Asks the kernel anew whether the TSC can be relied on. Where it cannot, "auto"
 * takes the monotonic clock. The caller holds ft_trace_mutex. May
 * sleep.
 *
 * Return: 0; -EOPNOTSUPP "tsc" was wanted, and is not usable any more; -EINPROGRESS the
 * clock changes: after ft_clock_settle(), ask again; -ENOMEM.
 */
int ft_clock_choose(bool ordered, bool others, enum ft_clock_way *way);

/**
 * ft_clock_settle() - wait until no task can write a record with another clock's time
 *
 * The caller does not hold ft_trace_mutex. May take for ever, see ft_grace_wait().
 *
 * Return: 0; -EINTR the caller was killed.
 */
int ft_clock_settle(void);

/**
 * ft_clock_get() - the clock, with its present distance from the wall clock
 * @clock:	out
 * @way:	how it is read
 */
void ft_clock_get(struct ft_clock *clock, enum ft_clock_way way);

/* Has the kernel stopped trusting a clock that a trace uses? */
bool ft_clock_is_unstable(const struct ft_clock *clock);

/* What it says now. */
u64 ft_clock_now(const struct ft_clock *clock);

void ft_clock_look(const struct ft_clock *clock, struct ft_clock_look *look);

/**
 * ft_clock_is_behind() - did it restart or stop between two looks?
 *
 * For the TSC only: the monotonic clock leaves suspends out. Tests put a probe here.
 */
bool ft_clock_is_behind(const struct ft_clock *clock,
			const struct ft_clock_look *before,
			const struct ft_clock_look *now);

#endif /* _FT_CLOCK_H */
