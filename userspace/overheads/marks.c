// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Events and their names: see marks.h. */
#include <string.h>

#include "overheads/marks.h"

/* __schedule() and finish_task_switch() cannot be wrapped: points, by kprobes. */
const struct mark_source mark_sources[MARK_SOURCES] = {
	{ .what = IS_SCHEDULE, .name = "__schedule", .point = true },
	{ .what = IS_SWITCH, .name = "sched_switch", .field = "next", .more = "prev_state" },
	{ .what = IS_SWITCHED, .name = "finish_task_switch", .point = true },
	{ .what = IS_TIMER, .name = "hrtimer_expire_entry", .field = "timer", .more = "function" },
	{ .what = IS_TIMER_END, .name = "hrtimer_expire_exit", .field = "timer" },
	{ .what = IS_WAKING, .name = "sched_waking", .field = "task", .more = "task_prio" },
	{ .what = IS_SEND, .name = "ipi_send_cpu", .field = "cpu", .more = "callback" },
	{ .what = IS_SEND_RESCHEDULE, .name = "native_smp_send_reschedule", .field = "di",
	  .point = true },
	{ .what = IS_SEND_CALL, .name = "native_send_call_func_single_ipi", .field = "di",
	  .point = true },
	{ .what = IS_RESCHEDULE, .name = "reschedule_entry" },
	{ .what = IS_CALL, .name = "call_function_single_entry" },
	{ .what = IS_SYSCALL, .name = "__x64_sys_getppid", .point = true },
};

const char *mark_name(enum mark what)
{
	unsigned int i = 0;

	while (i < MARK_SOURCES - 1 && mark_sources[i].what != what)
		i++;
	return mark_sources[i].name;
}

/* Is it the event of a kprobe where @function begins, or the compiler's copy of it? */
static bool is_point(const char *name, const char *function)
{
	size_t len = strlen(function);
	const char *rest = name + len;

	if (strncmp(name, function, len))
		return false;
	if (!strncmp(rest, "_isra_", 6) || !strncmp(rest, "_constprop_", 11))
		rest = strstr(rest, "_0x");
	return rest && !strcmp(rest, "_0x0");
}

enum mark mark_classify(const struct event_type *type, struct mark_event *e)
{
	for (unsigned int i = 0; i < MARK_SOURCES; i++) {
		const struct mark_source *source = &mark_sources[i];

		if (source->point ? !is_point(type->name, source->name) :
				    strcmp(type->name, source->name))
			continue;
		if (source->field)
			e->field = event_type_field(type, source->field);
		if (source->more)
			e->more = event_type_field(type, source->more);
		if ((source->field && !e->field) || (source->more && !e->more))
			return IS_NOTHING;
		return source->what;
	}
	return IS_NOTHING;
}
