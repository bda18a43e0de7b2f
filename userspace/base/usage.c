// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The message for bad arguments. */
#include <err.h>
#include <stdarg.h>
#include <stdio.h>

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
