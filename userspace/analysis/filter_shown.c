// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Sections whose call site is a helper's: --site by the place that tables show, which is the
 * helper's caller.
 *
 * Only a stack says which caller that is, and it comes after the section's end; but a filter
 * is asked when the section begins. So the trace is read once more, before the others: if it
 * has stacks, and one of them leads to a wanted place.
 *
 * An acquisition that was stamped early (locks/early.h) has two times: its section begins at
 * the later one, but its record has the other if records alone are read.
 */
#include <err.h>

#include "analysis/filter.h"
#include "analysis/stacked.h"
#include "base/end_signals.h"
#include "base/mem.h"
#include "base/message.h"
#include "base/pairs.h"
#include "locks/reading.h"
#include "locks/waits.h"
#include "symbols/frames.h"

#define SHOWN_MAX	(2u << 20)	/* sections and waits */
#define EARLY_PART	1000		/* of a second: nothing is as early as that */
#define EARLY_MAX	(1u << 18)	/* of each half: a stack is not as late as that */

struct search {
	struct filter	*filter;	/* where they are kept */
	const struct symbols *symbols;
	struct filter	rest;		/* what else they must match */
	struct trace	trace;
	struct locks	*locks;
	struct waits	*waits;
	struct stacked	*stacked;
	struct stream	*now;
	struct pairs	early[2];	/* struct early_stamp: the latest, and those before */
};

/* The stamps of early acquisitions in helpers, by the beginning of the section. */
struct early_stamp {
	struct pair	key;
	uint64_t	stamp;
};

static struct pair key_of(const struct section *s)
{
	/* each CPU has an idle task */
	return (struct pair){
		.a = s->start, .b = s->lock,
		.tag = s->tid ? (uint32_t)s->tid : 1u << 31 | s->cpu,
	};
}

bool filter_is_shown(const struct filter *f, const struct section *s)
{
	const struct pair key = key_of(s);

	return f->shown && pairs_find(f->shown, key.a, key.b, key.tag);
}

static struct pairs no_stamps(void)
{
	return (struct pairs){ .size = sizeof(struct early_stamp), .max = EARLY_MAX };
}

/* Most of them have had their stack long before there are too many. */
static void forget_stamps(struct search *search)
{
	pairs_free(&search->early[1]);
	search->early[1] = search->early[0];
	search->early[0] = no_stamps();
}

/* @s: a section that begins with the record that is read now */
static void keep_stamp(struct search *search, const struct section *s)
{
	const struct pair key = key_of(s);
	struct early_stamp *e;

	if (!filter_section(&search->rest, s) || !frames_is_helper(search->symbols, s->site))
		return;
	if (search->early[0].used == EARLY_MAX)
		forget_stamps(search);
	e = pairs_get(&search->early[0], key.a, key.b, key.tag);
	if (e)
		e->stamp = search->now->rec->ts;
}

static const struct early_stamp *stamp_of(const struct search *search, const struct pair *key)
{
	const struct early_stamp *e = pairs_find(&search->early[0], key->a, key->b, key->tag);

	return e ? e : pairs_find(&search->early[1], key->a, key->b, key->tag);
}

static void put(struct search *search, const struct pair *key)
{
	const struct early_stamp *e = stamp_of(search, key);

	pairs_get(search->filter->shown, key->a, key->b, key->tag);
	if (e)
		pairs_get(search->filter->shown, e->stamp, key->b, key->tag);
}

static void found(struct search *search, const struct section *s, uint32_t number)
{
	const struct pair key = key_of(s);
	uint64_t shown;

	if (!number || !filter_section(&search->rest, s))
		return;
	shown = stacked_site(search->stacked, s->site, number);
	if (shown != s->site && filter_has_site(search->filter, shown))
		put(search, &key);
}

static void section_has(void *arg, const struct section *s, uint32_t number)
{
	found(arg, s, number);
}

static void wait_has(void *arg, const struct wait *w, uint32_t number)
{
	const struct section like = filter_section_of(w);

	found(arg, &like, number);
}

static void section_begins(void *arg, struct section *s)
{
	struct search *search = arg;

	if (s->flags & SECTION_RAISED)
		keep_stamp(search, s);
	stacked_begins(search->stacked, search->now, s);
	waits_acquired(search->waits, s);
}

static void section_ends(void *arg, const struct section *s)
{
	struct search *search = arg;

	stacked_section(search->stacked, search->now, s);
}

static void waited(void *arg, const struct wait *w)
{
	struct search *search = arg;

	stacked_wait(search->stacked, search->now, w);
}

static void record(const struct search *search, unsigned int kind)
{
	const struct stream *s = search->now;

	if (kind < LOCKS_KIND_OTHER) {
		if (kind % 2)
			stacked_release(search->stacked, s);
		locks_record(search->locks, s, kind);
	} else if (kind == LOCKS_KIND_WAIT_BEGIN) {
		waits_begin(search->waits, s);
	} else if (kind == LOCKS_KIND_WAIT_END) {
		stacked_wait_end(search->stacked, s);
		waits_end(search->waits, s);
	} else if (kind == LOCKS_KIND_STACK) {
		stacked_record(search->stacked, s, search->waits);
	}
}

static void gap(const struct search *search)
{
	bool was_in_gap = locks_in_gap(search->locks, search->now);

	waits_gap(search->waits, search->now, was_in_gap);
	locks_feed(search->locks, search->now);
	stacked_gap(search->stacked, search->now);
}

static int read_all(struct search *search)
{
	struct reading reading;
	const struct stream *s;

	if (reading_begin(&reading, &search->trace, search->locks, NULL))
		return -1;
	while (!end_signals_came() && reading_next(&reading, &search->now)) {
		s = search->now;
		if (s->item == STREAM_RECORD)
			record(search, reading_kind(&reading));
		else
			gap(search);
	}
	return reading_end(&reading);
}

static int read_trace(struct search *search, const struct stacks *stacks,
		      const struct symbols *symbols)
{
	static const struct locks_watch watch = { .begin = section_begins };
	static const struct stacked_told told = { .section = section_has, .wait = wait_has };
	struct trace *t = &search->trace;
	int ret;

	search->locks = locks_new(t, section_ends, search);
	locks_watch(search->locks, &watch);
	search->waits = waits_new(search->locks, waited, search);
	waits_keep(search->waits);
	search->stacked = stacked_new(t, stacks, symbols, true, &told, search);
	ret = read_all(search);
	waits_finish(search->waits);
	stacked_finish(search->stacked);
	stacked_free(search->stacked);
	locks_finish(search->locks);
	waits_free(search->waits);
	locks_free(search->locks);
	return ret;
}

/* The same files again; what is wrong with them is said when their records are used. */
static int open_again(struct search *search, const struct trace *t)
{
	char **dirs = mem_zalloc(t->parts.n + 1, sizeof(*dirs));
	int ret;

	for (unsigned int i = 0; i < t->parts.n; i++)
		dirs[i] = t->parts.dir[i];
	ret = trace_open(&search->trace, dirs);
	mem_free(dirs);
	return ret;
}

/* Does any stack lead to a wanted place? That of a section's end need not have the helper. */
static bool leads_there(const struct filter *f, const struct stacks *stacks,
			const struct symbols *symbols)
{
	for (uint32_t number = 1; number <= stacks_count(stacks); number++) {
		const struct stack *stack = stacks_at(stacks, number);
		uint32_t first = frames_first(symbols, stack);

		if (first < stack->n &&
		    filter_has_site(f, frames_address(symbols, stack, first)))
			return true;
	}
	return false;
}

static int search_trace(struct filter *f, const struct trace *t, const struct stacks *stacks,
			const struct symbols *symbols)
{
	struct search search = { .filter = f, .symbols = symbols, .rest = *f };
	int ret;

	search.rest.sites.given = false;
	/* an early record may be in front of --to, and its section behind it */
	if (__builtin_add_overflow(f->end, t->meta.freq / EARLY_PART, &search.rest.end))
		search.rest.end = UINT64_MAX;
	search.early[0] = search.early[1] = no_stamps();
	f->shown = mem_zalloc(1, sizeof(*f->shown));
	*f->shown = (struct pairs){ .size = sizeof(struct pair), .max = SHOWN_MAX };
	ret = open_again(&search, t);
	if (!ret) {
		ret = read_trace(&search, stacks, symbols);
		trace_close(&search.trace);
	}
	pairs_free(&search.early[0]);
	pairs_free(&search.early[1]);
	return ret;
}

int filter_find_shown(struct filter *f, const struct trace *t, const struct symbols *symbols)
{
	struct stacks *stacks;
	int ret = 0;

	message_again();
	stacks = stacks_open_parts(&t->parts);
	if (stacks && leads_there(f, stacks, symbols))
		ret = search_trace(f, t, stacks, symbols);
	stacks_free(stacks);
	if (end_signals_came()) {
		warnx("ended by a signal");
		return -1;
	}
	if (ret)
		warnx("--site: %s cannot be read twice, to find the callers of helpers", t->title);
	if (ret || !f->shown || !f->shown->refused)
		return ret;
	warnx("--site: more than %u sections and waits of helpers are called from there: select fewer, with --from and --to",
	      SHOWN_MAX);
	return -1;
}

void filter_free_shown(struct filter *f)
{
	if (f->shown)
		pairs_free(f->shown);
	mem_free(f->shown);
}
