// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ft functions: what became of each lock function that can be wrapped. */
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/exit_status.h"
#include "base/file.h"
#include "base/json.h"
#include "base/output.h"
#include "control/device.h"
#include "control/events.h"
#include "control/functions.h"
#include "ft/commands.h"

static const char *state_name(__u32 state)
{
	switch (state) {
	case FT_HOOK_OFF:
		return "off";
	case FT_HOOK_DIRECT:
		return "direct";
	case FT_HOOK_REDIRECT:
		return "redirected";
	case FT_HOOK_PART:
		return "part";
	case FT_HOOK_REFUSED:
		return "refused";
	case FT_HOOK_STUCK:
		return "stuck";
	}
	return "unknown";
}

static const char *event_name(const struct events *events, __u32 id)
{
	for (size_t i = 0; i < events->n; i++) {
		if (events->info[i].id == id)
			return events->info[i].name;
	}
	return "-";
}

static void print_hook(const struct ft_hook *hook, const char *event,
		       enum output_format format, struct json *j)
{
	const char *state = state_name(hook->state), *why = functions_reason(hook);

	if (format == OUTPUT_TSV) {
		printf("%s\t%s\t%s\t%s\n", hook->name, event, state, why);
	} else if (format == OUTPUT_TEXT) {
		printf("%-28s  %-20s  %-10s %s\n", hook->name, event, state, why);
	} else {
		json_object(j, NULL);
		json_text(j, "function", hook->name);
		json_text(j, "event", event);
		json_text(j, "state", state);
		json_text(j, "reason", why);
		json_end(j);
	}
}

static int print_hooks(int control, const struct events *events,
		       enum output_format format)
{
	struct json j = { .f = stdout, .flat = 1 };
	struct ft_hook hook = { 0 };
	__u32 index;

	if (format == OUTPUT_TSV)
		puts("function\tevent\tstate\treason");
	else if (format == OUTPUT_JSON)
		json_array(&j, NULL);
	for (index = 0; ; index++) {
		hook.index = index;
		if (ioctl(control, FT_IOC_HOOK, &hook))
			break;
		if (!index && format == OUTPUT_TEXT)
			printf("%-28s  %-20s  %s\n", "function", "event", "state");
		print_hook(&hook, event_name(events, hook.event), format, &j);
	}
	if (errno != ENOENT) {
		warn("cannot list the functions");
		return FT_EXIT_ERROR;
	}
	if (format == OUTPUT_JSON)
		json_end(&j);
	else if (!index && format == OUTPUT_TEXT)
		puts("none is wrapped with this kernel; see: ft status");
	return flush_output(FT_EXIT_OK);
}

static int functions_main(int argc, char **argv)
{
	struct output output = { 0 };
	struct events events;
	struct ft_info info;
	int control, ret;

	ret = options_parse(&functions_command, &output, &argc, &argv);
	if (ret >= 0)
		return ret;
	control = device_look_control(&info);
	if (control < 0)
		return FT_EXIT_ERROR;
	ret = FT_EXIT_ERROR;
	if (events_load(&events, control)) {
		ret = print_hooks(control, &events, output.format);
		events_free(&events);
	}
	close(control);
	return ret;
}

const struct command functions_command = {
	.name = "functions",
	.about = "Lists the lock functions that are wrapped",
	.usage = "[--tsv | --json]",
	.text = "On a kernel without lock triggers of its own, lock events come from the\n"
		"kernel's lock functions, which are wrapped while they are traced. Lists\n"
		"these functions, the event of each, and whether it is wrapped now:\n"
		"\n"
		"  off         its event is off\n"
		"  direct      it calls us\n"
		"  redirected  it does so through ftrace, at a higher price, as another\n"
		"              tool (BPF) was there first\n"
		"  part        it is not needed: another function does its work\n"
		"  refused     it could not be wrapped; the last column says why\n"
		"  stuck       it could not be unwrapped; the last column says why\n",
	.options = output_options,
	.main = functions_main,
};
