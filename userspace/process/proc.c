// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* A process as /proc shows it. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/map.h"
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

bool proc_maps_are_whole(const char *text)
{
	return strstr(text, "[stack]\n");
}

bool proc_maps_are_sure(const char *text, ssize_t len, uint64_t *cut)
{
	uint64_t before = *cut;

	*cut = proc_maps_are_whole(text) ? 0 : map_text_key(text, (size_t)len);
	return !*cut || (len && *cut == before);
}

bool proc_has_program(pid_t pid)
{
	char path[32], to[1];

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	return readlink(path, to, sizeof(to)) >= 0 || (errno != ENOENT && errno != ESRCH);
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

/* execve() sets auxv and environment at the same time, after loading the program. */
bool proc_executes(pid_t pid)
{
	ssize_t len;
	char *text = proc_read(pid, "auxv", &len);
	/* a kernel thread and a process that has ended have none at all */
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

/*
 * "12 (a name) with brackets) S ...": nothing is escaped, unlike in status. Behind the state
 * flags are the 6th word, faults the 7th and the 9th, ticks the 11th and the 12th, the memory's
 * size the 20th, the CPU the 36th.
 */
bool proc_stat(pid_t pid, pid_t tid, struct proc_stat *st)
{
	unsigned long long user = 0, system = 0, minor = 0, major = 0;
	unsigned int flags = 0;
	char path[64], text[512], *begin, *end;
	size_t len;
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
	len = (size_t)(end - begin) - 1;
	if (len >= sizeof(st->name))
		len = sizeof(st->name) - 1;
	memcpy(st->name, begin + 1, len);
	st->name[len] = '\0';
	st->state = end[2];
	st->size = 0;
	st->cpu = 0;
	sscanf(end + 2, "%*c %*d %*d %*d %*d %*d %u %llu %*u %llu %*u %llu %llu "
	       "%*d %*d %*d %*d %*d %*d %*u %llu %*d %*u %*u %*u %*u %*u %*u %*u %*u %*u %*u "
	       "%*u %*u %*u %*d %u",
	       &flags, &minor, &major, &user, &system, &st->size, &st->cpu);
	st->of_kernel = flags & 0x00200000;	/* PF_KTHREAD */
	st->faults = minor + major;
	st->ticks = user + system;
	return true;
}
