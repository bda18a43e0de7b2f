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
	&session_command,
	&config_command,
	&enable_command,
	&disable_command,
	&mark_command,
	&record_command,
	&snapshot_command,
	&send_command,
	&receive_command,
	&sensors_command,
	&top_command,
	&monitor_command,
	&npt_command,
	&overheads_command,
	&run_command,
	&attach_command,
	&dump_command,
	&report_command,
	&why_command,
	&requests_command,
	&compare_command,
	&plot_command,
	&study_command,
	&export_command,
	&sql_command,
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
