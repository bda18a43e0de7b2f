// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Output for people and for programs. */
#include <getopt.h>

#include "base/exit_status.h"
#include "base/file.h"
#include "base/usage.h"
#include "ft/output.h"
#include "ft/pid.h"

int output_options(int argc, char **argv, const char *help,
		   enum output_format *format, pid_t *pid)
{
	static const struct option longopts[] = {
		{ "pid", required_argument, NULL, 'p' },	/* first */
		{ "tsv", no_argument, NULL, 't' },
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	int c;

	*format = OUTPUT_TEXT;
	while ((c = getopt_long(argc, argv, ":h", longopts + !pid,
				NULL)) != -1) {
		switch (c) {
		case 'p':
			*pid = pid_parse(optarg);
			if (!*pid)
				return pid_bad(argv[0], optarg);
			break;
		case 't':
			*format = OUTPUT_TSV;
			break;
		case 'j':
			*format = OUTPUT_JSON;
			break;
		case 'h':
			fputs(help, stdout);
			return flush_output(FT_EXIT_OK);
		default:
			return usage_bad_option(c, argv);
		}
	}
	if (optind < argc)
		return usage_error(argv[0], "%s takes no arguments: '%s'",
				   argv[0], argv[optind]);
	return -1;
}
