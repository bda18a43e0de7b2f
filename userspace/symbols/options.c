// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Options of all commands that show names. */
#include <stddef.h>

#include "base/util.h"
#include "symbols/options.h"

void symbols_option(struct symbols_options *o, int option, const char *value)
{
	switch (option) {
	case SYMBOLS_KALLSYMS:
		o->kallsyms = value;
		break;
	case SYMBOLS_LIVE:
		o->live = true;
		break;
	case SYMBOLS_MANGLED:
		o->mangled = true;
		break;
	}
}

int symbols_options_check(const struct symbols_options *o, const char *command)
{
	if (o->live && o->kallsyms)
		return usage_error(command, "--live and --kallsyms exclude each other");
	return -1;
}
