// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Searches code for calls of lock functions: see lock_calls.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/file.h"
#include "base/mem.h"
#include "names/lock_calls.h"
#include "trace/lock_calls.h"

#define CHUNK		(64u << 10)
#define CODE_MAX	(256u << 20)	/* of the kernel, and of a module: more is none */

/* CALL rel32: the distance of the function from the next instruction. */
#define CALL		0xe8
#define CALL_LEN	5u

/* The kernel's own code stays as it is, modules come and go. */
enum code { KERNEL, MODULES, CODES };

struct sites {
	uint64_t	*site;
	size_t		n, room;
};

struct function {
	uint64_t	addr;
	const char	*name;
	struct sites	sites[CODES];
};

struct lock_call_sites {
	const struct kcore	*kcore;
	struct function		*function;	/* by address */
	size_t			n;
	enum code		code;		/* that is searched */
	unsigned char		buf[CHUNK];
};

static void add_site(struct sites *s, uint64_t site)
{
	if (s->n == s->room) {
		s->room = s->room ? 2 * s->room : 64;
		s->site = mem_resize(s->site, s->room, sizeof(*s->site));
	}
	s->site[s->n++] = site;
}

static struct function *find(struct lock_call_sites *c, uint64_t addr)
{
	size_t low = array_first(c->n, i, c->function[i].addr < addr);

	return low < c->n && c->function[low].addr == addr ? &c->function[low] : NULL;
}

/* @len bytes of code, which are at @addr. */
static void scan_chunk(struct lock_call_sites *c, uint64_t addr, size_t len)
{
	const unsigned char *p = c->buf, *end = c->buf + len;
	struct function *f;
	int32_t distance;
	uint64_t next;

	while ((size_t)(end - p) >= CALL_LEN &&
	       (p = memchr(p, CALL, (size_t)(end - p) - (CALL_LEN - 1)))) {
		memcpy(&distance, p + 1, sizeof(distance));
		next = addr + (size_t)(p - c->buf) + CALL_LEN;
		f = find(c, next + (uint64_t)(int64_t)distance);
		if (f)
			add_site(&f->sites[c->code], next);
		p++;
	}
}

/* Chunks overlap by less than a call; what cannot be read is left out. */
static void scan_code(struct lock_call_sites *c, uint64_t start, uint64_t len)
{
	uint64_t at, part;

	for (at = 0; at + CALL_LEN <= len; at += CHUNK - (CALL_LEN - 1)) {
		part = len - at < CHUNK ? len - at : CHUNK;
		if (kcore_read(c->kcore, start + at, c->buf, part))
			scan_chunk(c, start + at, part);
	}
}

/* "ext4 1024000 1 - Live 0xffffffffc0000000" */
static void scan_modules(struct lock_call_sites *c)
{
	char *text, *line, *rest;
	uint64_t size, addr;

	if (read_path("/proc/modules", &text) < 0)
		return;
	for (rest = text; (line = strsep(&rest, "\n"));) {
		if (sscanf(line, "%*s %" SCNu64 " %*s %*s %*s 0x%" SCNx64, &size, &addr) == 2 &&
		    addr && size <= CODE_MAX)
			scan_code(c, addr, size);
	}
	mem_free(text);
}

static int compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void sort(struct sites *s)
{
	if (s->n)
		qsort(s->site, s->n, sizeof(*s->site), compare);
}

/* Return: the lowest site left in both lists, whose next ones are at @at; 0: none */
static uint64_t next_site(const struct function *f, size_t at[CODES])
{
	const struct sites *k = &f->sites[KERNEL], *m = &f->sites[MODULES];

	if (at[KERNEL] < k->n &&
	    (at[MODULES] == m->n || k->site[at[KERNEL]] < m->site[at[MODULES]]))
		return k->site[at[KERNEL]++];
	return at[MODULES] < m->n ? m->site[at[MODULES]++] : 0;
}

static void put(FILE *f, const struct function *function)
{
	size_t at[CODES] = { 0 };
	uint64_t last = next_site(function, at), site;

	if (!last)
		return;
	fprintf(f, "%s\t0x%" PRIx64, function->name, last);
	for (; (site = next_site(function, at)); last = site) {
		if (site != last)
			fprintf(f, "\t%" PRIx64, site - last);
	}
	fputc('\n', f);
}

/* Symbols are in the order of addresses, and so are functions. */
static void find_functions(struct lock_call_sites *c, const struct kernel_symbols *symbols)
{
	c->function = mem_zalloc(symbols->n + 1, sizeof(*c->function));
	for (size_t i = 0; i < symbols->n; i++) {
		const struct kernel_symbol *symbol = &symbols->symbol[i];

		if (!symbol->module && lock_call_flags(symbol->name))
			c->function[c->n++] = (struct function){ .addr = symbol->addr,
							      .name = symbol->name };
	}
}

struct lock_call_sites *lock_call_sites_new(const struct kcore *k,
					    const struct kernel_symbols *symbols)
{
	struct lock_call_sites *c = mem_zalloc(1, sizeof(*c));
	uint64_t start, end;

	c->kcore = k;
	find_functions(c, symbols);
	if (kernel_symbols_value(symbols, "_stext", &start) &&
	    kernel_symbols_value(symbols, "_etext", &end) && end - start <= CODE_MAX)
		scan_code(c, start, end - start);
	for (size_t i = 0; i < c->n; i++)
		sort(&c->function[i].sites[KERNEL]);
	c->code = MODULES;
	return c;
}

void lock_call_sites_put(struct lock_call_sites *c, FILE *f)
{
	for (size_t i = 0; i < c->n; i++)
		c->function[i].sites[MODULES].n = 0;
	scan_modules(c);
	fprintf(f, LOCK_CALLS_HEAD "\n");
	for (size_t i = 0; i < c->n; i++) {
		sort(&c->function[i].sites[MODULES]);
		put(f, &c->function[i]);
	}
}
