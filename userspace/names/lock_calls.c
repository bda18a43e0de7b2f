// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Searches code for calls of lock functions: see lock_calls.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "names/lock_calls.h"
#include "trace/lock_calls.h"

#define CHUNK		(64u << 10)
#define CODE_MAX	(256u << 20)	/* of the kernel, and of a module: more is none */

/* CALL rel32: the distance of the function from the next instruction. */
#define CALL		0xe8
#define CALL_LEN	5u

struct function {
	uint64_t	addr;
	const char	*name;
	uint64_t	*site;
	size_t		n, room;
};

struct scan {
	const struct kcore	*kcore;
	struct function		*function;	/* by address */
	size_t			n;
	unsigned char		buf[CHUNK];
};

static void add_site(struct function *f, uint64_t site)
{
	if (f->n == f->room) {
		f->room = f->room ? 2 * f->room : 64;
		f->site = mem_resize(f->site, f->room, sizeof(*f->site));
	}
	f->site[f->n++] = site;
}

static struct function *find(struct scan *s, uint64_t addr)
{
	size_t low = 0, high = s->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (s->function[mid].addr < addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low < s->n && s->function[low].addr == addr ? &s->function[low] : NULL;
}

/* @len bytes of code, which are at @addr. */
static void scan_chunk(struct scan *s, uint64_t addr, size_t len)
{
	const unsigned char *p = s->buf, *end = s->buf + len;
	struct function *f;
	int32_t distance;
	uint64_t next;

	while ((size_t)(end - p) >= CALL_LEN &&
	       (p = memchr(p, CALL, (size_t)(end - p) - (CALL_LEN - 1)))) {
		memcpy(&distance, p + 1, sizeof(distance));
		next = addr + (size_t)(p - s->buf) + CALL_LEN;
		f = find(s, next + (uint64_t)(int64_t)distance);
		if (f)
			add_site(f, next);
		p++;
	}
}

/* Chunks overlap by less than a call; what cannot be read is left out. */
static void scan_code(struct scan *s, uint64_t start, uint64_t len)
{
	uint64_t at, part;

	for (at = 0; at + CALL_LEN <= len; at += CHUNK - (CALL_LEN - 1)) {
		part = len - at < CHUNK ? len - at : CHUNK;
		if (kcore_read(s->kcore, start + at, s->buf, part))
			scan_chunk(s, start + at, part);
	}
}

/* "ext4 1024000 1 - Live 0xffffffffc0000000" */
static void scan_modules(struct scan *s)
{
	char *text, *line, *rest;
	uint64_t size, addr;

	if (read_path("/proc/modules", &text) < 0)
		return;
	for (rest = text; (line = strsep(&rest, "\n"));) {
		if (sscanf(line, "%*s %" SCNu64 " %*s %*s %*s 0x%" SCNx64, &size, &addr) == 2 &&
		    addr && size <= CODE_MAX)
			scan_code(s, addr, size);
	}
	mem_free(text);
}

static int compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void put(FILE *f, struct function *function)
{
	uint64_t last = 0;

	if (!function->n)
		return;
	qsort(function->site, function->n, sizeof(*function->site), compare);
	fprintf(f, "%s\t", function->name);
	for (size_t i = 0; i < function->n; i++) {
		uint64_t site = function->site[i];

		if (!last)
			fprintf(f, "0x%" PRIx64, site);
		else if (site != last)
			fprintf(f, "\t%" PRIx64, site - last);
		last = site;
	}
	fputc('\n', f);
}

/* Symbols are in the order of addresses, and so are functions. */
static void find_functions(struct scan *s, const struct kernel_symbols *symbols)
{
	s->function = mem_zalloc(symbols->n + 1, sizeof(*s->function));
	for (size_t i = 0; i < symbols->n; i++) {
		const struct kernel_symbol *symbol = &symbols->symbol[i];

		if (!symbol->module && lock_call_flags(symbol->name))
			s->function[s->n++] = (struct function){ .addr = symbol->addr,
							      .name = symbol->name };
	}
}

char *lock_calls_text(const struct kcore *k, const struct kernel_symbols *symbols, size_t *len)
{
	struct scan *s = mem_zalloc(1, sizeof(*s));
	uint64_t start, end;
	char *text = NULL;
	FILE *f = open_memstream(&text, len);

	s->kcore = k;
	find_functions(s, symbols);
	if (kernel_symbols_value(symbols, "_stext", &start) &&
	    kernel_symbols_value(symbols, "_etext", &end) && end - start <= CODE_MAX)
		scan_code(s, start, end - start);
	scan_modules(s);
	if (f) {
		fprintf(f, LOCK_CALLS_HEAD "\n");
		for (size_t i = 0; i < s->n; i++)
			put(f, &s->function[i]);
		if (fclose(f)) {
			free(text);
			text = NULL;
		}
	}
	for (size_t i = 0; i < s->n; i++)
		mem_free(s->function[i].site);
	mem_free(s->function);
	mem_free(s);
	return text;
}
