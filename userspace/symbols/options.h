/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Options of all commands that show names: where from, and which. */
#ifndef FT_SYMBOLS_OPTIONS_H
#define FT_SYMBOLS_OPTIONS_H

#include <stdbool.h>

#include "base/options.h"

/** struct symbols_options - zeroed, it is what most want */
struct symbols_options {
	const char	*kallsyms;	/* a file to take instead of the trace's */
	bool		running;	/* those of the running kernel */
	bool		mangled;	/* names as they stand in the file */
};

/* The options that fill it: all, and only the last. */
extern const struct option_row symbols_option_table[], symbols_mangled_option[];

/* For getopt_long(): values of the options, and their rows in the table. */
enum symbols_option {
	SYMBOLS_KALLSYMS = 0x200,
	SYMBOLS_RUNNING,
	SYMBOLS_MANGLED,
	SYMBOLS_OPTION_END
};

#define SYMBOLS_MANGLED_LONGOPT \
	{ "no-demangle", no_argument, NULL, SYMBOLS_MANGLED }
#define SYMBOLS_LONGOPTS \
	{ "kallsyms", required_argument, NULL, SYMBOLS_KALLSYMS }, \
	{ "running-kernel", no_argument, NULL, SYMBOLS_RUNNING }, \
	SYMBOLS_MANGLED_LONGOPT

#define SYMBOLS_MANGLED_HELP \
	"      --no-demangle    names of C++ and Rust as they are encoded in the file\n"
#define SYMBOLS_HELP \
	"      --kallsyms FILE  take symbols from FILE (default: TRACE/info/kallsyms)\n" \
	"      --running-kernel take the symbols of the running kernel\n" \
	SYMBOLS_MANGLED_HELP

/** symbols_option - take an option that getopt_long() found */
void symbols_option(struct symbols_options *o, int option, const char *value);

static inline bool symbols_is_option(int option)
{
	return option >= SYMBOLS_KALLSYMS && option < SYMBOLS_OPTION_END;
}

/**
 * symbols_options_check - do the options go together?
 * @command: for the message
 *
 * Return: -1 to go on, else the exit status, after a message.
 */
int symbols_options_check(const struct symbols_options *o, const char *command);

#endif /* FT_SYMBOLS_OPTIONS_H */
