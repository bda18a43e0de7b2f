// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Names of tasks: a map over the text of a file. See tasks.h. */
#include "base/map.h"
#include "base/mem.h"
#include "base/number.h"
#include "packed/fact.h"
#include "symbols/tasks.h"
#include "trace/session_file.h"

struct names {
	char		*text;
	struct map	map;	/* by number */
};

static void add(struct names *names, char *line)
{
	char *name = strchr(line, '\t');
	uint64_t tid;

	if (!name)
		return;
	*name++ = '\0';
	/* a program chooses its name; no column of a table may end in it */
	for (char *tab = name; (tab = strchr(tab, '\t'));)
		*tab = ' ';
	if (*name && !parse_u64(line, &tid) && tid <= INT32_MAX)
		map_put(&names->map, tid, name);
}

struct names *names_open(const char *dir)
{
	char *text = packed_visible_file(dir, SESSION_TASKS), *line, *rest;
	struct names *names;

	if (!text)
		return NULL;
	names = mem_zalloc(1, sizeof(*names));
	names->text = text;
	for (rest = names->text; (line = strsep(&rest, "\n"));)
		add(names, line);
	return names;
}

void names_free(struct names *names)
{
	if (!names)
		return;
	map_free(&names->map);
	mem_free(names->text);
	mem_free(names);
}

const char *names_find(const struct names *names, int32_t tid)
{
	return names ? map_get(&names->map, (uint32_t)tid) : NULL;
}

size_t names_lookup(const struct names *names, const char *name,
		    int32_t **tids)
{
	struct map_slot *slot;
	size_t n = 0;

	*tids = NULL;
	if (!names)
		return 0;
	map_for_each(&names->map, slot) {
		if (strcmp(slot->value, name))
			continue;
		*tids = mem_resize(*tids, n + 1, sizeof(**tids));
		(*tids)[n++] = (int32_t)slot->key;
	}
	return n;
}
