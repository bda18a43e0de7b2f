// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Events from the kernel's tracepoints: any of them by its name, with the first
 * two arguments as the words of the record, and contention_begin and _end, whose
 * arguments are known.
 *
 * A tracepoint calls its probes with a pointer of their own and then its arguments,
 * in registers. The recorder takes an id and two words, so it can be the probe
 * itself, with the id as the pointer. The word of an argument that the tracepoint does
 * not have is undefined, and so are the upper bits of one of less than 64 bits, unless who
 * made the event said how many it has: then a probe of its own extends it.
 */
#include <linux/err.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "probe.h"
#include "sensor/probes.h"
#include "table.h"
#include "trace.h"
#include "tracepoint.h"
#include "watch/watch.h"

/* struct ft_entry.data. Lives as long as the module, as the entry does. */
struct ft_tracepoint_data {
	struct list_head	list;	/* guarded by ft_trace_mutex */
	struct ft_entry		*entry;
	struct tracepoint	*tp;	/* NULL: its module was unloaded */
	void			*own;	/* a probe of its own; else the recorder */
	u8			word[2];	/* &ft_tracepoint.word */
	void			*probe[FT_SESSIONS];	/* registered for a session */
	void			*watch;	/* registered for watches, or NULL */
};

static LIST_HEAD(ft_tracepoints);

/* Their pointer is the id, above it the session, and the bits that each word does not have. */
#define FT_TRACEPOINT_ID_BITS	16
#define FT_TRACEPOINT_SESSION	16
#define FT_TRACEPOINT_A		24
#define FT_TRACEPOINT_B		32
static_assert(FT_ID_MAX < 1 << FT_TRACEPOINT_ID_BITS);

static void ft_tracepoint_record_own(unsigned long own, u64 a, u64 b)
{
	unsigned int session = own >> FT_TRACEPOINT_SESSION & (FT_SESSIONS - 1);
	ft_probe_t probe = ft_probe_record(BIT(session), READ_ONCE(ft_sessions[session].way));

	probe(own & FT_ID_MAX, a, b);
}

static void ft_tracepoint_contention_begin(void *own, void *lock,
					   unsigned int flags)
{
	ft_tracepoint_record_own((unsigned long)own, (unsigned long)lock, flags);
}

static void ft_tracepoint_contention_end(void *own, void *lock, int ret)
{
	ft_tracepoint_record_own((unsigned long)own, (unsigned long)lock, ret);
}

/* What is in the pointer of a word, from the &ft_tracepoint.word of it. */
static unsigned long ft_tracepoint_missing(u8 word)
{
	return word ? (64 - (word & FT_WORD_BITS)) | (word & FT_WORD_SIGNED) : 0;
}

static __always_inline u64 ft_tracepoint_extend(u64 word, u8 missing)
{
	unsigned int shift = missing & 63;

	return missing & FT_WORD_SIGNED ? (s64)(word << shift) >> shift :
					  word << shift >> shift;
}

static void ft_tracepoint_record_extended(u64 own, u64 a, u64 b)
{
	ft_tracepoint_record_own(own, ft_tracepoint_extend(a, own >> FT_TRACEPOINT_A),
				 ft_tracepoint_extend(b, own >> FT_TRACEPOINT_B));
}

/* Calls the watches of an event; registered apart from what writes records. */
static void ft_tracepoint_watch(void *data, u64 a, u64 b)
{
	u32 id = (unsigned long)data & FT_ID_MAX;

	preempt_disable_notrace();
	ft_watch_call(id, ft_probe_announced(id), a, b);
	if (ft_sensor_is_any(id))
		ft_sensor_see(id, a, b, ft_sensor_now());
	preempt_enable_notrace();
}

static void ft_tracepoint_watch_begin(void *id, void *lock, unsigned int flags)
{
	ft_tracepoint_watch(id, (unsigned long)lock, flags);
}

static void ft_tracepoint_watch_end(void *id, void *lock, int ret)
{
	ft_tracepoint_watch(id, (unsigned long)lock, ret);
}

static void ft_tracepoint_watch_extended(u64 own, u64 a, u64 b)
{
	ft_tracepoint_watch((void *)(unsigned long)own,
			    ft_tracepoint_extend(a, own >> FT_TRACEPOINT_A),
			    ft_tracepoint_extend(b, own >> FT_TRACEPOINT_B));
}

/* The one that knows the arguments. */
static void *ft_tracepoint_watch_of(const struct ft_entry *entry)
{
	const struct ft_tracepoint_data *data = entry->data;

	if (entry->id == FT_ID_CONTENTION_BEGIN)
		return ft_tracepoint_watch_begin;
	if (entry->id == FT_ID_CONTENTION_END)
		return ft_tracepoint_watch_end;
	return data->own ? (void *)ft_tracepoint_watch_extended : (void *)ft_tracepoint_watch;
}

/* What the kernel passes to a probe of its own. */
static void *ft_tracepoint_pointer(const struct ft_entry *entry, unsigned int session)
{
	const struct ft_tracepoint_data *data = entry->data;

	return (void *)(entry->id | (unsigned long)session << FT_TRACEPOINT_SESSION |
			ft_tracepoint_missing(data->word[0]) << FT_TRACEPOINT_A |
			ft_tracepoint_missing(data->word[1]) << FT_TRACEPOINT_B);
}

static int ft_tracepoint_set_watch(const struct ft_entry *entry, bool on)
{
	struct ft_tracepoint_data *data = entry->data;
	void *pointer = ft_tracepoint_pointer(entry, 0);
	int err = 0;

	if (on && !data->watch) {
		/* After those that write the record. */
		err = tracepoint_probe_register_prio(data->tp, ft_tracepoint_watch_of(entry),
						     pointer, TRACEPOINT_DEFAULT_PRIO - 1);
		if (!err)
			data->watch = ft_tracepoint_watch_of(entry);
	} else if (!on && data->watch) {
		tracepoint_probe_unregister(data->tp, data->watch, pointer);
		data->watch = NULL;
	}
	return err;
}

/* A session has a probe of its own: the kernel calls one after the other. */
static int ft_tracepoint_set_one(const struct ft_entry *entry, unsigned int session,
				 bool on)
{
	struct ft_tracepoint_data *data = entry->data;
	void *pointer = ft_tracepoint_pointer(entry, data->own ? session : 0);
	void *probe = data->probe[session];
	int err = 0;

	if (on && !probe) {
		probe = data->own ?: ft_probe_record(BIT(session),
						     ft_sessions[session].way);
		err = tracepoint_probe_register(data->tp, probe, pointer);
		if (!err)
			data->probe[session] = probe;
	} else if (!on && probe) {
		/*
		 * The end of the trace waits for CPUs in the probe, as with other
		 * events. The kernel frees its own data later.
		 */
		tracepoint_probe_unregister(data->tp, probe, pointer);
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

static unsigned int ft_tracepoint_triggers(const struct ft_entry *entry)
{
	return 1;
}

static const struct ft_source ft_tracepoint_source = {
	.set		= ft_tracepoint_set,
	.triggers	= ft_tracepoint_triggers,
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

static struct ft_tracepoint_data *ft_tracepoint_known(const char *name)
{
	struct ft_tracepoint_data *data;

	list_for_each_entry(data, &ft_tracepoints, list)
		if (!strcmp(data->entry->name, name))
			return data;
	return NULL;
}

/* Return: the event's id, or an error. */
static int ft_tracepoint_enter(struct tracepoint *tp, u32 id, const char *a,
			       const char *b, void *own)
{
	struct ft_tracepoint_data *data = ft_tracepoint_known(tp->name);
	struct ft_entry *entry;

	if (data && data->tp)
		return data->entry->id;
	if (!data) {
		data = kzalloc(sizeof(*data), GFP_KERNEL);
		if (!data)
			return -ENOMEM;
	}

	entry = ft_table_add(id, tp->name, a, b, "tracepoint",
			     &ft_tracepoint_source, data);
	if (IS_ERR(entry)) {
		if (!data->entry)
			kfree(data);
		return PTR_ERR(entry);
	}
	if (!data->entry)
		list_add_tail(&data->list, &ft_tracepoints);
	data->entry = entry;
	data->tp = tp;
	data->own = own;
	memset(data->word, 0, sizeof(data->word));
	/* Its sensors have stayed. */
	if (ft_table_set_again(entry->id))
		pr_warn("tracepoint %s: it could not be turned on for its sensors\n", tp->name);
	return entry->id;
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

/*
 * Says what the words are, for an event of which that is not known, and which is off: its
 * probe, which depends on that, is not registered.
 */
static void ft_tracepoint_set_words(struct ft_tracepoint_data *data, struct ft_tracepoint *info)
{
	if (!data->own && !data->entry->sessions && !data->entry->sensed) {
		memcpy(data->word, info->word, sizeof(data->word));
		if (data->word[0] || data->word[1])
			data->own = ft_tracepoint_record_extended;
	}
	memcpy(info->word, data->word, sizeof(info->word));
}

static bool ft_tracepoint_is_word(u8 word)
{
	unsigned int bits = word & FT_WORD_BITS;

	return !word || bits == 8 || bits == 16 || bits == 32;
}

int ft_tracepoint_add(struct ft_tracepoint *info)
{
	struct tracepoint *tp;
	int id;

	if (!memchr(info->name, 0, sizeof(info->name)) ||
	    !ft_tracepoint_is_word(info->word[0]) || !ft_tracepoint_is_word(info->word[1]))
		return -EINVAL;

	mutex_lock(&ft_trace_mutex);
	tp = ft_tracepoint_find(info->name);
	id = tp ? ft_tracepoint_enter(tp, 0, "arg0", "arg1", NULL) : -ENOENT;
	if (id >= 0)
		ft_tracepoint_set_words(ft_tracepoint_known(tp->name), info);
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
	list_for_each_entry_safe(data, next, &ft_tracepoints, list) {
		if (data->tp)
			ft_table_retire(data->entry);
		list_del(&data->list);
		kfree(data);
	}
	mutex_unlock(&ft_trace_mutex);
	/* No CPU is on its way to a probe either, whose text is freed. */
	tracepoint_synchronize_unregister();
}

int __init ft_tracepoint_init(void)
{
	static const struct {
		u32		id;
		const char	*name, *b;
		void		*own;
	} known[] = {
		{ FT_ID_CONTENTION_BEGIN, "contention_begin", "flags",
		  ft_tracepoint_contention_begin },
		{ FT_ID_CONTENTION_END, "contention_end", "result",
		  ft_tracepoint_contention_end },
	};
	struct tracepoint *tp;
	unsigned int i;
	int id = 0;

	mutex_lock(&ft_trace_mutex);
	for (i = 0; i < ARRAY_SIZE(known) && id >= 0; i++) {
		tp = ft_tracepoint_find(known[i].name);
		if (tp)
			id = ft_tracepoint_enter(tp, known[i].id, "lock",
						 known[i].b, known[i].own);
	}
	mutex_unlock(&ft_trace_mutex);
	if (id >= 0)
		id = ft_tracepoint_module_init();
	if (id < 0)
		ft_tracepoint_exit();
	return min(id, 0);
}
