// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ft functions: its options. */
#include <unistd.h>

#include "base/exit_status.h"
#include "base/file.h"
#include "base/output.h"
#include "control/device.h"
#include "control/events.h"
#include "control/functions.h"
#include "ft/commands.h"

static int functions_main(int argc, char **argv)
{
	struct output output = { 0 };
	struct events events;
	struct ft_info info;
	int control, ret;
	bool ok;

	ret = options_parse(&functions_command, &output, &argc, &argv);
	if (ret >= 0)
		return ret;
	control = device_look_control(&info);
	if (control < 0)
		return FT_EXIT_ERROR;
	ok = events_load(&events, control);
	if (ok) {
		ok = functions_list(control, &events, output.format);
		events_free(&events);
	}
	close(control);
	return ok ? flush_output(FT_EXIT_OK) : FT_EXIT_ERROR;
}

const struct command functions_command = {
	.name = "functions",
	.about = "Lists the functions that are wrapped",
	.usage = "[--tsv | --json]",
	.text = "On a kernel without lock triggers of its own, lock events come from the\n"
		"kernel's lock functions: the module wraps them while they are traced. Lists\n"
		"these functions, and those chosen by name ('function:NAME', see ft-enable(1)),\n"
		"the event of each, and whether it is wrapped now:\n"
		"\n"
		"  off         its event is off\n"
		"  direct      it calls the module directly\n"
		"  redirected  it calls the module through ftrace, which costs more, as\n"
		"              another tool (BPF) has the direct call\n"
		"  part        it need not be wrapped: another function does its work\n"
		"  refused     it could not be wrapped; the last column says why\n"
		"  stuck       it could not be unwrapped; the last column says why\n",
	.options = output_options,
	.main = functions_main,
};
