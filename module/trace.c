// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Start and end of traces.
 */
#include <linux/cpu.h>
#include <linux/lockdep.h>
#include <linux/percpu.h>
#include <linux/workqueue.h>

#include "rings.h"
#include "table.h"
#include "trace.h"

struct ft_trace ft_trace;
static unsigned int ft_trace_users;	/* events that are on */
static unsigned int ft_trace_pauses;

static void ft_trace_sync_here(struct work_struct *work)
{
	/* That this runs is all: the CPU has switched to the worker. */
}

static DEFINE_PER_CPU(struct work_struct, ft_trace_sync_work);

void ft_trace_sync(void)
{
	struct work_struct *work;
	int cpu;

	lockdep_assert_held(&ft_table_mutex);

	/* A CPU that is not online runs no probes. */
	cpus_read_lock();
	for_each_online_cpu(cpu) {
		work = per_cpu_ptr(&ft_trace_sync_work, cpu);
		INIT_WORK(work, ft_trace_sync_here);
		schedule_work_on(cpu, work);
	}
	for_each_online_cpu(cpu)
		flush_work(per_cpu_ptr(&ft_trace_sync_work, cpu));
	cpus_read_unlock();
}

void ft_trace_init(void)
{
	uuid_gen(&ft_trace.uuid);
	ft_clock_get(&ft_trace.clock);
}

int ft_trace_get(void)
{
	int err;

	lockdep_assert_held(&ft_table_mutex);

	if (ft_trace_users++)
		return 0;

	err = ft_rings_alloc();
	if (err) {
		ft_trace_users--;
		return err;
	}

	ft_trace.number = ft_trace.number + 1 ?: 1;
	uuid_gen(&ft_trace.uuid);
	ft_clock_get(&ft_trace.clock);
	/* Pairs with the acquire in ft_trace_active(). */
	smp_store_release(&ft_trace.active, true);
	ft_rings_reset();
	if (!ft_trace_pauses)
		ft_rings_open();
	return 0;
}

void ft_trace_put(void)
{
	lockdep_assert_held(&ft_table_mutex);

	if (--ft_trace_users)
		return;

	ft_trace_sync();
	if (!ft_trace_pauses)
		ft_rings_close();

	/* Pairs with the acquire in ft_trace_active(). */
	smp_store_release(&ft_trace.active, false);
	ft_rings_wake();
}

void ft_trace_pause(void)
{
	lockdep_assert_held(&ft_table_mutex);
	if (!ft_trace_pauses++ && ft_trace_users)
		ft_rings_close();
}

void ft_trace_resume(void)
{
	lockdep_assert_held(&ft_table_mutex);
	if (!--ft_trace_pauses && ft_trace_users)
		ft_rings_open();
}
