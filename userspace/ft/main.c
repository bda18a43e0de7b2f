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

static const struct {
	const char *name;
	int (*main)(int argc, char **argv);
	const char *about;
} commands[] = {
	{ "load", load_main, "Loads the kernel module" },
	{ "unload", unload_main, "Unloads the kernel module" },
	{ "list", list_main, "Lists the events that can be traced" },
	{ "functions", functions_main, "Lists the lock functions that are wrapped" },
	{ "sites", sites_main, "Lists the triggers in a program, a module, a kernel" },
	{ "status", status_main, "Shows what is traced, and what was lost" },
	{ "config", config_main, "Shows or sets the size of the rings" },
	{ "enable", enable_main, "Turns events on" },
	{ "disable", disable_main, "Turns events off" },
	{ "mark", mark_main, "Puts a mark into the running trace" },
	{ "record", record_main, "Records a trace into a directory" },
	{ "run", run_main, "Records what programs do: their events, their locks" },
	{ "attach", attach_main, "Records the events of a program that runs" },
	{ "dump", dump_main, "Prints the records of a trace" },
	{ "report", report_main, "Analyses a trace: locks, distributions" },
	{ "compare", compare_main, "Compares traces: what changed, and is it chance?" },
	{ "plot", script_main, "Draws a table of a report with gnuplot" },
	{ "study", study_main, "Repeats the paper's study, writes a page" },
	{ "export", export_main, "Writes critical sections as CSV or for Perfetto" },
	{ "fix", fix_main, "Mends a damaged trace" },
};

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
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		fprintf(f, "  %-10s %s\n", commands[i].name, commands[i].about);
	fputs("\n"
	      "For a start: sudo ft load; sudo ft record --locks -d 1 -o DIR; "
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
	const char *names[ARRAY_SIZE(commands)], *near;

	for (size_t i = 0; i < ARRAY_SIZE(commands); i++)
		names[i] = commands[i].name;
	near = nearest(name, names, ARRAY_SIZE(names));
	if (near)
		warnx("unknown %s '%s': did you mean '%s'?",
		      name[0] == '-' ? "option" : "command", name, near);
	else
		warnx("unknown %s '%s'",
		      name[0] == '-' ? "option" : "command", name);
	fputs("See: ft --help\n", stderr);
	return FT_EXIT_USAGE;
}

static int run_command(int argc, char **argv)
{
	for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
		if (!strcmp(argv[0], commands[i].name))
			return commands[i].main(argc, argv);
	}
	return unknown_command(argv[0]);
}

/* "ft help" and "ft help COMMAND", for those who try that first. */
static int help_main(int argc, char **argv)
{
	char help[] = "--help";

	if (argc > 1) {
		char *args[] = { argv[1], help, NULL };

		return run_command(2, args);
	}
	show_help(stdout);
	return flush_output(FT_EXIT_OK);
}

int main(int argc, char **argv)
{
	char status[] = "status";

	/* Messages start with "ft: ", whatever path it was called by. */
	program_invocation_short_name = (char *)"ft";
	program_invocation_name = (char *)"ft";
	/* Traces and ps know it as that, too, where it was started as /proc/self/exe. */
	prctl(PR_SET_NAME, "ft");
	if (argc < 2) {
		char *args[] = { status, NULL };

		return device_present() ? run_command(1, args) :
					  help_main(1, args);
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return help_main(1, argv);
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V"))
		return show_version();
	if (!strcmp(argv[1], "help"))
		return help_main(argc - 1, argv + 1);
	return run_command(argc - 1, argv + 1);
}
