// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The patterns of events that are on in a program: adding and removing one. */
#include <err.h>
#include <stdio.h>
#include <string.h>

#include "process/target.h"

static bool list_has(const char *list, const char *name)
{
	char pattern[FT_NAME_LEN];

	while (ft_pattern_next(&list, pattern)) {
		if (!strcmp(pattern, name))
			return true;
	}
	return false;
}

/* Return: false if there is no room. */
static bool list_add(char *list, const char *name)
{
	size_t len = strlen(list);

	if (len + strlen(name) + 2 > FT_REMOTE_PATTERNS)
		return false;
	sprintf(list + len, "%s%s", len ? "," : "", name);
	return true;
}

bool target_add(struct target *t, char **names)
{
	char list[FT_REMOTE_PATTERNS];

	strcpy(list, t->remote.patterns);
	for (; *names; names++) {
		if (!**names || strlen(*names) >= FT_NAME_LEN ||
		    strchr(*names, ',')) {
			warnx("'%s' cannot be the name of an event", *names);
			return false;
		}
		if (!target_has(t, *names))
			return false;
		if (!list_has(list, *names) && !list_add(list, *names)) {
			warnx("these are too many events: use a pattern ('*')");
			return false;
		}
	}
	return target_set(t, list) >= 0;
}

static bool is_among(char **names, const char *name)
{
	for (; *names; names++) {
		if (!strcmp(*names, name))
			return true;
	}
	return false;
}

bool target_remove(struct target *t, char **names)
{
	char list[FT_REMOTE_PATTERNS] = "", pattern[FT_NAME_LEN];
	const char *at = t->remote.patterns;

	for (char **name = names; *name; name++) {
		if (list_has(t->remote.patterns, *name))
			continue;
		warnx("'%s' was not turned on in process %d%s%s", *name, t->pid,
		      *t->remote.patterns ? "; these are: " : "",
		      t->remote.patterns);
		return false;
	}
	while (ft_pattern_next(&at, pattern)) {
		if (!is_among(names, pattern))
			list_add(list, pattern);
	}
	return target_set(t, list) >= 0;
}
