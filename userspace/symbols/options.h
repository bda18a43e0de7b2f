/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Options of all commands that show names: where these come from, and how they look. */
#ifndef FT_SYMBOLS_OPTIONS_H
#define FT_SYMBOLS_OPTIONS_H

#include <stdbool.h>

#include "base/options.h"

/** struct symbols_options - zeroed, the defaults */
struct symbols_options {
	const char	*kallsyms;	/* a file to take instead of the trace's */
	bool		running;	/* those of the running kernel */
	bool		mangled;	/* names as they stand in the file */
};

/* Its options: all of them, and the last one alone. */
extern const struct option_row symbols_option_table[], symbols_mangled_option[];

/**
 * symbols_options_check - check that the options can be combined
 * @command: for the message
 *
 * Return: -1 to go on, else the exit status, after a message.
 */
int symbols_options_check(const struct symbols_options *o, const char *command);

#endif /* FT_SYMBOLS_OPTIONS_H */
