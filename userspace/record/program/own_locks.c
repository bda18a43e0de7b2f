// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Traced programs whose locks are not pthread's, so that nothing of them is recorded: those
 * in Go, and those that start threads but call no lock function, as with Rust's standard
 * library. The program's file says so. It is looked at in the end, as only then is it known
 * which processes had records, which may be of a library's locks.
 */
#include <err.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/visible.h"
#include "process/executable.h"
#include "record/program/run.h"

/* The most lines that are printed. */
#define TELL_MAX	5

/* A program, and whether there are records of any process that has run it. */
struct program {
	struct ft_user_object	file;
	__s32			pid;	/* the first one's */
	bool			met;
	struct program		*next;
};

struct programs {
	struct map	by_path;
	struct program	*first, **last;
};

/* The file may be another one by now, or the path one of another mount namespace. */
static int open_program(const struct ft_user_object *o)
{
	size_t len = o->build_id_len;
	int fd = open_if_regular(o->path);
	Elf64_Ehdr head;

	if (fd < 0)
		return -1;
	if (len <= sizeof(o->build_id) &&
	    run_elf_kind(fd, &head) == RUN_ELF_DYNAMIC &&
	    run_elf_has_build_id(fd, o->build_id, len))
		return fd;
	close(fd);
	return -1;
}

/* Return: NULL: its locks are recorded, or it has none, or that cannot be known. */
static const char *why(const struct run *run, const struct program *program)
{
	bool locks_recorded = !run->senses || (run->recorded & FT_RECORDED_LOCKS);
	struct run_elf_calls calls;
	int fd = open_program(&program->file);

	if (fd < 0)
		return NULL;
	calls = run_elf_calls(fd);
	close(fd);
	if (calls.go)
		return "is written in Go, which has locks of its own: they are not traced";
	if (calls.threads && !calls.locks && !program->met && locks_recorded)
		return "starts threads, but calls no lock function of pthread: locks of its "
		       "own, as Rust's standard library has, are not traced";
	return NULL;
}

/* The first file of a child that was forked is a library that it has loaded. */
static void enter(struct run *run, struct programs *all, const struct ft_user_object *file)
{
	uint64_t key = map_text_key(file->path, strlen(file->path));
	struct program *program = map_get(&all->by_path, key);
	struct ft_user_process p;

	if (!run_process(run, file->process, &p) || p.parent)
		return;
	if (!program) {
		program = mem_zalloc(1, sizeof(*program));
		program->file = *file;
		program->pid = p.pid;
		map_put(&all->by_path, key, program);
		*all->last = program;
		all->last = &program->next;
	}
	program->met |= !!map_get(&run->met, file->process);
}

static void find_programs(struct run *run, struct programs *all)
{
	__u32 n = run_objects(run);
	struct map begun = { 0 };
	struct ft_user_object o;

	for (__u32 i = 0; i < n; i++) {
		/* a process enters its program first, then its libraries */
		if (!run_object(run, i, &o) || map_get(&begun, o.process))
			continue;
		map_put(&begun, o.process, run);
		enter(run, all, &o);
	}
	map_free(&begun);
}

static void tell(const struct program *program, const char *reason)
{
	const char *name = strrchr(program->file.path, '/');
	char visible[64];

	visible_copy(visible, sizeof(visible), name ? name + 1 : program->file.path);
	warnx("'%s' (process %d) %s", visible, program->pid, reason);
}

unsigned int run_tell_own_locks(struct run *run)
{
	struct programs all = { .last = &all.first };
	struct program *program, *next;
	unsigned int n = 0;

	if (!run->locks)
		return 0;
	find_programs(run, &all);
	for (program = all.first; program; program = next) {
		const char *reason = why(run, program);

		next = program->next;
		if (reason && n++ < TELL_MAX)
			tell(program, reason);
		mem_free(program);
	}
	if (n > TELL_MAX)
		warnx("... and %u more programs", n - TELL_MAX);
	map_free(&all.by_path);
	return n;
}
