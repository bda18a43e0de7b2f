/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The flight recorder (FT_MODE_OVERWRITE): rings that keep the latest records. */
#ifndef _FT_FLIGHT_H
#define _FT_FLIGHT_H

#include <linux/types.h>

struct ft_clock;
struct ft_rings;

/* Trimmers follow CPUs that come and go. Return: 0 or an error. */
int ft_flight_init(void);
void ft_flight_exit(void);

/**
 * ft_flight_start() - the rings were opened: trim them, if the mode is FT_MODE_OVERWRITE
 *
 * The caller holds ft_trace_mutex.
 */
void ft_flight_start(struct ft_rings *rings);

/**
 * ft_flight_stop() - before the rings are closed
 *
 * No trimmer runs after this, so none can open a ring again. The caller holds
 * ft_trace_mutex.
 */
void ft_flight_stop(struct ft_rings *rings);

/**
 * ft_flight_mark() - begin a snapshot: mark where all rings end at this moment
 * @rings:	of the session
 * @owner:	the descriptor that it belongs to
 * @clock:	of the trace
 * @ts:		out: the time of the marks
 *
 * Readers come to the end of file at the marks, until ft_flight_unmark(). Another call
 * of the same owner marks anew. The caller holds ft_trace_mutex.
 *
 * Return: 0; -EBUSY the marks belong to another descriptor; -EOPNOTSUPP the mode is
 * another one.
 */
int ft_flight_mark(struct ft_rings *rings, const void *owner,
		   const struct ft_clock *clock, u64 *ts);

/* End the snapshot of @owner, if it has one. The caller holds ft_trace_mutex. */
void ft_flight_unmark(struct ft_rings *rings, const void *owner);

#endif /* _FT_FLIGHT_H */
