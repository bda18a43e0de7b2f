// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Traced programs whose locks are not pthread's, so that nothing of them is recorded: those
 * in Go, and those that start threads but call no lock function, as with Rust's standard
 * library. The program's file says so. It is looked at in the end, as only then is it known
 * of which processes there were records, be it of a library's locks.
 */
#include <err.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/map.h"
#include "base/visible.h"
#include "process/executable.h"
#include "record/program/run.h"

/* At most so many lines are printed. */
#define TELL_MAX	5

struct told {
	struct map	paths;
	unsigned int	n;
};

static uint64_t path_key(const char *path)
{
	uint64_t key = 0xcbf29ce484222325ull;	/* FNV-1a */

	for (; *path; path++)
		key = (key ^ (unsigned char)*path) * 0x100000001b3ull;
	return key;
}

/* Return: NULL: its locks are recorded, or it has none. */
static const char *why(const char *path, bool has_records)
{
	struct run_elf_calls calls;
	int fd = open_if_regular(path);

	if (fd < 0)
		return NULL;
	calls = run_elf_calls(fd);
	close(fd);
	if (calls.go)
		return "is written in Go, which has locks of its own: they are not traced";
	if (calls.threads && !calls.locks && !has_records)
		return "starts threads, but calls no lock function of pthread: locks of its "
		       "own, as Rust's standard library has, are not traced";
	return NULL;
}

static void tell(struct run *run, __u32 process, const char *path, struct told *told)
{
	uint64_t key = path_key(path);
	struct ft_user_process p;
	const char *reason, *name;
	char visible[64];

	/* the first file of a child that was forked is a library that it has loaded */
	if (map_get(&told->paths, key) || !run_process(run, process, &p) || p.parent)
		return;
	reason = why(path, map_get(&run->met, process));
	if (!reason)
		return;
	map_put(&told->paths, key, run);
	name = strrchr(path, '/');
	visible_copy(visible, sizeof(visible), name ? name + 1 : path);
	if (told->n++ < TELL_MAX)
		warnx("'%s' (process %d) %s", visible, p.pid, reason);
}

unsigned int run_tell_own_locks(struct run *run)
{
	__u32 n = run_objects(run);
	struct map begun = { 0 };
	struct told told = { 0 };
	struct ft_user_object o;

	for (__u32 i = 0; run->locks && i < n; i++) {
		/* a process enters its program first, then its libraries */
		if (!run_object(run, i, &o) || map_get(&begun, o.process))
			continue;
		map_put(&begun, o.process, run);
		tell(run, o.process, o.path, &told);
	}
	map_free(&begun);
	map_free(&told.paths);
	return told.n;
}
