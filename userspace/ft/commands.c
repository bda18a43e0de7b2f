// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The table of subcommands. */
#include <string.h>

#include "ft/commands.h"

const struct command *const commands[] = {
	&load_command,
	&unload_command,
	&list_command,
	&functions_command,
	&sites_command,
	&status_command,
	&config_command,
	&enable_command,
	&disable_command,
	&mark_command,
	&record_command,
	&run_command,
	&attach_command,
	&(const struct command){ .name = "dump", .main = dump_main,
		.about = "Prints the records of a trace" },
	&(const struct command){ .name = "report", .main = report_main,
		.about = "Analyses a trace: locks, distributions" },
	&(const struct command){ .name = "compare", .main = compare_main,
		.about = "Compares traces: what changed, and is it chance?" },
	&(const struct command){ .name = "plot", .main = script_main,
		.about = "Draws a table of a report with gnuplot" },
	&(const struct command){ .name = "study", .main = script_main,
		.about = "Repeats the paper's study, writes a page" },
	&(const struct command){ .name = "export", .main = export_main,
		.about = "Writes critical sections as CSV or for Perfetto" },
	&fix_command,
	NULL
};

const struct command *command_find(const char *name)
{
	for (const struct command *const *c = commands; *c; c++) {
		if (!strcmp((*c)->name, name))
			return *c;
	}
	return NULL;
}
