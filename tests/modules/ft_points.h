/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* A tracepoint of a module's own. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM ft_points

#if !defined(_FT_POINTS_H) || defined(TRACE_HEADER_MULTI_READ)
#define _FT_POINTS_H

#include <linux/tracepoint.h>

#include "ft_points_node.h"

TRACE_EVENT(ft_points_fire,
	    TP_PROTO(unsigned long a, unsigned long b),
	    TP_ARGS(a, b),
	    TP_STRUCT__entry(__field(unsigned long, a) __field(unsigned long, b)),
	    TP_fast_assign(__entry->a = a; __entry->b = b;),
	    TP_printk("a=%lu b=%lu", __entry->a, __entry->b)
);

TRACE_EVENT(ft_points_narrow,
	    TP_PROTO(int a, unsigned int b),
	    TP_ARGS(a, b),
	    TP_STRUCT__entry(__field(int, a) __field(unsigned int, b)),
	    TP_fast_assign(__entry->a = a; __entry->b = b;),
	    TP_printk("a=%d b=%u", __entry->a, __entry->b)
);

/* Of the arguments, two are on the stack. */
TRACE_EVENT(ft_points_words,
	    TP_PROTO(const struct ft_points_node *node, unsigned long nowhere, unsigned int c,
		     long d, int e, unsigned long f, int g),
	    TP_ARGS(node, nowhere, c, d, e, f, g),
	    TP_STRUCT__entry(__field(unsigned long, f) __field(int, g)),
	    TP_fast_assign(__entry->f = f; __entry->g = g;),
	    TP_printk("f=%lu g=%d", __entry->f, __entry->g)
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE ft_points
#include <trace/define_trace.h>
