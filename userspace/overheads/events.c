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
#include "overheads/marks.h"

/* Other events that show an interrupt within a sample. */
static const char *const interrupts[] = {
	"irq_handler_entry", "softirq_entry", "local_timer_entry", "call_function_entry",
	"irq_work_entry",
};

/* The compiler may have made a copy of a static one, "finish_task_switch.isra.0". */
static bool is_copy(const char *name, const char *function)
{
	size_t len = strlen(function);

	if (strncmp(name, function, len))
		return false;
	return !name[len] || !strncmp(name + len, ".isra.", 6) ||
	       !strncmp(name + len, ".constprop.", 11);
}

/* The name in /proc/kallsyms, once for each point that is there; to be freed. */
static void find_points(char *names[])
{
	FILE *f = fopen("/proc/kallsyms", "re");
	char line[512], name[256];

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%*s %*s %255s", name) != 1 || strstr(name, ".cold"))
			continue;
		for (unsigned int i = 0; i < MARK_SOURCES; i++) {
			const struct mark_source *source = &mark_sources[i];

			if (source->point && !names[i] && is_copy(name, source->name))
				names[i] = mem_strdup(name);
		}
	}
	if (f)
		fclose(f);
}

static void put_event(FILE *f, const char *name)
{
	fprintf(f, "%s%s", ftell(f) ? "," : "", name);
}

/* Those that the kernel refuses are left out, after a message. */
static void put_points(FILE *f, struct events *events)
{
	bool has_send = events_know(events, mark_name(IS_SEND));
	char *names[MARK_SOURCES] = { NULL };

	find_points(names);
	for (unsigned int i = 0; i < MARK_SOURCES; i++) {
		const struct mark_source *source = &mark_sources[i];
		char *event = NULL;

		if (names[i] && !(has_send && mark_sends(source->what)))
			event = mem_format("kprobe:%s+0%s%s", names[i], source->field ? ":" : "",
					   source->field ? source->field : "");
		if (event && events_make(events, event))
			put_event(f, event);
		mem_free(event);
		mem_free(names[i]);
	}
}

static void put_tracepoints(FILE *f, const struct events *events)
{
	for (unsigned int i = 0; i < MARK_SOURCES; i++) {
		if (!mark_sources[i].point && events_know(events, mark_sources[i].name))
			put_event(f, mark_sources[i].name);
	}
	for (size_t i = 0; i < ARRAY_SIZE(interrupts); i++) {
		if (events_know(events, interrupts[i]))
			put_event(f, interrupts[i]);
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
	put_tracepoints(f, &events);
	put_points(f, &events);
	if (fclose(f))
		mem_none();
	events_free(&events);
	close(control);
	return text;
}
