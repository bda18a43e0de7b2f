// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* One pass over a trace, for what is laid beside another. See digest.h. */
#include <errno.h>
#include <stdio.h>

#include "analysis/compare/digest.h"
#include "base/crew/line.h"
#include "base/mem.h"
#include "locks/internal.h"
#include "locks/reading.h"
#include "symbols/tasks.h"
#include "trace/session_file.h"

#define PSEC		1000000000000ull
#define USEC		1000000u
#define FRACTION	20
/* Sections given to another thread at once; and the most lots that may wait. */
#define LOT		1024
#define LOTS		16

struct digest_lot {
	unsigned int	n;
	struct section	section[LOT];
};

const unsigned int digest_limits[DIGEST_LIMITS] = { 5, 13 };

const char *digest_name(unsigned int class)
{
	return class < LOCKS_FAMILIES ? locks_name(class) :
					locks_group_name(class - LOCKS_FAMILIES);
}

const char *digest_title(unsigned int class)
{
	return class < LOCKS_FAMILIES ? locks_families[class].title :
					locks_group_title(class - LOCKS_FAMILIES);
}

/* Blocks. */

static void fold_class(struct digest_class *c)
{
	unsigned int i;

	for (i = 0; i < DIGEST_BLOCKS / 2; i++) {
		/* block 0 becomes the first half of itself */
		if (i) {
			c->block[i] = c->block[2 * i];
			c->block[2 * i] = (struct histogram){ 0 };
		}
		histogram_merge(&c->block[i], &c->block[2 * i + 1]);
		histogram_free(&c->block[2 * i + 1]);
	}
}

static void fold_row(struct digest_row *row)
{
	unsigned int i;

	for (i = 0; i < DIGEST_BLOCKS; i++) {
		bool kept = i < DIGEST_BLOCKS / 2;

		row->count[i] = kept ? row->count[2 * i] + row->count[2 * i + 1] : 0;
		row->sum[i] = kept ? row->sum[2 * i] + row->sum[2 * i + 1] : 0;
	}
}

/* When the table is full, merge pairs of adjacent blocks. */
static void fold(struct digest *d)
{
	unsigned int family, table;

	for (family = 0; family < LOCKS_FAMILIES; family++) {
		struct map_slot *slot;

		if (d->class[family].lengths.count)
			fold_class(&d->class[family]);
		for (table = 0; table < DIGEST_TABLES; table++)
			map_for_each(&d->rows[table][family], slot)
				fold_row(slot->value);
	}
	d->shift++;
}

static unsigned int block_at(struct digest *d, uint64_t ts)
{
	uint64_t since = ts - d->first;

	while (since >> d->shift >= DIGEST_BLOCKS)
		fold(d);
	return (unsigned int)(since >> d->shift);
}

double digest_block_seconds(const struct digest *d, unsigned int i)
{
	uint64_t length = 1ull << d->shift;

	if (i + 1 == d->blocks)
		length = d->last - d->first - i * length;
	return digest_time(d, (double)length);
}

/* Sections. */

static struct digest_row *row_get(struct digest *d, enum digest_table table,
				  unsigned int family, uint64_t key)
{
	struct digest_row *row = map_get(&d->rows[table][family], key);

	if (row)
		return row;
	row = mem_zalloc(1, sizeof(*row));
	row->key = key;
	row->family = family;
	map_put(&d->rows[table][family], key, row);
	d->n_rows[table]++;
	return row;
}

static void row_add(struct digest_row *row, unsigned int block, uint64_t length)
{
	histogram_add(&row->lengths, length);
	row->count[block]++;
	row->sum[block] += (double)length;
}

const char *digest_class_name(const struct digest *d, const struct digest_row *row)
{
	return class_index_at(d->classes, row->key)->same;
}

static uint64_t picoseconds(const struct digest *d, uint64_t ticks)
{
	unsigned __int128 ps = ticks * d->tick >> FRACTION;

	return ps > UINT64_MAX ? UINT64_MAX : (uint64_t)ps;
}

static void add_section(struct digest *d, const struct section *s)
{
	struct digest_class *class = &d->class[s->family];
	uint64_t length = s->end - s->start;
	unsigned int block, i;

	/* one that began before --to may end later */
	block = block_at(d, s->end < d->filter.end ? s->end : d->filter.end);
	histogram_add(&class->lengths, length);
	histogram_add(&class->block[block], picoseconds(d, length));
	for (i = 0; i < DIGEST_LIMITS; i++)
		class->below[i] += length < d->limit[i];
	row_add(row_get(d, DIGEST_SITES, s->family, s->site), block, length);
	if (d->classes)
		row_add(row_get(d, DIGEST_LOCK_CLASSES, s->family,
				class_index_of(d->classes, s->lock)->number), block, length);
	if (s->flags & SECTION_INTERNAL)
		return;
	locks_count_depth(d->depth, s->family, s->depth);
}

static void add_lot(void *arg, void *block, unsigned int worker)
{
	struct digest_lot *lot = block;

	(void)worker;
	for (unsigned int i = 0; i < lot->n; i++)
		add_section(arg, &lot->section[i]);
	lot->n = 0;
}

static void end_section(void *arg, const struct section *s)
{
	struct digest *d = arg;

	if (d->filter.active && !filter_section(&d->filter, s))
		return;
	if (!d->line) {
		add_section(d, s);
		return;
	}
	if (d->lot->n == LOT)
		d->lot = line_next(d->line);
	d->lot->section[d->lot->n++] = *s;
}

/*
 * Runs in either thread: sections come in the order of the trace, and nobody reads the books
 * meanwhile.
 */
static void begin_crew(struct digest *d, const struct digest_asked *asked)
{
	const struct line_asked lots = {
		.size = sizeof(struct digest_lot), .blocks = LOTS, .in_turn = true,
		.work = add_lot, .arg = d,
	};

	if (!*asked->crew)
		*asked->crew = jobs_crew(&asked->jobs, d->trace.size);
	if (!*asked->crew)
		return;
	trace_read_ahead(&d->trace, *asked->crew);
	d->line = line_new(*asked->crew, &lots);
	d->lot = line_block(d->line);
}

static void end_crew(struct digest *d)
{
	if (d->line)
		line_flush(d->line);
	line_end(d->line, NULL);
	d->line = NULL;
}

void digest_row_merge(struct digest_row *to, const struct digest_row *from)
{
	unsigned int i;

	histogram_merge(&to->lengths, &from->lengths);
	for (i = 0; i < DIGEST_BLOCKS; i++) {
		to->count[i] += from->count[i];
		to->sum[i] += from->sum[i];
	}
}

/* The pass. */

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static int read_all(struct digest *d)
{
	struct reading reading;
	struct stream *s;

	if (reading_begin(&reading, &d->trace, d->locks, NULL))
		return -1;
	while (reading_next(&reading, &s)) {
		/* before any section ends: blocks count from here */
		if (reading.records <= 1)
			d->first = later(reading.first, d->filter.first);
		locks_feed(d->locks, s);
	}
	d->records = reading.records;
	d->last = reading.last < d->filter.end ? reading.last : d->filter.end;
	d->last = later(d->last, d->first);
	return reading_end(&reading);
}

static void add_balance(struct digest *d)
{
	unsigned int i, family, cut;

	for (i = 0; i < d->trace.n_streams; i++) {
		const struct balance *b = locks_balance(d->locks, i);

		for (family = 0; family < LOCKS_FAMILIES; family++) {
			struct digest_class *c = &d->class[family];

			c->acquires += b[family].acquires;
			for (cut = 0; cut < LOCKS_CUTS; cut++)
				c->cut += b[family].no_release[cut] +
					  b[family].no_acquire[cut];
		}
	}
}

static void add_groups(struct digest *d)
{
	unsigned int family, i;

	for (family = 0; family < LOCKS_FAMILIES; family++) {
		const struct digest_class *from = &d->class[family];
		struct digest_class *to =
			&d->class[DIGEST_GROUP(locks_group(family))];

		histogram_merge(&to->lengths, &from->lengths);
		for (i = 0; i < DIGEST_LIMITS; i++)
			to->below[i] += from->below[i];
		to->acquires += from->acquires;
		to->cut += from->cut;
		for (i = 0; i < DIGEST_BLOCKS; i++)
			histogram_merge(&to->block[i], &from->block[i]);
	}
}

int digest_read(struct digest *d, const char *dir, const struct digest_asked *asked)
{
	char *const dirs[] = { (char *)dir, NULL };
	struct locks_watch watch = { 0 };
	uint64_t selected = 0;
	struct names *names;
	unsigned int i;
	int ret;

	if (trace_open(&d->trace, dirs))
		return -1;
	begin_crew(d, asked);
	/* the least number of ticks that is not shorter than the limit */
	for (i = 0; i < DIGEST_LIMITS; i++)
		d->limit[i] = ((unsigned __int128)digest_limits[i] *
			       d->trace.meta.freq + USEC - 1) / USEC;
	d->tick = ((unsigned __int128)PSEC << FRACTION) / d->trace.meta.freq;
	d->symbols = symbols_open(d->trace.dir, NULL);
	if (asked->classes || symbols_locks(d->symbols))
		d->classes = class_index_new(d->symbols);
	names = names_open(d->trace.dir);
	ret = filter_bind(&d->filter, asked->filter, &d->trace, d->symbols, names);
	names_free(names);
	if (ret)
		return -1;
	d->locks = locks_new(&d->trace, end_section, d);
	/* depths do not count what sleeping locks take inside themselves */
	watch.internal = d->internal = internal_new(d->symbols);
	locks_watch(d->locks, &watch);
	if (read_all(d))
		return -1;
	locks_finish(d->locks);
	end_crew(d);
	d->blocks = d->records ? block_at(d, d->last) + 1 : 0;
	add_balance(d);
	add_groups(d);
	for (i = 0; i < LOCKS_GROUPS; i++)
		selected += d->class[DIGEST_GROUP(i)].lengths.count;
	if (d->filter.active && !selected)
		filter_warn_empty(&d->trace, d->locks);
	return 0;
}

static void free_rows(struct map *rows)
{
	struct map_slot *slot;

	map_for_each(rows, slot) {
		struct digest_row *row = slot->value;

		histogram_free(&row->lengths);
		free(row);
	}
	map_free(rows);
}

void digest_free(struct digest *d)
{
	unsigned int i, block, table;

	line_end(d->line, NULL);	/* first: a thread may be at it */
	for (i = 0; i < DIGEST_CLASSES; i++) {
		histogram_free(&d->class[i].lengths);
		for (block = 0; block < DIGEST_BLOCKS; block++)
			histogram_free(&d->class[i].block[block]);
	}
	for (table = 0; table < DIGEST_TABLES; table++) {
		for (i = 0; i < LOCKS_FAMILIES; i++)
			free_rows(&d->rows[table][i]);
	}
	class_index_free(d->classes);
	locks_free(d->locks);
	internal_free(d->internal);
	symbols_free(d->symbols);
	filter_exit(&d->filter);
	trace_close(&d->trace);
}

double digest_seconds(const struct digest *d)
{
	return digest_time(d, (double)(d->last - d->first));
}
