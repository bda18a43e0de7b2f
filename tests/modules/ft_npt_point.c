// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The loop of feather_trace_npt with a tracepoint in each turn, that of ft_points.c, which each
 * tracer can record. For bench/npt kernel; feather_trace_npt must not be loaded.
 */
#include <linux/module.h>

#include "ft_points.h"

#define ft_npt_work(number, begin)	trace_ft_points_fire(number, begin)
#include "../../module/npt/device.h"

module_misc_device(ft_npt_device);

MODULE_DESCRIPTION("Feather-Trace test: the non-preempt test with a tracepoint");
MODULE_LICENSE("Dual MIT/GPL");
