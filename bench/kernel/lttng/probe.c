// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* LTTng's probe for the tracepoint of tests/modules/ft_points.c. */
#include <linux/module.h>
#include <lttng/tracer.h>

/* LTTng holds its own description against the kernel's. */
#include FT_POINTS_H

#include <wrapper/tracepoint.h>

#define LTTNG_PACKAGE_BUILD
#define CREATE_TRACE_POINTS
#define TRACE_INCLUDE_PATH instrumentation/events
#include <instrumentation/events/ft_points.h>

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("LTTng probe for a Feather-Trace test");
