// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* What a sensor has counted: see sums.h. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "sensor/bins.h"
#include "sensor/sums.h"

#define LOOKS	1000	/* at something that changes */

/* --- adding up ------------------------------------------------------------ */

/* A row of a copy. */
struct place {
	uint64_t		key;
	const volatile char	*at;
};

static const volatile char *copy_at(const struct sensor_map *map, uint32_t copy)
{
	return (const volatile char *)map->base + map->head.copies_offset +
	       (size_t)copy * map->head.copy_bytes;
}

static const volatile char *row_at(const struct sensor_map *map, uint32_t copy, uint32_t row)
{
	return copy_at(map, copy) + map->head.rows_offset + (size_t)row * map->head.row_bytes;
}

static int by_key(const void *pa, const void *pb)
{
	const struct place *a = pa, *b = pb;

	return (a->key > b->key) - (a->key < b->key);
}

/* Rows that have a key, in the order of the keys. */
static size_t find_places(const struct sensor_map *map, uint32_t copies, struct place *places)
{
	const struct ft_sensor_header *h = &map->head;
	size_t n = 0;

	if (!sums_is_split(h))
		return 0;
	for (uint32_t c = 0; c < copies; c++) {
		for (uint32_t r = 1; sensor_map_is_used(map, c) && r < h->rows; r++) {
			const volatile char *at = row_at(map, c, r);
			uint64_t key = sensor_number(at, h->key);

			if (key)
				places[n++] = (struct place){ key, at };
		}
	}
	qsort(places, n, sizeof(*places), by_key);
	return n;
}

/* Return: false: the mark is being changed. */
static bool copy_mark(struct ft_sensor_mark *to, const volatile char *at)
{
	const volatile struct ft_sensor_mark *mark = (const volatile struct ft_sensor_mark *)at;
	uint64_t before = mark->seq;

	/* Pairs with the writer's stores of @seq around the rest. */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	memcpy(to, (const void *)at, sizeof(*to));
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return !(before % 2) && mark->seq == before;
}

static void add_mark(struct sums_row *row, const volatile char *at)
{
	struct ft_sensor_mark mark;
	unsigned int looks = 0;

	while (!copy_mark(&mark, at)) {
		if (++looks == LOOKS)
			return;
	}
	if (!mark.seq)
		return;
	if (!row->noted || mark.least < row->least)
		row->least = mark.least;
	if (!row->noted || mark.most > row->most.value)
		row->most = (struct sums_extreme){ mark.most, mark.ts, mark.a, mark.b, mark.tid,
						   mark.cpu };
	if (!row->noted || mark.last_ts >= row->last_ts) {
		row->last = mark.last;
		row->last_ts = mark.last_ts;
	}
	row->noted = true;
}

/* To @row, whose bins are added to those of all at once: most are 0, and read here only. */
static void add_row(struct sums *s, struct sums_row *row, const struct ft_sensor_header *h,
		    const volatile char *at)
{
	uint64_t under = h->under ? sensor_number(at, h->under) : 0;
	uint64_t over = h->over ? sensor_number(at, h->over) : 0;
	uint64_t count = 0;

	row->under += under;
	row->over += over;
	row->sum += h->sum ? sensor_number(at, h->sum) : 0;
	for (uint32_t i = 0; i < h->n_bins; i++) {
		uint64_t n = sensor_number(at, h->bins + 8 * (size_t)i);

		if (!n)		/* most */
			continue;
		row->bins[i] += n;
		s->all.bins[i] += n;
		count += n;
	}
	row->count += h->count ? sensor_number(at, h->count) : count + under + over;
	for (uint32_t i = 0; i < h->n_marks; i++)
		add_mark(row, at + h->marks + (size_t)i * h->mark_bytes);
}

/* One row to another; extremes too, and no bins. */
static void add_sums(struct sums_row *to, const struct sums_row *row)
{
	to->count += row->count;
	to->sum += row->sum;
	to->under += row->under;
	to->over += row->over;
	if (!row->noted)
		return;
	if (!to->noted || row->least < to->least)
		to->least = row->least;
	if (!to->noted || row->most.value > to->most.value)
		to->most = row->most;
	if (!to->noted || row->last_ts >= to->last_ts) {
		to->last = row->last;
		to->last_ts = row->last_ts;
	}
	to->noted = true;
}

/* What a copy says that it could not measure. */
static void add_books(struct sums *s, const volatile char *copy)
{
	s->alone += sensor_number(copy, offsetof(struct ft_sensor_copy, alone));
	s->forgotten += sensor_number(copy, offsetof(struct ft_sensor_copy, forgotten));
	s->crowded += sensor_number(copy, offsetof(struct ft_sensor_copy, crowded));
	s->emptied += sensor_number(copy, offsetof(struct ft_sensor_copy, emptied));
}

static void add_copies(struct sums *s, const struct sensor_map *map, uint32_t copies)
{
	for (uint32_t c = 0; c < copies; c++) {
		if (!sensor_map_is_used(map, c))
			continue;
		add_books(s, copy_at(map, c));
		add_row(s, &s->rest, &map->head, row_at(map, c, 0));
	}
}

static void add_places(struct sums *s, const struct ft_sensor_header *h,
		       const struct place *places, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct sums_row *row = s->n ? &s->row[s->n - 1] : NULL;

		if (!row || row->key != places[i].key) {
			row = &s->row[s->n++];
			row->key = places[i].key;
			row->bins = s->bins + (s->n + 1) * (size_t)h->n_bins;
		}
		add_row(s, row, h, places[i].at);
	}
}

static struct sums new_sums(size_t n, uint32_t n_bins)
{
	struct sums s = {
		.row = mem_zalloc(n + 1, sizeof(*s.row)),
		.bins = mem_zalloc((n + 2) * (size_t)n_bins + 1, sizeof(*s.bins)),
	};

	s.all.bins = s.bins;
	s.rest.bins = s.bins + n_bins;
	return s;
}

static void add_all(struct sums *s)
{
	add_sums(&s->all, &s->rest);
	for (size_t i = 0; i < s->n; i++)
		add_sums(&s->all, &s->row[i]);
}

/* One pass over all copies. */
static void take(struct sums *s, const struct sensor_map *map)
{
	const struct ft_sensor_header *h = &map->head;
	uint32_t copies = sensor_map_copies(map);
	struct place *places = mem_zalloc((size_t)copies * h->rows + 1, sizeof(*places));
	size_t n = find_places(map, copies, places);

	*s = new_sums(n, h->n_bins);
	add_copies(s, map, copies);
	add_places(s, h, places, n);
	free(places);
	add_all(s);
}

/*
 * The same with a row for each copy that has counted anything, instead of those of keys: its
 * table has room for all.
 */
static void take_by_copy(struct sums *s, const struct sensor_map *map)
{
	const struct ft_sensor_header *h = &map->head;
	uint32_t copies = sensor_map_copies(map);

	*s = new_sums(copies, h->n_bins);
	for (uint32_t c = 0; c < copies; c++) {
		struct sums_row *row = &s->row[s->n];

		if (!sensor_map_is_used(map, c))
			continue;
		*row = (struct sums_row){
			.key = c, .bins = s->bins + (s->n + 2) * (size_t)h->n_bins,
		};
		add_books(s, copy_at(map, c));
		for (uint32_t r = 0; r < h->rows; r++)
			add_row(s, row, h, row_at(map, c, r));
		s->n += !!row->count;
	}
	s->crowded = 0;
	s->emptied = 0;
	add_all(s);
}

/* How often rows were moved; odd while they are. */
static bool moves(const struct sensor_map *map, uint64_t *sum)
{
	bool odd = false;

	*sum = 0;
	/* Pair with the writer's barriers between this number and the rest, as the next one. */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	for (uint32_t c = 0; c < sensor_map_copies(map); c++) {
		uint64_t n = sensor_number(copy_at(map, c), offsetof(struct ft_sensor_copy, moves));

		odd |= n % 2;
		*sum += n;
	}
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return odd;
}

/* @pass again, as long as rows are moved meanwhile. */
static void take_whole(struct sums *sums, const struct sensor_map *map,
		       void (*pass)(struct sums *, const struct sensor_map *))
{
	uint64_t before, after;
	bool odd;

	for (unsigned int looks = 0;; looks++) {
		odd = moves(map, &before);
		pass(sums, map);
		if ((!moves(map, &after) && !odd && before == after) || looks == LOOKS)
			return;
		sums_free(sums);
	}
}

void sums_take(struct sums *sums, const struct sensor_map *map)
{
	take_whole(sums, map, take);
}

void sums_take_by_copy(struct sums *sums, const struct sensor_map *map)
{
	take_whole(sums, map, take_by_copy);
}

void sums_copy(struct sums *to, const struct sums *from, uint32_t n_bins)
{
	*to = *from;
	to->row = mem_zalloc(from->n + 1, sizeof(*to->row));
	to->bins = mem_zalloc((from->n + 2) * (size_t)n_bins + 1, sizeof(*to->bins));
	memcpy(to->row, from->row, from->n * sizeof(*to->row));
	memcpy(to->bins, from->bins, (from->n + 2) * (size_t)n_bins * sizeof(*to->bins));
	to->all.bins = to->bins;
	to->rest.bins = to->bins + n_bins;
	for (size_t i = 0; i < to->n; i++)
		to->row[i].bins = to->bins + (i + 2) * (size_t)n_bins;
}

void sums_free(struct sums *sums)
{
	free(sums->row);
	free(sums->bins);
	*sums = (struct sums){ 0 };
}

/* --- differences ---------------------------------------------------------- */

/*
 * Numbers only grow, unless a CPU's row was emptied meanwhile. Then what that had is missing
 * from the difference: it is less than was counted since, never more.
 */
static uint64_t grown(uint64_t now, uint64_t before)
{
	return now > before ? now - before : 0;
}

static void subtract(struct sums_row *row, const struct sums_row *before, uint32_t n_bins)
{
	bool fell = row->count < before->count;
	uint64_t count = 0;

	for (uint32_t i = 0; i < n_bins; i++) {
		if (row->bins[i] == before->bins[i]) {	/* most */
			row->bins[i] = 0;
			continue;
		}
		fell |= row->bins[i] < before->bins[i];
		row->bins[i] = grown(row->bins[i], before->bins[i]);
		count += row->bins[i];
	}
	/* A sum may wrap; one that fell is smaller by less than it was. */
	fell |= row->sum < before->sum && before->sum - row->sum <= before->sum / 2;
	row->sum = fell ? grown(row->sum, before->sum) : row->sum - before->sum;
	row->under = grown(row->under, before->under);
	row->over = grown(row->over, before->over);
	row->count = n_bins ? count + row->under + row->over : grown(row->count, before->count);
}

static void subtract_all(struct sums_row *row, const struct sums_row *before, uint32_t n_bins)
{
	if (before->bins)
		subtract(row, before, n_bins);
}

/* What has no row is the sum of all, without the other rows. */
static void find_rest(struct sums *sums, uint32_t n_bins)
{
	struct sums_row *rest = &sums->rest;

	rest->count = sums->all.count;
	rest->sum = sums->all.sum;
	rest->under = sums->all.under;
	rest->over = sums->all.over;
	for (uint32_t i = 0; i < n_bins; i++)
		rest->bins[i] = sums->all.bins[i];
	for (size_t r = 0; r < sums->n; r++) {
		const struct sums_row *row = &sums->row[r];

		rest->count -= row->count < rest->count ? row->count : rest->count;
		rest->sum -= row->sum;
		rest->under -= row->under < rest->under ? row->under : rest->under;
		rest->over -= row->over < rest->over ? row->over : rest->over;
		for (uint32_t i = 0; i < n_bins; i++)
			if (row->bins[i])
				rest->bins[i] -= row->bins[i] < rest->bins[i] ? row->bins[i] :
										rest->bins[i];
	}
}

static void copy_row(struct sums_row *to, const struct sums_row *row, uint64_t *bins,
		     uint32_t n_bins)
{
	*to = *row;
	to->bins = bins;
	memcpy(bins, row->bins, n_bins * sizeof(*bins));
}

void sums_since(struct sums *to, const struct sums *now, const struct sums *before,
		uint32_t n_bins)
{
	size_t b = 0;

	*to = *now;
	to->n = 0;
	to->row = mem_resize(NULL, now->n + 1, sizeof(*to->row));
	/* Only those of rows that are kept are written. */
	to->bins = mem_resize(NULL, (now->n + 2) * (size_t)n_bins + 1, sizeof(*to->bins));
	copy_row(&to->all, &now->all, to->bins, n_bins);
	to->rest.bins = to->bins + n_bins;
	subtract_all(&to->all, &before->all, n_bins);
	for (size_t i = 0; i < now->n; i++) {
		const struct sums_row *row = &now->row[i], *old;

		while (b < before->n && before->row[b].key < row->key)
			b++;
		old = b < before->n && before->row[b].key == row->key ? &before->row[b] : NULL;
		if (old && row->count == old->count && row->sum == old->sum)
			continue;
		copy_row(&to->row[to->n], row, to->bins + (to->n + 2) * (size_t)n_bins, n_bins);
		if (old)
			subtract(&to->row[to->n], old, n_bins);
		to->n += !!to->row[to->n].count;
	}
	find_rest(to, n_bins);
	to->alone -= before->alone;
	to->forgotten -= before->forgotten;
	to->crowded -= before->crowded;
	to->emptied -= before->emptied;
}

/* --- quantiles ------------------------------------------------------------ */

static uint64_t within(const struct sums_row *row, uint64_t value)
{
	if (row->noted && value > row->most.value)
		return row->most.value;
	return row->noted && value < row->least ? row->least : value;
}

uint64_t sums_quantile(const struct sums_row *row, const struct ft_sensor_header *head,
		       unsigned int permille)
{
	const struct ft_sensor_axis *axis = &head->sensor.axis[0];
	uint64_t count = row->under + row->over, rank, seen = row->under;

	for (uint32_t i = 0; i < head->n_bins; i++)
		count += row->bins[i];
	if (!count)
		return 0;
	rank = (uint64_t)(((unsigned __int128)count * permille + 999) / 1000);
	rank += !rank;
	if (rank <= seen)
		return row->noted ? row->least : axis->low;
	for (uint32_t i = 0; i < head->n_bins; i++) {
		seen += row->bins[i];
		if (rank <= seen)
			return within(row, bins_middle(axis, i));
	}
	return row->noted ? row->most.value : bins_low(axis, head->n_bins);
}
