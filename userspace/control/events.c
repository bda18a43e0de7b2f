// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The module's event table, and choosing events from it. */
#include <err.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "base/array.h"
#include "base/mem.h"
#include "base/nearest.h"
#include "base/number.h"
#include "control/device.h"
#include "control/events.h"
#include "control/events_made.h"
#include "control/functions.h"

/* A module that does not know of fields has two words. */
static void load_fields(struct ft_fields *fields, const struct ft_event_info *info, int control)
{
	memset(fields, 0, sizeof(*fields));
	fields->id = info->id;
	if (ioctl(control, FT_IOC_FIELDS, fields) < 0) {
		for (fields->count = 0; fields->count < 2; fields->count++) {
			struct ft_field *field = &fields->field[fields->count];

			memcpy(field->name, info->field[fields->count], sizeof(field->name));
			field->bits = 64;
		}
	}
	if (fields->count > FT_FIELDS)
		fields->count = FT_FIELDS;
	for (unsigned int i = 0; i < fields->count; i++)
		fields->field[i].name[FT_FIELD_LEN - 1] = '\0';
}

bool events_part(const struct events *events, size_t i, const char *name,
		 struct event_part *part)
{
	const struct ft_fields *fields = &events->fields[i];
	unsigned int from = 0;

	for (unsigned int k = 0; k < fields->count; k++) {
		part->field = &fields->field[k];
		part->word = from / 64;
		part->shift = from % 64;
		from += part->field->bits;
		if (*name && !strcmp(part->field->name, name))
			return true;
	}
	return false;
}

bool events_word_is_signed(const struct events *events, size_t i, unsigned int word)
{
	const struct ft_fields *fields = &events->fields[i];
	unsigned int from = 0;

	for (unsigned int k = 0; k < fields->count; k++) {
		const struct ft_field *field = &fields->field[k];

		if (from == 64 * word && field->bits == 64)
			return field->kind == FT_FIELD_SIGNED;
		from += field->bits;
	}
	return false;
}

void events_print_fields(const struct events *events, size_t i, FILE *f, const char *between)
{
	const struct ft_fields *fields = &events->fields[i];
	const char *before = "";

	for (unsigned int k = 0; k < fields->count; k++) {
		if (!fields->field[k].name[0])
			continue;
		fprintf(f, "%s%s", before, fields->field[k].name);
		before = between;
	}
}

char *events_fields_text(const struct events *events, size_t i)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	if (!f)
		return mem_strdup("others");
	events_print_fields(events, i, f, ", ");
	fclose(f);
	return text;
}

/* The first event with an id of at least @id. Return: 1 it was added, 0 there is none, -errno. */
static int load_from(struct events *events, int control, __u32 id)
{
	struct ft_event_info *info;
	struct ft_fields *fields;

	info = reallocarray(events->info, events->n + 1, sizeof(*info));
	if (!info)
		return -ENOMEM;
	events->info = info;
	fields = reallocarray(events->fields, events->n + 1, sizeof(*fields));
	if (!fields)
		return -ENOMEM;
	events->fields = fields;
	info += events->n;
	memset(info, 0, sizeof(*info));
	info->id = id;
	if (ioctl(control, FT_IOC_EVENT, info) < 0)
		return errno == ENOENT ? 0 : -errno;
	info->name[FT_NAME_LEN - 1] = '\0';
	info->owner[FT_NAME_LEN - 1] = '\0';
	info->field[0][FT_FIELD_LEN - 1] = '\0';
	info->field[1][FT_FIELD_LEN - 1] = '\0';
	load_fields(&fields[events->n], info, control);
	events->n++;
	return 1;
}

static int load_next(struct events *events, int control)
{
	return load_from(events, control, events->n ? events->info[events->n - 1].id + 1 : 0);
}

bool events_load(struct events *events, int control)
{
	int ret;

	memset(events, 0, sizeof(*events));
	events->control = control;
	do {
		ret = load_next(events, control);
	} while (ret > 0);
	if (!ret) {
		events->chosen = calloc(events->n + 1, sizeof(bool));
		if (!events->chosen)
			ret = -ENOMEM;
	}
	if (!ret)
		return true;
	warnx("cannot list the events: %s", strerror(-ret));
	events_free(events);
	return false;
}

void events_free(struct events *events)
{
	free(events->info);
	free(events->fields);
	free(events->chosen);
	memset(events, 0, sizeof(*events));
}

static bool is_lock(const struct ft_event_info *event)
{
	return event->id >= FT_ID_LOCK && event->id < FT_ID_DYNAMIC;
}

ssize_t events_find(const struct events *events, __u32 id)
{
	for (size_t i = 0; i < events->n; i++) {
		if (events->info[i].id == id)
			return (ssize_t)i;
	}
	return -1;
}

bool events_any_chosen(const struct events *events)
{
	return memchr(events->chosen, true, events->n);
}

void events_print_chosen(const struct events *events, FILE *f,
			 const char *separator)
{
	const char *between = "";

	for (size_t i = 0; i < events->n; i++) {
		if (!events->chosen[i])
			continue;
		fprintf(f, "%s%s", between, events->info[i].name);
		between = separator;
	}
}

/* Events of waiting: they belong to all families. */
static bool is_contention(const struct ft_event_info *event)
{
	return event->id == FT_ID_CONTENTION_BEGIN ||
	       event->id == FT_ID_CONTENTION_END;
}

static bool choose_locks(struct events *events, const struct ft_info *info)
{
	bool found = false;

	for (size_t i = 0; i < events->n; i++) {
		if (is_contention(&events->info[i]))
			events->chosen[i] = true;
		if (is_lock(&events->info[i])) {
			events->chosen[i] = true;
			found = true;
		}
	}
	if (found && info->lock_source != FT_LOCKS_NONE)
		return true;
	device_no_locks();
	return false;
}

static void explain_no_event(const struct events *events, const char *word)
{
	char hint[NEAREST_HINT] = "";
	const char **names;
	size_t n = 0;

	names = calloc(events->n + 1, sizeof(*names));
	if (names) {
		for (; n < events->n; n++)
			names[n] = events->info[n].name;
		names[n++] = EVENTS_LOCKS;
		nearest_hint(hint, word, names, n);
		free(names);
	}
	warnx("no event matches '%s'%s To see all: ft list", word, *hint ? hint : ".");
}

/* Moves the last event to its place in the order of ids. Return: the place. */
static size_t sort_last(struct events *events)
{
	size_t last = events->n - 1, at = last;
	struct ft_event_info info = events->info[last];
	struct ft_fields fields = events->fields[last];
	bool chosen = events->chosen[last];

	for (; at && events->info[at - 1].id > info.id; at--) {
		events->info[at] = events->info[at - 1];
		events->fields[at] = events->fields[at - 1];
		events->chosen[at] = events->chosen[at - 1];
	}
	events->info[at] = info;
	events->fields[at] = fields;
	events->chosen[at] = chosen;
	return at;
}

/* Most often it has the highest id; but one that was gone has its old one again. */
bool events_append(struct events *events, __u32 id)
{
	ssize_t at = events_find(events, id);
	bool *chosen;

	if (at < 0) {
		chosen = realloc(events->chosen, (events->n + 2) * sizeof(*chosen));
		if (!chosen)
			return false;
		events->chosen = chosen;
		if (load_from(events, events->control, id) <= 0)
			return false;
		chosen[events->n - 1] = false;
		at = (ssize_t)sort_last(events);
	}
	events->chosen[at] = true;
	return events->info[at].id == id;
}

static bool is_called(const struct ft_event_info *event, const char *word)
{
	uint64_t id;

	return (!parse_u64(word, &id) && event->id == id) ||
	       !fnmatch(word, event->name, 0);
}

bool events_know(const struct events *events, const char *word)
{
	size_t i = 0;

	if (!strcmp(word, EVENTS_LOCKS) || events_is_made(word))
		return true;
	while (i < events->n && !is_called(&events->info[i], word))
		i++;
	return i < events->n;
}

static bool choose_one(struct events *events, const char *word,
		       const struct ft_info *info)
{
	bool found = false;

	if (!strcmp(word, EVENTS_LOCKS))
		return choose_locks(events, info);
	if (events_is_made(word))
		return events_make(events, word);
	for (size_t i = 0; i < events->n; i++) {
		if (is_called(&events->info[i], word)) {
			events->chosen[i] = true;
			found = true;
		}
	}
	if (!found)
		explain_no_event(events, word);
	return found;
}

char *events_comma(const char *text)
{
	unsigned int inside = 0;

	for (; *text; text++) {
		if (*text == '(')
			inside++;
		else if (*text == ')' && inside)
			inside--;
		else if (*text == ',' && !inside)
			return (char *)text;
	}
	return NULL;
}

static char *without_blanks(char *word)
{
	size_t n;

	word += strspn(word, " \t");
	for (n = strlen(word); n && strchr(" \t", word[n - 1]);)
		word[--n] = '\0';
	return word;
}

bool events_each_word(const char *text, bool (*choose)(void *arg, const char *word),
		      void *arg)
{
	char *copy = mem_strdup(text), *rest = copy, *word;
	bool ok = true;

	while (ok && rest) {
		word = rest;
		rest = events_comma(word);
		if (rest)
			*rest++ = '\0';
		ok = choose(arg, without_blanks(word));
	}
	mem_free(copy);
	return ok;
}

struct choice {
	struct events		*events;
	const struct ft_info	*info;
};

static bool choose_word(void *arg, const char *word)
{
	const struct choice *c = arg;

	return choose_one(c->events, word, c->info);
}

bool events_choose(struct events *events, const char *text,
		   const struct ft_info *info)
{
	return events_each_word(text, choose_word, &(struct choice){ events, info });
}

static void explain_enable(const char *name, int error)
{
	static const struct { int error; const char *why; } reasons[] = {
		{ ENOMEM, "no memory for the rings: try fewer slots: ft config slots=N" },
		{ EINVAL, "the event is gone: was its module unloaded, or were too many "
			  "functions chosen?" },
		{ EAGAIN, "ftrace is off, which wraps its functions: sysctl "
			  "kernel.ftrace_enabled=1" },
		{ ENODEV, "ftrace, which wraps its functions, has disabled itself after an "
			  "error (see dmesg): restart the machine" },
		{ EILSEQ, "its function has changed, and no instruction begins there now: was "
			  "its module replaced?" },
		{ EBUSY, "all its functions are in use by a live patch or another tracer: see: "
			 "ft functions" },
		{ EOPNOTSUPP, "the module was loaded with clock=tsc, and the TSC has become "
			      "unstable: ft unload, ft load clock=auto" },
	};
	const char *why = strerror(error);

	if (error == EALREADY) {
		warnx("cannot enable %s with --ordered: a trace runs whose acquisitions are not ordered: end it first: ft disable --all",
		      name);
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(reasons); i++) {
		if (reasons[i].error == error)
			why = reasons[i].why;
	}
	warnx("cannot enable %s: %s", name, why);
}

/*
 * Enables or disables all chosen events at one moment: a trace with acquisitions whose
 * releases were not on yet would not balance. Return: -1; or which event cannot be, and
 * errno.
 */
static long set_chosen(const struct events *events, const bool *chosen, int control,
		       unsigned long request, __u32 flags)
{
	size_t *which = mem_zalloc(events->n + 1, sizeof(*which));
	__u32 *ids = mem_zalloc(events->n + 1, sizeof(*ids));
	struct ft_set set = { .flags = flags };
	long failed = -1;
	int error;

	for (size_t i = 0; i < events->n; i++) {
		if (!chosen[i])
			continue;
		ids[set.count] = events->info[i].id;
		which[set.count++] = i;
	}
	set.ids = (uintptr_t)ids;
	if (set.count && ioctl(control, request, &set) < 0)
		failed = which[set.failed];
	error = errno;
	mem_free(ids);
	mem_free(which);
	errno = error;
	return failed;
}

/* All events begin at the same moment. */
bool events_enable(const struct events *events, int control, __u32 flags)
{
	long failed;

	failed = set_chosen(events, events->chosen, control, FT_IOC_START, flags);
	if (failed >= 0) {
		explain_enable(events->info[failed].name, errno);
		return false;
	}
	functions_warn_refused(events, control, "traced");
	return true;
}

/* All events end at the same moment. */
bool events_disable(const struct events *events, int control, __u32 flags)
{
	bool *chosen = mem_zalloc(events->n + 1, sizeof(*chosen));
	bool ok = true;
	long failed;

	memcpy(chosen, events->chosen, events->n * sizeof(*chosen));
	while ((failed = set_chosen(events, chosen, control, FT_IOC_STOP, flags)) >= 0) {
		warnx("cannot disable %s: %s", events->info[failed].name,
		      strerror(errno));
		chosen[failed] = false;
		ok = false;
	}
	mem_free(chosen);
	return ok;
}
