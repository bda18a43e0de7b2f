// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A module with a tracepoint. Writing a number to its parameter "fire" passes it so
 * many times, with the words 1, 2, 3 ... and their squares. "narrow" does the same with another
 * one, whose words have 32 bits: -1, -2, -3 ... and 1, 2, 3 ... with something else in the
 * upper half of their registers, as compilers may leave it. "words" passes a third one, once
 * for each address of which nothing can be read.
 *
 * For benchmarks, as in ft_bench.c:
 *
 *	echo N >/sys/module/ft_points/parameters/plain	a loop without the tracepoint
 *	echo N >/sys/module/ft_points/parameters/point	the same loop with it
 *	cat /sys/module/ft_points/parameters/ticks	of the last loop, in all
 *	echo 1 >/sys/module/ft_points/parameters/empty	a probe that does nothing
 */
#include <linux/irq_work.h>
#include <linux/module.h>
#include <linux/moduleparam.h>

#define CREATE_TRACE_POINTS
#include "ft_points.h"
#include "ft_ticks.h"

/* Other modules pass it, too: ft_npt_point.c, ft_paced.c */
EXPORT_TRACEPOINT_SYMBOL_GPL(ft_points_fire);

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

typedef void (*points_narrow_t)(void *data, u64 a, u64 b);

static void points_pass_narrow(u64 a, u64 b)
{
	const struct tracepoint_func *probe;

	/* What trace_ft_points_narrow() does, but for the upper halves. */
	rcu_read_lock_sched_notrace();
	probe = rcu_dereference_sched(__tracepoint_ft_points_narrow.funcs);
	for (; probe && probe->func; probe++)
		((points_narrow_t)probe->func)(probe->data, a, b);
	rcu_read_unlock_sched_notrace();
}

static int points_narrow(const char *text, const struct kernel_param *param)
{
	const u64 upper = 0x5a5a5a5aull << 32;
	unsigned int i, n;
	int err = kstrtouint(text, 0, &n);

	for (i = 1; !err && i <= n; i++)
		points_pass_narrow(upper | (u32)-i, upper | i);
	return err;
}

static const struct kernel_param_ops points_narrow_ops = { .set = points_narrow };

module_param_cb(narrow, &points_narrow_ops, NULL, 0200);
MODULE_PARM_DESC(narrow, "pass the tracepoint with words of 32 bits so many times");

static void points_interrupt(struct irq_work *work)
{
	trace_ft_points_fire(2, 2);
	points_pass_narrow(2, 2);
}

static struct irq_work points_work = IRQ_WORK_INIT_HARD(points_interrupt);

/* Both in turn in a task, and between them both in an interrupt of it. */
static int points_inside(const char *text, const struct kernel_param *param)
{
	migrate_disable();
	trace_ft_points_fire(1, 1);
	irq_work_queue(&points_work);
	irq_work_sync(&points_work);
	points_pass_narrow(1, 1);
	migrate_enable();
	return 0;
}

static const struct kernel_param_ops points_inside_ops = { .set = points_inside };

module_param_cb(inside, &points_inside_ops, NULL, 0200);
MODULE_PARM_DESC(inside, "pass two tracepoints in a task, and in an interrupt between them");

/* With each in turn as an argument; nothing is there. */
static const unsigned long points_nowhere[] = {
	0, 1, 0x1000, ~0ul, -4095ul, 0x7ffffffffffffffful, 0x8000000000000000ul,
	0xdead000000000000ul, 0xffff800000000000ul - 8,
};

typedef void (*points_words_t)(void *data, const struct ft_points_node *node, u64 nowhere, u64 c,
			       u64 d, u64 e, u64 f, u64 g);

static void points_pass_words(const struct ft_points_node *node, unsigned long nowhere)
{
	const u64 upper = 0x5a5a5a5aull << 32;
	const struct tracepoint_func *probe;

	/* What trace_ft_points_words() does, but for the upper halves. */
	rcu_read_lock_sched_notrace();
	probe = rcu_dereference_sched(__tracepoint_ft_points_words.funcs);
	for (; probe && probe->func; probe++)
		((points_words_t)probe->func)(probe->data, node, nowhere, upper | FT_POINTS_C,
					      FT_POINTS_D, upper | (u32)FT_POINTS_E, FT_POINTS_F,
					      upper | (u32)FT_POINTS_G);
	rcu_read_unlock_sched_notrace();
}

static int points_words(const char *text, const struct kernel_param *param)
{
	struct ft_points_node node[3] = { };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(node); i++) {
		node[i].number = FT_POINTS_NUMBER + i;
		node[i].bits = FT_POINTS_BITS + i;
		node[i].small = FT_POINTS_SMALL + i;
		node[i].wide = FT_POINTS_WIDE + i;
		if (i)
			node[i - 1].next = (unsigned long)&node[i];
	}
	for (i = 0; i < ARRAY_SIZE(points_nowhere); i++)
		points_pass_words(node, points_nowhere[i]);
	return 0;
}

static const struct kernel_param_ops points_words_ops = { .set = points_words };

module_param_cb(words, &points_words_ops, NULL, 0200);
MODULE_PARM_DESC(words, "pass the tracepoint with pointers once for each that leads nowhere");

static u64 points_ticks;
static bool points_empty;

static noinline void points_loop_plain(u64 count)
{
	u64 i;

	for (i = 0; i < count; i++) {
		ft_mark(FT_MARK_BEGIN);
		ft_mark(FT_MARK_END);
	}
}

static noinline void points_loop_point(u64 count)
{
	u64 i;

	for (i = 0; i < count; i++) {
		ft_mark(FT_MARK_BEGIN);
		trace_ft_points_fire(i, count);
		ft_mark(FT_MARK_END);
	}
}

static int points_plain(const char *text, const struct kernel_param *param)
{
	return ft_ticks(text, points_loop_plain, &points_ticks);
}

static int points_point(const char *text, const struct kernel_param *param)
{
	return ft_ticks(text, points_loop_point, &points_ticks);
}

static int points_get_ticks(char *buf, const struct kernel_param *param)
{
	return sysfs_emit(buf, "%llu\n", points_ticks);
}

static void points_probe(void *data, unsigned long a, unsigned long b)
{
}

static int points_set_empty(const char *text, const struct kernel_param *param)
{
	bool empty;
	int err = kstrtobool(text, &empty);

	if (err || empty == points_empty)
		return err;
	if (empty)
		err = register_trace_ft_points_fire(points_probe, NULL);
	else
		err = unregister_trace_ft_points_fire(points_probe, NULL);
	if (err)
		return err;
	tracepoint_synchronize_unregister();
	points_empty = empty;
	return 0;
}

static const struct kernel_param_ops points_plain_ops = { .set = points_plain };
static const struct kernel_param_ops points_point_ops = { .set = points_point };
static const struct kernel_param_ops points_empty_ops = { .set = points_set_empty };
static const struct kernel_param_ops points_ticks_ops = {
	.get = points_get_ticks,
};

module_param_cb(plain, &points_plain_ops, NULL, 0200);
module_param_cb(point, &points_point_ops, NULL, 0200);
module_param_cb(empty, &points_empty_ops, NULL, 0200);
module_param_cb(ticks, &points_ticks_ops, NULL, 0400);

static int __init points_init(void)
{
	return 0;
}

static void __exit points_exit(void)
{
	if (points_empty)
		unregister_trace_ft_points_fire(points_probe, NULL);
	tracepoint_synchronize_unregister();
}

module_init(points_init);
module_exit(points_exit);

MODULE_DESCRIPTION("Feather-Trace test: a tracepoint in a module");
MODULE_LICENSE("Dual MIT/GPL");
