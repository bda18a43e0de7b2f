// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Conditions of a flight recorder of the kernel: see when.h. */
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/usage.h"
#include "base/visible.h"
#include "control/device.h"
#include "record/child.h"
#include "record/kernel/tasks.h"
#include "record/kernel/when.h"
#include "record/kernel/when_label.h"
#include "trace/session_file.h"

const char *record_when_word(unsigned int i)
{
	static const char *const words[] = { "snapshot", "stop", "mark", "exec " };

	return i < ARRAY_SIZE(words) ? words[i] : NULL;
}

int record_when_take_then(void *to, const struct option_given *given)
{
	struct record_when *when = to;
	const char *what = given->value;

	if (!strcmp(what, "snapshot"))
		when->snapshot = true;
	else if (!strcmp(what, "stop"))
		when->stop = true;
	else if (!strcmp(what, "mark"))
		when->mark = true;
	else if (!strncmp(what, "exec ", 5) && what[5 + strspn(what + 5, " ")])
		when->exec = what + 5;
	else
		return option_error(given, "snapshot, stop, mark or 'exec COMMAND', not '%s'",
				    what);
	return -1;
}

int record_when_check(struct record_when *when, bool flight)
{
	bool then = when->snapshot || when->stop || when->mark || when->exec;
	int ret = conditions_check(&when->all, "record", flight);

	if (ret >= 0)
		return ret;
	if (then && !when->all.n)
		return usage_error("record", "--then needs a condition: --when");
	if (when->stop && when->all.after > 0)
		return usage_error("record", "--then stop ends the recording at once: leave out "
				   "--after, or use --then snapshot");
	if (when->stop && when->all.times != 1)
		return usage_error("record", "--then stop ends the recording: leave out --times");
	/* the default answer is a snapshot */
	if (!when->mark && !when->exec)
		when->snapshot = true;
	when->snapshot |= when->stop;
	return -1;
}

/* --- events --------------------------------------------------------------- */

static const struct ft_event_info *find_event(const struct events *events, const char *name)
{
	for (size_t i = 0; i < events->n; i++) {
		if (!strcmp(events->info[i].name, name))
			return &events->info[i];
	}
	return NULL;
}

static bool choose(const struct condition *c, const char *name, struct events *events)
{
	const struct ft_event_info *event = find_event(events, name);

	if (!event) {
		warnx("--when '%s': there is no event '%s'; see: ft list, and -e tracepoint:...",
		      c->name, name);
		return false;
	}
	events->chosen[event - events->info] = true;
	return true;
}

static bool cpus_exist(const struct condition *c)
{
	for (unsigned int i = 0; i < c->tests; i++) {
		const struct condition_test *test = &c->test[i];
		char path[64];

		if (test->of[0] || strcmp(test->field, "cpu") || test->op != FT_TEST_EQUAL)
			continue;
		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%" PRIu64, test->value);
		if (!access(path, F_OK))
			continue;
		warnx("--when '%s': this machine has no such CPU", c->name);
		return false;
	}
	return true;
}

bool record_when_choose(struct record_when *when, struct events *events,
			const struct ft_info *info)
{
	for (unsigned int i = 0; i < when->all.n; i++) {
		struct condition *c = &when->all.list[i];
		size_t len = strlen(c->begin);

		if (!cpus_exist(c) ||
		    (c->sensor[0] && !when_sensor_find(c, &when->sensor[i], events)))
			return false;
		if (info->lock_source == FT_LOCKS_NONE && len > 8 &&
		    !strcmp(c->begin + len - 8, "_acquire") && !find_event(events, c->begin)) {
			device_no_locks();
			return false;
		}
		if (!choose(c, c->event, events) ||
		    (c->begin[0] && !choose(c, c->begin, events)))
			return false;
	}
	return true;
}

/* --- from text to the module's ------------------------------------------- */

static void tell_fields(const struct condition *c, const struct condition_test *test,
			const struct events *events, const struct ft_event_info *event)
{
	char *fields = events_fields_text(events, (size_t)(event - events->info));

	warnx("--when '%s': the event '%s' has no field '%s'; it has: %s", c->name, test->of,
	      test->field, fields);
	free(fields);
}

static bool is_signed(const struct ft_field *field)
{
	return field->kind == FT_FIELD_SIGNED || field->kind == FT_FIELD_PRIO;
}

static bool fits(const struct condition_test *test, const struct ft_field *field)
{
	int64_t value = (int64_t)test->value, half = 1ll << (field->bits - 1);

	if (is_signed(field))
		return value >= -half && value < half;
	return value >= 0 && test->value < 1ull << field->bits;
}

/*
 * A part of a word is compared where it is. That keeps the order of numbers without a sign, and
 * of those with one that end at the top of the word.
 */
static bool set_part(const struct condition *c, const struct condition_test *test,
		     const struct event_part *part, struct ft_test *to)
{
	const struct ft_field *field = part->field;
	uint64_t mask = (1ull << field->bits) - 1;
	bool ordered = test->op != FT_TEST_EQUAL && test->op != FT_TEST_UNEQUAL;

	if (!fits(test, field)) {
		warnx("--when '%s': the value does not fit into '%s', which has %u bits", c->name,
		      test->field, field->bits);
		return false;
	}
	if (ordered && is_signed(field) && part->shift + field->bits < 64) {
		warnx("--when '%s': '%s' can be compared with == and != only", c->name,
		      test->field);
		return false;
	}
	to->mask = (to->mask & mask) << part->shift;
	to->value = (test->value & mask) << part->shift;
	to->flags &= ~FT_TEST_SIGNED;
	if (ordered && is_signed(field))
		to->flags |= FT_TEST_SIGNED;
	return true;
}

/* Return: false after a message: the word is not known where the condition is evaluated. */
static bool set_word(const struct condition *c, const struct ft_sensor *sensor,
		     const struct ft_event_info *event, unsigned int word, struct ft_test *to)
{
	if (c->sensor[0]) {
		to->what = when_sensor_word(c, sensor, event, word);
		return to->what;
	}
	if (strcmp(event->name, c->event))
		to->flags |= FT_TEST_AT_BEGIN;
	to->what = word ? FT_TEST_B : FT_TEST_A;
	return true;
}

static bool set_field(const struct condition *c, struct condition_test *test,
		      const struct ft_sensor *sensor, const struct events *events, int control,
		      struct ft_test *to)
{
	const struct ft_event_info *event = find_event(events, test->of);
	struct event_part part;

	if (strcmp(test->of, c->event) && strcmp(test->of, c->begin)) {
		warnx("--when '%s': fields of '%s' cannot be compared at the event '%s'", c->name,
		      test->of, c->event);
		return false;
	}
	if (!events_part(events, (size_t)(event - events->info), test->field, &part)) {
		tell_fields(c, test, events, event);
		return false;
	}
	if (!set_word(c, sensor, event, part.word, to) ||
	    (test->label[0] && !when_label_value(c, test, control, event->id, &test->value)))
		return false;
	to->value = test->value;
	if (part.field->bits < 64)
		return set_part(c, test, &part, to);
	if (is_signed(part.field))
		to->flags |= FT_TEST_SIGNED;
	return true;
}

static bool set_test(const struct condition *c, struct condition_test *test,
		     const struct ft_sensor *sensor, const struct events *events, int control,
		     struct ft_test *to)
{
	*to = (struct ft_test){
		.op = test->op, .flags = test->is_signed ? FT_TEST_SIGNED : 0,
		.mask = test->mask ?: ~0ull, .value = test->value,
	};
	if (test->of[0])
		return set_field(c, test, sensor, events, control, to);
	if (!strcmp(test->field, "comm")) {
		to->what = FT_TEST_COMM;
		to->mask = 0;
		memcpy(to->comm, test->comm, sizeof(to->comm));
	} else {
		to->what = test->field[0] == 't' ? FT_TEST_TID : FT_TEST_CPU;
	}
	return true;
}

static void tell_gone(const struct condition *c)
{
	warnx("--when '%s': the sensor '%s' was removed", c->name, c->sensor);
}

static bool set_one(struct record_when *when, unsigned int i, const struct events *events)
{
	struct condition *c = &when->all.list[i];
	struct ft_when to = {
		.longer_ns = c->longer_ns, .count = c->count,
		.times = when->all.times <= INT32_MAX && (when->mark || when->all.times == 1) ?
			 (__u32)when->all.times : 0,
		.flags = when->stop ? FT_WHEN_STOP : 0,
	};

	if (c->sensor[0]) {
		to.sensor = when->sensor[i].sensor.number;
		to.flags |= FT_WHEN_SENSOR;
	} else {
		to.event = find_event(events, c->event)->id;
		to.begin = c->begin[0] ? find_event(events, c->begin)->id : 0;
	}
	/* a rush of records would push out what led to the first: one for each answer */
	if (!to.times && !when->mark)
		to.flags |= FT_WHEN_IF_TOLD;

	for (unsigned int k = 0; k < c->tests; k++) {
		if (!set_test(c, &c->test[k], &when->sensor[i].sensor, events, when->control,
			      &to.test[k]))
			return false;
	}
	if (ioctl(when->control, FT_IOC_WHEN, &to) < 0) {
		if (errno == ENOTTY)
			warnx("--when '%s': the loaded module is of another version: ft unload, ft load",
			      c->name);
		else if (errno == ENOENT && c->sensor[0])
			tell_gone(c);
		else
			warn("--when '%s'", c->name);
		return false;
	}
	when->number[i] = to.number;
	if (!c->sensor[0] || when_sensor_is_there(&when->sensor[i]))
		return true;
	tell_gone(c);
	return false;
}

bool record_when_set(struct record_when *when, const struct events *events, int control)
{
	when->control = control;
	for (unsigned int i = 0; i < when->all.n; i++) {
		if (!set_one(when, i, events))
			return false;
	}
	return true;
}

/* --- while it records ----------------------------------------------------- */

/*
 * As it is now: the task may have ended, or have another name than at the event. A task
 * that must have a certain name had that.
 */
static void read_name(struct record_when *when)
{
	const struct condition *c = when->fulfilled;
	char path[32], *text = NULL;

	when->comm[0] = '\0';
	for (unsigned int i = 0; i < c->tests; i++) {
		if (!c->test[i].of[0] && c->test[i].op == FT_TEST_EQUAL && c->test[i].comm[0]) {
			visible_copy(when->comm, sizeof(when->comm), c->test[i].comm);
			return;
		}
	}
	if (!when->state.tid || !record_tasks_are_ours())
		return;
	snprintf(path, sizeof(path), "/proc/%d/comm", when->state.tid);
	if (read_path(path, &text) > 0) {
		text[strcspn(text, "\n")] = '\0';
		visible_copy(when->comm, sizeof(when->comm), text);
	}
	free(text);
}

bool record_when_look(struct record_when *when)
{
	/* a snapshot that is awaited has what comes meanwhile: record_when_answered() */
	if (when->fulfilled)
		return true;
	for (unsigned int i = 0; i < when->all.n && when->all.times; i++) {
		struct ft_when_state state = { .number = when->number[i] };

		if (ioctl(when->control, FT_IOC_WHEN_STATE, &state) < 0) {
			warn("--when '%s'", when->all.list[i].name);
			return false;
		}
		/* if there are several, take the first */
		if (!state.ts || (when->fulfilled && when->state.ts <= state.ts))
			continue;
		when->fulfilled = &when->all.list[i];
		when->state = state;
		when->due = monotonic_now() + when->all.after;
	}
	if (when->fulfilled)
		read_name(when);
	return true;
}

void record_when_put_off(struct record_when *when, double seconds)
{
	when->due = monotonic_now() + seconds;
}

bool record_when_is_due(const struct record_when *when)
{
	return when->fulfilled && monotonic_now() >= when->due;
}

/* Sets the environment for the command of --then exec. */
static void set_environment(const struct record_when *when, const char *path)
{
	char number[24];

	setenv("FT_CONDITION", when->fulfilled->name, 1);
	snprintf(number, sizeof(number), "%d", when->state.tid);
	setenv("FT_TID", number, 1);
	snprintf(number, sizeof(number), "%u", when->state.cpu);
	setenv("FT_CPU", number, 1);
	if (path)
		setenv("FT_SNAPSHOT", path, 1);
	else
		unsetenv("FT_SNAPSHOT");
}

void record_when_tell(const struct record_when *when, const char *path,
		      const sigset_t *signals)
{
	warnx("'%s' was fulfilled by task %d%s%s%s on CPU %u", when->fulfilled->name,
	      when->state.tid, when->comm[0] ? " (" : "", when->comm, when->comm[0] ? ")" : "",
	      when->state.cpu);
	if (!when->exec)
		return;
	set_environment(when, path);
	record_child_run_apart(when->exec, signals);
}

bool record_when_answered(struct record_when *when)
{
	when->fulfilled = NULL;
	for (unsigned int i = 0; i < when->all.n; i++) {
		struct ft_when_state state = { .number = when->number[i] };

		/* the next one is new; record_when_look() reports an error */
		ioctl(when->control, FT_IOC_WHEN_STATE, &state);
	}
	return --when->all.times;
}

void record_when_put(FILE *f, const struct record_when *when, bool fulfilled)
{
	const struct condition *c = fulfilled ? when->fulfilled : NULL;
	char key[32];

	for (unsigned int i = 0; i < when->all.n; i++) {
		snprintf(key, sizeof(key), "condition.%u", when->number[i]);
		session_put(f, key, "%s", when->all.list[i].name);
	}
	if (!c)
		return;
	session_put(f, "condition", "%s", c->name);
	session_put(f, "condition_event", "%s", c->event);
	session_put(f, "condition_time", "%llu", when->state.ts);
	session_put(f, "condition_tid", "%d", when->state.tid);
	if (when->comm[0])
		session_put(f, "condition_comm", "%s", when->comm);
	session_put(f, "condition_cpu", "%u", when->state.cpu);
}

void record_when_end(const struct record_when *when)
{
	for (unsigned int i = 0; i < when->all.n; i++) {
		struct ft_when_state state = { .number = when->number[i] };

		if (when->control < 0 || !when->all.list[i].begin[0] ||
		    ioctl(when->control, FT_IOC_WHEN_STATE, &state) < 0 || !state.forgotten)
			continue;
		warnx("--when '%s': %llu times were not measured: too many at a time, or without "
		      "an end", when->all.list[i].name, state.forgotten);
	}
}
