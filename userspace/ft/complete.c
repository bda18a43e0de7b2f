// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * ft complete WORD...: possible completions of the last WORD, for a shell
 * (scripts/completion/). No list of commands has it.
 *
 * The output is that of options_complete(). Programs of their own, as ft-top, are asked; for
 * scripts, whose options ft does not know, the first line may also be
 *
 *	help		the options in the --help of the command
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/exit_status.h"
#include "base/file.h"
#include "base/mem.h"
#include "ft/commands.h"
#include "ft/script.h"

/* Tables of a report with a bar or a curve a row. */
static const char *plot_table(unsigned int i)
{
	static const char *const names[] = {
		"depth", "length", "shorter", "rate", "family", "group", "site", "lock", "task",
		"cpu", "waited", "order",
	};

	return i < ARRAY_SIZE(names) ? names[i] : NULL;
}

/* Scripts parse their options themselves. Return: exit status */
static int complete_script(const struct command *command, int n, char **words)
{
	static char script[] = "study", list[] = "--words";
	const char *last = words[n - 1], *before = words[n - 2];

	if (n > 2 && !strcmp(before, "="))	/* the shell has cut --name=value */
		before = words[n - 3];
	if (command == &study_command &&
	    (!strcmp(before, "-w") || !strcmp(before, "--workloads"))) {
		puts("list");
		fflush(stdout);
		return script_exec(2, (char *[]){ script, list, NULL });
	}
	if (command == &plot_command && n == 3 && last[0] != '-')
		options_complete_value(COMPLETE_NOTHING, plot_table, false);
	else
		puts(last[0] == '-' ? "help" : "file");
	return FT_EXIT_OK;
}

/* Return: exit status, if the program cannot be run */
static int complete_program(int n, char **words)
{
	static char option[] = OPTIONS_COMPLETE;
	char **args = mem_zalloc((size_t)n + 2, sizeof(*args));
	int status;

	args[0] = words[0];
	args[1] = option;
	memcpy(args + 2, words + 1, (size_t)(n - 1) * sizeof(*args));
	status = script_exec(n + 1, args);
	free(args);
	return status;
}

static void put_commands(void)
{
	puts("words");
	for (const struct command *const *c = commands; *c; c++)
		puts((*c)->name);
}

int complete_main(int argc, char **argv)
{
	const struct command *command;
	int status = FT_EXIT_OK;

	if (argc < 3) {
		put_commands();
		puts("help\n--help\n--version");
		return flush_output(FT_EXIT_OK);
	}
	command = command_find(argv[1]);
	if (!strcmp(argv[1], "help") && argc == 3)
		put_commands();
	else if (command && script_is_program(command))
		status = complete_program(argc - 1, argv + 1);
	else if (command && command->is_script)
		status = complete_script(command, argc - 1, argv + 1);
	else if (command)
		options_complete(command, argc - 1, argv + 1);
	else
		puts("nothing");
	return flush_output(status);
}
