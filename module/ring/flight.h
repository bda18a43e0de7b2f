/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The flight recorder (FT_MODE_OVERWRITE): rings that keep the latest records. */
#ifndef _FT_FLIGHT_H
#define _FT_FLIGHT_H

#include <linux/types.h>

struct ft_clock;
struct ft_rings;

/* Start and stop trimmers with their CPUs. Return: 0 or an error. */
int ft_flight_init(void);
void ft_flight_exit(void);

/**
 * ft_flight_start() - trim the opened rings, if the mode is FT_MODE_OVERWRITE
 *
 * The caller holds ft_trace_mutex.
 */
void ft_flight_start(struct ft_rings *rings);

/**
 * ft_flight_stop() - stop trimming, before the rings are closed
 *
 * No trimmer runs after this, so none can open a ring again. The caller holds
 * ft_trace_mutex.
 */
void ft_flight_stop(struct ft_rings *rings);

/**
 * ft_flight_mark() - begin a snapshot: mark the current end of all rings
 * @rings:	of the session
 * @owner:	the descriptor that it belongs to
 * @clock:	of the trace
 * @ts:		out: the time of the marks
 *
 * Readers get end of file at the marks, until ft_flight_unmark(). Another call by the
 * same owner moves the marks. The caller holds ft_trace_mutex.
 *
 * Return: 0; -EBUSY the marks belong to another descriptor; -EOPNOTSUPP the mode is
 * another one.
 */
int ft_flight_mark(struct ft_rings *rings, const void *owner,
		   const struct ft_clock *clock, u64 *ts);

/* End the snapshot of @owner, if it has one. The caller holds ft_trace_mutex. */
void ft_flight_unmark(struct ft_rings *rings, const void *owner);

#endif /* _FT_FLIGHT_H */
