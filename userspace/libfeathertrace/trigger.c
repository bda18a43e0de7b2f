// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Turning events on and off: which are wanted, which triggers belong to them, and
 * setting these.
 *
 * The wanted events are a list of names and numbers. All else is derived from it anew
 * each time: which files are loaded, which triggers they have (dl_iterate_phdr), and how
 * each must be set. So libraries can come and go, and no pointer kept here leads into
 * one, except to events, which add and remove themselves.
 */
#include <elf.h>
#include <errno.h>
#include <fnmatch.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "libfeathertrace/event_sensors.h"
#include "libfeathertrace/events.h"
#include "libfeathertrace/notes.h"
#include "libfeathertrace/process.h"
#include "libfeathertrace/remote.h"
#include "libfeathertrace/text.h"

struct ft_wanted ft_wanted[FT_WANTED_MAX];
struct ft_event *ft_events;

/* --- what is wanted ------------------------------------------------------- */

static bool is_wanted(const struct ft_event *event, unsigned int id)
{
	return ft_is_wanted(ft_wanted, ft_remote.patterns,
			    event ? event->name : NULL, id);
}

static struct ft_wanted *wanted_find(const char *name, unsigned int id)
{
	for (unsigned int i = 0; i < FT_WANTED_MAX; i++) {
		if (ft_wanted[i].count && ft_wanted[i].id == id &&
		    !strcmp(ft_wanted[i].name, name))
			return &ft_wanted[i];
	}
	return NULL;
}

static int wanted_add(const char *name, unsigned int id)
{
	struct ft_wanted *w = wanted_find(name, id);

	for (unsigned int i = 0; !w && i < FT_WANTED_MAX; i++) {
		if (ft_wanted[i].count)
			continue;
		w = &ft_wanted[i];
		strcpy(w->name, name);
		w->id = id;
	}
	if (!w)
		return -ENOSPC;
	w->count++;
	return 0;
}

/* --- where triggers are --------------------------------------------------- */

struct range {
	const struct ft_trigger *begin, *end;
};

typedef void (*trigger_fn)(const struct ft_trigger *t, void *arg);

struct walk {
	trigger_fn	each;
	void		*arg;
};

static const void *follow(const __s32 *distance)
{
	return (const char *)distance + *distance;
}

static bool find_table(const char *at, size_t len, struct range *range)
{
	const __s32 *end = (const void *)
		ft_note_find(at, len, FT_NOTE_TRIGGERS, 2 * sizeof(*end));

	if (!end)
		return false;
	range->begin = follow(end);
	range->end = follow(end + 1);
	return true;
}

static int walk_object(struct dl_phdr_info *info, size_t size, void *arg)
{
	const struct walk *walk = arg;
	struct range range;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];

		if (ph->p_type != PT_NOTE || ph->p_align > 4 ||
		    !find_table((const char *)info->dlpi_addr + ph->p_vaddr,
			       ph->p_memsz, &range))
			continue;
		for (; range.begin < range.end; range.begin++)
			walk->each(range.begin, walk->arg);
		break;
	}
	return 0;
}

/* The loader unloads no file during its callbacks. */
static void each_trigger(trigger_fn each, void *arg)
{
	struct walk walk = { each, arg };

	ft_each_object(walk_object, &walk);
}

static const struct ft_event *trigger_event(const struct ft_trigger *t)
{
	return t->event ? follow(&t->event) : NULL;
}

/* --- setting them --------------------------------------------------------- */

static void trigger_set(const struct ft_trigger *t, void *arg)
{
	unsigned char *code = (unsigned char *)follow(&t->code);
	const struct ft_event *event = trigger_event(t);
	unsigned char value;
	int *error = arg, ret;

	value = (event ? event->on : is_wanted(NULL, t->id)) ?
		FT_TRIGGER_ON : FT_TRIGGER_OFF;
	if (*(volatile unsigned char *)code == value)
		return;
	ret = ft_text_write(code, value);
	if (ret)
		*error = ret;
}

/* Is it recorded, or counted by a sensor? */
static bool is_on(const struct ft_event *event)
{
	struct ft_event_sensor *sensor = ft_event_sensor_of(event);
	bool wanted = is_wanted(event, event->id);

	if (sensor)
		__atomic_store_n(&sensor->recorded, wanted, __ATOMIC_RELAXED);
	return wanted || (sensor && sensor->sense);
}

/* Sets all triggers. Return: 0, or an error if the code could not be changed. */
static int apply(void)
{
	struct ft_event *event;
	int error = 0;

	for (event = ft_events; event; event = event->next)
		__atomic_store_n(&event->on, is_on(event), __ATOMIC_RELAXED);
	each_trigger(trigger_set, &error);
	ft_text_sync();
	return error;
}

static int matching(const char *name, unsigned int id)
{
	struct ft_event *event;
	int n = 0;

	for (event = ft_events; event; event = event->next)
		n += *name ? !fnmatch(name, event->name, 0) : event->id == id;
	return n;
}

/* What the session wants, once. */
static void take_patterns(void)
{
	static bool done;
	char name[FT_NAME_LEN];
	const char *at;

	if (done)
		return;
	done = true;
	ft_process_init();
	at = ft_session ? ft_session->patterns : "";
	while (ft_pattern_next(&at, name))
		wanted_add(name, 0);
}

/* An event without a number cannot be recorded. */
static void callback_none(const struct ft_event *event, unsigned long long a,
			  unsigned long long b, unsigned long long c,
			  unsigned long long d)
{
	(void)event;
	(void)a;
	(void)b;
	(void)c;
	(void)d;
}

static ft_callback default_callback(const struct ft_event *event)
{
	const struct ft_event_sensor *sensor = ft_event_sensor_of(event);

	if (!event->id || (event->field[2] && !event->more))
		return callback_none;
	if (sensor && sensor->sense)
		return ft_callback_sense;
	return event->field[2] ? ft_callback_record4 : ft_callback_record;
}

/* --- events come and go --------------------------------------------------- */

void ft_event_add(struct ft_event *event)
{
	sigset_t old;

	ft_process_init();
	ft_lock(&old);
	take_patterns();
	ft_events_number(event);
	event->callback = default_callback(event);
	event->next = ft_events;
	ft_events = event;
	if (is_on(event) && apply())
		ft_message("cannot turn on an event", event->name);
	ft_unlock(&old);
}

void ft_event_remove(struct ft_event *event)
{
	struct ft_event **at;
	sigset_t old;

	ft_lock(&old);
	for (at = &ft_events; *at; at = &(*at)->next) {
		if (*at == event) {
			*at = event->next;
			break;
		}
	}
	ft_unlock(&old);
}

/* --- what users call ------------------------------------------------------ */

static int enable(const char *name, unsigned int id)
{
	sigset_t old;
	int ret, n;

	ft_process_init();
	ft_lock(&old);
	take_patterns();
	ret = wanted_add(name, id);
	if (!ret) {
		ret = apply();
		n = matching(name, id);
		ret = ret ? ret : n;
	}
	ft_unlock(&old);
	return ret;
}

static int disable(const char *name, unsigned int id)
{
	struct ft_wanted *w;
	sigset_t old;
	int ret, n;

	ft_lock(&old);
	w = wanted_find(name, id);
	if (!w) {
		ft_unlock(&old);
		return -ENOENT;
	}
	w->count--;
	ret = w->count ? 0 : apply();
	n = matching(name, id);
	ft_unlock(&old);
	return ret ? ret : n;
}

static bool is_name(const char *name)
{
	return *name && strlen(name) < FT_NAME_LEN;
}

int ft_enable(const char *name)
{
	return is_name(name) ? enable(name, 0) : -EINVAL;
}

int ft_disable(const char *name)
{
	return is_name(name) ? disable(name, 0) : -EINVAL;
}

int ft_enable_id(unsigned int id)
{
	return id && id <= FT_ID_MAX ? enable("", id) : -EINVAL;
}

int ft_disable_id(unsigned int id)
{
	return id && id <= FT_ID_MAX ? disable("", id) : -EINVAL;
}

int ft_disable_all(void)
{
	sigset_t old;
	int ret;

	ft_lock(&old);
	take_patterns();
	memset(ft_wanted, 0, sizeof(ft_wanted));
	ret = apply();
	ft_unlock(&old);
	return ret;
}

int ft_is_enabled(const char *name)
{
	struct ft_event *event;
	sigset_t old;
	int on = 0;

	ft_lock(&old);
	for (event = ft_events; event; event = event->next)
		on |= event->on && !strcmp(event->name, name);
	ft_unlock(&old);
	return on;
}

int ft_is_enabled_id(unsigned int id)
{
	struct ft_event *event;
	sigset_t old;
	int on;

	ft_lock(&old);
	on = is_wanted(NULL, id);
	for (event = ft_events; event; event = event->next)
		on |= event->on && event->id == id;
	ft_unlock(&old);
	return on;
}

int ft_event_id(const char *name)
{
	struct ft_event *event;
	sigset_t old;
	int id = -ENOENT;

	ft_lock(&old);
	for (event = ft_events; event; event = event->next) {
		if (!strcmp(event->name, name))
			id = event->id;
	}
	ft_unlock(&old);
	return id;
}

int ft_set_callback(const char *name, ft_callback callback, void *data)
{
	struct ft_event *event;
	int n = 0, none = -ENOENT;
	sigset_t old;

	ft_lock(&old);
	for (event = ft_events; event; event = event->next) {
		if (strcmp(event->name, name))
			continue;
		/* its data is its sensor */
		if (ft_event_sensor_of(event)) {
			none = -EINVAL;
			continue;
		}
		/* a trigger calls one or the other; both find the data */
		__atomic_store_n(&event->data, data, __ATOMIC_RELEASE);
		__atomic_store_n(&event->callback,
				 callback ? callback : default_callback(event),
				 __ATOMIC_RELEASE);
		n++;
	}
	ft_unlock(&old);
	return n ? n : none;
}

struct count {
	const struct ft_event	*event;
	unsigned int		n;
};

static void count_trigger(const struct ft_trigger *t, void *arg)
{
	struct count *count = arg;

	count->n += trigger_event(t) == count->event;
}

int ft_each_event(int (*each)(void *arg, const struct ft_event *event,
			      unsigned int triggers), void *arg)
{
	struct ft_event *event;
	sigset_t old;
	int ret = 0;

	ft_lock(&old);
	for (event = ft_events; event && !ret; event = event->next) {
		struct count count = { event, 0 };

		each_trigger(count_trigger, &count);
		ret = each(arg, event, count.n);
	}
	ft_unlock(&old);
	return ret;
}
