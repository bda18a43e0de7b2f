// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ft: finds the subcommand and hands over. */
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

#include <linux/feather_trace.h>

#include "base/array.h"
#include "base/exit_status.h"
#include "base/file.h"
#include "base/nearest.h"
#include "control/device.h"
#include "ft/commands.h"

static void show_help(FILE *f)
{
	fputs("Usage: ft COMMAND [ARGUMENT...]\n"
	      "       ft COMMAND --help\n"
	      "       ft --version\n"
	      "\n"
	      "Feather-Trace records events in the kernel and in programs with a "
	      "timestamp:\n"
	      "locks, marks, events of your own.\n"
	      "\n", f);
	for (const struct command *const *c = commands; *c; c++)
		fprintf(f, "  %-10s %s\n", (*c)->name, (*c)->about);
	fputs("\n"
	      "To begin: sudo ft load; sudo ft record --locks -d 1 -o DIR; "
	      "ft report DIR\n"
	      "Without a module: ft run --locks -o DIR -- COMMAND\n", f);
}

static int show_version(void)
{
	printf("ft %s (ABI %u)\n", FT_VERSION, FT_ABI_VERSION);
	return flush_output(FT_EXIT_OK);
}

static int unknown_command(const char *name)
{
	const char *names[32];
	char hint[NEAREST_HINT];
	size_t n;

	for (n = 0; commands[n] && n < ARRAY_SIZE(names); n++)
		names[n] = commands[n]->name;
	warnx("unknown %s '%s'%s", name[0] == '-' ? "option" : "command", name,
	      nearest_hint(hint, name, names, n));
	fputs("See: ft --help\n", stderr);
	return FT_EXIT_USAGE;
}

static int call_command(int argc, char **argv)
{
	const struct command *command = command_find(argv[0]);

	return command ? command->main(argc, argv) : unknown_command(argv[0]);
}

/* "ft help" and "ft help COMMAND". */
static int help_main(int argc, char **argv)
{
	char help[] = "--help";

	if (argc > 1) {
		char *args[] = { argv[1], help, NULL };

		return call_command(2, args);
	}
	show_help(stdout);
	return flush_output(FT_EXIT_OK);
}

int main(int argc, char **argv)
{
	char status[] = "status";

	/* Messages start with "ft: ", whatever argv[0] is. */
	program_invocation_short_name = (char *)"ft";
	program_invocation_name = (char *)"ft";
	/* The name in ps and traces, too, if it was started as /proc/self/exe. */
	prctl(PR_SET_NAME, "ft");
	if (argc < 2) {
		char *args[] = { status, NULL };

		return device_present() ? call_command(1, args) :
					  help_main(1, args);
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return help_main(1, argv);
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V"))
		return show_version();
	if (!strcmp(argv[1], "help"))
		return help_main(argc - 1, argv + 1);
	if (!strcmp(argv[1], "complete"))
		return complete_main(argc - 1, argv + 1);
	return call_command(argc - 1, argv + 1);
}
