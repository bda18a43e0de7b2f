// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ft session: begins and ends sessions that have a name. */
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/exit_status.h"
#include "base/usage.h"
#include "control/device.h"
#include "control/sessions.h"
#include "ft/commands.h"

static bool session_new(const char *name)
{
	struct ft_info info;
	int control = device_open_control(&info);
	bool ok = control >= 0 && sessions_begin(control, name, false, &info);

	if (control >= 0)
		close(control);
	return ok;
}

static bool session_end(const char *name)
{
	struct ft_info info;
	int control = sessions_open(name, &info);
	bool ok;

	if (control < 0)
		return false;
	ok = sessions_end(control);
	device_detach(control, DEVICE_DETACH_SECONDS);
	close(control);
	return ok;
}

static const char *action_word(unsigned int i)
{
	static const char *const words[] = { "new", "end" };

	return i < ARRAY_SIZE(words) ? words[i] : sessions_word(i - ARRAY_SIZE(words));
}

static int session_main(int argc, char **argv)
{
	int ret = options_parse(&session_command, NULL, &argc, &argv);
	bool ok;

	if (ret >= 0)
		return ret;
	if (!strcmp(argv[0], "new"))
		ok = session_new(argv[1]);
	else if (!strcmp(argv[0], "end"))
		ok = session_end(argv[1]);
	else
		return usage_error("session", "new or end, not '%s'", argv[0]);
	return ok ? FT_EXIT_OK : FT_EXIT_ERROR;
}

const struct command session_command = {
	.name = "session",
	.about = "Begins or ends a session: a trace of its own, next to those of others",
	.usage = "new|end NAME",
	.text = "A session is a trace with events, rings and readers of its own. 'new' begins\n"
		"one, to be used with 'ft config', 'enable', 'disable', 'mark' and 'status'\n"
		"--session NAME, and 'ft snapshot NAME'; its rings are\n"
		"/dev/ft_trace_NAME_<cpu>. It stays until 'end', or until the module is\n"
		"unloaded. To see all: ft status. A recording makes a session of its own with:\n"
		"ft record --session NAME.\n",
	.word = action_word,
	.min = 2,
	.max = 2,
	.missing = "'new NAME' or 'end NAME'",
	.excess = "one session at a time",
	.main = session_main,
};
