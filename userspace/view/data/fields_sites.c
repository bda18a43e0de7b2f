// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The report for programs: call sites, locks, and pairs of them. */
#include <inttypes.h>
#include <stdio.h>

#include "view/data/fields_put.h"

/* "spin:0xffffffff81234567", or "spin:?" where the site is not known. */
static int format_site(char *buf, size_t len, unsigned int family, uint64_t addr)
{
	if (!addr)
		return snprintf(buf, len, "%s:?", locks_name(family));
	return snprintf(buf, len, "%s:0x%" PRIx64, locks_name(family), addr);
}

const char *pair_name(char buf[FIELDS_ROW], const char *between,
		      const struct pair *key)
{
	int n = format_site(buf, FIELDS_ROW, key->tag >> 8, key->a);

	n += snprintf(buf + n, FIELDS_ROW - n, "%s", between);
	format_site(buf + n, FIELDS_ROW - n, key->tag & 0xff, key->b);
	return buf;
}

void put_site(const struct report *r, struct fields *f, const char *column,
	      unsigned int family, uint64_t addr)
{
	char text[FIELDS_ROW], name[32];

	format_site(text, sizeof(text), family, addr);
	put_text(f, column, text);
	snprintf(name, sizeof(name), "%s_symbol", column);
	if (addr)
		put_symbol(r, f, name, addr, true);
}

void put_lock(const struct report *r, struct fields *f, const char *column,
	      uint64_t addr)
{
	char text[FIELDS_ROW], name[32];

	snprintf(text, sizeof(text), "0x%" PRIx64, addr);
	put_text(f, column, text);
	snprintf(name, sizeof(name), "%s_symbol", column);
	put_symbol(r, f, name, addr, false);
}
