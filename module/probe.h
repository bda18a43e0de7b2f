/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What enabled triggers call: the hot path. */
#ifndef _FT_PROBE_H
#define _FT_PROBE_H

#include <linux/percpu.h>
#include <linux/types.h>

#include <feather_trace/ring.h>

#include "clock.h"

/* The rings. Without memory they have no room, so probes need not ask. */
DECLARE_PER_CPU_ALIGNED(struct ft_ring, ft_ring);

typedef void (*ft_probe_t)(unsigned int id, u64 a, u64 b);
typedef void (*ft_lock_probe_t)(unsigned int event, unsigned long lock,
				unsigned long ip);

/**
 * ft_probe_record() - the probe that writes a record
 * @way:	how it reads the clock
 *
 * The probe may be called in any context. It disables preemption itself. It stays
 * the right one as long as any event is on.
 */
ft_probe_t ft_probe_record(enum ft_clock_way way);

/**
 * ft_probe_lock() - the same for the triggers of the kernel patch
 *
 * Its event is an offset to FT_ID_LOCK. The caller has disabled preemption.
 */
ft_lock_probe_t ft_probe_lock(enum ft_clock_way way);

typedef void (*ft_attach_probe_t)(unsigned long lock, unsigned long ip,
				  unsigned int id);

/**
 * ft_probe_attach() - the same for wrapped lock functions
 *
 * It asks whether the event is wanted, and disables preemption itself.
 */
ft_attach_probe_t ft_probe_attach(enum ft_clock_way way);

/* Whether ft_probe_attach() records the event. One caller at a time. */
void ft_probe_attach_want(unsigned int id, bool wanted);

/* Does it record any? */
bool ft_probe_attach_is_wanted(void);

#endif /* _FT_PROBE_H */
