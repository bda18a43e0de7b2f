/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The subcommands of ft: each is a file of this folder. */
#ifndef FT_FT_COMMANDS_H
#define FT_FT_COMMANDS_H

#include "base/options.h"

extern const struct command attach_command, compare_command, config_command,
	disable_command, dump_command, enable_command, export_command, fix_command,
	functions_command, list_command, load_command, mark_command, monitor_command, npt_command,
	overheads_command, plot_command, receive_command, record_command, report_command,
	requests_command, run_command, send_command, sensors_command, session_command,
	sites_command, snapshot_command, sql_command, status_command, study_command, top_command,
	unload_command, why_command;

/* All of them, in the order of ft --help, and NULL. */
extern const struct command *const commands[];

/** command_find - the command of this name, or NULL */
const struct command *command_find(const char *name);

/** complete_main - ft complete */
int complete_main(int argc, char **argv);

#endif /* FT_FT_COMMANDS_H */
