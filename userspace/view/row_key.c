// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* What a row of a report's tables is about, in words. */
#include <inttypes.h>

#include "analysis/classes.h"
#include "base/mem.h"
#include "symbols/lines.h"
#include "symbols/frames.h"
#include "symbols/tasks.h"
#include "view/row_key.h"

static char *task(const struct report *r, uint64_t key)
{
	const char *name;

	if (key >> 32)
		return mem_format("(in %s)", report_context_name((unsigned int)key));
	name = names_find(r->names, (int32_t)key);
	if (!name && !key)
		name = "(idle)";
	return mem_format("%" PRId32 "%s%s", (int32_t)key, name ? " " : "", name ? name : "");
}

char *row_key(const struct report *r, enum report_tables which, uint64_t key)
{
	char symbol[SYMBOLS_LEN];
	const char *line;

	if (which == TABLE_TASK)
		return task(r, key);
	if (which == TABLE_CLASS)
		return mem_strdup(classes_row(r->classes, key)->name);
	if (which == TABLE_STACK)
		return frames_path(r->symbols, stacks_at(r->stacks, (uint32_t)key), false, 6);
	symbols_format(r->symbols, key, which == TABLE_SITE, symbol, sizeof(symbol));
	line = which == TABLE_SITE ? lines_find(r->lines, key) : NULL;
	return mem_format("%s%s%s", symbol, line ? "  " : "", line ? line : "");
}
