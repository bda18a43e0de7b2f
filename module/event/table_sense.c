// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Events that are on for sensors, in whatever sessions they are: see table.h. */
#include "clock.h"
#include "event/table.h"
#include "trace/trace.h"

void ft_table_unsense(u32 id)
{
	struct ft_entry *entry = ft_table_at(id);

	lockdep_assert_held(&ft_trace_mutex);
	entry->sensors--;
	if (!entry->sensed)
		return;
	entry->sensed--;
	/* Off, or without this sensor: neither can fail. */
	ft_entry_set(entry, entry->sessions);
}

static int ft_table_sense_one(u32 id)
{
	struct ft_entry *entry = ft_table_at(id);
	int err;

	if (!entry || !entry->source)
		return -ENOENT;
	entry->sensors++;
	entry->sensed++;
	err = ft_entry_set(entry, entry->sessions);
	if (err) {
		entry->sensors--;
		entry->sensed--;
		ft_entry_set(entry, entry->sessions);
	}
	return err;
}

static int ft_table_sense_all(const u32 *ids, unsigned int count, int (*attach)(void *data),
			      void (*detach)(void *data), void *data)
{
	unsigned int i;
	int err;

	lockdep_assert_held(&ft_trace_mutex);
	err = attach(data);
	if (err)
		return err;
	for (i = 0; i < count && !err; i++)
		err = ft_table_sense_one(ids[i]);
	if (!err)
		return 0;
	for (i--; i--;)
		ft_table_unsense(ids[i]);
	detach(data);
	return err;
}

int ft_table_sense(const u32 *ids, unsigned int count, int (*attach)(void *data),
		   void (*detach)(void *data), void *data)
{
	const struct ft_source *held[2] = {};
	u32 failed;
	int err;

	err = ft_table_prepare(NULL, ids, count, 0, held, &failed);
	while (!err) {
		mutex_lock(&ft_trace_mutex);
		err = ft_table_sense_all(ids, count, attach, detach, data);
		mutex_unlock(&ft_trace_mutex);
		if (err != -EINPROGRESS)
			break;
		err = ft_clock_settle();
	}
	ft_table_finish(held, count);
	return err;
}
