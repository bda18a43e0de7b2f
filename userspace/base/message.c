// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Messages, in place of the C library's warn(), warnx(), vwarnx(): names in them may be
 * anybody's, and a terminal obeys control characters. They become text here.
 */
#include <err.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/visible.h"

/* @why: what is said of errno, or NULL */
static void say(const char *fmt, va_list ap, const char *why)
{
	char *text;

	if (vasprintf(&text, fmt, ap) < 0)
		return;
	visible_lines(&text);
	fprintf(stderr, "%s: %s%s%s\n", program_invocation_short_name, text,
		why ? ": " : "", why ? why : "");
	free(text);
}

void vwarnx(const char *fmt, va_list ap)
{
	say(fmt, ap, NULL);
}

void warnx(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(fmt, ap, NULL);
	va_end(ap);
}

void warn(const char *fmt, ...)
{
	const char *why = strerror(errno);
	va_list ap;

	va_start(ap, fmt);
	say(fmt, ap, why);
	va_end(ap);
}
