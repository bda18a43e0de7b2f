// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Options of all commands that show names. */
#include <stddef.h>

#include "base/usage.h"
#include "symbols/options.h"

void symbols_option(struct symbols_options *o, int option, const char *value)
{
	switch (option) {
	case SYMBOLS_KALLSYMS:
		o->kallsyms = value;
		break;
	case SYMBOLS_RUNNING:
		o->running = true;
		break;
	case SYMBOLS_MANGLED:
		o->mangled = true;
		break;
	}
}

int symbols_options_check(const struct symbols_options *o, const char *command)
{
	if (o->running && o->kallsyms)
		return usage_error(command, "--running-kernel and --kallsyms exclude each other");
	return -1;
}
