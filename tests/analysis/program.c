// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The commands that read traces, to be tested without what the rest needs. */
#include <err.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/exit_status.h"
#include "ft/commands.h"

static int sites(int argc, char **argv)
{
	return sites_command.main(argc, argv);
}

static int fix(int argc, char **argv)
{
	return fix_command.main(argc, argv);
}

static const struct {
	const char *name;
	int (*main)(int argc, char **argv);
} readers[] = {
	{ "compare", compare_main },
	{ "dump", dump_main },
	{ "export", export_main },
	{ "fix", fix },
	{ "plot", script_main },
	{ "report", report_main },
	{ "sites", sites },
	{ "study", script_main },
};

int main(int argc, char **argv)
{
	size_t i;

	for (i = 0; argc > 1 && i < ARRAY_SIZE(readers); i++) {
		if (!strcmp(argv[1], readers[i].name))
			return readers[i].main(argc - 1, argv + 1);
	}
	errx(FT_EXIT_USAGE, "none of the commands that read traces");
}
