// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * libfttrace where memory ends, and in several threads.
 *
 *	reader_check memory DIR		each request for memory fails once
 *	reader_check threads DIR...	a thread a trace, all at once and again
 *
 * The linker gives it the reader's calls of malloc() and its like (--wrap).
 */
#include <dirent.h>
#include <err.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <feather_trace/reader.h>

#define ROUNDS	8
#define ALL	(FT_READER_RECORDS | FT_READER_SECTIONS | FT_READER_WAITS | FT_READER_GAPS)

/* Memory. */

static _Atomic long requests, fails_at, held;

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_aligned_alloc(size_t align, size_t size);
void *__real_realloc(void *p, size_t size);
void __real_free(void *p);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_aligned_alloc(size_t align, size_t size);
void *__wrap_realloc(void *p, size_t size);
void __wrap_free(void *p);

static bool fails(void)
{
	return ++requests == fails_at;
}

static void *given(void *p)
{
	held += !!p;
	return p;
}

/* The compiler makes it of realloc(NULL). */
void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : given(__real_malloc(size));
}

void *__wrap_calloc(size_t n, size_t size)
{
	return fails() ? NULL : given(__real_calloc(n, size));
}

void *__wrap_aligned_alloc(size_t align, size_t size)
{
	return fails() ? NULL : given(__real_aligned_alloc(align, size));
}

void *__wrap_realloc(void *p, size_t size)
{
	void *q = fails() ? NULL : __real_realloc(p, size);

	held += q && !p;
	return q;
}

void __wrap_free(void *p)
{
	held -= !!p;
	__real_free(p);
}

static unsigned int open_files(void)
{
	DIR *d = opendir("/proc/self/fd");
	unsigned int n = 0;

	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

/* Reading. */

/* A sum of all that is in it. Return: the first error, or 0 */
static int read_all(const char *dir, uint64_t *sum)
{
	const struct ft_reader_item *item;
	struct ft_reader *r = ft_reader_new();
	char name[320] = "";
	int ret, again;

	*sum = 0;
	if (!r)
		return -ENOMEM;
	ret = ft_reader_open(r, dir, ALL);
	while (!ret && (ret = ft_reader_next(r, &item)) > 0) {
		ret = ft_reader_name(r, item->kind == FT_READER_SECTIONS ?
				     item->section.site : item->time, FT_READER_CODE,
				     name, sizeof(name));
		*sum = *sum * 31 + item->time + item->kind + strlen(name);
		if (ret > 0)
			ret = 0;
		if (item->kind == FT_READER_SECTIONS && !ret) {
			ret = ft_reader_class(r, item->section.lock, name, sizeof(name));
			*sum = *sum * 31 + strlen(name);
			if (ret > 0)
				ret = 0;
		}
		if (!ret && ft_reader_task(r, item->tid))
			*sum += 1;
	}
	if (ret && !*ft_reader_error(r))
		errx(1, "an error without a text: %d", ret);
	if (ret == -ENOMEM) {
		again = ft_reader_next(r, &item);
		if (again != ret || strcmp(ft_reader_error(r), "out of memory"))
			errx(1, "after it: %d, %s", again, ft_reader_error(r));
	}
	ft_reader_free(r);
	return ret;
}

static int check_memory(const char *dir)
{
	unsigned int files;
	uint64_t sum, whole;
	long all;
	int ret = read_all(dir, &whole);

	all = requests;
	if (ret || held || all < 20)
		errx(1, "%s: %d, %ld of %ld pieces are left", dir, ret, held, all);
	files = open_files();
	for (fails_at = 1; fails_at <= all; fails_at++) {
		requests = 0;
		ret = read_all(dir, &sum);
		if (ret != -ENOMEM || held || open_files() != files)
			errx(1, "%s: without piece %ld of %ld: %d, %ld are left, %u files of %u",
			     dir, fails_at, all, ret, held, open_files(), files);
	}
	printf("%ld pieces of memory\n", all);
	return 0;
}

struct reading {
	const char	*dir;
	uint64_t	sum;
	pthread_t	thread;
	const char	*why;
};

static void *read_again(void *arg)
{
	struct reading *reading = arg;
	uint64_t sum;
	int i;

	for (i = 0; i < ROUNDS; i++) {
		if (read_all(reading->dir, &sum))
			reading->why = "cannot be read";
		else if (sum != reading->sum)
			reading->why = "is another one";
	}
	return NULL;
}

static int check_threads(char **dirs, int n)
{
	struct reading *readings = __real_calloc((size_t)n, sizeof(*readings));
	int i, status = 0;

	for (i = 0; i < n; i++) {
		readings[i].dir = dirs[i];
		if (read_all(dirs[i], &readings[i].sum))
			errx(1, "%s cannot be read", dirs[i]);
	}
	for (i = 0; i < n; i++) {
		if (pthread_create(&readings[i].thread, NULL, read_again, &readings[i]))
			errx(1, "no thread");
	}
	for (i = 0; i < n; i++) {
		pthread_join(readings[i].thread, NULL);
		if (!readings[i].why)
			continue;
		warnx("%s %s", readings[i].dir, readings[i].why);
		status = 1;
	}
	__real_free(readings);
	return status;
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "memory"))
		return check_memory(argv[2]);
	if (argc > 2 && !strcmp(argv[1], "threads"))
		return check_threads(argv + 2, argc - 2);
	errx(2, "Usage: reader_check memory DIR | threads DIR...");
}
