// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* What is recorded: see events.h. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/mem.h"
#include "control/device.h"
#include "control/events.h"
#include "control/events_made.h"
#include "overheads/events.h"

/*
 * Points in functions, by kprobes: __schedule() and finish_task_switch() cannot be wrapped. The
 * compiler may have made a copy of a static one, "finish_task_switch.isra.0". IPIs: what takes
 * the place of the tracepoint where there is none; the word is the CPU.
 */
static const struct {
	const char	*function;
	const char	*words;
	bool		sends;
} points[] = {
	{ .function = "__schedule", .words = "" },
	{ .function = "finish_task_switch", .words = "" },
	{ .function = "__x64_sys_getppid", .words = "" },
	{ "native_smp_send_reschedule", ":di", .sends = true },
	{ "native_send_call_func_single_ipi", ":di", .sends = true },
};

/* What else may tell of an interrupt within a sample. */
static const char *const tracepoints[] = {
	"sched_switch", "sched_waking", "hrtimer_expire_entry", "hrtimer_expire_exit",
	"irq_handler_entry", "softirq_entry", "local_timer_entry", "reschedule_entry",
	"call_function_entry", "call_function_single_entry", "irq_work_entry", "ipi_send_cpu",
};

static bool is_copy(const char *name, const char *function)
{
	size_t len = strlen(function);

	if (strncmp(name, function, len))
		return false;
	return !name[len] || !strncmp(name + len, ".isra.", 6) ||
	       !strncmp(name + len, ".constprop.", 11);
}

/* The name in /proc/kallsyms, once for each of @points that is there; to be freed. */
static void find_points(char *names[])
{
	FILE *f = fopen("/proc/kallsyms", "re");
	char line[512], name[256];

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%*s %*s %255s", name) != 1 || strstr(name, ".cold"))
			continue;
		for (size_t i = 0; i < ARRAY_SIZE(points); i++) {
			if (!names[i] && is_copy(name, points[i].function))
				names[i] = mem_strdup(name);
		}
	}
	if (f)
		fclose(f);
}

/* Those that the kernel refuses are left out, after a message. */
static void put_points(FILE *f, struct events *events, bool has_tracepoint)
{
	char *names[ARRAY_SIZE(points)] = { NULL };

	find_points(names);
	for (size_t i = 0; i < ARRAY_SIZE(points); i++) {
		char *event = names[i] && !(has_tracepoint && points[i].sends) ?
			mem_format("kprobe:%s+0%s", names[i], points[i].words) : NULL;

		if (event && events_make(events, event))
			fprintf(f, ",%s", event);
		mem_free(event);
		mem_free(names[i]);
	}
}

char *events_of_overheads(void)
{
	struct events events;
	struct ft_info info;
	int control = device_open_control(&info);
	char *text = NULL;
	size_t size;
	FILE *f;

	if (control < 0)
		return NULL;
	if (!events_load(&events, control)) {
		close(control);
		return NULL;
	}
	f = open_memstream(&text, &size);
	if (!f)
		mem_none();
	fputs(tracepoints[0], f);
	for (size_t i = 1; i < ARRAY_SIZE(tracepoints); i++) {
		if (events_know(&events, tracepoints[i]))
			fprintf(f, ",%s", tracepoints[i]);
	}
	put_points(f, &events, events_know(&events, "ipi_send_cpu"));
	if (fclose(f))
		mem_none();
	events_free(&events);
	close(control);
	return text;
}
