// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Times before system calls: see calls.h. */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/file.h"
#include "base/mem.h"
#include "overheads/calls.h"

#define TASKS_MAX	1024	/* of more CPUs, the calls of the first ones are kept */
#define CALLS_MAX	((uint64_t)TASKS_MAX * CALLS_EACH)

bool calls_write(const char *path, const struct call *calls, size_t n)
{
	FILE *f;

	if (n > CALLS_MAX)
		n = CALLS_MAX;
	f = fopen(path, "we");
	if (!f) {
		warn("cannot write '%s'", path);
		return false;
	}
	fwrite(calls, sizeof(*calls), n, f);
	return !close_output(f, path);
}

static int by_task(const void *a, const void *b)
{
	const struct call *left = a, *right = b;

	if (left->tid != right->tid)
		return left->tid < right->tid ? -1 : 1;
	return left->ticks < right->ticks ? -1 : left->ticks > right->ticks;
}

bool calls_read(struct calls *c, const char *path)
{
	uint64_t size;
	ssize_t got;
	int fd = open_regular(path, &size);

	*c = (struct calls){ 0 };
	if (fd < 0)
		return false;
	c->n = size / sizeof(*c->at);
	if (size % sizeof(*c->at) || c->n > CALLS_MAX) {
		warnx("'%s' is damaged: %ju bytes are not a list of times before system calls",
		      path, (uintmax_t)size);
		close(fd);
		return false;
	}
	c->at = mem_zalloc(c->n + 1, sizeof(*c->at));
	got = read_full_at(fd, c->at, size, 0);
	close(fd);
	if (got < 0 || (uint64_t)got != size) {
		warnx("cannot read '%s': %s", path,
		      got < 0 ? strerror((int)-got) : "it has become shorter");
		calls_free(c);
		return false;
	}
	qsort(c->at, c->n, sizeof(*c->at), by_task);
	c->next = mem_zalloc(c->n + 1, sizeof(*c->next));
	return true;
}

void calls_free(struct calls *c)
{
	mem_free(c->at);
	mem_free(c->next);
	*c = (struct calls){ 0 };
}

/* The first call of the task, or of the next one. */
static size_t first_of(const struct calls *c, uint32_t tid)
{
	return array_first(c->n, i, c->at[i].tid < tid);
}

bool calls_match(struct calls *c, uint32_t tid, uint64_t time, uint64_t *start)
{
	size_t first = first_of(c, tid), i, begun;

	if (first == c->n || c->at[first].tid != tid)
		return false;
	/* the position of a task is kept with its first call */
	begun = c->next[first];
	for (i = first + begun; i < c->n && c->at[i].tid == tid && c->at[i].ticks <= time; i++)
		;
	c->next[first] = i - first;
	if (i == first + begun)
		return false;
	*start = c->at[i - 1].ticks;
	return true;
}
