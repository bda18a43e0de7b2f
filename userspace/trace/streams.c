// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The streams of a trace directory: their files, numbers and names, what they lost. */
#include <dirent.h>
#include <err.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit_status.h"
#include "base/mem.h"
#include "base/number.h"
#include "trace/trace.h"

static int compare_cpu(const void *a, const void *b)
{
	unsigned int x = *(const unsigned int *)a, y = *(const unsigned int *)b;

	return (x > y) - (x < y);
}

const char *trace_stream_name(char name[TRACE_NAME_LEN], unsigned int number)
{
	snprintf(name, TRACE_NAME_LEN, "%s%u",
		 number < TRACE_THREADS ? "cpu" : "thread",
		 trace_stream_index(number));
	return name;
}

const char *trace_stream_title(char title[TRACE_NAME_LEN], unsigned int number)
{
	snprintf(title, TRACE_NAME_LEN, "%s %u",
		 number < TRACE_THREADS ? "CPU" : "stream",
		 trace_stream_index(number));
	return title;
}

const char *trace_stream_label(char label[TRACE_NAME_LEN], unsigned int number)
{
	if (number >= TRACE_THREADS)
		return trace_stream_name(label, number);
	snprintf(label, TRACE_NAME_LEN, "%u", number);
	return label;
}

unsigned int trace_cpu_streams(const struct trace *t)
{
	unsigned int n = t->n_streams;

	while (n && stream_is_program(&t->streams[n - 1]))
		n--;
	return n;
}

const char *trace_streams_text(char text[TRACE_STREAMS_LEN], const struct trace *t)
{
	unsigned int cpus = trace_cpu_streams(t), threads = t->n_streams - cpus;

	char cpu[24], thread[32];

	snprintf(cpu, sizeof(cpu), "%u CPU%s", cpus, cpus == 1 ? "" : "s");
	snprintf(thread, sizeof(thread), "%u stream%s of programs", threads,
		 threads == 1 ? "" : "s");
	snprintf(text, TRACE_STREAMS_LEN, "%s%s%s", cpus || !threads ? cpu : "",
		 cpus && threads ? " and " : "", threads ? thread : "");
	return text;
}

bool trace_stream_number(const char *name, unsigned int *number)
{
	bool thread = !strncmp(name, "thread", 6);
	const char *digits = name + (thread ? 6 : 3);
	uint64_t n;

	if ((!thread && strncmp(name, "cpu", 3)) || parse_u64(digits, &n) ||
	    n >= TRACE_THREADS || (digits[0] == '0' && digits[1]))
		return false;
	*number = (unsigned int)n + (thread ? TRACE_THREADS : 0);
	return true;
}

int trace_cpus(const char *dir, unsigned int **cpus)
{
	struct dirent *e;
	int n = 0;
	DIR *d;

	*cpus = NULL;
	d = opendir(dir);
	if (!d) {
		warn("cannot open the trace %s", dir);
		return -1;
	}
	while ((e = readdir(d))) {
		unsigned int cpu, *grown;

		if (!trace_stream_number(e->d_name, &cpu))
			continue;
		grown = mem_try_resize(*cpus, n + 1, sizeof(**cpus));
		if (!grown)
			break;
		*cpus = grown;
		(*cpus)[n++] = cpu;
	}
	closedir(d);
	if (e)
		mem_none();
	if (n)
		qsort(*cpus, n, sizeof(**cpus), compare_cpu);
	return n;
}

int trace_unite(unsigned int **cpus, int n, const unsigned int *more, int n_more)
{
	int i, all = n + n_more, used = 0;

	if (!n_more)
		return n;
	*cpus = mem_resize(*cpus, (size_t)all, sizeof(**cpus));
	memcpy(*cpus + n, more, (size_t)n_more * sizeof(**cpus));
	qsort(*cpus, (size_t)all, sizeof(**cpus), compare_cpu);
	for (i = 0; i < all; i++) {
		if (!used || (*cpus)[used - 1] != (*cpus)[i])
			(*cpus)[used++] = (*cpus)[i];
	}
	return used;
}

uint64_t trace_lost(const struct trace *t)
{
	uint64_t lost = t->parts.dropped_records;
	unsigned int i;

	/* saturate: damaged counts must not wrap to 0 */
	for (i = 0; i < t->n_streams; i++) {
		if (__builtin_add_overflow(lost, stream_lost(&t->streams[i]), &lost))
			return UINT64_MAX;
	}
	return lost;
}

int trace_status(const struct trace *t)
{
	unsigned int i;

	for (i = 0; i < t->n_streams; i++) {
		if (t->streams[i].broken)
			return FT_EXIT_ERROR;
	}
	return trace_lost(t) ? FT_EXIT_LOST : FT_EXIT_OK;
}

struct trace_books trace_books(const struct trace *t)
{
	struct trace_books books = { 0 };

	memcpy(books.uuid, t->meta.uuid, sizeof(books.uuid));
	for (unsigned int i = 0; i < t->n_streams; i++) {
		books.records += t->streams[i].records;
		books.broken += t->streams[i].broken;
	}
	return books;
}

int trace_compare_books(const struct trace *t, const struct trace_books *before)
{
	const struct trace_books books = trace_books(t);

	if (memcmp(books.uuid, before->uuid, sizeof(books.uuid)))
		warnx("%s: another trace took its place while it was read", t->title);
	else if (books.records < before->records)
		warnx("%s: had %" PRIu64 " records when it was first read, and %" PRIu64 " now",
		      t->title, before->records, books.records);
	else if (books.broken > before->broken)
		warnx("%s: has more damage now than when it was first read", t->title);
	else
		return 0;
	return -1;
}
