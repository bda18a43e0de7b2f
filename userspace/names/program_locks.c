// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Names of programs' locks: see program_locks.h. */
#include <inttypes.h>
#include <string.h>

#include "base/clock.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/visible.h"
#include "names/debug_file.h"
#include "names/program_locks.h"
#include "symbols/demangle.h"
#include "symbols/programs.h"

/* As long as a class may be: see symbols/lock_classes.c. */
#define CLASS_LEN	192
#define NAME_LEN	80
#define MEMBER_LEN	56

struct naming {
	struct programs			*programs;
	struct map			files;		/* by path: struct file */
	struct map			sites;		/* by address: what put_site() has said */
	double				deadline;
	struct program_locks_told	*told;
};

/* A file in which locks lie, or are called. */
struct file {
	struct debug_file	*debug;		/* NULL: it has none */
	bool			stripped;	/* and this was told */
};

/* Where a lock or a call is in a file. */
struct place {
	struct symbols_place	symbol;
	struct file		*file;
	uint64_t		at;		/* in the file */
	bool			symbols;	/* the file has any */
};

static struct file *get_file(struct naming *n, const char *path)
{
	uint64_t key = map_text_key(path, strlen(path));
	struct file *file = map_get(&n->files, key);

	if (!file) {
		file = mem_zalloc(1, sizeof(*file));
		file->debug = thread_seconds() < n->deadline ? debug_file_open(path) : NULL;
		map_put(&n->files, key, file);
	}
	return file;
}

/* @call: @addr is a return address, and the call is before it. */
static bool find_place(struct naming *n, uint64_t addr, bool call, struct place *p)
{
	const char *path = programs_file(n->programs, addr - call, &p->at, &p->symbols);

	if (!path || !programs_place(n->programs, addr, call, &p->symbol))
		return false;
	p->file = get_file(n, path);
	return true;
}

/* As it stands in the file; one of C++ that is too long can only be shortened if it is readable. */
static void put_name(char *buf, size_t len, const char *name)
{
	size_t have = strlen(name);
	char text[DEMANGLE_LEN];

	if (have >= len && demangle(name, text, sizeof(text)))
		name = text;
	have = strlen(name);
	if (have < len)
		snprintf(buf, len, "%s", name);
	else
		snprintf(buf, len, "%.*s...%s", (int)(len / 2 - 2), name,
			 name + have - (len / 2 - 3));
}

/* --- variables ------------------------------------------------------------ */

static void want(struct naming *n, const struct program_lock *lock)
{
	struct place p;

	if (find_place(n, lock->addr, false, &p) && p.symbol.name && p.file->debug)
		debug_file_want(p.file->debug, p.at - p.symbol.offset);
}

static void find_variables(struct naming *n, const struct program_lock *locks, size_t count)
{
	struct map_slot *slot;

	for (size_t i = 0; i < count; i++)
		want(n, &locks[i]);
	map_for_each(&n->files, slot) {
		struct file *file = slot->value;

		if (file->debug)
			debug_file_find(file->debug, n->deadline);
	}
	n->told->late = thread_seconds() >= n->deadline;
}

static void tell_stripped(struct naming *n, const struct place *p)
{
	if (p->file->stripped)
		return;
	p->file->stripped = true;
	if (!n->told->stripped++)
		snprintf(n->told->file, sizeof(n->told->file), "%s", p->symbol.module);
}

/* gcc calls a variable inside of a function "lock.3". */
static void cut_number(char *name)
{
	char *dot = strrchr(name, '.');

	if (dot && dot > name && dot[1] && !dot[1 + strspn(dot + 1, "0123456789")])
		*dot = '\0';
}

static void put_variable(struct naming *n, const struct place *p, char *buf, size_t len)
{
	char member[MEMBER_LEN] = "", name[NAME_LEN];

	if (!p->symbol.name) {
		tell_stripped(n, p);
		snprintf(buf, len, "0x%" PRIx64 " [%.48s]", p->at, p->symbol.module);
		return;
	}
	put_name(name, sizeof(name), p->symbol.name);
	cut_number(name);
	if (p->file->debug && debug_file_member(p->file->debug, p->at - p->symbol.offset,
						p->symbol.offset, member, sizeof(member)))
		snprintf(buf, len, "%s%s [%.48s]", name, member, p->symbol.module);
	else if (p->symbol.offset)
		snprintf(buf, len, "%s+0x%" PRIx64 " [%.48s]", name, p->symbol.offset,
			 p->symbol.module);
	else
		snprintf(buf, len, "%s [%.48s]", name, p->symbol.module);
}

/* --- memory --------------------------------------------------------------- */

/* "push (queue.c:57)", or without a line "push+0x1c [prog]" */
static void put_site(struct naming *n, uint64_t site, char *buf, size_t len)
{
	char name[NAME_LEN], line[64];
	const char *inlined;
	struct place p;
	bool known;

	if (!site || !find_place(n, site, true, &p)) {
		snprintf(buf, len, "unknown code");
		return;
	}
	if (!p.symbol.name) {
		snprintf(buf, len, "0x%" PRIx64 " [%.48s]", p.symbol.offset, p.symbol.module);
		return;
	}
	put_name(name, sizeof(name), p.symbol.name);
	known = p.file->debug &&
		debug_file_site(p.file->debug, p.at, line, sizeof(line), &inlined);
	if (known && inlined)
		put_name(name, sizeof(name), inlined);
	if (known)
		snprintf(buf, len, "%s (%s)", name, line);
	else
		snprintf(buf, len, "%s+0x%" PRIx64 " [%.48s]", name, p.symbol.offset,
			 p.symbol.module);
}

/* Locks are many, sites are few. */
static const char *get_site(struct naming *n, uint64_t site)
{
	char text[CLASS_LEN - 32], *known = map_get(&n->sites, site);

	if (!known) {
		put_site(n, site, text, sizeof(text));
		known = mem_strdup(text);
		map_put(&n->sites, site, known);
	}
	return known;
}

static const char *put_memory(struct naming *n, const struct program_lock *lock, char *buf,
			      size_t len)
{
	const char *likely = lock->likely ? " (probably)" : "";

	if (lock->memory == PROGRAM_STACK) {
		snprintf(buf, len, "stack of %s%s", lock->thread, likely);
		return "stack";
	}
	if (lock->memory == PROGRAM_THREAD) {
		snprintf(buf, len, "thread-local memory of %s%s", lock->thread, likely);
		return "thread";
	}
	snprintf(buf, len, "heap, %s in %s", lock->init ? "initialised" : "first taken",
		 get_site(n, lock->site));
	return "heap";
}

/* --- the file ------------------------------------------------------------- */

/* No character may end a column. */
static void put_class(FILE *f, const char *class)
{
	char clean[CLASS_LEN];

	visible_copy(clean, sizeof(clean), class);
	fputs(clean, f);
}

static void put(struct naming *n, FILE *f, const struct program_lock *lock)
{
	unsigned int types = 1;
	const char *kind = "data";
	char class[CLASS_LEN];
	struct place p;

	if (find_place(n, lock->addr, false, &p)) {
		put_variable(n, &p, class, sizeof(class));
	} else {
		kind = put_memory(n, lock, class, sizeof(class));
		types = lock->memory == PROGRAM_HEAP && lock->sites > 1 ? lock->sites : 1;
	}
	fprintf(f, "0x%" PRIx64 "\t%s\t%u\t-\t", lock->addr, kind, types);
	put_class(f, class);
	fputc('\n', f);
}

static void free_files(struct naming *n)
{
	struct map_slot *slot;

	map_for_each(&n->files, slot) {
		struct file *file = slot->value;

		debug_file_close(file->debug);
		mem_free(file);
	}
	map_free(&n->files);
	map_for_each(&n->sites, slot)
		mem_free(slot->value);
	map_free(&n->sites);
}

void program_locks_put(FILE *f, const char *dir, const struct program_lock *locks, size_t count,
		       double seconds, struct program_locks_told *told)
{
	struct naming n = { .deadline = thread_seconds() + seconds, .told = told };

	*told = (struct program_locks_told){ 0 };
	n.programs = programs_open(dir);
	if (!n.programs)
		return;
	find_variables(&n, locks, count);
	for (size_t i = 0; i < count; i++)
		put(&n, f, &locks[i]);
	free_files(&n);
	programs_free(n.programs);
}
