// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Watches: they look at events as they happen.
 *
 * An event without watches has the probes of probe.c, and costs no more than ever.
 * Watching it leads its triggers to a probe that calls the other one, and then the watches;
 * each event has a static call of its own, also each of the locks'.
 *
 * Sensors have probes of their own (sensor/probes.c), for events that are on for them alone. An
 * event that is traced as well has a probe of this file, which records it, calls its watches, and
 * then its sensors, with the time of the record.
 */
#include <linux/errno.h>
#include <linux/lockdep.h>
#include <linux/preempt.h>
#include <linux/slab.h>

#include "probe.h"
#include "sensor/probes.h"
#include "trace/trace.h"
#include "watch/timed.h"
#include "watch/watch.h"

/*
 * An event that is or was watched. It is only freed with the module: a task may have been
 * preempted on its way into a probe that reads it.
 */
struct ft_watched {
	struct ft_watch	*first;
	ft_probe_t	record;		/* writes the event's records */
};

#define FT_WATCHED_MAX	255

static struct ft_watched *ft_watched[FT_WATCHED_MAX + 1];
static u8 ft_watched_number[FT_ID_MAX + 1];	/* by event; 0: never watched */

static struct ft_watched *ft_watch_find(u32 id)
{
	/* Pairs with the release in ft_watch_get(). */
	return ft_watched[smp_load_acquire(&ft_watched_number[id])];
}

static struct ft_watched *ft_watch_get(u32 id)
{
	static unsigned int last;	/* guarded by ft_trace_mutex */
	struct ft_watched *watched = ft_watch_find(id);

	if (watched)
		return watched;
	if (last == FT_WATCHED_MAX)
		return ERR_PTR(-ENOSPC);
	watched = kzalloc(sizeof(*watched), GFP_KERNEL);
	if (!watched)
		return ERR_PTR(-ENOMEM);
	ft_watched[++last] = watched;
	/* Pairs with the acquire in ft_watch_find(). */
	smp_store_release(&ft_watched_number[id], last);
	return watched;
}

int ft_watch_add(struct ft_watch *watch, u32 id)
{
	struct ft_watched *watched;

	lockdep_assert_held(&ft_trace_mutex);
	watched = ft_watch_get(id);
	if (IS_ERR(watched))
		return PTR_ERR(watched);
	watch->next = watched->first;
	/* Pairs with the acquire in ft_watch_call(): who sees a watch sees it complete. */
	smp_store_release(&watched->first, watch);
	return 0;
}

/* The watch keeps its pointer: a caller that is in it still finds the next one. */
void ft_watch_remove(struct ft_watch *watch, u32 id)
{
	struct ft_watched *watched = ft_watch_find(id);
	struct ft_watch **at;

	lockdep_assert_held(&ft_trace_mutex);
	for (at = &watched->first; *at; at = &(*at)->next) {
		if (*at != watch)
			continue;
		WRITE_ONCE(*at, watch->next);
		break;
	}
}

bool ft_watch_any(u32 id)
{
	struct ft_watched *watched = ft_watch_find(id);

	lockdep_assert_held(&ft_trace_mutex);
	return watched && watched->first;
}

static void ft_watch_call_all(const struct ft_watched *watched, u8 sessions, u64 a, u64 b)
{
	struct ft_watch *watch;

	/* Pairs with the release in ft_watch_add(). */
	for (watch = smp_load_acquire(&watched->first); watch;
	     watch = READ_ONCE(watch->next))
		watch->look(watch, sessions, a, b);
}

void ft_watch_call(u32 id, u8 sessions, u64 a, u64 b)
{
	const struct ft_watched *watched = ft_watch_find(id);

	if (watched)
		ft_watch_call_all(watched, sessions, a, b);
}

/* --- probes --------------------------------------------------------------- */

static void ft_watch_probe_record(unsigned int id, u64 a, u64 b)
{
	const struct ft_watched *watched;
	ft_probe_t record;

	preempt_disable_notrace();
	watched = ft_watch_find(id);
	record = READ_ONCE(watched->record);
	record(id, a, b);
	ft_watch_call_all(watched, ft_probe_announced(id), a, b);
	preempt_enable_notrace();
}

static void ft_watch_sensed_record(unsigned int id, u64 a, u64 b)
{
	u64 ts;

	preempt_disable_notrace();
	ts = ft_timed_record(id, a, b, ft_sensor_way_of(id));
	ft_watch_call(id, ft_probe_announced(id), a, b);
	ft_sensor_see(id, a, b, ts);
	preempt_enable_notrace();
}

ft_probe_t ft_watch_record(u32 id, u8 sessions, enum ft_clock_way way)
{
	struct ft_watched *watched = ft_watch_find(id);
	ft_probe_t record;

	if (!sessions)
		return ft_sensor_probe(id);
	way = ft_probe_way(id, way);
	record = ft_probe_record(sessions, way);
	/* Before any trigger leads to the probe that calls it. */
	if (watched)
		WRITE_ONCE(watched->record, record);
	ft_sensor_set_way(id, way);
	if (ft_sensor_is_any(id))
		return ft_watch_sensed_record;
	return watched && watched->first ? ft_watch_probe_record : record;
}

void ft_watch_exit(void)
{
	unsigned int i;

	for (i = 0; i <= FT_WATCHED_MAX; i++)
		kfree(ft_watched[i]);
}
