// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Symbols: a sorted table over the text of kallsyms, searched by halving. */
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "base/array.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/scope.h"
#include "packed/fact.h"
#include "symbols/demangle.h"
#include "symbols/order.h"
#include "symbols/table.h"
#include "trace/session_file.h"
#include "trace/trace.h"

/*
 * kallsyms gives no sizes: a symbol reaches to the next one, but at most so far; an address
 * beyond that belongs to something else.
 */
#define MAX_OFFSET	(1u << 20)

static int compare_symbols(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	return symbols_order(x->addr, x->name, y->addr, y->name);
}

/* Control characters count as blanks, which saves a comparison per character. */
static bool is_graphic(char c)
{
	return (unsigned char)c > ' ';
}

/* Cuts the next word out of a line; NULL if there is none. */
static char *cut_word(char **line)
{
	char *word = *line, *end;

	while (*word && !is_graphic(*word))
		word++;
	for (end = word; is_graphic(*end); end++)
		;
	if (end == word)
		return NULL;
	*line = end;
	if (*end)
		*(*line)++ = '\0';
	return word;
}

/* An address of kallsyms: hexadecimal; strtoull() takes three times as long. */
static bool parse_address(const char *word, uint64_t *addr)
{
	uint64_t sum = 0;

	for (; *word; word++) {
		char c = *word | ' ';		/* in lower case */

		if (c >= '0' && c <= '9')
			sum = sum << 4 | (unsigned int)(c - '0');
		else if (c >= 'a' && c <= 'f')
			sum = sum << 4 | (unsigned int)(c - 'a' + 10);
		else
			return false;
	}
	*addr = sum;
	return true;
}

/* "ffffffff81000000 T _stext" or "ffffffffc0000000 t ext4_init	[ext4]" */
static void add_symbol(struct symbols *s, char *line, size_t *room)
{
	char *addr = cut_word(&line), *type = cut_word(&line);
	char *name = cut_word(&line), *module = cut_word(&line);
	struct symbol *sym;

	/* absolute ones are numbers, or offsets in a per-CPU area */
	if (!name || strchr("aA", *type))
		return;
	if (s->n == *room) {
		*room = *room ? *room * 2 : 1024;
		s->sym = mem_resize(s->sym, *room, sizeof(*s->sym));
	}
	sym = &s->sym[s->n];
	if (!parse_address(addr, &sym->addr))
		return;
	sym->name = name;
	sym->module = NULL;
	if (module && *module == '[') {
		sym->module = module + 1;
		module[strcspn(module, "]")] = '\0';
	}
	s->n++;
}

/* "ext4 1024000 1 - Live 0xffffffffc0000000 (E)" */
static void add_module(struct symbols *s, char *line, size_t *room)
{
	char *word[6];
	struct module *m;
	unsigned int i;

	for (i = 0; i < 6; i++) {
		word[i] = cut_word(&line);
		if (!word[i])
			return;
	}
	if (s->n_modules == *room) {
		*room = *room ? *room * 2 : 64;
		s->module = mem_resize(s->module, *room, sizeof(*s->module));
	}
	m = &s->module[s->n_modules++];
	m->name = word[0];
	m->start = strtoull(word[5], NULL, 16);
	m->end = m->start + strtoull(word[1], NULL, 10);
}

static char *load_lines(struct symbols *s, const char *path,
			void (*add)(struct symbols *s, char *line, size_t *room))
{
	char *text, *line, *rest;
	size_t room = 0;
	ssize_t len = packed_read_path(path, &text);

	if (len < 0) {
		errno = (int)-len;
		return NULL;
	}
	for (rest = text; (line = strsep(&rest, "\n"));)
		add(s, line, &room);
	return text;
}

static void sort_range(struct symbols *s, size_t from, size_t to)
{
	if (to - from > 1)
		qsort(&s->sym[from], to - from, sizeof(*s->sym), compare_symbols);
}

/*
 * The kernel's own symbols, which are most, come in the order of addresses: only names of
 * the same address need sorting. Symbols of modules follow.
 */
static void sort(struct symbols *s)
{
	size_t from = 0, i;

	for (i = 1; i < s->n && s->sym[i].addr >= s->sym[from].addr; i++) {
		if (s->sym[i].addr > s->sym[from].addr) {
			sort_range(s, from, i);
			from = i;
		}
	}
	sort_range(s, from, i);
	sort_range(s, i, s->n);
	if (i < s->n && compare_symbols(&s->sym[i - 1], &s->sym[i]) > 0)
		sort_range(s, 0, s->n);
}

static bool all_zero(const struct symbols *s)
{
	size_t i;

	for (i = 0; i < s->n; i++) {
		if (s->sym[i].addr)
			return false;
	}
	return true;
}

static struct symbols *symbols_new(void)
{
	struct symbols *s = mem_zalloc(1, sizeof(*s));

	s->shown = mem_zalloc(1, sizeof(*s->shown));
	pthread_mutex_init(&s->shown->lock, NULL);
	s->inlined = mem_zalloc(1, sizeof(*s->inlined));
	return s;
}

struct symbols *symbols_load(const char *kallsyms, const char *modules)
{
	struct symbols *s = symbols_new();

	s->text = load_lines(s, kallsyms, add_symbol);
	if (!s->text) {
		warnx("no symbols: %s: %s; addresses are shown as numbers",
		      kallsyms, packed_why(-errno));
		if (!scope_now)
			warnx("--running-kernel takes the symbols of this kernel, --kallsyms FILE those of a file");
		goto err_free;
	}
	if (!s->n) {
		warnx("no symbols: there are none in %s; addresses are shown as numbers",
		      kallsyms);
		goto err_free;
	}
	if (all_zero(s)) {
		warnx("no symbols: all addresses in %s are 0; addresses are shown as numbers",
		      kallsyms);
		warnx("it was read without CAP_SYSLOG, or kernel.kptr_restrict is 2");
		goto err_free;
	}
	sort(s);
	if (modules)
		s->modules_text = load_lines(s, modules, add_module);
	return s;

err_free:
	symbols_free(s);
	return NULL;
}

/* Has it streams of programs, and none of CPUs? */
static bool is_of_programs(const char *dir)
{
	bool cpus = false, threads = false;
	const struct dirent *e;
	unsigned int number;
	DIR *d = opendir(dir);

	while (d && (e = readdir(d))) {
		if (!trace_stream_number(e->d_name, &number))
			continue;
		threads |= number >= TRACE_THREADS;
		cpus |= number < TRACE_THREADS;
	}
	if (d)
		closedir(d);
	return threads && !cpus;
}

struct symbols *symbols_open(const char *dir,
			     const struct symbols_options *options)
{
	static const struct symbols_options none;
	const struct symbols_options *o = options ? options : &none;
	struct lock_classes *locks = lock_classes_open(dir, o->mangled);
	struct lock_calls *calls = lock_calls_open(dir);
	struct programs *programs = programs_open(dir);
	char *own = mem_format("%s/" SESSION_SYMBOLS, dir);
	char *modules = mem_format("%s/" SESSION_MODULES, dir);
	struct symbols *s = NULL;

	/* a trace of programs alone has none of the kernel */
	if (o->running)
		s = symbols_load("/proc/kallsyms", "/proc/modules");
	else if (o->kallsyms || !access(own, F_OK) || (!programs && !is_of_programs(dir)))
		s = symbols_load(o->kallsyms ? o->kallsyms : own, modules);
	else if (!programs)
		warnx("no symbols: ft was stopped before it could write %s/%s; addresses are shown as numbers",
		      dir, SESSION_PROGRAMS);
	if (!s && (programs || locks || calls))
		s = symbols_new();
	if (s) {
		s->programs = programs;
		s->locks = locks;
		s->calls = calls;
		s->mangled = o->mangled;
	}
	mem_free(own);
	mem_free(modules);
	return s;
}

struct symbols *symbols_open_live(const struct symbols_options *options)
{
	struct symbols *s = options->kallsyms ? symbols_load(options->kallsyms, NULL) :
			    symbols_load("/proc/kallsyms", "/proc/modules");

	if (s)
		s->mangled = options->mangled;
	return s;
}

void symbols_share(struct symbols *s)
{
	if (s)
		s->shown->shared = true;
}

void symbols_free(struct symbols *s)
{
	struct map_slot *slot;

	if (!s)
		return;
	map_for_each(&s->shown->names, slot)
		mem_free(slot->value);
	map_free(&s->shown->names);
	pthread_mutex_destroy(&s->shown->lock);
	mem_free(s->shown);
	if (s->inlined->known)
		s->inlined->close(s->inlined->known);
	mem_free(s->inlined);
	programs_free(s->programs);
	lock_classes_free(s->locks);
	lock_calls_free(s->calls);
	mem_free(s->text);
	mem_free(s->modules_text);
	mem_free(s->sym);
	mem_free(s->module);
	mem_free(s);
}

uint32_t symbols_pid(const struct symbols *s, uint64_t addr)
{
	return s ? programs_pid(s->programs, addr) : 0;
}

uint64_t symbols_pid_namespace(const struct symbols *s, uint64_t addr)
{
	return s ? programs_namespace(s->programs, addr) : 0;
}

const struct lock_classes *symbols_locks(const struct symbols *s)
{
	return s ? s->locks : NULL;
}

const struct lock_calls *symbols_lock_calls(const struct symbols *s)
{
	return s ? s->calls : NULL;
}

static bool in_module(const struct symbols *s, const char *name, uint64_t addr)
{
	size_t i;

	for (i = 0; i < s->n_modules; i++) {
		if (!strcmp(s->module[i].name, name) && s->module[i].start)
			return addr >= s->module[i].start &&
			       addr < s->module[i].end;
	}
	return true;	/* not listed: not known better */
}

/* The last symbol that is not above an address and reaches to it. */
static const struct symbol *find(const struct symbols *s, uint64_t addr,
				 bool call)
{
	size_t low = array_first(s->n, i, s->sym[i].addr <= addr);
	const struct symbol *sym;

	if (!low)
		return NULL;
	sym = &s->sym[low - 1];
	if (addr - sym->addr >= MAX_OFFSET ||
	    (!strcmp(sym->name, "_end") && !sym->module))
		return NULL;
	/* the data of a module may lie outside of its range in /proc/modules */
	if (call && sym->module && !in_module(s, sym->module, addr))
		return NULL;
	return sym;
}

const char *symbols_program_file(const struct symbols *s, uint64_t addr, uint64_t *at)
{
	bool has_symbols;

	return s && s->programs ? programs_file(s->programs, addr, at, &has_symbols) : NULL;
}

bool symbols_place(const struct symbols *s, uint64_t addr, bool call,
		   struct symbols_place *place)
{
	const struct symbol *sym = NULL;

	if (s && s->programs && programs_is_address(addr))
		return programs_place(s->programs, addr, call, place);
	if (s && addr)
		sym = find(s, addr - call, call);
	if (!sym)
		return false;
	*place = (struct symbols_place){
		.name = sym->name,
		.module = sym->module,
		.offset = addr - sym->addr,
	};
	return true;
}

/* To the next one of another address, as far as find() goes. */
static struct symbols_range range_of(const struct symbols *s, size_t i)
{
	struct symbols_range range = { .low = s->sym[i].addr };
	size_t next = i + 1;

	range.high = range.low + MAX_OFFSET - 1;
	while (next < s->n && s->sym[next].addr == range.low)
		next++;
	if (next < s->n && s->sym[next].addr - 1 < range.high)
		range.high = s->sym[next].addr - 1;
	return range;
}

static void add_range(struct symbols_range **ranges, size_t *n,
		      struct symbols_range range)
{
	/* two names of one place, or one function after the other */
	if (*n && range.low <= (*ranges)[*n - 1].high) {
		(*ranges)[*n - 1].high = range.high;
		return;
	}
	*ranges = mem_resize(*ranges, *n + 1, sizeof(**ranges));
	(*ranges)[(*n)++] = range;
}

/* Splits "name+0x1f [module]" into its parts, from the end: "operator+" is a name. */
static void split_name(char *text, char **module, uint64_t *offset,
		       bool *has_offset)
{
	size_t len = strlen(text);
	char *plus;

	*module = NULL;
	*offset = 0;
	if (len && text[len - 1] == ']') {
		while (len && text[len] != '[')
			len--;
		if (len && text[len - 1] == ' ') {
			text[strlen(text) - 1] = '\0';
			text[len - 1] = '\0';
			*module = text + len + 1;
		}
	}
	plus = strrchr(text, '+');
	*has_offset = plus && !parse_u64(plus + 1, offset);
	if (*has_offset)
		*plus = '\0';
}

bool symbols_is(const char *have, const char *want, bool demangled)
{
	char text[DEMANGLE_LEN];

	if (!demangled)
		return !strcmp(have, want);
	return demangle(have, text, sizeof(text)) && !strcmp(text, want);
}

static size_t lookup(const struct symbols *s, const char *name,
		     const char *module, bool demangled,
		     struct symbols_range **ranges)
{
	size_t n = 0, i;

	if (s->programs)
		n = programs_lookup(s->programs, name, module, demangled, ranges);
	for (i = 0; i < s->n; i++) {
		const struct symbol *sym = &s->sym[i];

		if ((!module || (sym->module && !strcmp(sym->module, module))) &&
		    symbols_is(sym->name, name, demangled))
			add_range(ranges, &n, range_of(s, i));
	}
	return n;
}

/* One place in each range, where that is long enough. Return: how many. */
static size_t narrow(struct symbols_range *ranges, size_t n, uint64_t offset)
{
	size_t kept = 0, i;

	for (i = 0; i < n; i++) {
		uint64_t low = ranges[i].low + offset;

		if (offset <= ranges[i].high - ranges[i].low + 1)
			ranges[kept++] = (struct symbols_range){ low, low };
	}
	return kept;
}

/* "name+0x1f [module]", the name in whatever way it may be written */
static size_t lookup_name(const struct symbols *s, char *text,
			  struct symbols_range **ranges)
{
	bool has_offset;
	uint64_t offset;
	char *module;
	size_t n;

	split_name(text, &module, &offset, &has_offset);
	n = lookup(s, text, module, false, ranges);
	if (!n)
		n = lookup(s, text, module, true, ranges);
	return has_offset ? narrow(*ranges, n, offset) : n;
}

/* All locks of a class that no symbol is called after. */
static size_t lookup_class(const struct symbols *s, const char *name,
			   struct symbols_range **ranges)
{
	uint64_t *addrs;
	size_t n = lock_classes_lookup(s->locks, name, &addrs), i;

	*ranges = n ? mem_resize(*ranges, n, sizeof(**ranges)) : *ranges;
	for (i = 0; i < n; i++)
		(*ranges)[i] = (struct symbols_range){ addrs[i], addrs[i] };
	mem_free(addrs);
	return n;
}

size_t symbols_lookup(const struct symbols *s, const char *name,
		      struct symbols_range **ranges)
{
	char *text = mem_strdup(name), *owner = NULL;
	uint64_t addr;
	size_t n = 0;

	*ranges = NULL;
	if (s && s->programs)
		owner = programs_split(s->programs, text);
	if (s && s->programs && !parse_u64(text, &addr) && !(addr >> PROGRAMS_SHIFT))
		n = programs_addresses(s->programs, addr, ranges);
	else if (s)
		n = lookup_name(s, text, ranges);
	if (s && !n)
		n = lookup_class(s, name, ranges);
	if (owner)
		n = programs_keep(s->programs, owner, *ranges, n);
	mem_free(text);
	return n;
}

size_t symbols_match(const struct symbols *s, bool (*is)(const char *name),
		     struct symbols_range **ranges)
{
	size_t n = 0, i;

	*ranges = NULL;
	for (i = 0; s && i < s->n; i++) {
		if (is(s->sym[i].name))
			add_range(ranges, &n, range_of(s, i));
	}
	return n;
}
