// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Names of merged caches: see aliases.h. */
#include <dirent.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/mem.h"
#include "names/aliases.h"

#define SLABS		"/sys/kernel/slab"
#define TARGET_LEN	128

void aliases_read(struct aliases *a)
{
	const struct dirent *entry;
	DIR *d = opendir(SLABS);
	char target[TARGET_LEN];
	ssize_t len;

	while (d && (entry = readdir(d))) {
		len = readlinkat(dirfd(d), entry->d_name, target, sizeof(target) - 1);
		if (len <= 0)
			continue;
		target[len] = '\0';
		a->list = mem_resize(a->list, a->n + 1, sizeof(*a->list));
		a->list[a->n++] = (struct alias){ mem_strdup(entry->d_name), mem_strdup(target) };
	}
	if (d)
		closedir(d);
}

void aliases_free(struct aliases *a)
{
	for (size_t i = 0; i < a->n; i++) {
		mem_free(a->list[i].name);
		mem_free(a->list[i].of);
	}
	mem_free(a->list);
	*a = (struct aliases){ .n = 0 };
}

static const char *target_of(const struct aliases *a, const char *name)
{
	for (size_t i = 0; i < a->n; i++) {
		if (!strcmp(a->list[i].name, name))
			return a->list[i].of;
	}
	return NULL;
}

const char *aliases_next(const struct aliases *a, const char *name, size_t *at)
{
	const char *target = target_of(a, name);

	for (; target && *at < a->n; ++*at) {
		if (!strcmp(a->list[*at].of, target))
			return a->list[(*at)++].name;
	}
	return NULL;
}
