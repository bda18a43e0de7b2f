// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ft mark: its words. */
#include "base/exit_status.h"
#include "base/number.h"
#include "base/usage.h"
#include "control/mark.h"
#include "control/sessions.h"
#include "ft/commands.h"

struct mark {
	const char	*session;
};

static const struct option_row options[] = {
	{ 0, "session", "NAME", "the session of this name; without it: see above, and "
	  "'ft session'", OPTION_TEXT(struct mark, session), .word = sessions_word },
	{ }
};

static int mark_main(int argc, char **argv)
{
	uint64_t word[2] = { 0, 0 };
	struct mark m = { 0 };
	struct ft_mark mark;
	int ret;

	ret = options_parse(&mark_command, &m, &argc, &argv);
	if (ret >= 0)
		return ret;
	for (int i = 0; i < argc; i++) {
		if (parse_u64(argv[i], &word[i]))
			return usage_error("mark", "not a 64-bit number (decimal or 0x hex): '%s'",
					   argv[i]);
	}
	mark.a = word[0];
	mark.b = word[1];
	return mark_set(m.session, &mark) ? FT_EXIT_OK : FT_EXIT_ERROR;
}

const struct command mark_command = {
	.name = "mark",
	.about = "Puts a mark into the running trace",
	.usage = "[--session NAME] A [B]",
	.text = "Puts a record of the event 'mark' with the words A and B (default: 0) into\n"
		"the running trace. Numbers are decimal or 0x hex. The event must be\n"
		"enabled: ft record -e mark,... Without --session it is the default session if\n"
		"the event is on there, else the only one in which it is.\n",
	.options = options,
	.stop = true,
	.min = 1,
	.max = 2,
	.missing = "mark with which number?",
	.excess = "a mark has two words at most",
	.main = mark_main,
};
