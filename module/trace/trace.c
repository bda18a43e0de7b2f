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
#include "ring/flight.h"
#include "trace/trace.h"

struct ft_session ft_sessions[FT_SESSIONS];
DEFINE_MUTEX(ft_trace_mutex);	/* see trace.h */

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

static void ft_trace_open_rings(struct ft_session *session)
{
	/* Before the first record, for times that are measured between events. */
	WRITE_ONCE(session->opened, ft_clock_now(&session->trace.clock));
	ft_rings_open(&session->rings);
	ft_flight_start(&session->rings);
}

static void ft_trace_close_rings(struct ft_session *session)
{
	ft_flight_stop(&session->rings);
	ft_rings_close(&session->rings);
}

static u32 ft_trace_serial;		/* guarded by ft_trace_mutex */

int ft_trace_init(struct ft_session *session, const struct ft_config *config)
{
	session->serial = ++ft_trace_serial;
	session->ended = false;
	/* Something to show before there is a trace. */
	memset(&session->trace, 0, sizeof(session->trace));
	uuid_gen(&session->trace.uuid);
	session->way = ft_clock_default();
	ft_clock_get(&session->trace.clock, session->way);
	return ft_rings_init(&session->rings, ft_session_number(session), config);
}

void ft_trace_exit(struct ft_session *session)
{
	ft_rings_exit(&session->rings);
}

static unsigned int ft_trace_sensors;	/* guarded by ft_trace_mutex */

/* Does a trace run, in any session, or a sensor? */
static bool ft_trace_is_any(void)
{
	unsigned int i;

	if (ft_trace_sensors)
		return true;
	for (i = 0; i < FT_SESSIONS; i++)
		if (ft_sessions[i].events)
			return true;
	return false;
}

enum ft_clock_way ft_trace_way(u8 sessions)
{
	enum ft_clock_way way = FT_WAY_TSC;
	unsigned int i;

	lockdep_assert_held(&ft_trace_mutex);
	/* Traces that run have one clock: ft_clock_choose(). */
	for (i = 0; i < FT_SESSIONS; i++)
		if (sessions & BIT(i))
			way = max(way, ft_sessions[i].way);
	return way;
}

int ft_trace_sense(enum ft_clock_way *way)
{
	int err;

	lockdep_assert_held(&ft_trace_mutex);
	err = ft_clock_choose(false, ft_trace_is_any(), way);
	if (!err)
		ft_trace_sensors++;
	return err;
}

void ft_trace_unsense(void)
{
	lockdep_assert_held(&ft_trace_mutex);
	ft_trace_sensors--;
}

int ft_trace_prepare(struct ft_session *session, bool ordered)
{
	lockdep_assert_held(&ft_trace_mutex);
	if (session->events)
		return 0;
	return ft_clock_choose(ordered, ft_trace_is_any(), &session->way) ?:
	       ft_rings_alloc(&session->rings);
}

void ft_trace_get(struct ft_session *session)
{
	struct ft_trace *trace = &session->trace;

	lockdep_assert_held(&ft_trace_mutex);

	if (session->events++)
		return;

	trace->number = trace->number + 1 ?: 1;
	uuid_gen(&trace->uuid);
	ft_clock_get(&trace->clock, session->way);
	trace->unstable = false;
	trace->restarted = false;
	/* Pairs with the acquire in ft_trace_active(). */
	smp_store_release(&trace->active, true);
	ft_rings_reset(&session->rings, trace->number, &trace->uuid, trace->clock.hz);
	if (!session->pauses)
		ft_trace_open_rings(session);
}

void ft_trace_put(struct ft_session *session)
{
	struct ft_trace *trace = &session->trace;

	lockdep_assert_held(&ft_trace_mutex);

	if (--session->events)
		return;

	/*
	 * First close, then wait: a writer that has reserved a slot has preemption off,
	 * so the wait covers it. A writer that was preempted on its way to the probe
	 * comes later and finds the ring closed. A pause has closed the rings as well,
	 * and its end does not open them without a trace.
	 */
	if (!session->pauses)
		ft_trace_close_rings(session);
	ft_trace_sync();

	trace->unstable = ft_clock_is_unstable(&trace->clock);
	/* Pairs with the acquire in ft_trace_active(). */
	smp_store_release(&trace->active, false);
	ft_rings_wake(&session->rings);
}

u64 ft_trace_flags(const struct ft_session *session)
{
	const struct ft_trace *trace = &session->trace;
	bool unstable = ft_trace_active(session) ?
		ft_clock_is_unstable(&trace->clock) : trace->unstable;

	lockdep_assert_held(&ft_trace_mutex);
	return (trace->clock.ordered ? FT_INFO_ORDERED : 0) |
	       (unstable ? FT_INFO_CLOCK_UNSTABLE : 0) |
	       (trace->restarted ? FT_INFO_CLOCK_RESTARTED : 0) |
	       (ft_rings_is_stopped(&session->rings) ? FT_INFO_STOPPED : 0);
}

void ft_trace_pause(struct ft_session *session)
{
	lockdep_assert_held(&ft_trace_mutex);
	if (!session->pauses++ && session->events)
		ft_trace_close_rings(session);
}

void ft_trace_resume(struct ft_session *session)
{
	lockdep_assert_held(&ft_trace_mutex);
	if (!--session->pauses && session->events)
		ft_trace_open_rings(session);
}
