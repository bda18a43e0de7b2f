// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* What /proc says of a process: see proc.h. */
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/util.h"
#include "process/proc.h"

char *proc_read(pid_t pid, const char *name, ssize_t *len)
{
	char path[64], *text = NULL;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	*len = read_file_full(fd, &text);
	close(fd);
	return *len < 0 ? NULL : text;
}

/* Strings with zeroes between them. */
bool proc_has_variable(pid_t pid, const char *name, const char *value)
{
	size_t n = strlen(name);
	ssize_t len, at;
	char *text = proc_read(pid, "environ", &len);
	bool has = false;

	for (at = 0; text && !has && at < len; at += (ssize_t)strlen(text + at) + 1)
		has = !strncmp(text + at, name, n) && text[at + n] == '=' &&
		      (!value || !strcmp(text + at + n + 1, value));
	free(text);
	return has;
}

/* The kernel writes both at once, when it has loaded the program into its new memory. */
bool proc_executes(pid_t pid)
{
	ssize_t len;
	char *text = proc_read(pid, "auxv", &len);
	/* a kernel's thread has none at all, nor who has ended */
	bool is_blank = text && len >= (ssize_t)sizeof(Elf64_auxv_t) &&
			!memcmp(text, &(Elf64_auxv_t){ .a_type = AT_NULL }, sizeof(Elf64_auxv_t));

	free(text);
	return is_blank;
}

bool proc_is_secure(pid_t pid)
{
	ssize_t len;
	char *text = proc_read(pid, "auxv", &len);
	Elf64_auxv_t entry;
	bool secure = false;

	for (ssize_t at = 0; text && at + (ssize_t)sizeof(entry) <= len;
	     at += (ssize_t)sizeof(entry)) {
		memcpy(&entry, text + at, sizeof(entry));
		secure |= entry.a_type == AT_SECURE && entry.a_un.a_val;
	}
	free(text);
	return secure;
}

/* The kernel writes \\ and \n for two characters of it. */
static void copy_name(char *name, size_t room, const char *from, const char *end)
{
	size_t n = 0;

	for (; from < end && n + 1 < room; from++, n++) {
		name[n] = *from;
		if (*from == '\\' && from + 1 < end)
			name[n] = *++from == 'n' ? '\n' : *from;
	}
	name[n] = '\0';
}

/* "12 (a name) with brackets) S ...": ticks are the 12th and 13th word from the state on. */
bool proc_stat(pid_t pid, pid_t tid, struct proc_stat *st)
{
	unsigned long long user = 0, system = 0;
	char path[64], text[512], *begin, *end;
	ssize_t n;
	int fd;

	if (tid)
		snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", pid, tid);
	else
		snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return false;
	text[n] = '\0';
	begin = strchr(text, '(');
	end = strrchr(text, ')');
	if (!begin || !end || !end[1])
		return false;
	copy_name(st->name, sizeof(st->name), begin + 1, end);
	st->state = end[2];
	sscanf(end + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu", &user, &system);
	st->ticks = user + system;
	return true;
}
