// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* What is wrong with an expression. See expression_walk.h. */
#include <stdarg.h>
#include <stdio.h>

#include "base/mem.h"
#include "base/nearest.h"
#include "control/typed/expression_walk.h"

bool walk_fail(struct walk *w, const char *fmt, ...)
{
	va_list ap;

	mem_free(w->error);
	va_start(ap, fmt);
	w->error = mem_vformat(fmt, ap);
	va_end(ap);
	return false;
}

bool walk_fail_type(struct walk *w, const char *why)
{
	char *type = types_text(w->btf, w->type);

	walk_fail(w, "'%.*s' is of the type '%s': %s", (int)(w->known - w->from), w->from, type,
		  why);
	mem_free(type);
	return false;
}

void walk_name(struct walk_names *names, const char *name)
{
	names->name = mem_resize(names->name, names->n + 1, sizeof(*names->name));
	names->name[names->n++] = name;
}

static char *list_text(const struct walk_names *names)
{
	char *text = mem_strdup(names->n ? names->name[0] : "nothing"), *more;

	for (size_t i = 1; i < names->n && i < 16; i++) {
		more = mem_format("%s, %s", text, names->name[i]);
		mem_free(text);
		text = more;
	}
	if (names->n <= 16)
		return text;
	more = mem_format("%s ...", text);
	mem_free(text);
	return more;
}

bool walk_fail_name(struct walk *w, const char *what, const char *name,
		    const struct walk_names *names)
{
	char hint[NEAREST_HINT], *all = list_text(names);

	nearest_hint(hint, name, names->name, names->n);
	if (*hint)
		walk_fail(w, "%s '%s'%s", what, name, hint);
	else
		walk_fail(w, "%s '%s'; it has: %s", what, name, all);
	mem_free(all);
	return false;
}
