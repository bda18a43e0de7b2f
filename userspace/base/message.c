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

#include "base/map.h"
#include "base/mem.h"
#include "base/message.h"
#include "base/scope.h"
#include "base/visible.h"

static bool read_again;

/* Any thread may have something to say. */
static uint64_t said[MESSAGE_KEPT];
static unsigned int n_said;

void message_again(void)
{
	read_again = true;
}

/* Keeps it, too. */
static bool was_said(const char *text, int error)
{
	uint64_t key = map_text_key(text, strlen(text)) + (unsigned int)error;
	unsigned int n = __atomic_load_n(&n_said, __ATOMIC_RELAXED);

	for (unsigned int i = 0; i < n && i < MESSAGE_KEPT; i++) {
		if (__atomic_load_n(&said[i], __ATOMIC_RELAXED) == key)
			return true;
	}
	if (n < MESSAGE_KEPT) {
		n = __atomic_fetch_add(&n_said, 1, __ATOMIC_RELAXED);
		if (n < MESSAGE_KEPT)
			__atomic_store_n(&said[n], key, __ATOMIC_RELAXED);
	}
	return false;
}

/* @error: errno, whose meaning follows the message; or 0 */
static void say(const char *fmt, va_list ap, int error)
{
	char *text = mem_vformat(fmt, ap);
	const char *why = error ? strerror(error) : "";

	visible_lines(&text);
	if (scope_now)
		scope_say(scope_now, text, why, error);
	else if (!was_said(text, error) || !read_again)
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
