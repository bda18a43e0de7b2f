/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Writing a record and telling its time, for those who measure with the same clock reading. */
#ifndef _FT_TIMED_H
#define _FT_TIMED_H

#include <linux/types.h>

#include "clock.h"

/**
 * ft_timed_record() - a record in each session in which the event is on
 * @way:	how the clock is read
 *
 * Slower than the probes of probe.c, which need not tell the time. The caller has disabled
 * preemption. Context: any.
 *
 * Return: the time in the records; also where a ring has no room, or the event is on in none.
 */
u64 ft_timed_record(unsigned int id, u64 a, u64 b, enum ft_clock_way way);

#endif /* _FT_TIMED_H */
