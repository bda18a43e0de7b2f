// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Where commands may write: see outside.h. */
#include <dirent.h>
#include <err.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "trace/outside.h"
#include "trace/parts.h"
#include "trace/session_file.h"
#include "trace/trace.h"

/* The directory that has @path, or will. Return: is there such a place? */
static bool place_of(const char *path, char real[PATH_MAX])
{
	size_t len = strlen(path);
	char *parent;
	bool ok;

	if (realpath(path, real)) {
		*strrchr(real, '/') = '\0';
		return true;
	}
	while (len && path[len - 1] == '/')
		len--;
	while (len && path[len - 1] != '/')
		len--;
	parent = len ? mem_format("%.*s", (int)len, path) : mem_strdup(".");
	ok = realpath(parent, real);
	mem_free(parent);
	return ok;
}

static bool has(const char *dir, const char *name)
{
	char *path = mem_format("%s/%s", dir, name);
	bool is = !access(path, F_OK);

	mem_free(path);
	return is;
}

static bool has_stream(const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *e = NULL;
	unsigned int number;

	while (d && (e = readdir(d)) && !trace_stream_number(e->d_name, &number))
		;
	if (d)
		closedir(d);
	return e;
}

/* A recording may lack its list, or its first part, but not both. */
static bool is_trace(const char *dir)
{
	char part[PART_NAME_LEN + sizeof("/metadata")];

	if (has(dir, "metadata"))
		return has(dir, SESSION_DIR) || has_stream(dir);
	part_name(part, 1);
	strcat(part, "/metadata");
	return has(dir, SESSION_PARTS) || has(dir, part);
}

bool outside_traces(const char *path)
{
	char real[PATH_MAX];

	/* what cannot be found cannot be written either, which says why */
	if (!path || !*path || !place_of(path, real))
		return true;
	for (; *real; *strrchr(real, '/') = '\0') {
		if (!is_trace(real))
			continue;
		warnx("%s is inside of the trace %s: choose another place", path, real);
		return false;
	}
	return true;
}
