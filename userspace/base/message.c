// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Messages, in place of the C library's warn(), warnx(), vwarnx(). Names in them may have
 * control characters, which terminals obey: these become text here. In a call of the
 * library messages are kept, not printed: see scope.h.
 */
#include <err.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/message.h"
#include "base/scope.h"
#include "base/visible.h"

static bool message_off;

bool message_quiet(bool quiet)
{
	bool was = message_off;

	message_off = quiet;
	return was;
}

/* @error: errno, whose meaning follows the message; or 0 */
static void say(const char *fmt, va_list ap, int error)
{
	char *text = mem_vformat(fmt, ap);
	const char *why = error ? strerror(error) : "";

	visible_lines(&text);
	if (scope_now)
		scope_say(scope_now, text, why, error);
	else if (!message_off)
		fprintf(stderr, "%s: %s%s%s\n", program_invocation_short_name, text,
			error ? ": " : "", why);
	mem_free(text);
}

void vwarnx(const char *fmt, va_list ap)
{
	say(fmt, ap, 0);
}

void warnx(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(fmt, ap, 0);
	va_end(ap);
}

void warn(const char *fmt, ...)
{
	int error = errno;
	va_list ap;

	va_start(ap, fmt);
	say(fmt, ap, error);
	va_end(ap);
}

void message_lines(const char *lines)
{
	while (*lines) {
		size_t len = strcspn(lines, "\n");

		warnx("%.*s", (int)len, lines);
		lines += len + !!lines[len];
	}
}
