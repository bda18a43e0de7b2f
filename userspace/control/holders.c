// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Which processes have a file open, from the links in /proc/<pid>/fd. */
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "control/device.h"
#include "control/holders.h"

typedef bool (*path_match)(const char *path, const char *wanted);

static bool match_exact(const char *path, const char *wanted)
{
	return !strcmp(path, wanted);
}

static bool match_prefix(const char *path, const char *wanted)
{
	return !strncmp(path, wanted, strlen(wanted));
}

static bool process_holds(const char *pid, path_match match, const char *wanted)
{
	char path[64], target[PATH_MAX];
	struct dirent *entry;
	bool found = false;
	DIR *fds;

	snprintf(path, sizeof(path), "/proc/%.20s/fd", pid);
	fds = opendir(path);
	if (!fds)
		return false;
	while (!found && (entry = readdir(fds))) {
		ssize_t n = readlinkat(dirfd(fds), entry->d_name, target,
				       sizeof(target) - 1);

		if (n < 0)
			continue;
		target[n] = '\0';
		found = match(target, wanted);
	}
	closedir(fds);
	return found;
}

static void append_process(const char *pid, char *buf, size_t len)
{
	char path[64], comm[32] = "?";
	size_t used = strlen(buf);
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%.20s/comm", pid);
	f = fopen(path, "re");
	if (f) {
		if (fgets(comm, sizeof(comm), f))
			comm[strcspn(comm, "\n")] = '\0';
		fclose(f);
	}
	snprintf(buf + used, len - used, "%s%s (pid %.20s)",
		 used ? ", " : "", comm, pid);
}

static bool holders_find(path_match match, const char *wanted,
			 char *buf, size_t len)
{
	struct dirent *entry;
	DIR *proc = opendir("/proc");

	buf[0] = '\0';
	if (!proc)
		return false;
	while ((entry = readdir(proc))) {
		if (!isdigit((unsigned char)entry->d_name[0]) ||
		    atol(entry->d_name) == getpid())
			continue;
		if (process_holds(entry->d_name, match, wanted))
			append_process(entry->d_name, buf, len);
	}
	closedir(proc);
	return buf[0];
}

bool holders_of_file(const char *path, char *buf, size_t len)
{
	return holders_find(match_exact, path, buf, len);
}

bool holders_of_devices(char *buf, size_t len)
{
	return holders_find(match_prefix, DEVICE_CONTROL, buf, len);
}
