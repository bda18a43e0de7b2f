// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* ft fix: its options. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit_status.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/usage.h"
#include "ft/commands.h"
#include "trace/repair.h"

static const char help[] =
	"Usage: ft fix [-o DIR | --in-place | --dry-run] TRACE\n"
	"\n"
	"Mends a damaged trace so that ft and other readers of CTF can read it:\n"
	"saves what can be saved, marks what is lost, and says what was done.\n"
	"\n"
	"  -o, --output DIR  write the mended trace to DIR, which must not exist or be\n"
	"                    empty (default: TRACE.fixed)\n"
	"      --in-place    mend TRACE itself; old files are kept as info/*.orig\n"
	"  -n, --dry-run     only say what would be done\n"
	"      --help        show this text\n"
	"\n"
	"Exit status: 0 all saved, 1 error, 2 usage, 3 records were lost.\n";

/* Return: -1 to go on, else the exit status */
static int parse_options(int argc, char **argv, struct fix_target *t,
			 const char **output)
{
	static const struct option longopts[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "in-place", no_argument, NULL, 'i' },
		{ "dry-run", no_argument, NULL, 'n' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 }
	};
	int c;

	while ((c = getopt_long(argc, argv, ":o:nh", longopts, NULL)) != -1) {
		switch (c) {
		case 'o':
			*output = optarg;
			break;
		case 'i':
			t->in_place = true;
			break;
		case 'n':
			t->dry = true;
			break;
		case 'h':
			fputs(help, stdout);
			return flush_output(FT_EXIT_OK);
		default:
			return usage_bad_option(c, argv);
		}
	}
	if (!!*output + t->in_place + t->dry > 1)
		return usage_error("fix", "--output, --in-place and --dry-run exclude each other");
	if (*output && !**output)
		return usage_error("fix", "--output: the name of the directory is empty");
	if (optind == argc)
		return usage_error("fix", "which trace? Name its directory");
	if (optind + 1 < argc)
		return usage_error("fix", "one trace at a time: '%s' is too much",
				   argv[optind + 1]);
	return -1;
}

/* TRACE.fixed, beside TRACE also where that was given with a slash. */
static char *default_output(const char *dir)
{
	size_t len = strlen(dir);
	char *output;

	while (len > 1 && dir[len - 1] == '/')
		len--;
	if (asprintf(&output, "%.*s.fixed", (int)len, dir) < 0)
		output = mem_check(NULL);
	return output;
}

int fix_main(int argc, char **argv)
{
	const char *output = NULL;
	struct fix_target t = { 0 };
	char *made;
	int ret = parse_options(argc, argv, &t, &output);

	if (ret >= 0)
		return ret;
	made = default_output(argv[optind]);
	ret = fix_trace(argv[optind], &t, output ? output : made);
	free(made);
	return ret;
}
