// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Copies of /proc/kallsyms and /proc/modules, as they stand now. */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "record/kernel/system.h"
#include "trace/session_file.h"

struct symbol {
	uint64_t	address;
	const char	*line;		/* including its newline */
	size_t		len;
};

static int compare_symbols(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	/* equal addresses keep the kernel's order: all lines are in one text */
	return x->line < y->line ? -1 : x->line > y->line;
}

static ssize_t read_proc(const char *path, char **text)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = read_file_full(fd, text);
	close(fd);
	return n;
}

static size_t count_lines(const char *text, size_t len)
{
	size_t n = 0;

	for (const char *end = text + len; text < end; n++) {
		text = memchr(text, '\n', end - text);
		if (!text)
			break;
		text++;
	}
	return n;
}

/* Splits the text into whole lines. Return: how many. */
static size_t split_symbols(const char *text, size_t len, struct symbol *symbol)
{
	const char *end = text + len, *newline;
	size_t n = 0;

	while (text < end && (newline = memchr(text, '\n', end - text))) {
		symbol[n].address = strtoull(text, NULL, 16);
		symbol[n].line = text;
		symbol[n].len = newline + 1 - text;
		n++;
		text = newline + 1;
	}
	return n;
}

/* The kernel's own symbols come first, in order. Return: how many are. */
static size_t in_order(const struct symbol *symbol, size_t n)
{
	size_t i = 1;

	while (i < n && compare_symbols(&symbol[i - 1], &symbol[i]) < 0)
		i++;
	return i < n ? i : n;
}

/* Return: @text sorted by address, to be freed; @blank: the kernel hides addresses. */
static char *sort_symbols(const char *text, size_t len, size_t *sorted_len,
			  bool *blank)
{
	size_t n, first, at = 0;
	uint64_t highest = 0;
	struct symbol *symbol;
	char *sorted;

	n = count_lines(text, len);
	symbol = calloc(n + 1, sizeof(*symbol));
	sorted = malloc(len + 1);
	if (!symbol || !sorted) {
		free(symbol);
		free(sorted);
		return NULL;
	}
	n = split_symbols(text, len, symbol);
	first = in_order(symbol, n);
	qsort(symbol + first, n - first, sizeof(*symbol), compare_symbols);
	for (size_t i = 0, j = first; i < first || j < n;) {
		bool left = i < first &&
			    (j == n || compare_symbols(&symbol[i], &symbol[j]) < 0);
		const struct symbol *next = &symbol[left ? i++ : j++];

		memcpy(sorted + at, next->line, next->len);
		at += next->len;
		highest = next->address;
	}
	*sorted_len = at;
	*blank = !highest;
	free(symbol);
	return sorted;
}

static bool save_symbols(const struct record_dir *dir, const char **symbols)
{
	char *text, *sorted;
	size_t sorted_len;
	ssize_t len;
	bool ok, blank;

	len = read_proc("/proc/kallsyms", &text);
	if (len < 0) {
		*symbols = "none: /proc/kallsyms cannot be read";
		warnx("no symbols: /proc/kallsyms: %s", strerror(-len));
		return true;
	}
	sorted = sort_symbols(text, len, &sorted_len, &blank);
	free(text);
	if (!sorted) {
		warnx("cannot sort the symbols: %s", strerror(ENOMEM));
		return false;
	}
	*symbols = blank ? "no addresses: kernel.kptr_restrict" : "complete";
	if (blank)
		warnx("no symbols: the kernel hides addresses: "
		      "try: sysctl kernel.kptr_restrict=1, and CAP_SYSLOG");
	ok = record_dir_replace(dir, SESSION_SYMBOLS, sorted, sorted_len);
	free(sorted);
	return ok;
}

static bool save_modules(const struct record_dir *dir)
{
	char *text;
	ssize_t len = read_proc("/proc/modules", &text);
	bool ok;

	/* a kernel without modules has no such file */
	if (len < 0)
		return true;
	ok = record_dir_replace(dir, SESSION_MODULES, text, len);
	free(text);
	return ok;
}

bool record_system_save(const struct record_dir *dir, const char **symbols)
{
	return save_symbols(dir, symbols) && save_modules(dir);
}

/* Has @dir the same modules? Then it has the same symbols, too. */
static bool modules_are_same(const struct record_dir *dir)
{
	char *now;
	ssize_t len = read_proc("/proc/modules", &now);
	bool same;

	if (len < 0)
		return false;
	same = record_dir_holds(dir, SESSION_MODULES, now, (size_t)len);
	free(now);
	return same;
}

static bool share(const struct record_dir *dir, const struct record_dir *before,
		  const char *name)
{
	return !linkat(before->fd, name, dir->fd, name, 0);
}

/* Return: false if it is not as it was, or files cannot be shared: save it anew. */
static bool share_all(const struct record_dir *dir, const struct record_dir *before)
{
	/* if this fails, what is there is written anew instead of linked */
	return modules_are_same(before) && share(dir, before, SESSION_SYMBOLS) &&
	       share(dir, before, SESSION_MODULES);
}

bool record_system_part(struct record_part *part, const struct record_part *before)
{
	if (!before || !share_all(&part->dir, &before->dir))
		return record_system_save(&part->dir, &part->symbols);
	part->symbols = before->symbols;
	return true;
}
