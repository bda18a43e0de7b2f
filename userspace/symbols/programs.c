// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Names of addresses in programs: see programs.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/mem.h"
#include "base/number.h"
#include "packed/fact.h"
#include "symbols/programs.h"
#include "trace/session_file.h"

/* A symbol without a size reaches to the next one, but no further than this. */
#define MAX_REACH	(64u << 10)
#define TAGS		0x8000u

struct prog_symbol {
	uint64_t	addr, size;
	const char	*name;
};

struct prog_file {
	const char		*path, *name;	/* @name: without directories */
	struct prog_symbol	*sym;
	size_t			n, room;
};

struct prog_object {
	uint64_t	index, start, end, bias;
	unsigned int	file;
};

struct prog_process {
	bool			known;
	uint64_t		pid, namespace, parent, inherited;
	const char		*name;
	struct prog_object	*object;
	size_t			n;
};

struct programs {
	char			*text;
	struct prog_process	*process;	/* by tag */
	unsigned int		n_processes;
	struct prog_file	*file;
	size_t			n_files;
};

/* Cuts a line into words at tabs. Return: how many. */
static unsigned int cut(char *line, char **word, unsigned int max)
{
	unsigned int n = 0;

	while (n < max && (word[n] = strsep(&line, "\t")))
		n++;
	return n;
}

static bool numbers(char **word, unsigned int n, int base, uint64_t *value)
{
	for (unsigned int i = 0; i < n; i++) {
		char *end;

		value[i] = strtoull(word[i], &end, base);
		if (end == word[i] || *end)
			return false;
	}
	return true;
}

static void add_process(struct programs *p, char **word)
{
	struct prog_process *process;
	uint64_t v[4];

	if (!numbers(word, 4, 10, v) || !v[0] || v[0] >= TAGS)
		return;
	process = &p->process[v[0]];
	process->known = true;
	process->pid = v[1];
	/* parents come first, so a walk to the parents ends */
	process->parent = v[2] < v[0] ? v[2] : 0;
	process->inherited = v[3];
	process->name = word[4];
	p->n_processes++;
}

static void add_namespace(struct programs *p, char **word)
{
	uint64_t v[2];

	if (numbers(word, 2, 10, v) && v[0] && v[0] < TAGS)
		p->process[v[0]].namespace = v[1];
}

static void add_file(struct programs *p, char **word)
{
	const char *slash = strrchr(word[1], '/');
	uint64_t number;

	if (!numbers(word, 1, 10, &number) || number != p->n_files)
		return;
	p->file = mem_resize(p->file, p->n_files + 1, sizeof(*p->file));
	p->file[p->n_files++] = (struct prog_file){
		.path = word[1], .name = slash ? slash + 1 : word[1],
	};
}

static void add_symbol(struct programs *p, char **word)
{
	struct prog_file *file;
	uint64_t v[2];

	if (!p->n_files || !numbers(word, 2, 16, v))
		return;
	file = &p->file[p->n_files - 1];
	if (file->n == file->room) {
		file->room = file->room ? file->room * 2 : 256;
		file->sym = mem_resize(file->sym, file->room, sizeof(*file->sym));
	}
	file->sym[file->n++] = (struct prog_symbol){ v[0], v[1], word[2] };
}

static void add_object(struct programs *p, char **word)
{
	struct prog_process *process;
	uint64_t head[2], at[3], file;

	if (!numbers(word, 2, 10, head) || !numbers(word + 2, 3, 16, at) ||
	    !numbers(word + 5, 1, 10, &file) || !head[1] || head[1] >= TAGS ||
	    file >= p->n_files)
		return;
	process = &p->process[head[1]];
	process->object = mem_resize(process->object, process->n + 1,
				     sizeof(*process->object));
	process->object[process->n++] = (struct prog_object){
		head[0], at[0], at[1], at[2], (unsigned int)file
	};
}

static void add_line(struct programs *p, char *line)
{
	char *word[7];
	unsigned int n = cut(line, word, 7);

	if (n == 6 && !strcmp(word[0], "process"))
		add_process(p, word + 1);
	else if (n == 7 && !strcmp(word[0], "object"))
		add_object(p, word + 1);
	else if (n == 3 && !strcmp(word[0], "file"))
		add_file(p, word + 1);
	else if (n == 3 && !strcmp(word[0], "namespace"))
		add_namespace(p, word + 1);
	else if (n == 3)
		add_symbol(p, word);
}

static int compare_symbols(const void *a, const void *b)
{
	const struct prog_symbol *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return strcmp(y->name, x->name);
}

struct programs *programs_open(const char *dir)
{
	char *text = packed_visible_file(dir, SESSION_PROGRAMS), *line, *rest;
	struct programs *p;

	if (!text)
		return NULL;
	p = mem_zalloc(1, sizeof(*p));
	p->text = text;
	p->process = mem_zalloc(TAGS, sizeof(*p->process));
	for (rest = p->text; (line = strsep(&rest, "\n"));)
		add_line(p, line);
	for (size_t i = 0; i < p->n_files; i++) {
		if (p->file[i].n)
			qsort(p->file[i].sym, p->file[i].n,
			      sizeof(*p->file[i].sym), compare_symbols);
	}
	return p;
}

void programs_free(struct programs *p)
{
	if (!p)
		return;
	for (unsigned int i = 0; i < TAGS; i++)
		mem_free(p->process[i].object);
	for (size_t i = 0; i < p->n_files; i++)
		mem_free(p->file[i].sym);
	mem_free(p->process);
	mem_free(p->file);
	mem_free(p->text);
	mem_free(p);
}

/* The latest object at an address: earlier ones there were unmapped. */
static const struct prog_object *find_object(const struct programs *p,
					     uint64_t tag, uint64_t addr)
{
	uint64_t before = UINT64_MAX;

	while (tag) {
		const struct prog_process *process = &p->process[tag];

		for (size_t i = process->n; i-- > 0;) {
			const struct prog_object *o = &process->object[i];

			if (o->index < before && addr >= o->start &&
			    addr < o->end)
				return o;
		}
		if (process->inherited < before)
			before = process->inherited;
		tag = process->parent;
	}
	return NULL;
}

static const struct prog_symbol *find_symbol(const struct prog_file *f,
					     uint64_t addr)
{
	size_t low = array_first(f->n, i, f->sym[i].addr <= addr);

	/* of several names for a place the last that reaches far enough */
	while (low-- > 0) {
		const struct prog_symbol *s = &f->sym[low];

		if (addr - s->addr < (s->size ? s->size : MAX_REACH))
			return s;
		if (s->addr != f->sym[low ? low - 1 : 0].addr)
			break;
	}
	return NULL;
}

bool programs_place(const struct programs *p, uint64_t addr, bool call,
		    struct symbols_place *place)
{
	uint64_t at = (addr & PROGRAMS_MASK) - call;
	const struct prog_object *o;
	const struct prog_symbol *s;

	if (!p || !programs_is_address(addr))
		return false;
	o = find_object(p, addr >> PROGRAMS_SHIFT, at);
	if (!o)
		return false;
	s = find_symbol(&p->file[o->file], at - o->bias);
	*place = (struct symbols_place){
		.name = s ? s->name : NULL,
		.module = p->file[o->file].name,
		.offset = at + call - o->bias - (s ? s->addr : 0),
	};
	return true;
}

const char *programs_file(const struct programs *p, uint64_t addr, uint64_t *at, bool *symbols)
{
	const struct prog_object *o;

	if (!p || !programs_is_address(addr))
		return NULL;
	o = find_object(p, addr >> PROGRAMS_SHIFT, addr & PROGRAMS_MASK);
	if (!o)
		return NULL;
	*at = (addr & PROGRAMS_MASK) - o->bias;
	*symbols = p->file[o->file].n;
	return p->file[o->file].path;
}

uint32_t programs_pid(const struct programs *p, uint64_t addr)
{
	uint64_t tag = addr >> PROGRAMS_SHIFT;

	if (!p || !programs_is_address(addr) || !p->process[tag].known ||
	    p->process[tag].pid > INT32_MAX)
		return 0;
	return (uint32_t)p->process[tag].pid;
}

uint64_t programs_namespace(const struct programs *p, uint64_t addr)
{
	return p && programs_is_address(addr) ? p->process[addr >> PROGRAMS_SHIFT].namespace : 0;
}

uint64_t programs_tagged(const struct programs *p, uint32_t pid, uint64_t addr)
{
	uint64_t tag = TAGS;

	while (p && addr <= PROGRAMS_MASK && --tag) {
		if (p->process[tag].known && p->process[tag].pid == pid)
			return tag << PROGRAMS_SHIFT | addr;
	}
	return addr;
}

void programs_process(const struct programs *p, uint64_t addr, char *buf,
		      size_t len)
{
	const struct prog_process *process = &p->process[addr >> PROGRAMS_SHIFT];

	if (p->n_processes > 1 && process->known)
		snprintf(buf, len, " {%s %" PRIu64 "}", process->name, process->pid);
	else
		*buf = '\0';
}

void programs_number(const struct programs *p, uint64_t addr, char *buf,
		     size_t len)
{
	char process[PROGRAMS_PROCESS_LEN];

	programs_process(p, addr, process, sizeof(process));
	snprintf(buf, len, "0x%" PRIx64 "%s", addr & PROGRAMS_MASK, process);
}

static void add_range(struct symbols_range **ranges, size_t *n, uint64_t low, uint64_t high)
{
	*ranges = mem_resize(*ranges, *n + 1, sizeof(**ranges));
	(*ranges)[(*n)++] = (struct symbols_range){ low, high };
}

/* "0xc3a0 [file]", as code without a symbol is shown: a return address may be at the end */
static void add_place(const struct prog_object *o, uint64_t tag, uint64_t offset,
		      struct symbols_range **ranges, size_t *n)
{
	uint64_t at = o->bias + offset;

	if (at >= o->start && at <= o->end)
		add_range(ranges, n, tag << PROGRAMS_SHIFT | at, tag << PROGRAMS_SHIFT | at);
}

static void add_ranges(const struct programs *p, const struct prog_object *o,
		       uint64_t tag, const char *name, bool demangled,
		       struct symbols_range **ranges, size_t *n)
{
	const struct prog_file *f = &p->file[o->file];

	for (size_t i = 0; i < f->n; i++) {
		uint64_t low = (tag << PROGRAMS_SHIFT) + f->sym[i].addr + o->bias;

		if (!symbols_is(f->sym[i].name, name, demangled))
			continue;
		add_range(ranges, n, low, low + (f->sym[i].size ? f->sym[i].size - 1 : 0));
	}
}

size_t programs_lookup(const struct programs *p, const char *name,
		       const char *module, bool demangled,
		       struct symbols_range **ranges)
{
	uint64_t offset;
	bool is_place = module && !parse_u64(name, &offset);
	size_t n = 0;

	for (uint64_t tag = 1; p && tag < TAGS; tag++) {
		uint64_t before = UINT64_MAX;

		if (!p->process[tag].known)
			continue;
		for (uint64_t from = tag; from; from = p->process[from].parent) {
			const struct prog_process *process = &p->process[from];

			for (size_t i = 0; i < process->n; i++) {
				const struct prog_object *o = &process->object[i];

				if (o->index >= before ||
				    (module && strcmp(module, p->file[o->file].name)))
					continue;
				if (is_place)
					add_place(o, tag, offset, ranges, &n);
				else
					add_ranges(p, o, tag, name, demangled, ranges, &n);
			}
			if (process->inherited < before)
				before = process->inherited;
		}
	}
	return n;
}

size_t programs_addresses(const struct programs *p, uint64_t addr,
			  struct symbols_range **ranges)
{
	size_t n = 0;

	for (uint64_t tag = 1; tag < TAGS; tag++) {
		uint64_t at = tag << PROGRAMS_SHIFT | addr;

		if (!p->process[tag].known)
			continue;
		*ranges = mem_resize(*ranges, n + 1, sizeof(**ranges));
		(*ranges)[n++] = (struct symbols_range){ at, at };
	}
	return n;
}

char *programs_split(const struct programs *p, char *text)
{
	char owner[PROGRAMS_PROCESS_LEN];
	size_t len = strlen(text), n;

	if (!len || text[len - 1] != '}')
		return NULL;
	for (uint64_t tag = 1; tag < TAGS; tag++) {
		programs_process(p, tag << PROGRAMS_SHIFT, owner, sizeof(owner));
		n = strlen(owner);
		if (!n || n >= len || strcmp(text + len - n, owner))
			continue;
		text[len - n] = '\0';
		return text + len - n + 1;
	}
	return NULL;
}

size_t programs_keep(const struct programs *p, const char *owner,
		     struct symbols_range *ranges, size_t n)
{
	char have[PROGRAMS_PROCESS_LEN];
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		if (!programs_is_address(ranges[i].low))
			continue;
		programs_process(p, ranges[i].low, have, sizeof(have));
		if (*have && !strcmp(have + 1, owner))
			ranges[kept++] = ranges[i];
	}
	return kept;
}
