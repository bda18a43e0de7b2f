// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Processes that the command has started and that are not traced, and why. A process
 * that is traced has the session's memory mapped. One that is seen twice without it, as
 * the same program, was not about to map it.
 *
 * They are looked for among the descendants now and then: one that ends in between is
 * not seen. To see all would take a tracer (ptrace), which is seen by them.
 */
#include <dirent.h>
#include <elf.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run.h"
#include "run_elf.h"
#include "util.h"

/* So many lines are written; more are counted. */
#define TELL_MAX	5

#define RIGHTS	"it has rights of its own (set-uid), or is another user's"

static char *read_proc(pid_t pid, const char *name, ssize_t *len)
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

static bool has_session(pid_t pid)
{
	ssize_t len;
	char *maps = read_proc(pid, "maps", &len);
	bool has = maps && strstr(maps, FT_SESSION_MEMORY);

	free(maps);
	return has;
}

/* Was it started with this in its environment? Lines with zeroes between them. */
static bool has_variable(pid_t pid, const char *begin)
{
	ssize_t len, at;
	char *text = read_proc(pid, "environ", &len);
	bool has = false;

	for (at = 0; text && !has && at < len; at += (ssize_t)strlen(text + at) + 1)
		has = !strncmp(text + at, begin, strlen(begin));
	free(text);
	return has;
}

/* Does the loader ignore what its caller asks for? */
static bool is_secure(pid_t pid)
{
	ssize_t len;
	char *text = read_proc(pid, "auxv", &len);
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
 * Return: NULL where it ends just now, and so has nothing mapped any more: nothing is to
 * be told.
 */
static const char *why(pid_t pid)
{
	Elf64_Ehdr head;
	enum run_elf kind;
	char path[32];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 && (errno == ENOENT || errno == ESRCH))
		return NULL;
	if (fd < 0)
		return RIGHTS;
	kind = run_elf_kind(fd, &head);
	close(fd);
	if (kind == RUN_ELF_FOREIGN)
		return "it is for another architecture";
	if (kind == RUN_ELF_STATIC)
		return "it is statically linked, as programs in Go are";
	if (is_secure(pid))
		return RIGHTS;
	if (!has_variable(pid, FT_SESSION_ENV "="))
		return "it was started with an environment of its own (env -i, sudo)";
	if (!has_variable(pid, "LD_PRELOAD="))
		return "its parent took LD_PRELOAD from its environment";
	return "it cannot open the session (a sandbox, or fewer rights)";
}

/* A line for each program and reason. */
static void tell(struct run *run, pid_t pid, const char *name)
{
	const char *reason = why(pid);
	uint64_t key = (uint64_t)(uintptr_t)reason;

	for (const char *c = name; *c; c++)
		key = (key ^ (unsigned char)*c) * 0x100000001b3ull;
	if (!reason || map_get(&run->untraced_told, key))
		return;
	map_put(&run->untraced_told, key, run);
	if (run->untraced_told.used <= TELL_MAX)
		warnx("'%s' (process %d) is not traced: %s", name, pid, reason);
}

/* A terminal obeys control characters. */
static bool read_name(pid_t pid, char *name, size_t size)
{
	ssize_t len;
	char *text = read_proc(pid, "comm", &len);

	if (!text)
		return false;
	text[strcspn(text, "\n")] = '\0';
	for (char *c = text; *c; c++) {
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	}
	snprintf(name, size, "%s", text);
	free(text);
	return true;
}

/* As it is called: another program in it has another name. */
static void look_at(struct run *run, pid_t pid)
{
	char name[32], *seen = map_get(&run->untraced_seen, (uint64_t)pid);

	if (has_session(pid) || !read_name(pid, name, sizeof(name)) ||
	    !strcmp(name, "ft") || !strcmp(name, "ft-session"))
		return;
	if (seen && !strcmp(seen, name)) {
		/* the message about the command itself came first */
		if (!run->command_told || strncmp(name, run->command_name,
						  strlen(name)))
			tell(run, pid, name);
		return;
	}
	free(seen);
	seen = strdup(name);
	if (seen)
		map_put(&run->untraced_seen, (uint64_t)pid, seen);
}

static void look_below(struct run *run, pid_t pid, unsigned int depth)
{
	char path[320], *text, *rest, *word;
	struct dirent *e;
	ssize_t len;
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	tasks = depth < 64 ? opendir(path) : NULL;
	while (tasks && (e = readdir(tasks))) {
		if (*e->d_name == '.')
			continue;
		snprintf(path, sizeof(path), "task/%s/children", e->d_name);
		text = read_proc(pid, path, &len);
		for (rest = text; text && (word = strsep(&rest, " "));) {
			pid_t child = atoi(word);

			if (child <= 0)
				continue;
			look_at(run, child);
			look_below(run, child, depth + 1);
		}
		free(text);
	}
	if (tasks)
		closedir(tasks);
}

void run_untraced_look(struct run *run)
{
	/* who is linked with the library or not is the program's own affair */
	if (run->locks)
		look_below(run, getpid(), 0);
}
