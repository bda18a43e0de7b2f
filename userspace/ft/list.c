// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ft list: its options. */
#include <unistd.h>

#include "base/exit_status.h"
#include "base/file.h"
#include "base/output.h"
#include "control/device.h"
#include "control/events.h"
#include "ft/commands.h"
#include "process/by_hand.h"

static bool list_kernel(enum output_format format)
{
	struct events events;
	struct ft_info info;
	int control;
	bool ok;

	control = device_look_control(&info);
	if (control < 0)
		return false;
	ok = events_load(&events, control);
	if (ok) {
		events_list(&events, format);
		events_free(&events);
	}
	close(control);
	return ok;
}

struct list {
	struct output	output;
	pid_t		pid;
};

static const struct option_row options[] = {
	{ 0, "pid", "PID", "events of a program that runs (libfeathertrace)",
	  OPTION_CALL(struct list, pid, pid_take) },
	OPTION_GROUP(struct list, output, output_options),
	{ }
};

static int list_main(int argc, char **argv)
{
	struct list l = { 0 };
	int ret = options_parse(&list_command, &l, &argc, &argv);
	bool ok;

	if (ret >= 0)
		return ret;
	ok = l.pid ? program_list(l.pid, l.output.format) : list_kernel(l.output.format);
	return ok ? flush_output(FT_EXIT_OK) : FT_EXIT_ERROR;
}

const struct command list_command = {
	.name = "list",
	.about = "Lists the events that can be traced",
	.usage = "[--pid PID] [--tsv | --json]",
	.text = "Lists the events that can be traced. 'on' says how often an event is\n"
		"enabled in the default session, and in parentheses how many of these last\n"
		"until 'ft disable'; 'places' is how many places in the code announce it.\n",
	.options = options,
	.main = list_main,
};
