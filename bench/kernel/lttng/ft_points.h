/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The tracepoint of tests/modules/ft_points.c, as LTTng records it: its two words. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM ft_points

#if !defined(LTTNG_FT_POINTS_H) || defined(TRACE_HEADER_MULTI_READ)
#define LTTNG_FT_POINTS_H

#include <lttng/tracepoint-event.h>

LTTNG_TRACEPOINT_EVENT(ft_points_fire,
	TP_PROTO(unsigned long a, unsigned long b),
	TP_ARGS(a, b),
	TP_FIELDS(
		ctf_integer(unsigned long, a, a)
		ctf_integer(unsigned long, b, b)
	)
)

#endif

#include <lttng/define_trace.h>
