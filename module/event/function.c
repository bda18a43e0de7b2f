// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Events of functions that are chosen at run time: NAME_entry and NAME_exit.
 *
 * There is a place for some functions at a time (attach/chosen.h). One whose events are off
 * gives its place up to another one, once nothing is wrapped any more.
 *
 * A function keeps its module loaded, from before it is wrapped until nobody is in its hook.
 * Otherwise the module can go; then its functions lose their places.
 */
#include <linux/bits.h>
#include <linux/err.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <feather_trace/event.h>

#include "attach/chosen.h"
#include "attach/enter.h"
#include "attach/leave.h"
#include "event/function.h"
#include "event/table.h"
#include "probe.h"
#include "trace/trace.h"
#include "watch/watch.h"

#if FT_HAVE_ATTACH

#define FT_FUNCTION_OWNER	"function"

static_assert(FT_ATTACH_OTHERS + 2 * FT_CHOSEN_COUNT <= 64);

/* The events of a place; guarded by ft_trace_mutex. */
struct ft_function_events {
	char		name[FT_NAME_LEN];
	struct ft_entry	*entry[2];	/* entry, exit */
	unsigned long	chosen;		/* when, as a number that grows */
};

/* From ft_chosen_check() to ft_chosen_put(). A module that goes does not take it. */
static DEFINE_MUTEX(ft_function_turn);

static struct ft_function_events ft_functions[FT_CHOSEN_COUNT];
static unsigned long ft_functions_chosen;

/* The fields of an event. They are kept as long as the event: for good. */
struct ft_function_fields {
	struct list_head	list;
	struct ft_field		field[FT_FIELDS];
};

static LIST_HEAD(ft_function_fields);

/* --- switching ------------------------------------------------------------ */

/* &ft_entry.data: twice the place, and one more for an exit. */
static unsigned int ft_function_number(const struct ft_entry *entry)
{
	return (uintptr_t)entry->data;
}

static int ft_function_set(const struct ft_entry *entry, u8 sessions)
{
	unsigned int number = ft_function_number(entry);
	bool on = sessions || entry->sensed;
	ft_probe_t probe = ft_probe_none;

	if (on)
		probe = ft_watch_record(entry->id, sessions, ft_trace_way(sessions));
	ft_chosen_point(number / 2, number % 2, probe);
	ft_attach_want(FT_ATTACH_OTHERS + number, on);
	return 0;
}

static const struct ft_source ft_function_source = {
	.hold		= ft_attach_hold,
	.prepare	= ft_attach_prepare,
	.finish		= ft_attach_finish,
	.set		= ft_function_set,
};

/* --- words ---------------------------------------------------------------- */

static bool ft_function_is_word(u8 word)
{
	unsigned int bits = word & FT_WORD_BITS;

	return !word || word == FT_WORD_NONE || bits == 8 || bits == 16 || bits == 32 ||
	       bits == 64;
}

static struct ft_chosen_word ft_function_word(u8 word)
{
	unsigned int bits = word & FT_WORD_BITS ?: 64;

	if (word == FT_WORD_NONE)
		return (struct ft_chosen_word){};
	return (struct ft_chosen_word){
		.mask = GENMASK_ULL(bits - 1, 0),
		.sign = word & FT_WORD_SIGNED && bits < 64 ? BIT_ULL(bits - 1) : 0,
	};
}

static void ft_function_field(struct ft_field *field, const char *name, u8 word)
{
	field->bits = 64;
	if (word == FT_WORD_NONE)
		return;
	strscpy(field->name, name, sizeof(field->name));
	field->kind = word & FT_WORD_SIGNED ? FT_FIELD_SIGNED :
		      word ? FT_FIELD_UNSIGNED : FT_FIELD_HEX;
}

static void ft_function_describe(struct ft_field field[FT_FIELDS],
				 const struct ft_function *info, bool exit)
{
	memset(field, 0, FT_FIELDS * sizeof(*field));
	if (exit) {
		ft_function_field(&field[0], "result", info->word[1]);
		ft_function_field(&field[1], info->arg, info->word[0]);
	} else {
		ft_function_field(&field[0], info->arg, info->word[0]);
		ft_function_field(&field[1], "caller", 0);
		field[1].kind = FT_FIELD_CODE;
	}
}

/* An event that comes back has the words that it had: an old trace may be read with them. */
static int ft_function_set_fields(struct ft_entry *entry, const struct ft_function *info, bool exit)
{
	struct ft_function_fields *fields = kzalloc(sizeof(*fields), GFP_KERNEL);
	int err = 0;

	if (!fields)
		return -ENOMEM;
	ft_function_describe(fields->field, info, exit);
	if (!entry->fields) {
		entry->fields = fields->field;
		list_add(&fields->list, &ft_function_fields);
		return 0;
	}
	if (memcmp(entry->fields, fields->field, sizeof(fields->field)))
		err = -EEXIST;
	kfree(fields);
	return err;
}

/* --- choosing ------------------------------------------------------------- */

/* Does a function keep its place though nobody needs it? */
static bool ft_function_is_idle(const struct ft_function_events *events)
{
	return !events->entry[0]->sessions && !events->entry[0]->sensors &&
	       !events->entry[1]->sessions && !events->entry[1]->sensors;
}

static void ft_function_drop(unsigned int place)
{
	struct ft_function_events *events = &ft_functions[place];
	unsigned int i;

	for (i = 0; i < 2; i++) {
		if (events->entry[i])
			ft_table_retire(events->entry[i]);
		events->entry[i] = NULL;
	}
	ft_chosen_clear(place);
}

/* Return: a place, perhaps of the one that was chosen the longest ago; -ENOSPC. */
static int ft_function_make_room(void)
{
	int i, oldest = -ENOSPC;

	for (i = 0; i < FT_CHOSEN_COUNT; i++) {
		if (!ft_functions[i].entry[0]) {
			/* ftrace may have failed to unwrap the one that has gone. */
			if (!ft_chosen_is_attached(i))
				return i;
			continue;
		}
		if (ft_function_is_idle(&ft_functions[i]) &&
		    (oldest < 0 || ft_functions[i].chosen < ft_functions[oldest].chosen))
			oldest = i;
	}
	/* The hook of one that was wrapped may still be in use. */
	if (ft_attach_pinned)
		return -ENOSPC;
	if (oldest >= 0)
		ft_function_drop(oldest);
	return oldest;
}

/*
 * NAME_entry, NAME_exit, behind MODULE_ if @module is not empty; what the compiler puts behind a
 * dot becomes part of the name.
 */
static int ft_function_enter(unsigned int place, const struct ft_function *info,
			     const char *module, bool exit)
{
	char name[2 * FT_NAME_LEN + MODULE_NAME_LEN];
	struct ft_entry *entry;

	snprintf(name, sizeof(name), "%s%s%s_%s", module, *module ? "_" : "", info->name,
		 exit ? "exit" : "entry");
	strreplace(name, '.', '_');
	entry = ft_table_add(0, name, exit ? "result" : info->arg, exit ? info->arg : "caller",
			     FT_FUNCTION_OWNER, &ft_function_source,
			     (void *)(uintptr_t)(2 * place + exit));
	if (IS_ERR(entry))
		return PTR_ERR(entry);
	ft_functions[place].entry[exit] = entry;
	return ft_function_set_fields(entry, info, exit);
}

static int ft_function_enter_both(unsigned int place, const struct ft_function *info,
				  const char *module)
{
	return ft_function_enter(place, info, module, false) ?:
	       ft_function_enter(place, info, module, true);
}

static int ft_function_choose(unsigned int place, const struct ft_function *info,
			      struct module *owner)
{
	struct ft_function_events *events = &ft_functions[place];
	u32 id[2];
	int err;

	err = ft_function_enter_both(place, info, "");
	if (err == -EEXIST && owner) {
		/* Another function has that name, or had it, as of another module. */
		ft_function_drop(place);
		err = ft_function_enter_both(place, info, owner->name);
	}
	if (err)
		return err;
	strscpy(events->name, info->name, sizeof(events->name));
	id[0] = events->entry[0]->id;
	id[1] = events->entry[1]->id;
	ft_chosen_set(place, events->name, (void *)(uintptr_t)info->address, owner,
		      ft_function_word(info->word[0]), ft_function_word(info->word[1]), id);
	return 0;
}

static int ft_function_take(struct ft_function *info, struct module *owner)
{
	int place, err = 0;

	mutex_lock(&ft_trace_mutex);
	place = ft_chosen_find((void *)(uintptr_t)info->address);
	if (place < 0) {
		place = ft_function_make_room();
		err = place < 0 ? place : ft_function_choose(place, info, owner);
		if (err && place >= 0)
			ft_function_drop(place);
	}
	if (!err) {
		ft_functions[place].chosen = ++ft_functions_chosen;
		info->id[0] = ft_functions[place].entry[0]->id;
		info->id[1] = ft_functions[place].entry[1]->id;
	}
	mutex_unlock(&ft_trace_mutex);
	return err;
}

int ft_function_add(struct ft_function *info)
{
	struct module *owner;
	int err;

	if (memchr_inv(info->reserved, 0, sizeof(info->reserved)) ||
	    !ft_table_is_symbol(info->name, sizeof(info->name)) ||
	    !ft_table_is_symbol(info->arg, sizeof(info->arg)) ||
	    !ft_function_is_word(info->word[0]) || !ft_function_is_word(info->word[1]))
		return -EINVAL;

	if (mutex_lock_killable(&ft_function_turn))
		return -EINTR;
	err = ft_chosen_check(info->name, (void *)(uintptr_t)info->address, &owner);
	if (!err)
		err = ft_function_take(info, owner);
	/* From here on, ft_function_notify() is called when it goes. */
	ft_chosen_put(owner);
	mutex_unlock(&ft_function_turn);
	return err;
}

/* --- modules that go ------------------------------------------------------ */

/* Turns its events off. Their places stay taken. Return: whether it has any. */
static bool ft_function_retire_of(const struct module *owner)
{
	bool any = false;
	unsigned int i;

	mutex_lock(&ft_trace_mutex);
	for (i = 0; i < FT_CHOSEN_COUNT; i++) {
		if (!ft_chosen_is_of(i, owner))
			continue;
		ft_table_retire(ft_functions[i].entry[0]);
		ft_table_retire(ft_functions[i].entry[1]);
		any = true;
	}
	mutex_unlock(&ft_trace_mutex);
	return any;
}

/*
 * A function that is wrapped pins its module, and so does one with a task in its hook. But a
 * module can be removed by force, whatever pins it: then its functions are unwrapped here, while
 * their code is there. One that ft_function_add() looks at has its place first, or gets none: a
 * place that it got after this would be of a module that has gone. No other one is wrapped from
 * here on, as the module goes (ft_attach_pin_owner()). Until they are unwrapped, no other function
 * gets their places.
 */
static int ft_function_notify(struct notifier_block *nb, unsigned long action, void *data)
{
	unsigned int i;

	if (action != MODULE_STATE_GOING)
		return NOTIFY_DONE;
	ft_chosen_wait_for(data);
	if (!ft_function_retire_of(data))
		return NOTIFY_DONE;
	ft_attach_owner_goes(data);
	mutex_lock(&ft_trace_mutex);
	for (i = 0; i < FT_CHOSEN_COUNT; i++)
		if (ft_chosen_is_of(i, data))
			ft_function_drop(i);
	mutex_unlock(&ft_trace_mutex);
	return NOTIFY_OK;
}

static struct notifier_block ft_function_nb = {
	.notifier_call = ft_function_notify,
};

int __init ft_function_init(void)
{
	return register_module_notifier(&ft_function_nb);
}

/* The module is not pinned: no function is wrapped. */
void ft_function_exit(void)
{
	struct ft_function_fields *fields, *next;
	unsigned int i;

	unregister_module_notifier(&ft_function_nb);
	mutex_lock(&ft_trace_mutex);
	for (i = 0; i < FT_CHOSEN_COUNT; i++)
		ft_function_drop(i);
	mutex_unlock(&ft_trace_mutex);
	ft_attach_exit();
	list_for_each_entry_safe(fields, next, &ft_function_fields, list)
		kfree(fields);
}

#endif /* FT_HAVE_ATTACH */
