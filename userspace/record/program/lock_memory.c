// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Stacks, and what threads have of their own: see lock_memory.h. */
#include <gelf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/file.h"
#include "process/proc.h"
#include "record/program/lock_memory.h"

/*
 * struct run_lock_tls - how much memory below a thread's descriptor its variables take
 * @room:	those of all files of the process, as if none came later, with dlopen()
 * @program:	those of the program: nothing else lies there
 * @entered:	the program is known
 */
struct run_lock_tls {
	__u64	room, program;
	bool	entered;
};

#define ADDRESS		((1ull << FT_TAG_SHIFT) - 1)

/* Threads that are kept; and bytes of mappings, of all processes. */
#define THREADS_MAX	65536u
#define MAPPINGS_MAX	(16u << 20)

/* What a stack may have by default: it lies below the descriptor, or the mapping's end. */
#define STACK_MAX	(8ull << 20)

/* --- while it is recorded ------------------------------------------------- */

void run_lock_thread(struct run *run, const struct run_lock_thread *thread)
{
	struct run_locks *locks = &run->lock_names;

	if (!locks->places || !thread->at || thread->at > ADDRESS ||
	    locks->n_threads == THREADS_MAX)
		return;
	/* twice as much when it is a power of two */
	if (!(locks->n_threads & (locks->n_threads - 1))) {
		size_t room = locks->n_threads ? 2 * locks->n_threads : 1;
		void *more = realloc(locks->threads, room * sizeof(*locks->threads));

		if (!more)
			return;
		locks->threads = more;
	}
	locks->threads[locks->n_threads++] = *thread;
}

void run_lock_mappings(struct run *run, __u32 process, const char *text)
{
	struct run_locks *locks = &run->lock_names;
	size_t len = strlen(text), before;
	char *old;

	if (!locks->places || !proc_maps_are_whole(text))
		return;
	old = map_get(&locks->mappings, process);
	before = old ? strlen(old) : 0;
	if (locks->mappings_len - before + len > MAPPINGS_MAX)
		return;
	text = strdup(text);
	if (!text)
		return;
	map_put(&locks->mappings, process, (char *)text);
	locks->mappings_len += len - before;
	free(old);
}

void run_lock_memory_free(struct run *run)
{
	struct run_locks *locks = &run->lock_names;
	struct map_slot *slot;

	map_for_each(&locks->mappings, slot)
		free(slot->value);
	map_free(&locks->mappings);
	free(locks->threads);
	locks->threads = NULL;
	locks->n_threads = 0;
	free(locks->tls);
	locks->tls = NULL;
}

/* --- thread-local variables ----------------------------------------------- */

static __u64 up(__u64 size, __u64 align)
{
	return align > 1 ? (size + align - 1) / align * align : size;
}

/* Return: how much memory below a thread's descriptor the variables of the file take. */
static __u64 tls_of_file(const char *path)
{
	int fd = open_if_regular(path);
	__u64 room = 0;
	GElf_Phdr ph;
	size_t n = 0;
	Elf *elf;

	if (fd < 0)
		return 0;
	elf = elf_version(EV_CURRENT) == EV_NONE ? NULL : elf_begin(fd, ELF_C_READ, NULL);
	if (!elf || elf_getphdrnum(elf, &n))
		n = 0;
	for (size_t i = 0; i < n && gelf_getphdr(elf, (int)i, &ph); i++) {
		if (ph.p_type == PT_TLS && ph.p_memsz < STACK_MAX && ph.p_align <= 4096)
			room = up(ph.p_memsz, ph.p_align) + ph.p_align;
	}
	elf_end(elf);
	close(fd);
	return room;
}

/* The same, once for each path. */
static __u64 tls_of(struct map *known, const char *path, uint64_t key)
{
	uintptr_t room = (uintptr_t)map_get(known, key);

	if (!room) {
		room = tls_of_file(path) + 1;
		map_put(known, key, (void *)room);
	}
	return room - 1;
}

/* What processes have loaded themselves. A process enters its program first. */
static void add_own_tls(struct run *run, struct run_lock_tls *tls, __u32 n)
{
	struct map files = { 0 }, seen = { 0 };
	__u32 objects = run_objects(run);
	struct ft_user_object o;

	for (__u32 i = 0; i < objects; i++) {
		uint64_t key, of_process;

		if (!run_object(run, i, &o) || o.unloaded || o.process >= n)
			continue;
		key = map_text_key(o.path, strlen(o.path));
		of_process = key ^ map_hash(o.process + 1ull);
		if (map_get(&seen, of_process))
			continue;
		map_put(&seen, of_process, run);
		tls[o.process].room += tls_of(&files, o.path, key);
		if (!tls[o.process].entered)
			tls[o.process].program = tls[o.process].room;
		tls[o.process].entered = true;
	}
	map_free(&seen);
	map_free(&files);
}

/* A child has what its parent has loaded, and the same program. A parent's index is lower. */
static void add_parents_tls(struct run *run, struct run_lock_tls *tls, __u32 n)
{
	struct ft_user_process p;

	for (__u32 i = 0; i < n; i++) {
		if (!run_process(run, i, &p) || !p.parent)
			continue;
		tls[i].room += tls[p.parent - 1].room;
		tls[i].program = tls[p.parent - 1].program;
	}
}

/* For all processes at once, in the process that finds names. Return: NULL: nothing is known. */
static const struct run_lock_tls *get_tls(struct run *run, __u32 process)
{
	struct run_locks *locks = &run->lock_names;

#ifndef __x86_64__
	return NULL;	/* they are above the descriptor, or apart */
#endif
	if (!locks->tls) {
		locks->n_tls = run_processes(run);
		locks->tls = calloc(locks->n_tls + 1, sizeof(*locks->tls));
		if (!locks->tls)
			return NULL;
		add_own_tls(run, locks->tls, locks->n_tls);
		add_parents_tls(run, locks->tls, locks->n_tls);
	}
	return process < locks->n_tls ? &locks->tls[process] : NULL;
}

enum where {
	ELSEWHERE,
	LIKELY,		/* of a library, if it was there when the thread began */
	CERTAIN,	/* of the program */
};

static enum where find_thread_local(struct run *run, __u32 process, __u64 below)
{
	const struct run_lock_tls *tls = get_tls(run, process);

	if (!tls || below > tls->room)
		return ELSEWHERE;
	return below <= tls->program ? CERTAIN : LIKELY;
}

/* --- where a lock lies ---------------------------------------------------- */

struct area {
	__u64	start, end;
	bool	is_stack;
};

/* The mappings of a process, in the order of addresses. */
struct areas {
	size_t		n;
	struct area	area[];
};

/* "7ffe0000-7fff0000 rw-p ... [stack]", which ends at @end */
static bool parse_area(const char *line, const char *end, struct area *area)
{
	char *next;

	area->start = strtoull(line, &next, 16);
	if (*next != '-')
		return false;
	area->end = strtoull(next + 1, &next, 16);
	area->is_stack = end - line > 7 && !memcmp(end - 7, "[stack]", 7);
	return *next == ' ';
}

static size_t count_lines(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

static struct areas *parse_areas(const char *text)
{
	struct areas *areas = malloc(sizeof(*areas) + count_lines(text) * sizeof(struct area));
	const char *end;

	if (!areas)
		return NULL;
	areas->n = 0;
	for (; (end = strchr(text, '\n')); text = end + 1)
		areas->n += parse_area(text, end, &areas->area[areas->n]);
	return areas;
}

/* Parsed once, in the process that finds names. */
static const struct areas *get_areas(struct run *run, __u32 process)
{
	struct map *known = &run->lock_names.areas;
	struct areas *areas = map_get(known, process);
	const char *text = map_get(&run->lock_names.mappings, process);

	if (areas || !text)
		return areas;
	areas = parse_areas(text);
	if (areas)
		map_put(known, process, areas);
	return areas;
}

/* Return: 1: the mapping with @addr is found; 0: there is none; -1: nothing is known. */
static int find_mapping(struct run *run, __u32 process, __u64 addr, __u64 *start, bool *is_stack)
{
	const struct areas *areas = get_areas(run, process);
	const struct area *a;
	size_t first;

	if (!areas)
		return -1;
	/* the first one that ends behind it */
	first = array_first(areas->n, i, areas->area[i].end <= addr);
	if (first == areas->n)
		return 0;
	a = &areas->area[first];
	*start = a->start;
	*is_stack = a->is_stack;
	/* the stack has grown since */
	return addr >= a->start || (a->is_stack && a->start - addr < STACK_MAX);
}

/* One that had ended before it was looked for had most likely the name of its process. */
static void name_thread(struct run *run, struct program_lock *lock, __s32 tid)
{
	const char *name = map_get(&run->tasks, (__u32)tid);
	struct ft_user_process p;

	if (!name && run_process(run, (__u32)(lock->addr >> FT_TAG_SHIFT) - 1, &p))
		name = p.comm;
	snprintf(lock->thread, sizeof(lock->thread), "%s", name ? name : "a thread");
}

/* The first thread whose descriptor is above @addr; its mapping may reach down to that. */
static const struct run_lock_thread *find_thread(const struct run *run, __u32 process,
						 __u64 addr)
{
	const struct run_locks *locks = &run->lock_names;
	const struct run_lock_thread *found = NULL;

	for (size_t i = 0; i < locks->n_threads; i++) {
		const struct run_lock_thread *t = &locks->threads[i];

		if (t->process == process && t->at > addr && (!found || t->at < found->at))
			found = t;
	}
	return found;
}

static bool is_main(struct run *run, const struct run_lock_thread *t)
{
	struct ft_user_process p;

	return run_process(run, t->process, &p) && p.pid == t->tid;
}

/* The main thread of @process, if @addr is not far from its frame. */
static const struct run_lock_thread *find_main(struct run *run, __u32 process, __u64 addr)
{
	const struct run_locks *locks = &run->lock_names;

	for (size_t i = 0; i < locks->n_threads; i++) {
		const struct run_lock_thread *t = &locks->threads[i];

		if (t->process == process && addr > t->frame - STACK_MAX &&
		    addr < t->frame + STACK_MAX && t->frame > t->at && is_main(run, t))
			return t;
	}
	return NULL;
}

static void take(struct run *run, struct program_lock *lock, enum program_memory memory,
		 __s32 tid, bool likely)
{
	lock->memory = memory;
	name_thread(run, lock, tid);
	lock->likely = likely;
}

void run_lock_memory(struct run *run, struct program_lock *lock)
{
	__u32 process = (__u32)(lock->addr >> FT_TAG_SHIFT) - 1;
	__u64 addr = lock->addr & ADDRESS, start = 0, other;
	const struct run_lock_thread *t = find_thread(run, process, addr);
	const struct run_lock_thread *main;
	bool is_stack = false, ignored;
	struct ft_user_process p;
	enum where local;
	int found = find_mapping(run, process, addr, &start, &is_stack);

	if (found == 1 && is_stack) {
		if (run_process(run, process, &p))
			take(run, lock, PROGRAM_STACK, p.pid, false);
		return;
	}
	main = find_main(run, process, addr);
	if (found == -1 && main) {
		take(run, lock, PROGRAM_STACK, main->tid, true);
		return;
	}
	if (!t)
		return;
	local = find_thread_local(run, process, t->at - addr);
	if (local != ELSEWHERE)
		take(run, lock, PROGRAM_THREAD, t->tid, local == LIKELY);
	else if (is_main(run, t))
		return;
	else if (found == 1 && find_mapping(run, process, t->at, &other, &ignored) == 1 &&
		 other == start)
		take(run, lock, PROGRAM_STACK, t->tid, false);
	else if (found != 1 && t->at - addr < STACK_MAX)
		take(run, lock, PROGRAM_STACK, t->tid, true);
}
