// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Options of all commands that show names. */
#include <err.h>
#include <stddef.h>
#include <unistd.h>

#include "base/exit_status.h"
#include "base/usage.h"
#include "symbols/options.h"

const struct option_row symbols_mangled_option[] = {
	{ 0, "no-demangle", NULL, "print names of C++ and Rust as the file encodes them",
	  OPTION_FLAG(struct symbols_options, mangled) },
	{ }
};

const struct option_row symbols_option_table[] = {
	{ 0, "kallsyms", "FILE", "take symbols from FILE (default: TRACE/info/kallsyms)",
	  OPTION_PATH(struct symbols_options, kallsyms, COMPLETE_FILE) },
	{ 0, "running-kernel", NULL, "take the symbols of the running kernel",
	  OPTION_FLAG(struct symbols_options, running) },
	OPTION_GROUP_ALL(symbols_mangled_option),
	{ }
};

int symbols_options_check(const struct symbols_options *o, const char *command)
{
	if (o->running && o->kallsyms)
		return usage_error(command, "--running-kernel and --kallsyms exclude each other");
	if (o->kallsyms && access(o->kallsyms, R_OK)) {
		warn("--kallsyms: cannot open %s", o->kallsyms);
		return FT_EXIT_ERROR;
	}
	return -1;
}
