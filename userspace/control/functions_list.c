// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The state of each lock function that can be wrapped, as text, TSV and JSON. */
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <sys/ioctl.h>

#include "base/array.h"
#include "base/json.h"
#include "base/output.h"
#include "control/events.h"
#include "control/functions.h"

static const char *state_name(__u32 state)
{
	static const char *const names[] = {
		[FT_HOOK_OFF] = "off",
		[FT_HOOK_DIRECT] = "direct",
		[FT_HOOK_REDIRECT] = "redirected",
		[FT_HOOK_PART] = "part",
		[FT_HOOK_REFUSED] = "refused",
		[FT_HOOK_STUCK] = "stuck",
	};

	return state < ARRAY_SIZE(names) ? names[state] : "unknown";
}

static const char *event_name(const struct events *events, __u32 id)
{
	ssize_t at = events_find(events, id);

	return at >= 0 ? events->info[at].name : "-";
}

static void print_json(struct json *j, const struct ft_hook *hook, const char *event)
{
	json_object(j, NULL);
	json_text(j, "function", hook->name);
	json_text(j, "event", event);
	json_text(j, "state", state_name(hook->state));
	json_text(j, "reason", functions_reason(hook));
	json_end(j);
}

static void print_line(const struct ft_hook *hook, const char *event, bool tsv)
{
	printf(tsv ? "%s\t%s\t%s\t%s\n" : "%-28s  %-20s  %-10s %s\n", hook->name, event,
	       state_name(hook->state), functions_reason(hook));
}

bool functions_list(int control, const struct events *events, enum output_format format)
{
	struct json j = { .f = stdout, .flat = 1 };
	struct ft_hook hook = { 0 };
	__u32 index;

	if (format == OUTPUT_TSV)
		puts("function\tevent\tstate\treason");
	else if (format == OUTPUT_JSON)
		json_array(&j, NULL);
	for (index = 0; ; index++) {
		const char *event;

		hook.index = index;
		if (ioctl(control, FT_IOC_HOOK, &hook))
			break;
		if (!index && format == OUTPUT_TEXT)
			printf("%-28s  %-20s  %s\n", "function", "event", "state");
		event = event_name(events, hook.event);
		if (format == OUTPUT_JSON)
			print_json(&j, &hook, event);
		else
			print_line(&hook, event, format == OUTPUT_TSV);
	}
	if (errno != ENOENT) {
		warn("cannot list the functions");
		return false;
	}
	if (format == OUTPUT_JSON)
		json_end(&j);
	else if (!index && format == OUTPUT_TEXT)
		puts("none is wrapped with this kernel; see: ft status");
	return true;
}
