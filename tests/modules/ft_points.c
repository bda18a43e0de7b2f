// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A module with a tracepoint. Writing a number to its parameter "fire" passes it so
 * many times, with the words 1, 2, 3 ... and their squares.
 */
#include <linux/module.h>
#include <linux/moduleparam.h>

#define CREATE_TRACE_POINTS
#include "ft_points.h"

static int points_fire(const char *text, const struct kernel_param *param)
{
	unsigned long i, n;
	int err = kstrtoul(text, 0, &n);

	for (i = 1; !err && i <= n; i++)
		trace_ft_points_fire(i, i * i);
	return err;
}

static const struct kernel_param_ops points_ops = { .set = points_fire };

module_param_cb(fire, &points_ops, NULL, 0200);
MODULE_PARM_DESC(fire, "pass the tracepoint so many times");

MODULE_DESCRIPTION("Feather-Trace test: a tracepoint in a module");
MODULE_LICENSE("Dual MIT/GPL");
