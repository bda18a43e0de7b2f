/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* LTTng-UST's tracepoint in the loop of ft npt, where ours is otherwise: see bench/npt. */
#ifndef FT_NPT_LTTNG_H
#define FT_NPT_LTTNG_H

#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "lttng_events.h"

#define npt_event(number, length)	lttng_ust_tracepoint(ft_bench, on, number, length)

/* It always reads the clock itself. */
#define npt_event_at(time, number, length)	npt_event(number, length)

#endif /* FT_NPT_LTTNG_H */
