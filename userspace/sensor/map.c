// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Sensors as they are mapped: see map.h. */
#include <ctype.h>
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/mem.h"
#include "base/visible.h"
#include "sensor/map.h"

#define DIRECTORY_SIZE_MAX	(1u << 20)
#define LOOKS			1000	/* at a directory that changes */
#define COPIES_MAX		8192	/* CPUs that Linux may have; of programs there are fewer */

/* --- a sensor --------------------------------------------------------------- */

/* Do @n things of @bytes each lie between @begin and @end? */
static bool fits(uint64_t begin, uint64_t n, uint64_t bytes, uint64_t end)
{
	return begin <= end && !(begin % 8) && !(bytes % 8) &&
	       (!n || (bytes && n <= (end - begin) / bytes));
}

static const char *check_row(const struct ft_sensor_header *h)
{
	const __u32 numbers[] = { h->key, h->count, h->sum, h->under, h->over };

	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		if (!fits(numbers[i], 1, 8, h->row_bytes))
			return "a number lies outside of its row";
	}
	if (h->marks && (h->mark_bytes < sizeof(struct ft_sensor_mark) ||
			 !fits(h->marks, h->n_marks, h->mark_bytes, h->row_bytes)))
		return "a mark lies outside of its row";
	if (h->bins && !fits(h->bins, h->n_bins, 8, h->row_bytes))
		return "a bin lies outside of its row";
	if (h->n_bins > FT_SENSOR_BINS_MAX || (h->n_bins && !h->bins) ||
	    (h->n_marks && !h->marks) || h->n_marks > 64)
		return "it has a wrong number of bins or marks";
	if (h->n_bins && h->n_bins != (uint64_t)h->sensor.axis[0].bins *
				      (h->sensor.axis[1].value ? h->sensor.axis[1].bins : 1))
		return "its axes have another number of bins";
	return NULL;
}

/* Why one is left out with which nothing is wrong. */
static const char has_signed[] = "ft shows no sensor of signed values: Documentation/sensors.md "
				 "says how to read it";
/* Programs have their sensors before ft run knows their clock. */
static const char has_no_clock[] = "the rate of its clock is not known yet";

static const char *check_axis(const struct ft_sensor_axis *a)
{
	if (a->shift > 63 || a->bits > 6)
		return "an axis is cut in a way that does not exist";
	return a->flags & FT_AXIS_SIGNED ? has_signed : NULL;
}

/* It is printed: a terminal obeys some characters. */
static bool is_text(const char *s, size_t size)
{
	const char *end = memchr(s, '\0', size);

	while (end && s < end && isprint((unsigned char)*s))
		s++;
	return s == end;
}

static bool fits_kind(const struct ft_sensor_header *h)
{
	bool two = h->sensor.axis[1].value;

	switch (h->sensor.kind) {
	case FT_SENSOR_COUNTER:
	case FT_SENSOR_SCALAR:
		return !h->n_bins && !two;
	case FT_SENSOR_HISTOGRAM:
		return h->n_bins && !two;
	case FT_SENSOR_HISTOGRAM2:
		return h->n_bins && two;
	}
	return false;
}

static const char *check(const struct ft_sensor_header *h, size_t size)
{
	const char *bad;

	if (h->magic != FT_SENSOR_MAGIC)
		return "it is no sensor";
	if (h->version != FT_SENSOR_VERSION)
		return "it has another version: use module and ft of one release";
	if (h->header_bytes < sizeof(*h) || h->size > size)
		return "its header is damaged";
	if (!h->clock_hz)
		return has_no_clock;
	if (h->rows < 1 || h->rows > FT_SENSOR_ROWS_MAX + 1 ||
	    h->copies > COPIES_MAX ||
	    !fits(h->copies_offset, h->copies, h->copy_bytes, h->size) ||
	    h->rows_offset < sizeof(struct ft_sensor_copy) ||
	    !fits(h->rows_offset, h->rows, h->row_bytes, h->copy_bytes) ||
	    !fits(h->used, 1, 8, h->rows_offset))
		return "its tables lie outside of it";
	if (!is_text(h->sensor.name, sizeof(h->sensor.name)) ||
	    !is_text(h->sensor.unit, sizeof(h->sensor.unit)))
		return "its name is not text";
	if (!h->sensor.instance || h->sensor.instance > INT32_MAX)
		return "its instance is no number of one";
	if (!fits_kind(h))
		return "its kind does not fit its bins";
	bad = check_axis(&h->sensor.axis[0]);
	bad = bad ?: check_axis(&h->sensor.axis[1]);
	return bad ?: check_row(h);
}

/* Those of programs are a file. */
static bool is_of_module(int fd)
{
	struct stat file;

	return !fstat(fd, &file) && S_ISCHR(file.st_mode);
}

/* A file may be smaller than it says; those of programs do not shrink: see sensor/program.c. */
static bool is_there(int fd, uint64_t offset, uint64_t size)
{
	struct stat file;

	if (fstat(fd, &file))
		return false;
	return !S_ISREG(file.st_mode) || (offset <= (uint64_t)file.st_size &&
					  size <= (uint64_t)file.st_size - offset);
}

static void set_full_name(struct sensor_map *map)
{
	if (map->head.sensor.instance > 1)
		snprintf(map->full_name, sizeof(map->full_name), "%s#%u",
			 map->head.sensor.name, map->head.sensor.instance);
	else
		snprintf(map->full_name, sizeof(map->full_name), "%s", map->head.sensor.name);
}

const char *sensor_map_open(struct sensor_map *map, int fd, uint64_t offset, uint64_t size)
{
	const char *bad;

	*map = (struct sensor_map){ .size = size };
	if (size < sizeof(map->head) || !is_there(fd, offset, size))
		return "it is too small";
	map->base = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, (off_t)offset);
	if (map->base == MAP_FAILED) {
		map->base = NULL;
		return strerror(errno);
	}
	memcpy(&map->head, (const void *)map->base, sizeof(map->head));
	bad = check(&map->head, size);
	if (bad) {
		sensor_map_close(map);
		return bad;
	}
	set_full_name(map);
	return NULL;
}

void sensor_map_close(struct sensor_map *map)
{
	if (map->base)
		munmap((void *)map->base, map->size);
	map->base = NULL;
}

uint32_t sensor_map_copies(const struct sensor_map *map)
{
	const volatile struct ft_sensor_header *h = map->base;
	uint32_t copies = h->copies;

	return copies <= COPIES_MAX &&
	       fits(map->head.copies_offset, copies, map->head.copy_bytes, map->head.size) ?
	       copies : map->head.copies;
}

bool sensor_map_is_used(const struct sensor_map *map, uint32_t copy)
{
	const struct ft_sensor_header *h = &map->head;

	return !h->used || sensor_number(map->base, h->copies_offset + h->used +
						    (size_t)copy * h->copy_bytes);
}

bool sensor_map_is_gone(const struct sensor_map *map)
{
	const volatile struct ft_sensor_header *h = map->base;

	return h->state != FT_SENSOR_LIVE;
}

/* --- all of them ------------------------------------------------------------ */

struct directory {
	struct ft_sensor_directory		head;
	const volatile struct ft_sensor_directory *base;
	size_t					size;
};

/* The first page says how large it is. */
static const char *directory_map(struct directory *d, int fd, size_t size)
{
	d->size = size;
	if (!is_there(fd, 0, size))
		return "it is too small";
	d->base = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	if (d->base == MAP_FAILED) {
		d->base = NULL;
		return strerror(errno);
	}
	memcpy(&d->head, (const void *)d->base, sizeof(d->head));
	if (d->head.magic != FT_SENSOR_DIRECTORY_MAGIC)
		return "it is no directory of sensors";
	if (d->head.version != FT_SENSOR_VERSION)
		return "it has another version: use module and ft of one release";
	if (d->head.size > DIRECTORY_SIZE_MAX ||
	    d->head.entry_bytes < sizeof(struct ft_sensor_entry) ||
	    d->head.header_bytes < sizeof(d->head) ||
	    !fits(d->head.header_bytes, d->head.entries, d->head.entry_bytes, d->head.size))
		return "it is damaged";
	return NULL;
}

static void directory_close(struct directory *d)
{
	if (d->base)
		munmap((void *)d->base, d->size);
	d->base = NULL;
}

static const char *directory_open(struct directory *d, int fd)
{
	const char *bad = directory_map(d, fd, 4096);

	if (bad || d->head.size <= 4096)
		return bad;
	directory_close(d);
	bad = directory_map(d, fd, d->head.size);
	return bad ?: d->head.size > d->size ? "it is damaged" : NULL;
}

static const volatile char *directory_entry(const struct directory *d, size_t i)
{
	return (const volatile char *)d->base + d->head.header_bytes + i * d->head.entry_bytes;
}

/* Return: false: they changed meanwhile. */
static bool directory_copy(const struct directory *d, struct ft_sensor_entry *entries)
{
	uint64_t before = d->base->generation;

	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	for (size_t i = 0; i < d->head.entries; i++)
		memcpy(&entries[i], (const void *)directory_entry(d, i), sizeof(entries[i]));
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return !(before % 2) && d->base->generation == before;
}

static int by_name(const void *pa, const void *pb)
{
	const struct sensor_map *a = pa, *b = pb;
	int diff = strcmp(a->head.sensor.name, b->head.sensor.name);

	diff = diff ?: (a->head.sensor.instance > b->head.sensor.instance) -
		       (a->head.sensor.instance < b->head.sensor.instance);
	return diff ?: (a->head.serial > b->head.serial) - (a->head.serial < b->head.serial);
}

/*
 * Programs give their sensors no instance: those of one name are of different kind or unit, or
 * two programs have made one at the same moment. The older one keeps its number.
 */
static void tell_names_apart(struct sensor_maps *maps)
{
	for (size_t i = 1; i < maps->n; i++) {
		const struct ft_sensor *before = &maps->map[i - 1].head.sensor;
		struct ft_sensor *sensor = &maps->map[i].head.sensor;

		if (strcmp(before->name, sensor->name) || before->instance < sensor->instance)
			continue;
		sensor->instance = before->instance + 1;
		set_full_name(&maps->map[i]);
	}
}

static void left_out_add(struct sensor_maps *maps, const struct ft_sensor_entry *entry,
			 const char *why)
{
	struct sensor_left_out *out = &maps->left_out[maps->n_left_out++];
	char name[FT_NAME_LEN + 1] = "";

	memcpy(name, entry->name, sizeof(entry->name));
	visible_copy(out->name, sizeof(out->name), name);
	out->instance = entry->instance;
	out->is_signed = why == has_signed;
	snprintf(out->why, sizeof(out->why), "%s", why);
	maps->n_unreadable += !out->is_signed;
}

/* The module's answers for a sensor that went after the directory was read. */
static bool is_of_gone(int error)
{
	return error == ENOENT || error == ENXIO || error == EINVAL;
}

static void map_entries(struct sensor_maps *maps, int fd, const struct ft_sensor_entry *entries,
			size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct sensor_map *map = &maps->map[maps->n];
		const char *bad;

		if (!entries[i].serial)
			continue;
		errno = 0;
		bad = sensor_map_open(map, fd, entries[i].offset, entries[i].size);
		if (!bad && map->head.serial == entries[i].serial)
			maps->n++;
		else if (!bad)
			sensor_map_close(map);	/* another one has its place */
		else if ((bad != has_no_clock || is_of_module(fd)) && !is_of_gone(errno))
			left_out_add(maps, &entries[i], bad);
	}
	qsort(maps->map, maps->n, sizeof(*maps->map), by_name);
	tell_names_apart(maps);
}

void sensor_left_out_warn(const struct sensor_left_out *out)
{
	if (out->instance > 1)
		warnx("sensor '%s#%u': %s", out->name, out->instance, out->why);
	else
		warnx("sensor '%s': %s", out->name, out->why);
}

void sensor_maps_warn(const struct sensor_maps *maps)
{
	for (size_t i = 0; i < maps->n_left_out; i++)
		sensor_left_out_warn(&maps->left_out[i]);
}

bool sensor_maps_open(struct sensor_maps *maps, int fd)
{
	struct ft_sensor_entry *entries = NULL;
	struct directory d = { 0 };
	const char *bad = directory_open(&d, fd);
	unsigned int looks = 0;

	*maps = (struct sensor_maps){ 0 };
	if (!bad) {
		entries = mem_zalloc(d.head.entries + 1, sizeof(*entries));
		while (looks++ < LOOKS && !directory_copy(&d, entries))
			;
		if (looks > LOOKS)
			bad = "it changes all the time";
	}
	if (bad) {
		warnx("the directory of sensors: %s", bad);
	} else {
		maps->map = mem_zalloc(d.head.entries + 1, sizeof(*maps->map));
		maps->left_out = mem_zalloc(d.head.entries + 1, sizeof(*maps->left_out));
		map_entries(maps, fd, entries, d.head.entries);
	}
	free(entries);
	directory_close(&d);
	return !bad;
}

void sensor_maps_close(struct sensor_maps *maps)
{
	for (size_t i = 0; i < maps->n; i++)
		sensor_map_close(&maps->map[i]);
	free(maps->map);
	free(maps->left_out);
	*maps = (struct sensor_maps){ 0 };
}

bool sensor_maps_look(int fd, uint64_t *generation)
{
	struct directory d = { 0 };
	uint64_t before = *generation;

	if (!directory_map(&d, fd, 4096))
		*generation = d.base->generation;
	directory_close(&d);
	return *generation == before;
}
