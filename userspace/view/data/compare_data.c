// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * ft compare for programs: values with four names, table, row, trace, column. As
 * TSV a line a value, as JSON an object in an object for each name. Names that
 * stand here are documented in ft-compare(1) and do not change.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/report.h"
#include "base/array.h"
#include "base/json.h"
#include "trace/fact.h"
#include "trace/session_file.h"
#include "view/compare_views.h"

#define LEVELS	3

struct out {
	bool		is_json;
	struct json	json;
	/* JSON: the objects that are open within the outermost */
	char		open[LEVELS][SYMBOLS_LEN + 32];
	unsigned int	depth;
};

static void close_objects(struct out *o, unsigned int depth)
{
	for (; o->depth > depth; o->depth--)
		json_end(&o->json);
}

static void open_objects(struct out *o, const char *const *names)
{
	unsigned int same = 0;

	while (same < o->depth && !strcmp(o->open[same], names[same]))
		same++;
	close_objects(o, same);
	for (; o->depth < LEVELS; o->depth++) {
		snprintf(o->open[o->depth], sizeof(o->open[0]), "%s",
			 names[o->depth]);
		json_object(&o->json, names[o->depth]);
	}
}

/* The row of a table that the functions below write to. */
struct place {
	struct out	*o;
	const char	*table, *row;
	char		letter;
};

/* A value that is formatted already; as a string it is to be escaped. */
static void put(const struct place *p, const char *column, const char *value,
		bool string)
{
	const char trace[2] = { p->letter };
	const char *names[LEVELS] = { p->table, p->row, trace };

	if (!p->o->is_json) {
		printf("%s\t", p->table);
		session_escape(stdout, p->row);
		printf("\t%s\t%s\t", trace, column);
		session_escape(stdout, value);
		putchar('\n');
		return;
	}
	open_objects(p->o, names);
	if (string)
		json_text(&p->o->json, column, value);
	else
		json_number(&p->o->json, column, "%s", value);
}

static void put_string(const struct place *p, const char *column, const char *s)
{
	put(p, column, s, true);
}

static void put_u64(const struct place *p, const char *column, uint64_t v)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRIu64, v);
	put(p, column, text, false);
}

/* NAN, which means that there is no value, is left out. */
static void put_double(const struct place *p, const char *column,
		       unsigned int decimals, double v)
{
	char text[400];

	if (isnan(v))
		return;
	snprintf(text, sizeof(text), "%.*f", (int)decimals, v);
	put(p, column, text, false);
}

static void put_chance(const struct place *p, const char *column, double v)
{
	char text[32];

	if (isnan(v))
		return;
	snprintf(text, sizeof(text), "%.3g", v);
	put(p, column, text, false);
}

static void put_trace(struct out *o, const struct compare *c, unsigned int i)
{
	static const char *const keys[] = {
		"host", "kernel_release", "command", "lock_source", "virtual",
	};
	const struct digest *d = &c->trace[i];
	struct place p = { o, "trace", "-", compare_letter(i) };
	unsigned int k;
	char *value;

	put_string(&p, "path", d->trace.title);
	for (k = 0; k < ARRAY_SIZE(keys); k++) {
		value = trace_fact_whole(&d->trace, keys[k]);
		if (value)
			put_string(&p, keys[k], value);
		free(value);
	}
	put_u64(&p, "cpus", trace_cpu_streams(&d->trace));
	put_u64(&p, "streams", d->trace.n_streams - trace_cpu_streams(&d->trace));
	put_u64(&p, "records", d->records);
	put_u64(&p, "lost", trace_lost(&d->trace));
	put_u64(&p, "blocks", d->blocks);
	put_double(&p, "duration_s", 9, digest_seconds(d));
}

static void put_numbers(const struct place *p, const struct compare *c,
			unsigned int i, const struct histogram *h)
{
	struct compare_numbers n = compare_numbers(&c->trace[i], h);

	put_u64(p, "count", n.count);
	put_double(p, "per_second", 3, n.rate);
	put_double(p, "total_ns", 3, n.total * 1e9);
	if (!n.count)
		return;
	put_double(p, "mean_ns", 3, n.mean * 1e9);
	put_double(p, "p50_ns", 3, n.p50 * 1e9);
	put_double(p, "p99_ns", 3, n.p99 * 1e9);
	put_double(p, "max_ns", 3, n.max * 1e9);
}

static void put_change(const struct place *p, const struct compare *c,
		       unsigned int i, const struct change *ch)
{
	char words[COMPARE_WORDS];

	put_double(p, "count_change", 6, ch->count);
	put_double(p, "rate_change", 6, ch->rate);
	put_double(p, "mean_change", 6, ch->mean);
	put_double(p, "p50_change", 6, ch->p50);
	put_double(p, "p99_change", 6, ch->p99);
	put_double(p, "distance", 6, ch->distance);
	put_chance(p, "rate_p", ch->test[COMPARE_RATE].p);
	put_chance(p, "length_p", ch->test[COMPARE_LENGTH].p);
	put_chance(p, "tail_p", ch->test[COMPARE_TAIL].p);
	put_u64(p, "changed", compare_is_called(ch));
	put_string(p, "verdict", compare_verdict(c, i, ch, words));
}

static void put_class(struct out *o, const struct compare *c,
		      unsigned int class)
{
	unsigned int i, k;
	char column[32];

	for (i = 0; i < c->n; i++) {
		const struct digest_class *of = &c->trace[i].class[class];
		struct place p = {
			o, class < LOCKS_FAMILIES ? "family" : "group",
			digest_name(class), compare_letter(i)
		};

		put_numbers(&p, c, i, &of->lengths);
		for (k = 0; k < DIGEST_LIMITS; k++) {
			snprintf(column, sizeof(column), "below_%uus",
				 digest_limits[k]);
			put_u64(&p, column, of->below[k]);
		}
		if (i)
			put_change(&p, c, i, &c->change[i][class]);
	}
}

static void put_depth(struct out *o, const struct compare *c)
{
	unsigned int scope, i, depth;
	char column[16];

	for (scope = 0; scope < LOCKS_SCOPES; scope++) {
		for (i = 0; i < c->n; i++) {
			struct place p = { o, "depth", report_scope(scope),
					   compare_letter(i) };

			for (depth = 0; depth < LOCKS_DEPTHS; depth++) {
				uint64_t n = c->trace[i].depth[scope][depth];

				snprintf(column, sizeof(column), "%u", depth);
				if (n)
					put_u64(&p, column, n);
			}
		}
	}
}

static void put_row(struct out *o, const struct compare *c, enum digest_table table,
		    const struct compare_row *of)
{
	char row[SYMBOLS_LEN + 32];
	unsigned int i;

	snprintf(row, sizeof(row), "%s:%s", locks_name(of->family), of->name);
	for (i = 0; i < c->n; i++) {
		struct place p = { o, table == DIGEST_SITES ? "site" : "class", row,
				   compare_letter(i) };

		if (of->in[i])
			put_numbers(&p, c, i, &of->in[i]->lengths);
		else
			put_u64(&p, "count", 0);
		if (i)
			put_change(&p, c, i, &of->change[i]);
	}
}

static void put_all(struct out *o, const struct compare *c)
{
	unsigned int i, table;
	size_t k;

	for (i = 0; i < c->n; i++)
		put_trace(o, c, i);
	for (i = 0; i < DIGEST_CLASSES; i++)
		put_class(o, c, i);
	put_depth(o, c);
	for (table = 0; table < DIGEST_TABLES; table++)
		for (k = 0; k < c->table[table].shown; k++)
			put_row(o, c, table, &c->table[table].row[k]);
}

void compare_tsv(const struct compare *c)
{
	struct out o = { .is_json = false };

	put_all(&o, c);
}

void compare_json(const struct compare *c)
{
	struct out o = { .is_json = true, .json.f = stdout };

	json_object(&o.json, NULL);
	put_all(&o, c);
	close_objects(&o, 0);
	json_end(&o.json);
}
