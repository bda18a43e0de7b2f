// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Processes that the command has started but that are not traced, and why. A traced
 * process has the session's memory mapped. A process seen twice without it, running the
 * same program, is taken for untraced. It may only lack the CPU time to get that far: so
 * a reason is reported only if it cannot change.
 *
 * ft searches the descendants in each look and, less often, all processes with the
 * session's name in their environment, as orphans are no descendants. It misses a process
 * that ends between two searches. Seeing all would take ptrace, which they would notice.
 */
#include <ctype.h>
#include <dirent.h>
#include <elf.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "process/executable.h"
#include "process/proc.h"
#include "record/program/run.h"

/* The most lines that are printed. */
#define TELL_MAX	5

/* How often to search for orphans. */
#define ORPHAN_SECONDS	1.0
#define ORPHANS_AT_ONCE	64

/* After so much CPU time, a program is certainly past the loader. */
#define BEGIN_SECONDS	1

#define RIGHTS	"it has privileges of its own (set-uid), or is another user's"

static bool are_sure(struct run *run, pid_t pid, const char *maps, ssize_t len)
{
	uint64_t before = (uintptr_t)map_get(&run->untraced_cut, (uint64_t)pid), cut = before;
	bool sure = proc_maps_are_sure(maps, len, &cut);

	if (cut && cut != before)
		map_put(&run->untraced_cut, (uint64_t)pid, (void *)(uintptr_t)cut);
	else if (!cut && before)
		map_del(&run->untraced_cut, (uint64_t)pid);
	return sure;
}

/* Mappings that break off may have it. */
static bool has_session(struct run *run, pid_t pid)
{
	bool has, sure;
	ssize_t len;
	char *maps;

	/* run_look() has just noted those that have joined */
	if (map_get(&run->traced, (uint64_t)pid))
		return true;
	maps = proc_read(pid, "maps", &len);
	sure = maps && are_sure(run, pid, maps, len);
	has = maps && (!sure || strstr(maps, FT_SESSION_MEMORY));
	free(maps);
	return has;
}

/* Does the program itself run already, and no longer the loader? */
static bool has_begun(const struct proc_stat *st)
{
	return st->state == 'S' ||
	       st->ticks >= BEGIN_SECONDS * (unsigned long long)sysconf(_SC_CLK_TCK);
}

/*
 * Return: NULL if nothing is to be reported: the process is just ending, and has nothing
 * mapped any more, or it may still map the session.
 */
static const char *why(pid_t pid, const struct proc_stat *st)
{
	Elf64_Ehdr head;
	enum run_elf kind;
	char path[32];
	bool musl;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 && (errno == ENOENT || errno == ESRCH))
		return NULL;
	if (fd < 0)
		return RIGHTS;
	kind = run_elf_kind(fd, &head);
	musl = kind == RUN_ELF_DYNAMIC && run_elf_is_musl(fd, &head);
	close(fd);
	if (kind == RUN_ELF_FOREIGN)
		return "it is for another architecture";
	if (kind == RUN_ELF_STATIC)
		return "it is statically linked, as programs in Go are";
	if (proc_is_secure(pid))
		return RIGHTS;
	if (proc_executes(pid))
		return NULL;
	if (!proc_has_variable(pid, FT_SESSION_ENV, NULL))
		return "it was started with an environment of its own (env -i, sudo)";
	if (!proc_has_variable(pid, "LD_PRELOAD", NULL))
		return "its parent took LD_PRELOAD from its environment";
	/* what was preloaded has said that it cannot trace it */
	if (musl)
		return NULL;
	return has_begun(st) ? "it cannot open the session (a sandbox, or fewer rights)" :
			       NULL;
}

/* Prints one line for each program and reason. */
static void tell(struct run *run, pid_t pid, const struct proc_stat *st)
{
	const char *reason = why(pid, st);
	uint64_t key = (uint64_t)(uintptr_t)reason;

	for (const char *c = st->name; *c; c++)
		key = (key ^ (unsigned char)*c) * 0x100000001b3ull;
	if (!reason || map_get(&run->untraced_told, key))
		return;
	/* it has ended meanwhile: what was read of it may have been empty for that */
	if (!proc_has_program(pid))
		return;
	map_put(&run->untraced_told, key, run);
	if (run->untraced_told.used <= TELL_MAX)
		warnx("'%s' (process %d) is not traced: %s", st->name, pid, reason);
}

/* Replaces control characters: a terminal would obey them. */
static void clean(char *name)
{
	for (char *c = name; *c; c++) {
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	}
}

/* The name tells programs apart: after exec(), the process has another one. */
static void look_at(struct run *run, pid_t pid)
{
	char *seen = map_get(&run->untraced_seen, (uint64_t)pid);
	struct proc_stat st;

	if (has_session(run, pid) || !proc_stat(pid, 0, &st) ||
	    !strcmp(st.name, "ft") || !strcmp(st.name, "ft-session"))
		return;
	clean(st.name);
	if (seen && !strcmp(seen, st.name)) {
		/* the message about the command itself came first */
		if (!run->command_told || strncmp(st.name, run->command_name,
						  strlen(st.name)))
			tell(run, pid, &st);
		return;
	}
	free(seen);
	seen = strdup(st.name);
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
		text = proc_read(pid, path, &len);
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

/* A few at a time: the same thread must empty the rings. */
static void look_for_orphans(struct run *run, double now)
{
	const struct dirent *e;
	unsigned int i;
	pid_t pid;

	if (!run->next_orphans)	/* too early: there can hardly be an orphan yet */
		run->next_orphans = now + ORPHAN_SECONDS;
	if (!run->orphans && now >= run->next_orphans)
		run->orphans = opendir("/proc");
	for (i = 0; run->orphans && i < ORPHANS_AT_ONCE; i++) {
		e = readdir(run->orphans);
		if (!e) {
			closedir(run->orphans);
			run->orphans = NULL;
			run->next_orphans = now + ORPHAN_SECONDS;
			break;
		}
		pid = isdigit((unsigned char)*e->d_name) ? atoi(e->d_name) : 0;
		if (pid && proc_has_variable(pid, FT_SESSION_ENV, run->name))
			look_at(run, pid);
	}
}

void run_untraced_look(struct run *run, double now)
{
	/* where nothing is preloaded programs choose to link with the library */
	if (!run_preloads(run))
		return;
	look_below(run, getpid(), 0);
	look_for_orphans(run, now);
}
