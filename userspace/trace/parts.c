// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The parts of a rotated recording. See parts.h. */
#include <dirent.h>
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/number.h"
#include "trace/parts.h"
#include "trace/session_file.h"

#define DIGITS	6	/* at least; so a shell lists them in order */

const char *part_name(char name[PART_NAME_LEN], unsigned int number)
{
	snprintf(name, PART_NAME_LEN, "%0*u", DIGITS, number);
	return name;
}

bool part_number(const char *name, unsigned int *number)
{
	size_t len = strspn(name, "0123456789");
	char again[PART_NAME_LEN];

	if (len < DIGITS || len > 9 || name[len])
		return false;
	*number = (unsigned int)strtoul(name, NULL, 10);
	return *number && !strcmp(part_name(again, *number), name);
}

/* Reading parts. */

static void add(struct parts *parts, char *dir)
{
	parts->dir = mem_resize(parts->dir, parts->n + 1, sizeof(*parts->dir));
	parts->dir[parts->n++] = dir;
}

static int compare_number(const void *a, const void *b)
{
	unsigned int x = *(const unsigned int *)a, y = *(const unsigned int *)b;

	return (x > y) - (x < y);
}

size_t parts_numbers(const char *dir, unsigned int **numbers)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	size_t n = 0;

	*numbers = NULL;
	while (d && (e = readdir(d))) {
		unsigned int number, *grown;

		if (!part_number(e->d_name, &number))
			continue;
		grown = mem_try_resize(*numbers, n + 1, sizeof(**numbers));
		if (!grown)
			break;
		*numbers = grown;
		(*numbers)[n++] = number;
	}
	if (d) {
		closedir(d);
		if (e)
			mem_none();
	}
	if (n)
		qsort(*numbers, n, sizeof(**numbers), compare_number);
	return n;
}

/* Adds a trace, or all parts if the directory holds parts. */
static void add_named(struct parts *parts, const char *dir)
{
	char *metadata = mem_format("%s/metadata", dir), name[PART_NAME_LEN];
	bool trace = !access(metadata, F_OK);
	unsigned int *numbers = NULL;
	size_t n, i;

	mem_free(metadata);
	n = trace ? 0 : parts_numbers(dir, &numbers);
	for (i = 0; i < n; i++)
		add(parts, mem_format("%s/%s", dir, part_name(name, numbers[i])));
	mem_free(numbers);
	if (!n)
		add(parts, mem_strdup(dir));
}

/* The part of a recording that a trace is, and what is missing in front of it. */
struct place {
	char		recording[24];
	uint64_t	number;
	uint64_t	dropped, records;
	char		*dir;
};

/* 0: it does not say, or nonsense */
static uint64_t number_of(const char *dir, const char *key)
{
	char text[24];
	uint64_t n = 0;

	if (session_get(dir, key, text, sizeof(text)) || parse_u64(text, &n))
		return 0;
	return n;
}

/* Return: 0, or -1 if it is no part */
static int find_place(struct place *place, char *dir)
{
	char number[16];

	*place = (struct place){ .dir = dir };
	if (session_get(dir, "recording", place->recording, sizeof(place->recording)) ||
	    session_get(dir, "part", number, sizeof(number)))
		return -1;
	place->dropped = number_of(dir, "dropped_parts");
	place->records = number_of(dir, "dropped_records");
	return parse_u64(number, &place->number);
}

/* Were the parts between them dropped, and only these? @number: of the part in front; or 0 */
static bool is_dropped(uint64_t number, const struct place *b)
{
	return b->dropped && number < b->number && b->number - number - 1 == b->dropped;
}

static int compare_place(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

/* Return: 0, or -1 with a message that names both */
static int check_neighbours(const struct place *a, const struct place *b)
{
	if (strcmp(a->recording, b->recording))
		warnx("%s and %s are not of one recording: they cannot be read as one; 'ft compare' compares them",
		      a->dir, b->dir);
	else if (a->number == b->number)
		warnx("%s and %s are the same part of a recording", a->dir, b->dir);
	else if (a->number + 1 != b->number && !is_dropped(a->number, b))
		warnx("%s and %s are parts %llu and %llu of a recording: name those between them, too",
		      a->dir, b->dir, (unsigned long long)a->number,
		      (unsigned long long)b->number);
	else
		return 0;
	return -1;
}

static int find_places(struct place *place, const struct parts *parts)
{
	unsigned int i;

	for (i = 0; i < parts->n; i++) {
		if (!find_place(&place[i], parts->dir[i]))
			continue;
		warnx("%s is not a part of a rotated recording: it cannot be read together with %s",
		      parts->dir[i], parts->dir[!i]);
		return -1;
	}
	return 0;
}

/* What is missing between parts, and in front of the first. */
static void find_gaps(struct parts *parts, const struct place *place)
{
	unsigned int i;

	for (i = 0; i < parts->n; i++) {
		if (!is_dropped(i ? place[i - 1].number : 0, &place[i]))
			continue;
		parts->gap[i] = true;
		parts->dropped += place[i].dropped;
		if (__builtin_add_overflow(parts->dropped_records, place[i].records,
					   &parts->dropped_records))
			parts->dropped_records = UINT64_MAX;
	}
}

/* Sorts the parts. */
static int check(struct parts *parts)
{
	struct place *place = mem_zalloc(parts->n, sizeof(*place));
	int ret = parts->n > 1 ? find_places(place, parts) : 0;
	unsigned int i;

	if (parts->n == 1 && find_place(&place[0], parts->dir[0])) {
		mem_free(place);
		return 0;
	}
	if (!ret)
		qsort(place, parts->n, sizeof(*place), compare_place);
	for (i = 1; !ret && i < parts->n; i++)
		ret = check_neighbours(&place[i - 1], &place[i]);
	for (i = 0; !ret && i < parts->n; i++)
		parts->dir[i] = place[i].dir;
	if (!ret)
		find_gaps(parts, place);
	mem_free(place);
	return ret;
}

int parts_find(struct parts *parts, char *const *dirs)
{
	*parts = (struct parts){ 0 };
	for (; *dirs; dirs++)
		add_named(parts, *dirs);
	parts->gap = mem_zalloc(parts->n, sizeof(*parts->gap));
	return check(parts);
}

void parts_free(struct parts *parts)
{
	unsigned int i;

	for (i = 0; i < parts->n; i++)
		mem_free(parts->dir[i]);
	mem_free(parts->dir);
	mem_free(parts->gap);
	*parts = (struct parts){ 0 };
}
