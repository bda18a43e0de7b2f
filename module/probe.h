/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What enabled triggers call: the hot path. */
#ifndef _FT_PROBE_H
#define _FT_PROBE_H

#include <linux/percpu.h>
#include <linux/types.h>

#include <feather_trace/ring.h>

#include "clock.h"

/* There are as many copies of the hot path as sessions, for each way to read the clock. */
#define FT_SESSIONS	FT_SESSIONS_MAX

/* The rings of each session. Without memory they have no room, so probes need not ask. */
DECLARE_PER_CPU_ALIGNED(struct ft_ring, ft_ring[FT_SESSIONS]);

/**
 * ft_probe_announce() - in which sessions is an event on?
 * @id:		the event
 * @sessions:	a bit each
 *
 * For probes that serve several sessions. Before triggers lead to one of them.
 */
void ft_probe_announce(unsigned int id, u8 sessions);
u8 ft_probe_announced(unsigned int id);

typedef void (*ft_probe_t)(unsigned int id, u64 a, u64 b);

/**
 * ft_probe_record() - the probe that writes a record
 * @sessions:	into which of them, a bit each; at least one
 * @way:	how it reads the clock
 *
 * The probe may be called in any context. It disables preemption itself. It stays
 * the right one as long as any event is on.
 */
ft_probe_t ft_probe_record(u8 sessions, enum ft_clock_way way);

/**
 * ft_probe_way() - how the probe of an event reads the clock
 * @id:		the event
 * @way:	of its sessions
 *
 * Return: @way; but releases of locks need no order.
 */
enum ft_clock_way ft_probe_way(unsigned int id, enum ft_clock_way way);

#endif /* _FT_PROBE_H */
