// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Announces the event "fire" from every kind of context on every CPU at once,
 * and counts the attempts, so that a test can balance the books:
 *
 *	attempts = records read + records lost, on each CPU
 *
 * Contexts: bound threads, also with bottom halves disabled, softirqs (soft hrtimers),
 * hardirqs (hard hrtimers and IPIs from the other CPUs), and NMIs (sent as IPIs; those
 * that the machine's operator injects while a run goes on count, too).
 *
 *	echo MILLISECONDS >/sys/module/ft_fire/parameters/run	runs, then returns
 *	cat /sys/module/ft_fire/parameters/attempts		a line "CPU COUNT" each
 *	cat /sys/module/ft_fire/parameters/contexts		a line "CONTEXT COUNT"
 *
 * The first word of a record is the attempt's number on its CPU, the context as the
 * kernel's own macros tell it, and what fired; the second is its check sum, by which a
 * torn record would show. tests/vm/torture/books.c compares the context with the record's.
 */
#include <linux/cpu.h>
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/nmi.h>
#include <linux/smp.h>
#include <asm/apic.h>
#include <asm/nmi.h>

#include <feather_trace/event.h>
#include <uapi/linux/feather_trace.h>

#include "../../module/compat.h"

DEFINE_FT_EVENT(fire, number, check);
static struct ft_event *const fire_events[] = { &ft_event_fire };

enum fire_context { FIRE_TASK, FIRE_BH_OFF, FIRE_SOFTIRQ, FIRE_HARDIRQ, FIRE_IPI,
		    FIRE_NMI, FIRE_CONTEXTS };

static const char *const fire_names[FIRE_CONTEXTS] = {
	"task", "bh-off", "softirq", "hardirq", "ipi", "nmi",
};

/* What a CPU needs; it fires, and pesters its neighbour. */
struct fire_cpu {
	struct task_struct	*thread;
	struct hrtimer		hard;
	struct hrtimer		soft;
	call_single_data_t	ipi;
};

static struct fire_cpu *fire_cpus;
static DEFINE_PER_CPU(u64, fire_attempts);
static DEFINE_PER_CPU(u64 [FIRE_CONTEXTS], fire_by_context);
static bool fire_running;
static DEFINE_MUTEX(fire_mutex);

/* How a test finds out that the two words belong together. */
#define FIRE_WORD(number, ctx, context) \
	((number) | (u64)(ctx) << 40 | (u64)(context) << 48)
#define FIRE_CHECK(word)	(~(word) * 0x9e3779b97f4a7c15ull)

/* FT_CTX_*, as the kernel tells it */
static __always_inline u8 fire_ctx(void)
{
	return (in_serving_softirq() ? FT_CTX_SOFTIRQ : 0) |
	       (hardirq_count() / HARDIRQ_OFFSET) << 1 |
	       ((preempt_count() & NMI_MASK) / NMI_OFFSET) << 5;
}

/* The count and the event must be of the same CPU. */
static __always_inline void fire(enum fire_context context)
{
	u64 word;

	preempt_disable_notrace();
	word = FIRE_WORD(this_cpu_inc_return(fire_attempts), fire_ctx(), context);
	this_cpu_inc(fire_by_context[context]);
	ft_event(fire, word, FIRE_CHECK(word));
	preempt_enable_notrace();
}

static int fire_nmi(unsigned int type, struct pt_regs *regs)
{
	if (!READ_ONCE(fire_running))
		return NMI_DONE;
	fire(FIRE_NMI);
	fire(FIRE_NMI);
	return NMI_HANDLED;
}

static void fire_ipi(void *unused)
{
	fire(FIRE_IPI);
	fire(FIRE_IPI);
}

static enum hrtimer_restart fire_hard(struct hrtimer *timer)
{
	fire(FIRE_HARDIRQ);
	hrtimer_forward_now(timer, ns_to_ktime(70 * NSEC_PER_USEC));
	return READ_ONCE(fire_running) ? HRTIMER_RESTART : HRTIMER_NORESTART;
}

static enum hrtimer_restart fire_soft(struct hrtimer *timer)
{
	int i;

	for (i = 0; i < 20; i++)
		fire(FIRE_SOFTIRQ);
	hrtimer_forward_now(timer, ns_to_ktime(110 * NSEC_PER_USEC));
	return READ_ONCE(fire_running) ? HRTIMER_RESTART : HRTIMER_NORESTART;
}

static void fire_start_timers(struct fire_cpu *c)
{
	ft_hrtimer_setup(&c->hard, fire_hard, CLOCK_MONOTONIC,
			 HRTIMER_MODE_REL_PINNED_HARD);
	ft_hrtimer_setup(&c->soft, fire_soft, CLOCK_MONOTONIC,
			 HRTIMER_MODE_REL_PINNED_SOFT);
	hrtimer_start(&c->hard, 0, HRTIMER_MODE_REL_PINNED_HARD);
	hrtimer_start(&c->soft, 0, HRTIMER_MODE_REL_PINNED_SOFT);
}

static int fire_thread(void *data)
{
	struct fire_cpu *c = data;
	unsigned int here = c - fire_cpus, next, i = 0;

	INIT_CSD(&c->ipi, fire_ipi, NULL);
	fire_start_timers(c);

	while (!kthread_should_stop()) {
		fire(FIRE_TASK);
		if (!(i % 8)) {
			local_bh_disable();
			fire(FIRE_BH_OFF);
			local_bh_enable();
		}
		if (++i % 64)
			continue;

		next = cpumask_next(here, cpu_online_mask);
		if (next >= nr_cpu_ids)
			next = cpumask_first(cpu_online_mask);
		if (!(i % 128))
			apic->send_IPI_mask(cpumask_of(next), NMI_VECTOR);
		else if (next != here)
			/* -EBUSY while the one before is on its way: leave it */
			smp_call_function_single_async(next, &c->ipi);
		cond_resched();
	}

	hrtimer_cancel(&c->hard);
	hrtimer_cancel(&c->soft);
	return 0;
}

static void fire_clear(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		per_cpu(fire_attempts, cpu) = 0;
		memset(per_cpu_ptr(fire_by_context, cpu), 0,
		       sizeof(u64) * FIRE_CONTEXTS);
	}
}

static int fire_start_threads(void)
{
	struct task_struct *thread;
	unsigned int cpu;

	for_each_online_cpu(cpu) {
		thread = kthread_create_on_cpu(fire_thread, &fire_cpus[cpu], cpu,
					       "ft_fire/%u");
		if (IS_ERR(thread))
			return PTR_ERR(thread);
		fire_cpus[cpu].thread = thread;
	}
	for_each_online_cpu(cpu)
		wake_up_process(fire_cpus[cpu].thread);
	return 0;
}

static void fire_stop_threads(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		if (fire_cpus[cpu].thread)
			kthread_stop(fire_cpus[cpu].thread);
		fire_cpus[cpu].thread = NULL;
	}
}

static void fire_nothing(void *unused)
{
}

static int fire_run(const char *value, const struct kernel_param *param)
{
	unsigned int ms;
	int err;

	err = kstrtouint(value, 0, &ms);
	if (err)
		return err;

	mutex_lock(&fire_mutex);
	cpus_read_lock();
	fire_clear();
	WRITE_ONCE(fire_running, true);
	err = fire_start_threads();
	if (!err)
		schedule_timeout_interruptible(msecs_to_jiffies(ms));
	fire_stop_threads();

	/* IPIs and NMIs that are on their way arrive before these do. */
	on_each_cpu(fire_nothing, NULL, 1);
	msleep(20);
	WRITE_ONCE(fire_running, false);
	cpus_read_unlock();
	mutex_unlock(&fire_mutex);
	return err;
}

static int fire_get_attempts(char *buf, const struct kernel_param *param)
{
	unsigned int cpu;
	int len = 0;

	for_each_possible_cpu(cpu)
		len += sysfs_emit_at(buf, len, "%u %llu\n", cpu,
				     per_cpu(fire_attempts, cpu));
	return len;
}

static int fire_get_contexts(char *buf, const struct kernel_param *param)
{
	unsigned int cpu, context;
	int len = 0;
	u64 sum;

	for (context = 0; context < FIRE_CONTEXTS; context++) {
		sum = 0;
		for_each_possible_cpu(cpu)
			sum += per_cpu(fire_by_context[context], cpu);
		len += sysfs_emit_at(buf, len, "%s %llu\n", fire_names[context],
				     sum);
	}
	return len;
}

static const struct kernel_param_ops fire_run_ops = {
	.set = fire_run,
};

static const struct kernel_param_ops fire_attempts_ops = {
	.get = fire_get_attempts,
};

static const struct kernel_param_ops fire_contexts_ops = {
	.get = fire_get_contexts,
};

module_param_cb(run, &fire_run_ops, NULL, 0200);
module_param_cb(attempts, &fire_attempts_ops, NULL, 0400);
module_param_cb(contexts, &fire_contexts_ops, NULL, 0400);

static int __init fire_init(void)
{
	int err;

	fire_cpus = kcalloc(nr_cpu_ids, sizeof(*fire_cpus), GFP_KERNEL);
	if (!fire_cpus)
		return -ENOMEM;

	err = ft_events_register(fire_events, ARRAY_SIZE(fire_events));
	if (err)
		goto err_free;
	err = register_nmi_handler(NMI_LOCAL, fire_nmi, 0, "ft_fire");
	if (err)
		goto err_unregister;
	return 0;

err_unregister:
	ft_events_unregister(fire_events, ARRAY_SIZE(fire_events));
err_free:
	kfree(fire_cpus);
	return err;
}

static void __exit fire_exit(void)
{
	unregister_nmi_handler(NMI_LOCAL, "ft_fire");
	ft_events_unregister(fire_events, ARRAY_SIZE(fire_events));
	kfree(fire_cpus);
}

module_init(fire_init);
module_exit(fire_exit);

MODULE_DESCRIPTION("Feather-Trace test: events from every context");
MODULE_LICENSE("Dual MIT/GPL");
