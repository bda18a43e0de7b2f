// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Sensors as they are written: see sensor_definition.h. */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/nearest.h"
#include "control/condition.h"
#include "control/device.h"
#include "control/events_made.h"
#include "control/sensor_definition.h"

/* An event as it is written: tracepoint:SYSTEM:NAME(EXPRESSION, EXPRESSION), say. */
#define EVENT_LEN	(6 * FT_NAME_LEN)
/* Two of them, and a word around. */
#define VALUE_LEN	(2 * EVENT_LEN + 16)

/* What is being defined. */
struct definition {
	const char	*text;
	struct events	*events;
	struct ft_sensor *sensor;
	sensor_sites_fn	sites;
};

static bool fail(const struct definition *d, const char *why)
{
	warnx("sensor '%s': '%s': %s", d->sensor->name, d->text, why);
	return false;
}

/* --- words ------------------------------------------------------------------ */

/* Without the blanks around it. Return: false: it is empty, or too long. */
static bool copy_trimmed(char *to, size_t size, const char *from, size_t len)
{
	while (len && strchr(" \t", from[len - 1]))
		len--;
	while (len && strchr(" \t", *from)) {
		from++;
		len--;
	}
	if (!len || len >= size)
		return false;
	memcpy(to, from, len);
	to[len] = '\0';
	return true;
}

/* "WORD(INSIDE)": is it this word? Then @inside is what is between. */
static bool is_call(const char *text, const char *word, char *inside, size_t size)
{
	size_t len = strlen(word), all = strlen(text);

	return !strncmp(text, word, len) && text[len] == '(' && text[all - 1] == ')' &&
	       copy_trimmed(inside, size, text + len + 1, all - len - 2);
}

static const struct ft_event_info *find_event(const struct events *events, const char *name)
{
	for (size_t i = 0; i < events->n; i++) {
		if (!strcmp(events->info[i].name, name))
			return &events->info[i];
	}
	return NULL;
}

/* Return: the event, or NULL after a message. */
static const struct ft_event_info *event_of(struct definition *d, const char *name)
{
	const struct ft_event_info *found = find_event(d->events, name);
	struct ft_info info;

	if (found)
		return found;
	if (events_comma(name)) {
		fail(d, "a sensor is of one event, or of a pair: time(EVENT, EVENT)");
		return NULL;
	}
	if (events_is_function(name)) {
		fail(d, "a function has two events, its entry and its exit: choose one as NAME_entry "
			"or NAME_exit, after 'ft enable function:NAME'; or time(function:NAME)");
		return NULL;
	}
	if (!events_is_one(name)) {
		warnx("sensor '%s': there is no event '%s'; see: ft list", d->sensor->name, name);
		return NULL;
	}
	memset(d->events->chosen, 0, d->events->n * sizeof(bool));
	memset(&info, 0, sizeof(info));
	if (!events_choose(d->events, name, &info))
		return NULL;
	for (size_t i = 0; i < d->events->n; i++) {
		if (d->events->chosen[i])
			return &d->events->info[i];
	}
	return NULL;
}

/* --- values ----------------------------------------------------------------- */

static bool define_pair(struct definition *d, const char *begin, const char *event)
{
	const struct ft_event_info *from = event_of(d, begin);
	const struct ft_event_info *to = from ? event_of(d, event) : NULL;

	if (!to)
		return false;
	/* the table may have moved */
	d->sensor->begin = event_of(d, begin)->id;
	d->sensor->event = to->id;
	d->sensor->axis[0].value = FT_VALUE_TIME;
	return true;
}

static bool tell_family(const struct definition *d, const char *family)
{
	static const char *const families[] = {
		"spin", "rwlock_read", "rwlock_write", "mutex", "semaphore", "rwsem_read",
		"rwsem_write", "raw_spin",
	};
	char hint[NEAREST_HINT];

	warnx("sensor '%s': there is no family of locks '%s'%s; there are spin, rwlock_read, "
	      "rwlock_write, mutex, semaphore, rwsem_read, rwsem_write and raw_spin",
	      d->sensor->name,
	      family, nearest_hint(hint, family, families, ARRAY_SIZE(families)));
	return false;
}

/* The kernel may lack the events of a single family. */
static bool tell_no_events(const struct definition *d, const char *family)
{
	if (strcmp(family, "raw_spin"))
		device_no_locks();
	else if (condition_kernel_is_rt())
		warnx("sensor '%s': this kernel has no events of raw spinlocks: their unlock is "
		      "inlined, or there are no lock events at all; see ft status",
		      d->sensor->name);
	else
		warnx("sensor '%s': raw spinlocks are of the family spin, unless the kernel has "
		      "PREEMPT_RT: use hold(spin)", d->sensor->name);
	return false;
}

static bool define_hold(struct definition *d, const char *family)
{
	char begin[VALUE_LEN + 16], event[VALUE_LEN + 16];
	uint64_t mask, value;

	if (!condition_wait(family, &mask, &value))
		return tell_family(d, family);
	snprintf(begin, sizeof(begin), "%s_acquire", family);
	snprintf(event, sizeof(event), "%s_release", family);
	if (!find_event(d->events, begin))
		return tell_no_events(d, family);
	return define_pair(d, begin, event);
}

static bool define_wait(struct definition *d, const char *family)
{
	struct ft_test *test = &d->sensor->test[0];
	uint64_t mask, value;

	if (!condition_wait(family, &mask, &value))
		return tell_family(d, family);
	*test = (struct ft_test){
		.what = FT_TEST_B, .op = FT_TEST_EQUAL, .flags = FT_TEST_AT_BEGIN,
		.mask = mask, .value = value,
	};
	d->sensor->key = FT_KEY_WAIT;
	return define_pair(d, "contention_begin", "contention_end");
}

/* A task enters the function, and leaves it: whatever words that has. */
static bool define_function(struct definition *d, const char *function)
{
	__u32 id[2];

	if (!events_make_function(d->events, function, id))
		return false;
	d->sensor->begin = id[0];
	d->sensor->event = id[1];
	d->sensor->key = FT_KEY_TASK;
	d->sensor->axis[0].value = FT_VALUE_TIME;
	return true;
}

static bool define_between(struct definition *d, const char *inside)
{
	char begin[EVENT_LEN], event[EVENT_LEN];
	const char *comma = events_comma(inside);

	if (!comma && events_is_function(inside))
		return define_function(d, inside);
	if (!comma || !copy_trimmed(begin, sizeof(begin), inside, (size_t)(comma - inside)) ||
	    !copy_trimmed(event, sizeof(event), comma + 1, strlen(comma + 1)))
		return fail(d, "time() needs two events: time(EVENT, EVENT), or "
			    "time(function:NAME)");
	return define_pair(d, begin, event);
}

static bool define_word(struct definition *d, const char *what)
{
	char name[EVENT_LEN];
	const char *inside = strrchr(what, ')');
	const char *dot = strrchr(inside ? inside : what, '.');
	const struct ft_event_info *event;
	struct event_part part;
	char *fields;

	if (!dot || !copy_trimmed(name, sizeof(name), what, (size_t)(dot - what)))
		return fail(d, "this is none of count(EVENT), EVENT.FIELD, hold(FAMILY), "
			    "wait(FAMILY), time(EVENT, EVENT), last(VALUE)");
	event = event_of(d, name);
	if (!event)
		return false;
	d->sensor->event = event->id;
	if (!events_part(d->events, (size_t)(event - d->events->info), dot + 1, &part)) {
		fields = events_fields_text(d->events, (size_t)(event - d->events->info));
		warnx("sensor '%s': the event '%s' has no field '%s'; it has: %s",
		      d->sensor->name, event->name, dot + 1, fields);
		free(fields);
		return false;
	}
	if (part.field->bits < 64) {
		warnx("sensor '%s': '%s' is part of a word: a sensor takes whole words",
		      d->sensor->name, what);
		return false;
	}
	d->sensor->axis[0].value = part.word ? FT_VALUE_B : FT_VALUE_A;
	return true;
}

static bool define_value(struct definition *d, const char *what)
{
	char inside[VALUE_LEN];

	if (is_call(what, "hold", inside, sizeof(inside)))
		return define_hold(d, inside);
	if (is_call(what, "wait", inside, sizeof(inside)))
		return define_wait(d, inside);
	if (is_call(what, "time", inside, sizeof(inside)))
		return define_between(d, inside);
	return define_word(d, what);
}

static bool define_what(struct definition *d, const char *what)
{
	const struct ft_event_info *event;
	char inside[VALUE_LEN];

	if (is_call(what, "count", inside, sizeof(inside))) {
		event = event_of(d, inside);
		d->sensor->kind = FT_SENSOR_COUNTER;
		d->sensor->event = event ? event->id : 0;
		return event;
	}
	if (is_call(what, "last", inside, sizeof(inside))) {
		d->sensor->kind = FT_SENSOR_SCALAR;
		return define_value(d, inside);
	}
	d->sensor->kind = FT_SENSOR_HISTOGRAM;
	return define_value(d, what);
}

/* --- inside of sleeping locks ------------------------------------------------- */

/* Cuts these words off. Return: which they were, or NULL. */
static const char *cut_scope(char *what)
{
	static const char *const scopes[] = {
		" outside sleeping locks", " inside sleeping locks",
	};

	for (size_t i = 0; i < ARRAY_SIZE(scopes); i++) {
		char *at = strstr(what, scopes[i]);

		if (!at || at[strlen(scopes[i])])
			continue;
		while (at > what && strchr(" \t", at[-1]))
			at--;
		*at = '\0';
		return scopes[i];
	}
	return NULL;
}

static bool define_scope(struct definition *d, const char *scope)
{
	if (!scope)
		return true;
	if ((d->sensor->begin != FT_ID_ACQUIRE(FT_LOCK_SPIN) &&
	     d->sensor->begin != FT_ID_ACQUIRE(FT_LOCK_RAW_SPIN)) ||
	    d->sensor->event != d->sensor->begin + 1)
		return fail(d, "sleeping locks take spinlocks inside themselves: this needs "
			    "hold(spin), or hold(raw_spin) on PREEMPT_RT");
	if (strstr(scope, "outside"))
		d->sensor->flags |= FT_SENSOR_OUTSIDE;
	return d->sites(d->sensor);
}

/* --- splits and bins -------------------------------------------------------- */

/* Is it hold() of a lock whose nesting depth the module knows? */
static bool is_spinning(const struct definition *d)
{
	__u32 begin = d->sensor->begin;

	return ((begin >= FT_ID_LOCK && begin < FT_ID_ACQUIRE(FT_LOCK_MUTEX)) ||
		begin == FT_ID_ACQUIRE(FT_LOCK_RAW_SPIN)) && d->sensor->event == begin + 1;
}

static bool define_split(struct definition *d, const char *split)
{
	static const struct {
		const char	*name;
		__u32		split;
	} splits[] = {
		{ "site", FT_SPLIT_SITE }, { "lock", FT_SPLIT_WORD }, { "word", FT_SPLIT_WORD },
		{ "task", FT_SPLIT_TASK }, { "context", FT_SPLIT_CONTEXT },
	};

	for (size_t i = 0; i < ARRAY_SIZE(splits); i++) {
		if (!strcmp(splits[i].name, split))
			d->sensor->split = splits[i].split;
	}
	if (!strcmp(split, "depth")) {
		if (d->sensor->kind != FT_SENSOR_HISTOGRAM || !is_spinning(d))
			return fail(d, "'by depth' needs hold() of a spinning lock: spin, "
				    "rwlock_read, rwlock_write; raw_spin on PREEMPT_RT");
		d->sensor->kind = FT_SENSOR_HISTOGRAM2;
		d->sensor->axis[1] = (struct ft_sensor_axis){
			.value = FT_VALUE_DEPTH, .flags = FT_AXIS_LINEAR, .bins = 16,
		};
	} else if (!d->sensor->split) {
		return fail(d, "what follows 'by' is one of site, lock, word, task, context, depth");
	}
	if (d->sensor->split == FT_SPLIT_SITE && d->sensor->key == FT_KEY_WAIT)
		return fail(d, "the kernel does not say where a wait begins: use 'by lock'");
	return true;
}

/* Return: which option says something of bins, or NULL. */
static const char *option_of_bins(const struct sensor_bins *bins)
{
	return bins->bits || bins->bits_set ? "--bits" : bins->width ? "--width" :
	       bins->low ? "--low" : bins->bins ? "--bins" : NULL;
}

/* Return: false after a message: bins of what has none. */
static bool says_no_bins(const struct definition *d, const struct sensor_bins *bins)
{
	const char *option = option_of_bins(bins);

	if (!option)
		return true;
	warnx("sensor '%s': '%s': %s is for histograms, and count() and last() have no bins: "
	      "leave it out", d->sensor->name, d->text, option);
	return false;
}

static bool define_bins(struct definition *d, const struct sensor_bins *bins)
{
	struct ft_sensor_axis *axis = &d->sensor->axis[0];
	/* 2^34 ticks are seconds */
	unsigned int power = axis->value == FT_VALUE_TIME ? 34 : 64;

	if (bins->rows > FT_SENSOR_ROWS_MAX || bins->bins > FT_SENSOR_BINS_MAX)
		return fail(d, "--rows is at most 4096, --bins at most 8192");
	if (bins->rows && !d->sensor->split)
		return fail(d, "--rows needs rows: 'by site', 'by lock' or the like");
	if (bins->rows && d->sensor->split == FT_SPLIT_CONTEXT)
		return fail(d, "'by context' always has four rows: leave out --rows");
	if (d->sensor->split == FT_SPLIT_CONTEXT)
		d->sensor->rows = FT_SENSOR_CONTEXTS;
	else if (d->sensor->split)
		d->sensor->rows = bins->rows ? (__u32)bins->rows : 128;
	if (d->sensor->kind == FT_SENSOR_COUNTER || d->sensor->kind == FT_SENSOR_SCALAR)
		return says_no_bins(d, bins);
	if (bins->width && (bins->bits || bins->bits_set))
		return fail(d, "--bits is for bins that are not linear: leave out --width");
	axis->low = bins->low;
	if (bins->width & (bins->width - 1))
		return fail(d, "the width of bins must be a power of two");
	if (bins->bits > 6)
		return fail(d, "--bits is at most 6");
	axis->bits = bins->bits || bins->bits_set ? (__u8)bins->bits : 3;
	axis->bins = (1u << axis->bits) * (power - axis->bits + 1);
	if (bins->width) {
		axis->flags |= FT_AXIS_LINEAR;
		axis->bits = 0;
		axis->shift = (__u8)__builtin_ctzll(bins->width);
		axis->bins = 64;
	}
	if (bins->bins)
		axis->bins = (__u32)bins->bins;
	return true;
}

static void choose(const struct events *events, __u32 id)
{
	ssize_t at = events_find(events, id);

	if (at >= 0)
		events->chosen[at] = true;
}

bool sensor_define(struct ft_sensor *sensor, const char *name, const char *text,
		   const struct sensor_bins *bins, struct events *events,
		   sensor_sites_fn sites)
{
	static const struct sensor_bins usual;
	struct definition d = {
		.text = text, .events = events, .sensor = sensor, .sites = sites,
	};
	char what[VALUE_LEN];
	const char *scope = NULL;
	const char *by = strstr(text, " by ");
	char split[16] = "";

	*sensor = (struct ft_sensor){ 0 };
	if (snprintf(sensor->name, sizeof(sensor->name), "%s", name) >=
	    (int)sizeof(sensor->name)) {
		warnx("the name of a sensor has fewer than %zu letters: '%s'",
		      sizeof(sensor->name), name);
		return false;
	}
	if (by && strstr(by, " sleeping locks"))
		return fail(&d, "'outside sleeping locks' and 'inside sleeping locks' stand in front of 'by'");
	if (by && !copy_trimmed(split, sizeof(split), by + 4, strlen(by + 4)))
		return fail(&d, "what follows 'by' is one of site, lock, word, task, context, depth");
	if (!copy_trimmed(what, sizeof(what), text, by ? (size_t)(by - text) : strlen(text)))
		return fail(&d, "it is empty, or too long");
	if (sites)
		scope = cut_scope(what);
	if (!define_what(&d, what) || !define_scope(&d, scope) ||
	    (*split && !define_split(&d, split)) || !define_bins(&d, bins ?: &usual))
		return false;
	choose(events, sensor->event);
	choose(events, sensor->begin);
	return true;
}

bool sensor_define_own(struct ft_sensor *sensor, const char *name,
		       const struct sensor_bins *bins, struct events *events)
{
	static const char *const forms[] = { NULL, "count(%s)", "last(%s.value)", "%s.value" };
	const struct ft_event_info *event = find_event(events, name);
	char text[FT_NAME_LEN + 16];

	if (!event || !event->counts || event->counts >= ARRAY_SIZE(forms)) {
		warnx(event ? "the event '%s' does not say how to count it: say what to count: "
			      "ft sensors new NAME 'count(%s)'" :
			      "there is no event '%s': for another name, say what to count: "
			      "ft sensors new NAME 'hold(spin) by site'", name, name);
		return false;
	}
	snprintf(text, sizeof(text), forms[event->counts], name);
	if (!sensor_define(sensor, name, text, bins, events, NULL))
		return false;
	if (sensor->axis[0].value == FT_VALUE_A)
		memcpy(sensor->unit, event->unit, sizeof(sensor->unit));
	return true;
}
