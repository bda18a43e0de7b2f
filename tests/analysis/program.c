// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The commands that read traces, to be tested without what the rest needs. */
#include <err.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/exit_status.h"
#include "ft/commands.h"

static const struct command *const readers[] = {
	&compare_command,
	&dump_command,
	&export_command,
	&fix_command,
	&overheads_command,
	&plot_command,
	&record_command,	/* which ft study asks whether a value is good */
	&report_command,
	&requests_command,
	&run_command,		/* which refuses a path inside of a trace, as record does */
	&sites_command,
	&sql_command,
	&study_command,
	&why_command,
};

int main(int argc, char **argv)
{
	size_t i;

	for (i = 0; argc > 1 && i < ARRAY_SIZE(readers); i++) {
		if (!strcmp(argv[1], readers[i]->name))
			return readers[i]->main(argc - 1, argv + 1);
	}
	errx(FT_EXIT_USAGE, "none of the commands that read traces");
}
