// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ft load, ft unload: their options. */
#include <err.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit_status.h"
#include "base/file.h"
#include "base/usage.h"
#include "control/load.h"
#include "ft/commands.h"

static const char load_help[] =
	"Usage: ft load [--module FILE.ko] [PARAMETER=VALUE...]\n"
	"\n"
	"Loads the kernel module. Without --module it takes the file that\n"
	"$FT_MODULE names, else the installed module, else feather_trace.ko\n"
	"from the tree in which this ft was built. A loaded module is fine.\n"
	"\n"
	"  -m, --module FILE  load this file\n";

static const char unload_help[] =
	"Usage: ft unload\n"
	"\n"
	"Unloads the kernel module. It stays while a program has one of its\n"
	"devices open or another module depends on it, and while tasks sleep in\n"
	"lock functions that it has wrapped; then it says how many.\n";

/* "a=1 b=2" from arguments; NULL after a message. */
static char *join_options(int argc, char **argv)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		err(FT_EXIT_ERROR, "ft load");
	for (int i = optind; i < argc; i++) {
		const char *eq = strchr(argv[i], '=');

		if (!eq || eq == argv[i]) {
			fclose(f);
			free(text);
			usage_error(argv[0], "not PARAMETER=VALUE: '%s'",
				    argv[i]);
			return NULL;
		}
		fprintf(f, "%s%s", i > optind ? " " : "", argv[i]);
	}
	fclose(f);
	return text;
}

int load_main(int argc, char **argv)
{
	static const struct option longopts[] = {
		{ "module", required_argument, NULL, 'm' },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	const char *file = NULL;
	char *options;
	int c, status;

	while ((c = getopt_long(argc, argv, ":m:h", longopts, NULL)) != -1) {
		switch (c) {
		case 'm':
			file = optarg;
			break;
		case 'h':
			fputs(load_help, stdout);
			return flush_output(FT_EXIT_OK);
		default:
			return usage_bad_option(c, argv);
		}
	}
	options = join_options(argc, argv);
	if (!options)
		return FT_EXIT_USAGE;
	status = module_load(file, options);
	free(options);
	return status;
}

int unload_main(int argc, char **argv)
{
	static const struct option longopts[] = {
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	int c;

	while ((c = getopt_long(argc, argv, ":h", longopts, NULL)) != -1) {
		if (c != 'h')
			return usage_bad_option(c, argv);
		fputs(unload_help, stdout);
		return flush_output(FT_EXIT_OK);
	}
	if (optind < argc)
		return usage_error(argv[0], "unload takes no arguments: '%s'",
				   argv[optind]);
	return module_unload();
}
