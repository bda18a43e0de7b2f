// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* What an event says of threads, calls and interrupts: by its name. */
#include <stdbool.h>
#include <string.h>

#include "analysis/threads_event.h"
#include "base/array.h"

static bool ends_with(const char *name, const char *end, size_t *base)
{
	size_t len = strlen(name), n = strlen(end);

	if (len <= n || strcmp(name + len - n, end))
		return false;
	*base = len - n;
	return true;
}

/* What keeps its CPU until it ends. */
static bool is_interrupt(const char *name, size_t base)
{
	static const char *const known[] = {
		"irq_handler", "softirq", "timer_expire", "hrtimer_expire", "local_timer",
		"reschedule", "call_function", "call_function_single", "irq_work",
	};

	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		if (strlen(known[i]) == base && !strncmp(name, known[i], base))
			return true;
	}
	return false;
}

static bool is_call(const struct event_type *type, struct threads_event *e)
{
	e->field = event_type_field(type, "id");
	return e->field;
}

static enum what classify(const struct event_type *type, struct threads_event *e)
{
	static const struct {
		const char	*name;
		enum what	what;
	} wakes[] = {
		{ "sched_waking", IS_WAKING }, { "sched_wakeup", IS_WAKEUP },
		{ "sched_wakeup_new", IS_BIRTH }, { "sched_migrate_task", IS_MIGRATION },
	};

	if (!strcmp(type->name, "sched_switch")) {
		e->field = event_type_field(type, "next");
		e->state = event_type_field(type, "prev_state");
		return e->field && e->state ? IS_SWITCH : IS_NOTHING;
	}
	for (size_t i = 0; i < ARRAY_SIZE(wakes); i++) {
		if (!strcmp(type->name, wakes[i].name)) {
			e->field = event_type_field(type, "task");
			e->cpu = event_type_field(type, wakes[i].what == IS_MIGRATION ?
							"dest_cpu" : "target_cpu");
			return e->field ? wakes[i].what : IS_NOTHING;
		}
	}
	if (!strcmp(type->name, "stack"))
		return IS_STACK;
	if (!strcmp(type->name, "sys_enter"))
		return is_call(type, e) ? IS_CALL : IS_NOTHING;
	if (!strcmp(type->name, "sys_exit"))
		return is_call(type, e) ? IS_RETURN : IS_NOTHING;
	if (ends_with(type->name, "_entry", &e->base) && is_interrupt(type->name, e->base))
		return IS_ENTRY;
	if (ends_with(type->name, "_exit", &e->base) && is_interrupt(type->name, e->base))
		return IS_EXIT;
	return IS_NOTHING;
}

void threads_event_classify(struct threads_event *e, const struct event_type *type)
{
	e->what = classify(type, e);
}
