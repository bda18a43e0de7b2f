// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Bad arguments: what is said of them. */
#include <err.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/exit_status.h"
#include "base/usage.h"

int usage_error(const char *command, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vwarnx(fmt, ap);
	va_end(ap);
	fprintf(stderr, "See: ft %s --help\n", command);
	return FT_EXIT_USAGE;
}

int usage_bad_option(int c, char **argv)
{
	const char *text = argv[optind - 1];
	char letter[3] = { '-', (char)optopt, '\0' };

	/*
	 * A long option is the whole argument; a short one may stand in a
	 * cluster (-xyz), where only its letter is to blame. getopt() sets
	 * optopt for a bad short option and for a long one without its value.
	 */
	if (optind > 1 && strncmp(text, "--", 2))
		text = letter;
	if (c == ':')
		return usage_error(argv[0], "option '%s' needs a value", text);
	return usage_error(argv[0], "unknown option '%s'", text);
}
