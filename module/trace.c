// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Start and end of traces.
 */
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/lockdep.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/stop_machine.h>

#include "compat.h"
#include "rings.h"
#include "trace.h"

struct ft_trace ft_trace;
DEFINE_MUTEX(ft_trace_mutex);	/* see trace.h */
static unsigned int ft_trace_users;	/* events that are on */
static unsigned int ft_trace_pauses;

/* CPUs that may be in a probe. Guarded by ft_trace_mutex; a CPU clears its own bit. */
static struct cpumask ft_trace_unseen;

/* CPUs with preemption off are checked again, for 255 ms in all. */
#define FT_TRACE_LOOK_MS	128

/*
 * Is this CPU in a probe? Called by an interrupt, which comes only when interrupts are
 * on, so after other interrupts and NMIs have ended. The code that it interrupts is in
 * no probe if preemption is on there. The idle task always has preemption disabled once.
 * Without an interrupt, a task calls this, outside of probes: the one that waits, the
 * idle task or the stopper.
 */
static void ft_trace_look(void *unused)
{
	int normal = HARDIRQ_OFFSET;

	if (is_idle_task(current))
		normal += PREEMPT_DISABLE_OFFSET;
	if (!in_hardirq() || preempt_count() == normal)
		cpumask_clear_cpu(smp_processor_id(), &ft_trace_unseen);
}

static int ft_trace_nothing(void *unused)
{
	return 0;
}

/* A stopper thread runs once preemption is on, before every other task. */
void ft_trace_switch(void)
{
	stop_machine(ft_trace_nothing, NULL, NULL);
}

void ft_trace_sync(void)
{
	unsigned int ms;

	lockdep_assert_held(&ft_trace_mutex);

	/* A CPU that is not online runs no probes. */
	cpus_read_lock();
	cpumask_copy(&ft_trace_unseen, cpu_online_mask);
	for (ms = 1; ms <= FT_TRACE_LOOK_MS && FT_HAVE_PREEMPT_COUNT; ms *= 2) {
		on_each_cpu_mask(&ft_trace_unseen, ft_trace_look, NULL, true);
		if (cpumask_empty(&ft_trace_unseen))
			break;
		msleep(ms);
	}
	cpus_read_unlock();

	if (!cpumask_empty(&ft_trace_unseen))
		ft_trace_switch();
}

void ft_trace_init(void)
{
	uuid_gen(&ft_trace.uuid);
	ft_clock_get(&ft_trace.clock);
}

int ft_trace_prepare(bool ordered)
{
	lockdep_assert_held(&ft_trace_mutex);
	return ft_trace_users ? 0 : ft_clock_choose(ordered) ?: ft_rings_alloc();
}

void ft_trace_get(void)
{
	lockdep_assert_held(&ft_trace_mutex);

	if (ft_trace_users++)
		return;

	ft_trace.number = ft_trace.number + 1 ?: 1;
	uuid_gen(&ft_trace.uuid);
	ft_clock_get(&ft_trace.clock);
	ft_trace.unstable = false;
	ft_trace.restarted = false;
	/* Pairs with the acquire in ft_trace_active(). */
	smp_store_release(&ft_trace.active, true);
	ft_rings_reset(ft_trace.number, &ft_trace.uuid, ft_trace.clock.hz);
	if (!ft_trace_pauses)
		ft_rings_open();
}

void ft_trace_put(void)
{
	lockdep_assert_held(&ft_trace_mutex);

	if (--ft_trace_users)
		return;

	/*
	 * First close, then wait: a writer that has reserved a slot has preemption off,
	 * so the wait covers it. A writer that was preempted on its way to the probe
	 * comes later and finds the ring closed. A pause has closed the rings as well,
	 * and its end does not open them without a trace.
	 */
	if (!ft_trace_pauses)
		ft_rings_close();
	ft_trace_sync();

	ft_trace.unstable = ft_clock_is_unstable(&ft_trace.clock);
	/* Pairs with the acquire in ft_trace_active(). */
	smp_store_release(&ft_trace.active, false);
	ft_rings_wake();
}

u64 ft_trace_flags(void)
{
	bool unstable = ft_trace_active() ?
		ft_clock_is_unstable(&ft_trace.clock) : ft_trace.unstable;

	lockdep_assert_held(&ft_trace_mutex);
	return (ft_trace.clock.ordered ? FT_INFO_ORDERED : 0) |
	       (unstable ? FT_INFO_CLOCK_UNSTABLE : 0) |
	       (ft_trace.restarted ? FT_INFO_CLOCK_RESTARTED : 0);
}

void ft_trace_pause(void)
{
	lockdep_assert_held(&ft_trace_mutex);
	if (!ft_trace_pauses++ && ft_trace_users)
		ft_rings_close();
}

void ft_trace_resume(void)
{
	lockdep_assert_held(&ft_trace_mutex);
	if (!--ft_trace_pauses && ft_trace_users)
		ft_rings_open();
}
