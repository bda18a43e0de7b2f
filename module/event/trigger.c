// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Events whose triggers are ft_event() in modules: a static key turns them on, and a
 * static call calls the probe.
 */
#include <linux/err.h>
#include <linux/jump_label.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/static_call.h>

#include <feather_trace/event.h>

#include "event/table.h"
#include "probe.h"
#include "trace/trace.h"
#include "watch/watch.h"

/* The data of an event in the table that belongs to this file. */
struct ft_event_data {
	struct ft_event	*event;
	struct module	*module;
};

static int ft_event_set(const struct ft_entry *entry, u8 sessions)
{
	struct ft_event *event = ((struct ft_event_data *)entry->data)->event;

	if (sessions || entry->sensed) {
		__static_call_update(event->call, event->tramp,
				     ft_watch_record(entry->id, sessions,
						     ft_trace_way(sessions)));
		static_branch_enable(&event->key);
	} else {
		static_branch_disable(&event->key);
	}
	return 0;
}

/* Each trigger is an entry in the jump table of the module that contains it. */
static unsigned int ft_event_triggers(const struct ft_entry *entry)
{
	const struct ft_event_data *data = entry->data;
	const struct jump_entry *jump = data->module->jump_entries;
	unsigned int i, count = 0;

	for (i = 0; i < data->module->num_jump_entries; i++)
		count += jump_entry_key(&jump[i]) == &data->event->key.key;
	return count;
}

static const struct ft_source ft_event_source = {
	.set		= ft_event_set,
	.triggers	= ft_event_triggers,
};

static struct ft_entry *ft_event_entry(const struct ft_event *event)
{
	struct ft_entry *entry = ft_table_next(event->id);

	return entry && entry->id == event->id ? entry : NULL;
}

static int ft_event_add(struct module *owner, struct ft_event *event)
{
	struct ft_event_data *data;
	struct ft_entry *entry;

	data = kmalloc(sizeof(*data), GFP_KERNEL);
	if (!data)
		return -ENOMEM;
	data->event = event;
	data->module = owner;

	/* An id that is set already is one of this module's fixed ids. */
	entry = ft_table_add(event->id, event->name, event->field[0],
			     event->field[1], owner->name, &ft_event_source,
			     data);
	if (IS_ERR(entry)) {
		pr_err("%s: event %s(%s, %s): %s\n", owner->name, event->name,
		       event->field[0], event->field[1],
		       PTR_ERR(entry) == -EEXIST ? "there is already one with this name" :
		       "not a valid name, or no space");
		kfree(data);
		return PTR_ERR(entry);
	}

	event->id = entry->id;
	entry->counts = event->counts;
	strscpy(entry->unit, event->unit, sizeof(entry->unit));
	/* Its sensors have stayed. */
	if (ft_table_set_again(entry->id))
		pr_warn("%s: event %s: it could not be turned on for its sensors\n",
			owner->name, event->name);
	return 0;
}

/*
 * Return: whether a probe may be running that one of its triggers has called: the event was on,
 * perhaps earlier in a trace that goes on. Once it was, its call leads to a probe.
 */
static bool ft_event_remove(struct ft_event *event)
{
	struct ft_entry *entry = ft_event_entry(event);
	struct ft_event_data *data;

	if (!entry || !entry->source)
		return false;

	data = entry->data;
	ft_table_retire(entry);
	kfree(data);
	return event->call->func != ft_probe_none;
}

int ft_events_register_owned(struct module *owner,
			     struct ft_event *const events[],
			     unsigned int count)
{
	unsigned int i;
	int err = 0;

	mutex_lock(&ft_trace_mutex);
	for (i = 0; i < count && !err; i++)
		err = ft_event_add(owner, events[i]);
	if (err)
		/* i is one beyond the event that failed */
		for (i--; i-- > 0;)
			ft_event_remove(events[i]);
	mutex_unlock(&ft_trace_mutex);
	return err;
}
EXPORT_SYMBOL_GPL(ft_events_register_owned);

void ft_events_unregister(struct ft_event *const events[], unsigned int count)
{
	bool was_on = false;
	unsigned int i;

	mutex_lock(&ft_trace_mutex);
	for (i = 0; i < count; i++)
		was_on |= ft_event_remove(events[i]);
	if (was_on)
		ft_trace_sync();
	mutex_unlock(&ft_trace_mutex);
}
EXPORT_SYMBOL_GPL(ft_events_unregister);
