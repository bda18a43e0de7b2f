// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Events by their names: see marks.h. */
#include <stdbool.h>
#include <string.h>

#include "base/array.h"
#include "overheads/marks.h"

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
	static const struct {
		const char	*name, *field, *more;
		enum mark	what;
		bool		point;		/* a kprobe, which has an offset in its name */
	} known[] = {
		{ .name = "__schedule", .what = IS_SCHEDULE, .point = true },
		{ .name = "sched_switch", .what = IS_SWITCH,
		  .field = "next", .more = "prev_state" },
		{ .name = "finish_task_switch", .what = IS_SWITCHED, .point = true },
		{ .name = "hrtimer_expire_entry", .what = IS_TIMER,
		  .field = "timer", .more = "function" },
		{ .name = "hrtimer_expire_exit", .what = IS_TIMER_END, .field = "timer" },
		{ .name = "sched_waking", .what = IS_WAKING,
		  .field = "task", .more = "task_prio" },
		{ .name = "ipi_send_cpu", .what = IS_SEND, .field = "cpu", .more = "callback" },
		{ .name = "native_smp_send_reschedule", .what = IS_SEND_RESCHEDULE,
		  .field = "di", .point = true },
		{ .name = "native_send_call_func_single_ipi", .what = IS_SEND_CALL,
		  .field = "di", .point = true },
		{ .name = "reschedule_entry", .what = IS_RESCHEDULE },
		{ .name = "call_function_single_entry", .what = IS_CALL },
		{ .name = "__x64_sys_getppid", .what = IS_SYSCALL, .point = true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		if (known[i].point ? !is_point(type->name, known[i].name) :
				     strcmp(type->name, known[i].name))
			continue;
		if (known[i].field)
			e->field = event_type_field(type, known[i].field);
		if (known[i].more)
			e->more = event_type_field(type, known[i].more);
		if ((known[i].field && !e->field) || (known[i].more && !e->more))
			return IS_NOTHING;
		return known[i].what;
	}
	return IS_NOTHING;
}
