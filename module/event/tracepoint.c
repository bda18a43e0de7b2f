// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Events from the kernel's tracepoints: those of typed.c, whose arguments are known, and
 * any other by its name, with words that somebody describes (words.c), or else with the first
 * two arguments as they are.
 *
 * A tracepoint calls its probes with a pointer of their own and then its arguments,
 * in registers. The recorder takes an id and two words, so it can be the probe
 * itself, with the id as the pointer. The word of an argument that the tracepoint does
 * not have is undefined then, and so are the upper bits of one of less than 64 bits.
 */
#include <linux/err.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "event/table.h"
#include "event/tracepoint.h"
#include "event/typed.h"
#include "event/words.h"
#include "probe.h"
#include "trace/trace.h"
#include "watch/watch.h"

/* struct ft_entry.data. Lives as long as the module, as the entry does. */
struct ft_tracepoint_data {
	struct list_head	list;	/* guarded by ft_trace_mutex */
	struct ft_entry		*entry;
	struct tracepoint	*tp;	/* NULL: its module was unloaded */
	char			name[FT_NAME_LEN];	/* of the tracepoint */
	const struct ft_typed	*typed;	/* or NULL */
	struct ft_word		word[2];	/* or zeroes */
	struct ft_field		field[2];	/* what they are, if they are described */
	void			*probe[FT_SESSIONS];	/* registered for a session */
	void			*watch;	/* registered for watches, or NULL */
	struct ft_words		own[FT_SESSIONS];	/* their first arguments, if ours */
	u64			trace[FT_SESSIONS];	/* in which they have counted */
	struct ft_words		own_watch;
	u64 __percpu		*unread;	/* counts, of sessions and of watches; or NULL */
};

static LIST_HEAD(ft_tracepoints);

/* --- registering ---------------------------------------------------------- */

/* Our probe, or NULL: the recorder itself. */
static void *ft_tracepoint_probe(const struct ft_tracepoint_data *data)
{
	if (data->typed)
		return data->typed->record;
	return ft_words_are_described(data->word) ? ft_words_record : NULL;
}

static void *ft_tracepoint_watch_probe(const struct ft_tracepoint_data *data)
{
	if (data->typed)
		return data->typed->watch;
	return ft_words_are_described(data->word) ? ft_words_watch : (void *)ft_typed_watch;
}

static int ft_tracepoint_set_watch(const struct ft_entry *entry, bool on)
{
	struct ft_tracepoint_data *data = entry->data;
	void *probe = ft_tracepoint_watch_probe(data);
	int err = 0;

	if (on && !data->watch) {
		data->own_watch.own.id = entry->id;
		ft_words_read_again(&data->own_watch);
		/* After those that write the record. */
		err = tracepoint_probe_register_prio(data->tp, probe, &data->own_watch,
						     TRACEPOINT_DEFAULT_PRIO - 1);
		if (!err)
			data->watch = probe;
	} else if (!on && data->watch) {
		tracepoint_probe_unregister(data->tp, data->watch, &data->own_watch);
		data->watch = NULL;
	}
	return err;
}

/* Not 0. Another session in the same place begins with the same numbers of traces. */
static u64 ft_tracepoint_trace(const struct ft_session *session, u32 number)
{
	return (u64)session->serial << 32 | number;
}

/* Words that could not be read are counted for each trace. One that does not run begins later. */
static void ft_tracepoint_count_again(struct ft_tracepoint_data *data, unsigned int session)
{
	const struct ft_trace *trace = &ft_sessions[session].trace;
	u32 number = trace->active ? trace->number : trace->number + 1 ?: 1;
	u64 counted = ft_tracepoint_trace(&ft_sessions[session], number);

	if (data->trace[session] != counted)
		ft_words_read_again(&data->own[session]);
	data->trace[session] = counted;
}

/* A session has a probe of its own: the kernel calls one after the other. */
static int ft_tracepoint_set_one(const struct ft_entry *entry, unsigned int session,
				 bool on)
{
	struct ft_tracepoint_data *data = entry->data;
	void *probe = ft_tracepoint_probe(data);
	void *own = probe ? (void *)&data->own[session] : (void *)(unsigned long)entry->id;
	ft_probe_t record;
	int err = 0;

	if (on && !data->probe[session]) {
		record = ft_probe_record(BIT(session), ft_sessions[session].way);
		data->own[session].own.id = entry->id;
		ft_tracepoint_count_again(data, session);
		WRITE_ONCE(data->own[session].own.record, record);
		probe = probe ?: record;
		err = tracepoint_probe_register(data->tp, probe, own);
		if (!err)
			data->probe[session] = probe;
	} else if (!on && data->probe[session]) {
		/*
		 * The end of the trace waits for CPUs in the probe, as with other
		 * events. The kernel frees its own data later.
		 */
		tracepoint_probe_unregister(data->tp, data->probe[session], own);
		data->probe[session] = NULL;
	}
	return err;
}

static int ft_tracepoint_set(const struct ft_entry *entry, u8 sessions)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < FT_SESSIONS && !err; i++)
		err = ft_tracepoint_set_one(entry, i, sessions & BIT(i));
	err = err ?: ft_tracepoint_set_watch(entry, entry->sensed ||
				      (sessions && ft_watch_any(entry->id)));
	for (i = 0; i < FT_SESSIONS && err; i++)
		ft_tracepoint_set_one(entry, i, entry->sessions & BIT(i));
	return err;
}

static s64 ft_tracepoint_unread(const struct ft_entry *entry, const struct ft_session *session)
{
	const struct ft_tracepoint_data *data = entry->data;
	unsigned int number;

	if (!session)
		return ft_words_unread(&data->own_watch);
	number = ft_session_number(session);
	return data->trace[number] == ft_tracepoint_trace(session, session->trace.number) ?
		(s64)ft_words_unread(&data->own[number]) : -1;
}

static const struct ft_source ft_tracepoint_source = {
	.set		= ft_tracepoint_set,
	.unread		= ft_tracepoint_unread,
};

/* --- finding -------------------------------------------------------------- */

struct ft_tracepoint_search {
	const char		*name;
	struct tracepoint	*tp;
};

static void ft_tracepoint_compare(struct tracepoint *tp, void *arg)
{
	struct ft_tracepoint_search *search = arg;

	if (!strcmp(tp->name, search->name))
		search->tp = tp;
}

static struct tracepoint *ft_tracepoint_find(const char *name)
{
	struct ft_tracepoint_search search = { .name = name };

	for_each_kernel_tracepoint(ft_tracepoint_compare, &search);
	return search.tp ?: ft_tracepoint_module_find(name);
}

/* Return: the data of the event, or NULL. */
static struct ft_tracepoint_data *ft_tracepoint_known(const char *name)
{
	struct ft_tracepoint_data *data;

	list_for_each_entry(data, &ft_tracepoints, list)
		if (!strcmp(data->entry->name, name))
			return data;
	return NULL;
}

/* Names of the words for callers that do not know fields. */
static const char *ft_tracepoint_word(const struct ft_typed *typed,
				      const struct ft_tracepoint *info, unsigned int word)
{
	if (typed)
		return ft_typed_word(typed, word);
	if (!ft_words_are_described(info->word))
		return word ? "arg1" : "arg0";
	return info->word[word].field[0] ? info->word[word].field : "unused";
}

/* No probe uses them: those of a tracepoint whose module has gone have ended. */
static void ft_tracepoint_set_words(struct ft_tracepoint_data *data,
				    const struct ft_tracepoint *info)
{
	unsigned int i;

	memcpy(data->word, info->word, sizeof(data->word));
	for (i = 0; i < FT_SESSIONS; i++)
		ft_words_set(&data->own[i], data->word, data->unread + i);
	ft_words_set(&data->own_watch, data->word, data->unread + FT_SESSIONS);
}

/* Enters an event that does not exist, or no longer does. */
static int ft_tracepoint_make(struct ft_tracepoint_data *data, struct tracepoint *tp,
			      const char *name, const struct ft_tracepoint *info)
{
	const struct ft_typed *typed = info->event[0] ? NULL : ft_typed_find(tp->name);
	bool is_described = !typed && ft_words_are_described(info->word);
	struct ft_field field[2] = { };
	struct ft_entry *entry;

	if (is_described)
		ft_words_fields(field, info->word);
	/* An event that is back has the fields that it had: an old trace may be read with them. */
	if (data->entry && (strcmp(data->name, tp->name) ||
			    memcmp(data->field, field, sizeof(field))))
		return -EEXIST;
	if (is_described && !data->unread)
		data->unread = __alloc_percpu((FT_SESSIONS + 1) * sizeof(*data->unread),
					      __alignof__(*data->unread));
	if (is_described && !data->unread)
		return -ENOMEM;

	entry = ft_table_add(typed ? typed->id : 0, name, ft_tracepoint_word(typed, info, 0),
			     ft_tracepoint_word(typed, info, 1), "tracepoint",
			     &ft_tracepoint_source, data);
	if (IS_ERR(entry))
		return PTR_ERR(entry);
	if (!data->entry)
		list_add_tail(&data->list, &ft_tracepoints);
	data->entry = entry;
	data->tp = tp;
	data->typed = typed;
	strscpy(data->name, tp->name, sizeof(data->name));
	memcpy(data->field, field, sizeof(field));
	if (is_described)
		ft_tracepoint_set_words(data, info);
	entry->fields = typed ? typed->field : is_described ? data->field : NULL;
	return 0;
}

static void ft_tracepoint_free(struct ft_tracepoint_data *data)
{
	free_percpu(data->unread);
	kfree(data);
}

/* Return: the event's id, or an error. */
static int ft_tracepoint_enter(struct tracepoint *tp, struct ft_tracepoint *info)
{
	const char *name = info->event[0] ? info->event : tp->name;
	struct ft_tracepoint_data *data = ft_tracepoint_known(name);
	int err;

	if (data && data->tp) {
		if (data->tp != tp ||
		    (info->event[0] && (data->typed ||
					memcmp(data->word, info->word, sizeof(data->word)))))
			return -EEXIST;
	} else {
		data = data ?: kzalloc(sizeof(*data), GFP_KERNEL);
		if (!data)
			return -ENOMEM;
		err = ft_tracepoint_make(data, tp, name, info);
		if (err) {
			if (!data->entry)
				ft_tracepoint_free(data);
			return err;
		}
		/* Its sensors have stayed. */
		if (ft_table_set_again(data->entry->id))
			pr_warn("tracepoint %s: it could not be turned on for its sensors\n",
				tp->name);
	}
	memcpy(info->word, data->word, sizeof(info->word));
	return data->entry->id;
}

void ft_tracepoint_retire(struct tracepoint *tp)
{
	struct ft_tracepoint_data *data;

	lockdep_assert_held(&ft_trace_mutex);

	list_for_each_entry(data, &ft_tracepoints, list) {
		if (data->tp != tp)
			continue;
		ft_table_retire(data->entry);
		data->tp = NULL;
	}
}

static bool ft_tracepoint_is_valid(const struct ft_tracepoint *info)
{
	return memchr(info->name, 0, sizeof(info->name)) &&
	       memchr(info->event, 0, sizeof(info->event)) && !info->reserved &&
	       ft_words_are_valid(info->word) &&
	       (!info->event[0] || ft_words_are_described(info->word));
}

int ft_tracepoint_add(struct ft_tracepoint *info)
{
	struct tracepoint *tp;
	int id;

	if (!ft_tracepoint_is_valid(info))
		return -EINVAL;
	ft_words_trim(info->word);

	mutex_lock(&ft_trace_mutex);
	tp = ft_tracepoint_find(info->name);
	id = tp ? ft_tracepoint_enter(tp, info) : -ENOENT;
	mutex_unlock(&ft_trace_mutex);
	if (id < 0)
		return id;
	info->id = id;
	return 0;
}

/* --- set-up --------------------------------------------------------------- */

void ft_tracepoint_exit(void)
{
	struct ft_tracepoint_data *data, *next;

	ft_tracepoint_module_exit();
	mutex_lock(&ft_trace_mutex);
	list_for_each_entry(data, &ft_tracepoints, list)
		if (data->tp)
			ft_table_retire(data->entry);
	/* No CPU is in a probe, whose first argument is freed, or on its way to one. */
	tracepoint_synchronize_unregister();
	list_for_each_entry_safe(data, next, &ft_tracepoints, list) {
		list_del(&data->list);
		ft_tracepoint_free(data);
	}
	mutex_unlock(&ft_trace_mutex);
}

int __init ft_tracepoint_init(void)
{
	struct ft_tracepoint info = { };
	const struct ft_typed *typed;
	struct tracepoint *tp;
	unsigned int i;
	int id = 0;

	mutex_lock(&ft_trace_mutex);
	for (i = 0; (typed = ft_typed_at(i)) && id >= 0; i++) {
		tp = ft_tracepoint_find(typed->name);
		if (tp)
			id = ft_tracepoint_enter(tp, &info);
	}
	mutex_unlock(&ft_trace_mutex);
	if (id >= 0)
		id = ft_tracepoint_module_init();
	if (id < 0)
		ft_tracepoint_exit();
	return min(id, 0);
}
