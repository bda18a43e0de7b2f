// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Demangling through libiberty. A short name can expand to any length, as it refers to
 * its own parts repeatedly. So the output comes piece by piece, and decoding stops when
 * the buffer is full.
 */
#include <setjmp.h>
#include <string.h>

#include <libiberty/demangle.h>

#include "symbols/demangle.h"

struct out {
	char	*buf;
	size_t	len, used;
	jmp_buf	full;
};

/* libiberty keeps all of its state on the stack: longjmp() may leave it. */
static void append(const char *text, size_t n, void *arg)
{
	struct out *o = arg;
	size_t room = o->len - o->used - 1;

	memcpy(o->buf + o->used, text, n < room ? n : room);
	o->used += n < room ? n : room;
	if (n > room)
		longjmp(o->full, 1);
}

static bool decode(const char *name, struct out *o)
{
	/* a name of Rust before it had a scheme of its own is one of C++, too */
	if (rust_demangle_callback(name, DMGL_PARAMS, append, o))
		return true;
	o->used = 0;
	if (name[1] != 'Z' || !cplus_demangle_v3_callback(name, DMGL_ANSI, append, o))
		return false;
	/* without parameters, libiberty leaves out the suffix behind them */
	name = strchr(name, '.');
	if (name)
		append(name, strlen(name), o);
	return true;
}

static bool is_text(const struct out *o)
{
	for (size_t i = 0; i < o->used; i++) {
		if ((unsigned char)o->buf[i] < ' ' || o->buf[i] == '\177')
			return false;
	}
	return o->used;
}

static bool decode_to_fit(const char *name, struct out *o)
{
	if (setjmp(o->full)) {
		memcpy(o->buf + o->used - 3, "...", 3);
		return true;
	}
	return decode(name, o);
}

bool demangle(const char *name, char *buf, size_t len)
{
	struct out o = { .buf = buf, .len = len };

	if (name[0] != '_' || (name[1] != 'Z' && name[1] != 'R') || len < 4 ||
	    !decode_to_fit(name, &o))
		return false;
	buf[o.used] = '\0';
	return is_text(&o);
}
