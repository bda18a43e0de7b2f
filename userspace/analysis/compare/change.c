// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * ft compare: what changed? A difference is called a change where it is no
 * chance (statistics.h) and where it is large enough to matter: with millions
 * of sections, differences that nobody cares about are no chance either.
 */
#include <stdio.h>

#include "analysis/compare/compare_steps.h"
#include "base/mem.h"

/* What a test needs from a row in one trace, by block. */
struct blocks {
	double	above[DIGEST_BLOCKS];
	double	below[DIGEST_BLOCKS];
};

struct compare_numbers compare_numbers(const struct digest *d,
				       const struct histogram *h)
{
	double seconds = digest_seconds(d);

	return (struct compare_numbers){
		.count = h->count,
		.rate = seconds > 0 ? (double)h->count / seconds : 0,
		.total = digest_time(d, (double)h->sum),
		.mean = digest_mean(d, h),
		.p50 = digest_quantile(d, h, 500),
		.p99 = digest_quantile(d, h, 990),
		.max = h->count ? digest_time(d, (double)h->max) : 0,
	};
}

bool compare_has_class(const struct compare *c, unsigned int class)
{
	unsigned int i;

	for (i = 0; i < c->n; i++) {
		if (c->trace[i].class[class].lengths.count)
			return true;
	}
	return false;
}

bool compare_shows_scope(const struct compare *c, enum locks_scope scope)
{
	unsigned int i;

	for (i = 0; i < c->n; i++) {
		if (scope != LOCKS_SPIN || locks_shows_spin(c->trace[i].depth))
			return true;
	}
	return false;
}

bool compare_lost(const struct compare *c)
{
	unsigned int i;

	for (i = 0; i < c->n; i++) {
		if (trace_lost(&c->trace[i].trace))
			return true;
	}
	return false;
}

/* --- how much --- */

static double relative(double from, double to)
{
	return from > 0 ? to / from - 1 : NAN;
}

static void find_sizes(struct change *ch, const struct compare_numbers *a,
		       const struct compare_numbers *b)
{
	*ch = (struct change){
		.only = !a->count && !b->count ? COMPARE_NOWHERE :
			!b->count ? COMPARE_ONLY_FIRST :
			!a->count ? COMPARE_ONLY_OTHER : COMPARE_IN_BOTH,
		.enough = a->count >= COMPARE_LEAST && b->count >= COMPARE_LEAST,
		.count = relative((double)a->count, (double)b->count),
		.rate = relative(a->rate, b->rate),
		.mean = NAN, .p50 = NAN, .p99 = NAN, .distance = NAN,
		.test = { { .p = NAN }, { .p = NAN }, { .p = NAN } },
	};
	if (ch->only != COMPARE_IN_BOTH)
		return;
	ch->mean = relative(a->mean, b->mean);
	ch->p50 = relative(a->p50, b->p50);
	ch->p99 = relative(a->p99, b->p99);
}

static bool is_large(const struct compare *c, double change)
{
	/* as much less as more: a half is as far as the double */
	return change >= c->limit || change <= 1 / (1 + c->limit) - 1;
}

/* --- is it chance? --- */

/* Two traces, and how many frequencies their tests may take: see find_most(). */
struct pair {
	const struct digest	*a, *b;
	unsigned int		most;
};

static struct stat_test test(const struct pair *pair, const struct blocks *a,
			     const struct blocks *b)
{
	struct stat_ratio x = stat_ratio(a->above, a->below, pair->a->blocks);
	struct stat_ratio y = stat_ratio(b->above, b->below, pair->b->blocks);

	return stat_differ(&x, &y, pair->most);
}

static void class_rate(const struct digest *d, unsigned int class,
		       struct blocks *to)
{
	unsigned int i;

	for (i = 0; i < d->blocks; i++) {
		to->above[i] = (double)d->class[class].block[i].count;
		to->below[i] = digest_block_seconds(d, i);
	}
}

/* Sections that are longer than @ps, by sections. */
static void class_tail(const struct digest *d, unsigned int class, uint64_t ps,
		       struct blocks *to)
{
	uint32_t limit = histogram_bin(ps), bin;
	unsigned int i;

	for (i = 0; i < d->blocks; i++) {
		const struct histogram *h = &d->class[class].block[i];

		to->above[i] = 0;
		to->below[i] = (double)h->count;
		for (bin = 0; bin < h->n_bins; bin++) {
			if (h->first + bin > limit)
				to->above[i] += (double)h->bins[bin];
		}
	}
}

static uint64_t class_p99(const struct digest *d, unsigned int class)
{
	struct histogram all = { 0 };
	unsigned int i;
	uint64_t p99;

	for (i = 0; i < d->blocks; i++)
		histogram_merge(&all, &d->class[class].block[i]);
	p99 = histogram_quantile(&all, 990);
	histogram_free(&all);
	return p99;
}

static void test_class(const struct pair *pair, unsigned int class,
		       struct change *ch)
{
	const struct digest *a = pair->a, *b = pair->b;
	uint64_t p99 = class_p99(a, class);
	struct stat_ks ks;
	struct blocks m, n;

	class_rate(a, class, &m);
	class_rate(b, class, &n);
	ch->test[COMPARE_RATE] = test(pair, &m, &n);
	ks = stat_ks(a->class[class].block, a->blocks, b->class[class].block,
		     b->blocks, pair->most);
	ch->distance = ks.distance;
	ch->test[COMPARE_LENGTH] = ks.test;
	class_tail(a, class, p99, &m);
	class_tail(b, class, p99, &n);
	ch->test[COMPARE_TAIL] = test(pair, &m, &n);
}

static void row_blocks(const struct digest *d, const struct digest_row *row,
		       struct blocks *rate, struct blocks *mean)
{
	unsigned int i;

	for (i = 0; i < d->blocks; i++) {
		rate->above[i] = (double)row->count[i];
		rate->below[i] = digest_block_seconds(d, i);
		mean->above[i] = digest_time(d, row->sum[i]);
		mean->below[i] = (double)row->count[i];
	}
}

static void test_row(const struct pair *pair, const struct digest_row *x,
		     const struct digest_row *y, struct change *ch)
{
	struct blocks rate_a, rate_b, mean_a, mean_b;

	row_blocks(pair->a, x, &rate_a, &mean_a);
	row_blocks(pair->b, y, &rate_b, &mean_b);
	ch->test[COMPARE_RATE] = test(pair, &rate_a, &rate_b);
	ch->test[COMPARE_LENGTH] = test(pair, &mean_a, &mean_b);
}

/* --- how slow are both traces? --- */

/*
 * A call site with some tens of sections is mostly noise: its bursts do not stand out, and
 * its spectrum looks flat. The bursts of all sections together do stand out. So no test takes
 * more frequencies than these are flat over, in their rate and in their mean length. These
 * are two questions more for each test, so each may go wrong half as often; otherwise less
 * would be found where there are no bursts.
 */
#define CHANCE_ALL	(STAT_CHANCE / 2)

/* All sections, as one call site. */
static void all_blocks(const struct digest *d, struct blocks *rate,
		       struct blocks *mean)
{
	unsigned int i, group;

	for (i = 0; i < d->blocks; i++) {
		double count = 0, ps = 0;

		for (group = 0; group < LOCKS_GROUPS; group++) {
			const struct histogram *h =
				&d->class[DIGEST_GROUP(group)].block[i];

			count += (double)h->count;
			ps += (double)h->sum;
		}
		rate->above[i] = count;
		rate->below[i] = digest_block_seconds(d, i);
		mean->above[i] = ps;
		mean->below[i] = count;
	}
}

static unsigned int flat_of(const struct pair *pair, const struct blocks *a,
			    const struct blocks *b)
{
	struct stat_ratio x = stat_ratio(a->above, a->below, pair->a->blocks);
	struct stat_ratio y = stat_ratio(b->above, b->below, pair->b->blocks);

	return stat_flat(&x, &y, CHANCE_ALL);
}

static void find_most(struct pair *pair)
{
	struct blocks rate_a, rate_b, mean_a, mean_b;
	unsigned int rate, mean;

	all_blocks(pair->a, &rate_a, &mean_a);
	all_blocks(pair->b, &rate_b, &mean_b);
	rate = flat_of(pair, &rate_a, &rate_b);
	mean = flat_of(pair, &mean_a, &mean_b);
	pair->most = rate < mean ? rate : mean;
}

/* --- both --- */

/* Corrects @n rows of tests; each of the tables gets an equal part of ALPHA. */
static void correct(struct change **rows, size_t n, unsigned int tables)
{
	double **p = mem_zalloc(n * COMPARE_TESTS, sizeof(*p));
	unsigned int what;
	size_t i;

	for (i = 0; i < n; i++) {
		for (what = 0; what < COMPARE_TESTS; what++)
			p[i * COMPARE_TESTS + what] = &rows[i]->test[what].p;
	}
	stat_holm(p, n * COMPARE_TESTS);
	free(p);
	for (i = 0; i < n; i++) {
		for (what = 0; what < COMPARE_TESTS; what++) {
			double *one = &rows[i]->test[what].p;

			if (!isnan(*one))
				*one = fmin(1, tables * *one);
		}
	}
}

static bool is_no_chance(const struct change *ch, enum compare_what what)
{
	return ch->test[what].p <= COMPARE_ALPHA;	/* not if it is NAN */
}

static void call(const struct compare *c, struct change *ch)
{
	ch->called[COMPARE_RATE] = is_no_chance(ch, COMPARE_RATE) &&
				   is_large(c, ch->rate);
	/* rows of tables have no distance: their test is that of the mean */
	ch->called[COMPARE_LENGTH] = is_no_chance(ch, COMPARE_LENGTH) &&
		(isnan(ch->distance) ? is_large(c, ch->mean) :
		 ch->distance >= COMPARE_DISTANCE &&
		 (is_large(c, ch->mean) || is_large(c, ch->p50) ||
		  is_large(c, ch->p99)));
	ch->called[COMPARE_TAIL] = is_no_chance(ch, COMPARE_TAIL) &&
				   is_large(c, ch->p99);
}

static void change_of_class(const struct pair *pair, unsigned int class,
			    struct change *ch)
{
	const struct histogram *x = &pair->a->class[class].lengths;
	const struct histogram *y = &pair->b->class[class].lengths;
	struct compare_numbers from = compare_numbers(pair->a, x);
	struct compare_numbers to = compare_numbers(pair->b, y);

	find_sizes(ch, &from, &to);
	if (ch->enough)
		test_class(pair, class, ch);
}

static void change_of_row(const struct pair *pair, const struct digest_row *x,
			  const struct digest_row *y, struct change *ch)
{
	static const struct histogram none;
	struct compare_numbers from = compare_numbers(pair->a, x ? &x->lengths : &none);
	struct compare_numbers to = compare_numbers(pair->b, y ? &y->lengths : &none);

	find_sizes(ch, &from, &to);
	if (ch->enough)
		test_row(pair, x, y, ch);
}

/* Return: how many rows of tests there are */
static size_t find_in_table(struct compare *c, const struct pair *pair,
			    struct compare_table *table, struct change **rows)
{
	size_t n = 0;

	for (unsigned int i = 1; i < c->n; i++) {
		for (size_t k = 0; k < table->shown; k++) {
			struct compare_row *row = &table->row[k];

			change_of_row(&pair[i], row->in[0], row->in[i], &row->change[i]);
			rows[n++] = &row->change[i];
		}
	}
	return n;
}

void compare_find_changes(struct compare *c)
{
	unsigned int i, class, tables = 1;
	size_t n = 0, first, k, most = DIGEST_CLASSES;
	struct pair pair[COMPARE_TRACES];
	struct change **rows;

	for (i = 0; i < DIGEST_TABLES; i++) {
		most += c->table[i].shown;
		tables += !!c->table[i].shown;
	}
	rows = mem_zalloc(c->n * most, sizeof(*rows));
	for (i = 1; i < c->n; i++) {
		pair[i] = (struct pair){ .a = &c->trace[0], .b = &c->trace[i] };
		find_most(&pair[i]);
		for (class = 0; class < DIGEST_CLASSES; class++) {
			change_of_class(&pair[i], class, &c->change[i][class]);
			rows[n++] = &c->change[i][class];
		}
	}
	correct(rows, n, tables);
	for (i = 0; i < DIGEST_TABLES; i++) {
		first = n;
		n += find_in_table(c, pair, &c->table[i], rows + n);
		correct(rows + first, n - first, tables);
	}
	for (k = 0; k < n; k++)
		call(c, rows[k]);
	free(rows);
}

/* --- in words --- */

/* The direction of the first of these that is not nothing. */
static bool is_more(const struct compare *c, double x, double y, double z)
{
	return is_large(c, x) ? x > 0 : is_large(c, y) ? y > 0 : z > 0;
}

/* The difference that this test is made for. */
static bool looks_different(const struct compare *c, const struct change *ch,
			    enum compare_what what)
{
	switch (what) {
	case COMPARE_RATE:
		return is_large(c, ch->rate);
	case COMPARE_TAIL:
		return is_large(c, ch->p99);
	default:
		return is_large(c, ch->mean) || is_large(c, ch->p50) ||
		       is_large(c, ch->p99);
	}
}

/* Is anything different that cannot be tested, for this reason? */
static bool is_in_doubt(const struct compare *c, const struct change *ch,
			enum stat_doubt why)
{
	enum compare_what what;

	for (what = 0; what < COMPARE_TESTS; what++) {
		if (ch->test[what].doubt == why && looks_different(c, ch, what))
			return true;
	}
	return false;
}

bool compare_too_short(const struct compare *c, const struct change *ch)
{
	return is_in_doubt(c, ch, STAT_SLOW);
}

static void append(char *buf, const char *word)
{
	size_t used = strlen(buf);

	snprintf(buf + used, COMPARE_WORDS - used, "%s%s", used ? ", " : "",
		 word);
}

const char *compare_verdict(const struct compare *c, unsigned int i,
			    const struct change *ch, char *buf)
{
	bool first = ch->only == COMPARE_ONLY_FIRST;

	*buf = '\0';
	if (first || ch->only == COMPARE_ONLY_OTHER) {
		/* of more than two traces, a third may have it, too */
		snprintf(buf, COMPARE_WORDS, c->n > 2 ? "not in %c" : "only in %c",
			 compare_letter(first == (c->n > 2) ? i : 0));
		return buf;
	}
	if (ch->called[COMPARE_RATE])
		append(buf, ch->rate > 0 ? "more often" : "less often");
	if (ch->called[COMPARE_LENGTH])
		append(buf, is_more(c, ch->mean, ch->p50, ch->p99) ?
		       "longer" : "shorter");
	if (ch->called[COMPARE_TAIL])
		append(buf, ch->p99 > 0 ? "longer tail" : "shorter tail");
	if (is_in_doubt(c, ch, STAT_FEW_BLOCKS))
		append(buf, "lengths unclear");
	if (compare_too_short(c, ch))
		append(buf, "too short to tell");
	if (!*buf)
		append(buf, ch->only == COMPARE_NOWHERE ? "-" :
			    !ch->enough ? "too few to tell" : "no change");
	return buf;
}
