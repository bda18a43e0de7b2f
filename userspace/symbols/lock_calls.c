// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Reads the kernel's calls of lock functions: see lock_calls.h. The whole file is checked. */
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/number.h"
#include "packed/fact.h"
#include "symbols/lock_calls.h"
#include "trace/session_file.h"

struct lock_calls {
	struct map	by_site;
};

/* Return: false: it is no number, nothing, or leads beyond the last address */
static bool add_step(const char *text, uint64_t *at)
{
	uint64_t step;
	char *end;

	errno = 0;
	step = strtoull(text, &end, 16);
	if (!strchr("0123456789abcdef", *text) || !*text || *end || errno || !step ||
	    __builtin_add_overflow(*at, step, at))
		return false;
	return true;
}

/* Return: false: the line is not as it must be */
static bool add(struct lock_calls *c, char *line)
{
	unsigned int flags = lock_call_flags(strsep(&line, "\t"));
	const char *step = strsep(&line, "\t");
	uint64_t at;

	if (!flags || !step || parse_u64(step, &at))
		return false;
	for (;;) {
		map_put(&c->by_site, at, (void *)(uintptr_t)flags);
		step = strsep(&line, "\t");
		if (!step)
			return true;
		if (!add_step(step, &at))
			return false;
	}
}

struct lock_calls *lock_calls_open(const char *dir)
{
	char *path = mem_format("%s/" SESSION_LOCK_CALLS, dir), *text, *line, *rest;
	ssize_t len = packed_read_path(path, &text);
	struct lock_calls *c = NULL;
	uint64_t bad = 0;

	if (len < 0) {
		if (len != -ENOENT)
			warnx("%s: %s: trylocks are taken for acquisitions that wait", path,
			      packed_why(len));
		mem_free(path);
		return NULL;
	}
	rest = text;
	line = strsep(&rest, "\n");
	if (strcmp(line, LOCK_CALLS_HEAD)) {
		warnx("%s: not of a version that this ft knows: trylocks are taken for acquisitions that wait",
		      path);
		goto out;
	}
	c = mem_zalloc(1, sizeof(*c));
	while ((line = strsep(&rest, "\n")))
		bad += *line && !add(c, line);
	if (bad)
		warnx("%s: %" PRIu64 " of its lines are damaged and left out in part", path, bad);
out:
	mem_free(path);
	mem_free(text);
	return c;
}

void lock_calls_free(struct lock_calls *c)
{
	if (!c)
		return;
	map_free(&c->by_site);
	mem_free(c);
}

unsigned int lock_calls_at(const struct lock_calls *c, uint64_t site)
{
	return c ? (unsigned int)(uintptr_t)map_get(&c->by_site, site) : 0;
}
