// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A recording of programs: saves the files and symbols that name addresses, in
 * info/programs (see symbols/programs.h).
 *
 * The library enters the files that are loaded when the program starts. ft finds files
 * that come later (dlopen) in the process's list of mappings, while the process lives. It
 * reads the symbols at the end, from the files.
 */
#include <ctype.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/map.h"
#include "process/proc.h"
#include "record/program/lock_memory.h"
#include "record/program/locks.h"
#include "record/program/moved.h"
#include "record/program/run.h"

struct mapping {
	uint64_t	start, end, offset;
	const char	*path;
};

/*
 * What was last seen of a process. Reading its mappings is expensive: they are read only
 * when the process had new page faults, as a new mapping causes, or changed its size; and
 * every READ_AGAIN_SECONDS. They are entered only if the text changed.
 */
struct seen {
	unsigned long long	faults, size;
	double			read_again;
	uint64_t		hash, cut;
	bool			is_traced;	/* it has the session mapped */
};

#define READ_AGAIN_SECONDS	1.0

/* A look at the mappings of a process. All values are from before the mappings were read. */
struct look {
	__u32	process;
	__u32	objects;	/* number of entries, of all processes */
	__u64	time;
};

/* --- mappings of a process that runs -------------------------------------- */

static bool parse_mapping(char *line, struct mapping *m)
{
	char rights[8];
	int path = 0;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %*s %n",
		   &m->start, &m->end, rights, &m->offset, &path) < 4 ||
	    !path || line[path] != '/' || rights[2] != 'x')
		return false;
	m->path = line + path;
	return true;
}

/* Has the process, or an ancestor before it forked, already entered this mapping? */
static bool is_known(struct run *run, __u32 process, const struct mapping *m)
{
	__u32 n = run_objects(run);
	struct ft_user_process p;
	struct ft_user_object o;

	while (run_process(run, process, &p)) {
		/* the last entry for that place counts: loaded or unloaded */
		for (__u32 i = n; i-- > 0;) {
			if (run_object(run, i, &o) && o.process == process &&
			    m->start >= o.start && m->start < o.end)
				return !o.unloaded;
		}
		if (!p.parent)
			return false;
		n = p.inherited < n ? p.inherited : n;
		process = p.parent - 1;
	}
	return false;
}

/* libelf works only after elf_version() was called. */
static Elf *elf_open(int fd)
{
	return elf_version(EV_CURRENT) == EV_NONE ? NULL :
						    elf_begin(fd, ELF_C_READ, NULL);
}

/* Computes where the whole file is mapped from the place of its executable segment. */
static bool fill_object(struct ft_user_object *o, const struct mapping *m)
{
	int fd = open_if_regular(m->path);
	bool found = false;
	GElf_Phdr ph;
	size_t n = 0;
	Elf *elf;

	if (fd < 0)
		return false;
	elf = elf_open(fd);
	if (!elf || elf_getphdrnum(elf, &n))
		n = 0;
	o->start = UINT64_MAX;
	for (size_t i = 0; i < n && gelf_getphdr(elf, (int)i, &ph); i++) {
		if (ph.p_type != PT_LOAD)
			continue;
		if (m->offset == (ph.p_offset & ~4095ull) && (ph.p_flags & PF_X)) {
			o->bias = m->start - (ph.p_vaddr & ~4095ull);
			found = true;
		}
		if (ph.p_vaddr < o->start)
			o->start = ph.p_vaddr;
		if (ph.p_vaddr + ph.p_memsz > o->end)
			o->end = ph.p_vaddr + ph.p_memsz;
	}
	o->start += o->bias;
	o->end += o->bias;
	elf_end(elf);
	close(fd);
	return found;
}

/* Has the process entered a file since @look? An entry that is not ready may be its own. */
static bool has_told(struct run *run, const struct look *look, __u32 end)
{
	struct ft_user_object o;

	if (end < look->objects)
		return true;	/* a program has overwritten the number */
	for (__u32 i = look->objects; i < end && i < FT_SESSION_OBJECTS; i++) {
		if (!run_object(run, i, &o) || o.process == look->process)
			return true;
	}
	return false;
}

/*
 * The entries of a process are in the order in which it loaded and unloaded files. A
 * mapping that was read belongs behind the entries that existed before. It gets the next
 * entry; or none if the process has entered more since then, as it may have unloaded this
 * very file.
 *
 * Return: false: the mappings are out of date.
 */
static bool enter_mapping(struct run *run, struct look *look,
			  const struct mapping *m)
{
	struct ft_user_object object = {
		.process = look->process, .time = look->time,
	}, *o;
	__u32 i = look->objects;

	if (is_known(run, look->process, m) || !fill_object(&object, m))
		return true;
	snprintf(object.path, sizeof(object.path), "%s", m->path);
	while (i < FT_SESSION_OBJECTS &&
	       !__atomic_compare_exchange_n(&run->session->objects, &i, i + 1, false,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
		if (has_told(run, look, i))
			return false;
		look->objects = i;
	}
	if (i >= FT_SESSION_OBJECTS)
		return true;
	look->objects = i + 1;
	o = ft_session_object(run->session, i);
	*o = object;
	__atomic_store_n(&o->state, FT_ENTRY_READY, __ATOMIC_RELEASE);
	return true;
}

static bool enter_mappings(struct run *run, struct look *look, char *text)
{
	struct mapping m;
	char *line;

	while ((line = strsep(&text, "\n"))) {
		if (parse_mapping(line, &m) && !enter_mapping(run, look, &m))
			return false;
	}
	return true;
}

static struct seen *seen_of(struct run *run, __u32 process)
{
	struct seen *seen = map_get(&run->mappings, process);

	if (!seen) {
		seen = calloc(1, sizeof(*seen));
		if (seen)
			map_put(&run->mappings, process, seen);
	}
	return seen;
}

/* Notes the state before the mappings are read: a change in between is seen the next time. */
static bool may_be_new(struct seen *seen, const struct proc_stat *st, double now)
{
	if (st->size && st->size == seen->size && st->faults == seen->faults &&
	    now < seen->read_again)
		return false;
	seen->size = st->size;
	seen->faults = st->faults;
	seen->read_again = now + READ_AGAIN_SECONDS;
	return true;
}

static void read_mappings(struct run *run, struct look *look, struct seen *seen, pid_t pid)
{
	ssize_t len;
	char *text = proc_read(pid, "maps", &len);
	uint64_t hash;

	/* what is missing in those that break off may be the session */
	if (!text || !proc_maps_are_sure(text, len, &seen->cut)) {
		free(text);
		seen->read_again = 0;
		return;
	}
	hash = map_text_key(text, (size_t)len);
	seen->is_traced = strstr(text, FT_SESSION_MEMORY);
	if (seen->hash != hash)
		run_lock_mappings(run, look->process, text);
	if (seen->hash == hash || enter_mappings(run, look, text))
		seen->hash = hash;
	else	/* out of date: read it again the next time */
		seen->read_again = 0;
	free(text);
}

void run_objects_look(struct run *run, __u32 i, pid_t pid)
{
	struct look look = { .process = i, .objects = run_objects(run) };
	struct seen *seen = seen_of(run, i);
	struct proc_stat st;

	/* read after @objects: not earlier than the time of any entry before it */
	look.time = run_clock_now(&run->clock);
	if (!seen || !proc_stat(pid, 0, &st))
		return;
	if (may_be_new(seen, &st, monotonic_now()))
		read_mappings(run, &look, seen, pid);
	if (seen->is_traced)
		map_put(&run->traced, (uint64_t)pid, run);
}

/* --- symbols of files ----------------------------------------------------- */

struct line {
	uint64_t	addr, size;
	const char	*name;
};

static int compare_lines(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static bool is_wanted(const GElf_Sym *sym)
{
	unsigned int type = GELF_ST_TYPE(sym->st_info);

	return sym->st_shndx != SHN_UNDEF &&
	       (type == STT_FUNC || type == STT_OBJECT || type == STT_GNU_IFUNC);
}

static void put_symbols(FILE *f, Elf *elf, Elf_Scn *scn, const GElf_Shdr *sh)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	size_t n = sh->sh_entsize ? sh->sh_size / sh->sh_entsize : 0, k = 0;
	struct line *lines = calloc(n + 1, sizeof(*lines));

	for (size_t i = 0; lines && data && i < n; i++) {
		GElf_Sym sym;

		if (!gelf_getsym(data, (int)i, &sym) || !is_wanted(&sym))
			continue;
		lines[k].name = elf_strptr(elf, sh->sh_link, sym.st_name);
		if (!lines[k].name || !*lines[k].name ||
		    strpbrk(lines[k].name, "\t\n"))
			continue;
		lines[k].addr = sym.st_value;
		lines[k++].size = sym.st_size;
	}
	if (k)
		qsort(lines, k, sizeof(*lines), compare_lines);
	for (size_t i = 0; i < k; i++)
		fprintf(f, "%" PRIx64 "\t%" PRIx64 "\t%s\n", lines[i].addr,
			lines[i].size, lines[i].name);
	free(lines);
}

/* The full symbol table if there is one, else the table of exported symbols. */
static void put_file(FILE *f, const char *path)
{
	int fd = open_if_regular(path);
	Elf_Scn *scn = NULL, *best = NULL;
	GElf_Shdr sh, best_sh = { 0 };
	Elf *elf;

	if (fd < 0)
		return;
	elf = elf_open(fd);
	while (elf && (scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, &sh) ||
		    (sh.sh_type != SHT_SYMTAB &&
		     (sh.sh_type != SHT_DYNSYM || best)))
			continue;
		best = scn;
		best_sh = sh;
	}
	if (best)
		put_symbols(f, elf, best, &best_sh);
	elf_end(elf);
	close(fd);
}

/* --- the file ------------------------------------------------------------- */

/* Replaces control characters: they would end a field, or a terminal would obey them. */
static void put_clean(FILE *f, const char *text)
{
	for (; *text; text++)
		fputc(iscntrl((unsigned char)*text) ? '?' : *text, f);
}

static void put_processes(FILE *f, struct run *run)
{
	__u32 n = run_processes(run);
	struct ft_user_process p;

	for (__u32 i = 0; i < n && i < FT_TAG_MAX; i++) {
		if (!run_process(run, i, &p))
			continue;
		fprintf(f, "process\t%u\t%d\t%u\t%u\t", i + 1, p.pid, p.parent,
			p.inherited);
		put_clean(f, p.comm);
		fprintf(f, "\nnamespace\t%u\t%llu\n", i + 1, p.pidns);
	}
}

/* Writes a file before its first object. Return: its number + 1. */
static uintptr_t put_file_once(FILE *f, const char *path, struct map *numbers)
{
	uint64_t key = map_text_key(path, strlen(path));
	uintptr_t number = (uintptr_t)map_get(numbers, key);

	if (number)
		return number;
	number = numbers->used + 1;
	map_put(numbers, key, (void *)number);
	fprintf(f, "file\t%zu\t", (size_t)number - 1);
	put_clean(f, path);
	fputc('\n', f);
	put_file(f, path);
	return number;
}

static void put_objects(FILE *f, const struct run_lives *lives)
{
	struct map numbers = { 0 };

	for (size_t i = 0; i < lives->n; i++) {
		const struct run_life *l = &lives->life[i];
		uintptr_t file;

		if (l->again || l->process >= FT_TAG_MAX)
			continue;
		file = put_file_once(f, l->path, &numbers);
		fprintf(f, "object\t%u\t%u\t%llx\t%llx\t%llx\t%zu\n", l->from,
			l->process + 1, l->start + l->shift, l->end + l->shift,
			l->bias + l->shift, (size_t)file - 1);
	}
	map_free(&numbers);
}

bool run_objects_save(struct run *run)
{
	struct run_lives lives = { 0 };
	char *text = NULL;
	size_t len;
	FILE *f;
	bool ok;

	f = open_memstream(&text, &len);
	if (!f) {
		warn("no memory for the symbols");
		return false;
	}
	put_processes(f, run);
	/* only events of locks and of the heap have marked addresses, which need names */
	ok = !run_preloads(run) || run_lives_find(run, &lives);
	put_objects(f, &lives);
	ok = !fclose(f) && ok &&
	     /* it may be shared with another part: see run_objects_link() */
	     (record_dir_holds(run->dir, SESSION_PROGRAMS, text, len) ||
	      record_dir_replace(run->dir, SESSION_PROGRAMS, text, len)) &&
	     run_moved_save(run, &lives);
	if (ok)
		run_locks_save(run, &lives);
	run_lives_free(&lives);
	free(text);
	return ok;
}

bool run_objects_link(struct run *run, const struct record_dir *all, const char *part)
{
	char path[64];

	snprintf(path, sizeof(path), "%s/" SESSION_PROGRAMS, part);
	record_dir_unlink(run->dir, SESSION_PROGRAMS);
	return !linkat(all->fd, path, run->dir->fd, SESSION_PROGRAMS, 0);
}

bool run_objects_share(struct run *run, const struct record_dir *all, const char *part)
{
	struct run_lives lives = { 0 };
	bool ok;

	if (!run_objects_link(run, all, part))
		return false;
	ok = !run_preloads(run) || (run_lives_find(run, &lives) && run_moved_save(run, &lives));
	if (ok)
		run_locks_save(run, &lives);
	run_lives_free(&lives);
	return ok;
}

bool run_tasks_save(struct run *run)
{
	struct map_slot *slot;
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);
	bool ok;

	if (!f) {
		warn("no memory for the names of threads");
		return false;
	}
	map_for_each(&run->tasks, slot) {
		fprintf(f, "%" PRIu64 "\t", slot->key);
		put_clean(f, slot->value);
		fputc('\n', f);
	}
	ok = !fclose(f) && record_dir_replace(run->dir, SESSION_TASKS, text, len);
	free(text);
	return ok;
}
