// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The running kernel's symbols: see kernel_symbols.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/file.h"
#include "base/mem.h"
#include "names/kernel_symbols.h"
#include "symbols/order.h"

/* A symbol that is the last one of its section reaches no farther. */
#define LEN_MAX	(1u << 24)

static int compare(const void *a, const void *b)
{
	const struct kernel_symbol *x = a, *y = b;

	return symbols_order(x->addr, x->name, y->addr, y->name);
}

/* "ffffffffc0000000 t ext4_init	[ext4]" */
static bool parse(char *line, struct kernel_symbol *out)
{
	char *at = line, *module;

	out->addr = strtoull(line, &at, 16);
	if (at == line || at[0] != ' ' || !at[1] || at[2] != ' ' || !at[3])
		return false;
	out->name = at + 3;
	out->module = NULL;
	module = strchr(out->name, '\t');
	if (!module)
		return true;
	*module = '\0';
	if (module[1] == '[') {
		out->module = module + 2;
		module[2 + strcspn(module + 2, "]")] = '\0';
	}
	return true;
}

static size_t count_lines(const char *text)
{
	size_t n = 0;

	while ((text = strchr(text, '\n'))) {
		text++;
		n++;
	}
	return n;
}

int kernel_symbols_load(struct kernel_symbols *s)
{
	ssize_t len = read_path("/proc/kallsyms", &s->text);
	char *line, *rest;

	if (len < 0)
		return (int)len;
	s->symbol = mem_zalloc(count_lines(s->text) + 1, sizeof(*s->symbol));
	for (rest = s->text; (line = strsep(&rest, "\n"));) {
		if (parse(line, &s->symbol[s->n]))
			s->n++;
	}
	qsort(s->symbol, s->n, sizeof(*s->symbol), compare);
	return s->n && s->symbol[s->n - 1].addr ? 0 : -EPERM;
}

bool kernel_symbols_value(const struct kernel_symbols *s, const char *name, uint64_t *addr)
{
	for (size_t i = 0; i < s->n; i++) {
		if (s->symbol[i].module || strcmp(s->symbol[i].name, name))
			continue;
		*addr = s->symbol[i].addr;
		return true;
	}
	return false;
}

const struct kernel_symbol *kernel_symbols_find(const struct kernel_symbols *s, uint64_t addr,
						uint64_t *len)
{
	size_t low = array_first(s->n, i, s->symbol[i].addr <= addr);

	if (!low)
		return NULL;
	*len = low < s->n ? s->symbol[low].addr - s->symbol[low - 1].addr : LEN_MAX;
	if (*len > LEN_MAX)
		*len = LEN_MAX;
	return addr - s->symbol[low - 1].addr < *len ? &s->symbol[low - 1] : NULL;
}
