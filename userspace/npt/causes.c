// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Why long turns were long: see causes.h. */
#include <err.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <feather_trace/reader.h>

#include "analysis/threads.h"
#include "base/array.h"
#include "base/mem.h"
#include "libfttrace/handle.h"
#include "npt/causes.h"
#include "npt/span.h"
#include "trace/session_file.h"
#include "view/interrupt_name.h"

#define TOLD	3	/* causes that are named in a line */

struct search {
	struct causes		*c;
	struct ft_reader	*reader;
	uint32_t		cpu;
	pid_t			tid;
	bool			in_gap;
	uint64_t		gap;		/* when it began */
	unsigned int		spans;		/* told so far */
};

void causes_begin(struct causes *c, const struct turns *turns)
{
	c->n = turns->n_kept;
	c->turn = mem_zalloc(c->n + 1, sizeof(*c->turn));
	for (size_t i = 0; i < c->n; i++)
		c->turn[i].turn = turns->kept[i];
}

void causes_free(struct causes *c)
{
	for (size_t i = 0; i < c->n; i++) {
		struct long_turn *turn = &c->turn[i];

		for (size_t j = 0; j < turn->causes; j++)
			free(turn->cause[j].name);
		free(turn->cause);
		free(turn->lock.name);
		free(turn->lock.site);
	}
	free(c->turn);
}

/* Turns are in the order of time. Return: the first that ends after @at */
static size_t first_after(const struct causes *c, uint64_t at)
{
	return array_first(c->n, i, c->turn[i].turn.end <= at);
}

/* Part of each turn that it overlaps. */
static void add_span(struct search *s, uint64_t start, uint64_t end, const char *name)
{
	s->spans++;
	for (size_t i = first_after(s->c, start); i < s->c->n; i++) {
		struct long_turn *turn = &s->c->turn[i];

		if (turn->turn.begin >= end)
			return;
		if (turn->causes == turn->room) {
			turn->room = turn->room ? 2 * turn->room : 4;
			turn->cause = mem_resize(turn->cause, turn->room, sizeof(*turn->cause));
		}
		turn->cause[turn->causes++] = (struct cause){
			.start = start > turn->turn.begin ? start : turn->turn.begin,
			.end = end < turn->turn.end ? end : turn->turn.end,
			.name = mem_strdup(name), .told = s->spans,
		};
	}
}

static bool overlaps(const struct search *s, uint64_t start, uint64_t end)
{
	size_t i = first_after(s->c, start);

	return i < s->c->n && s->c->turn[i].turn.begin < end;
}

static void interrupt(void *arg, const struct interrupt_span *span)
{
	char name[INTERRUPT_NAME_LEN];
	struct search *s = arg;

	if (span->cpu != s->cpu || !overlaps(s, span->start, span->end))
		return;
	/* reads the symbols first */
	ft_reader_name(s->reader, 0, FT_READER_CODE, name, sizeof(name));
	interrupt_name(span, s->reader->symbols, name, sizeof(name));
	add_span(s, span->start, span->end, name);
}

static void runs(void *arg, const struct thread_span *span)
{
	struct search *s = arg;
	const char *task;
	char name[80];

	if (span->cpu != s->cpu || span->tid == s->tid || !overlaps(s, span->start, span->end))
		return;
	task = ft_reader_task(s->reader, span->tid);
	if (!span->tid)
		snprintf(name, sizeof(name), "idle");
	else
		snprintf(name, sizeof(name), "task %.60s %" PRId32, task ? task : "?", span->tid);
	add_span(s, span->start, span->end, name);
}

/* Nothing is certain about turns between the last record before the gap and the next. */
static void end_gap(struct search *s, uint64_t at)
{
	for (size_t i = first_after(s->c, s->gap); s->in_gap && i < s->c->n; i++) {
		if (s->c->turn[i].turn.begin >= at)
			break;
		s->c->turn[i].gap = true;
	}
	s->in_gap = false;
}

static void begin_gap(struct search *s, uint64_t at)
{
	if (!s->in_gap)
		s->gap = at;
	s->in_gap = true;
}

/* Return: false after a message */
static bool ended_well(struct search *s, int status)
{
	if (!status)
		return true;
	warnx("%s", ft_reader_error(s->reader));
	return false;
}

static bool find_spans(struct search *s)
{
	static const struct threads_told told = { .cpu = runs, .interrupt = interrupt };
	const struct ft_reader_item *item;
	uint64_t latest = 0;
	struct threads threads;
	int status;

	threads_begin(&threads, &s->reader->trace.meta, &told, s);
	while ((status = ft_reader_next(s->reader, &item)) > 0) {
		struct ft_record rec = {
			.id = (uint16_t)item->record.id, .tid = item->tid,
			.ctx = (uint8_t)item->context, .a = item->record.a, .b = item->record.b,
		};

		if (item->ring >= 0)
			continue;
		if (item->kind == FT_READER_GAPS) {
			threads_gap(&threads, item->time, (uint32_t)item->cpu);
			if ((uint32_t)item->cpu == s->cpu)
				begin_gap(s, item->time);
		} else if (!item->record.stream_class) {
			latest = item->time;
			if ((uint32_t)item->cpu == s->cpu)
				end_gap(s, latest);
			threads_record(&threads, item->time, (uint32_t)item->cpu, &rec);
		}
	}
	threads_end(&threads, latest);
	end_gap(s, UINT64_MAX);
	s->c->lost = ft_reader_lost(s->reader);
	return ended_well(s, status);
}

static char *name_of(struct search *s, uint64_t address, unsigned int what)
{
	char name[SYMBOLS_LEN];

	if (ft_reader_name(s->reader, address, what, name, sizeof(name)) <= 0)
		snprintf(name, sizeof(name), "0x%" PRIx64, address);
	return mem_strdup(name);
}

/* A task that holds such a lock, or waits for one, keeps the CPU. */
static bool is_spinning(const char *family)
{
	for (unsigned int i = 0; i < LOCKS_FAMILIES; i++) {
		if (!strcmp(locks_name(i), family))
			return locks_is_spinning(i);
	}
	return false;
}

/* The longest; a wait says more than a section. */
static void add_lock(struct search *s, uint64_t start, uint64_t end, const char *family,
		     uint64_t lock, uint64_t site, bool waited)
{
	for (size_t i = first_after(s->c, start); i < s->c->n && is_spinning(family); i++) {
		struct long_turn *turn = &s->c->turn[i];
		struct cause_lock *have = &turn->lock;
		uint64_t from = start > turn->turn.begin ? start : turn->turn.begin;
		uint64_t to = end < turn->turn.end ? end : turn->turn.end;

		if (turn->turn.begin >= end)
			return;
		if (waited < have->waited || (waited == have->waited && to - from <= have->length))
			continue;
		free(have->name);
		free(have->site);
		*have = (struct cause_lock){
			.length = to - from, .waited = waited, .family = family,
			.name = name_of(s, lock, FT_READER_DATA),
			.site = name_of(s, site, FT_READER_CODE),
		};
	}
}

static bool find_locks(struct search *s)
{
	const struct ft_reader_item *item;
	int status;

	while ((status = ft_reader_next(s->reader, &item)) > 0) {
		if (item->ring >= 0 || (uint32_t)item->cpu != s->cpu)
			continue;
		if (item->kind == FT_READER_SECTIONS)
			add_lock(s, item->section.start, item->section.end, item->section.family,
				 item->section.lock, item->section.site, false);
		else if (item->kind == FT_READER_WAITS)
			add_lock(s, item->wait.begin, item->wait.end, item->wait.family,
				 item->wait.lock, item->wait.site, true);
	}
	return ended_well(s, status);
}

/* Opens the trace for items of these kinds and goes through them. */
static bool pass(struct search *s, const char *dir, unsigned int kinds,
		 bool (*find)(struct search *s))
{
	bool ok;

	s->reader = ft_reader_new();
	if (!s->reader)
		mem_none();
	ok = ended_well(s, ft_reader_open(s->reader, dir, kinds)) && find(s);
	ft_reader_free(s->reader);
	return ok;
}

static int by_start(const void *a, const void *b)
{
	const struct cause *left = a, *right = b;

	if (left->start != right->start)
		return left->start < right->start ? -1 : 1;
	if (left->end != right->end)
		return left->end > right->end ? -1 : 1;
	/* of two cut to the same span, the outer one ended, and so was reported, later */
	return left->told > right->told ? -1 : 1;
}

/* Finds what lies inside what, and how much of the turn is known. */
static void nest(struct long_turn *turn)
{
	size_t *open = mem_zalloc(turn->causes + 1, sizeof(*open)), depth = 0;
	uint64_t until = turn->turn.begin;

	if (turn->causes)
		qsort(turn->cause, turn->causes, sizeof(*turn->cause), by_start);
	for (size_t i = 0; i < turn->causes; i++) {
		struct cause *cause = &turn->cause[i];

		while (depth && (turn->cause[open[depth - 1]].end <= cause->start ||
				 turn->cause[open[depth - 1]].end < cause->end))
			depth--;
		cause->depth = (unsigned int)depth;
		open[depth++] = i;
		if (cause->end > until) {
			turn->known += cause->end - (cause->start > until ? cause->start : until);
			until = cause->end;
		}
	}
	free(open);
}

/* Are the times of the trace those of the turns? Return: false after a message */
static bool has_clock(const char *dir, const char *clock)
{
	char has[64];

	if (session_get(dir, "clock", has, sizeof(has)))
		return true;
	if (!strcmp(has, clock))
		return true;
	warnx("%s: its clock is '%s', that of the turns '%s': no causes can be named (see clock "
	      "in ft-load(1))", dir, has, clock);
	return false;
}

bool causes_find(struct causes *c, const char *dir, const char *clock, uint32_t cpu, pid_t tid)
{
	struct search s = { .c = c, .cpu = cpu, .tid = tid };

	if (!has_clock(dir, clock) ||
	    !pass(&s, dir, FT_READER_RECORDS | FT_READER_GAPS, find_spans) ||
	    !pass(&s, dir, FT_READER_SECTIONS | FT_READER_WAITS, find_locks))
		return false;
	for (size_t i = 0; i < c->n; i++)
		nest(&c->turn[i]);
	c->found = true;
	return true;
}

/* --- as text -------------------------------------------------------------- */

/* The innermost one inside of @at that takes at least half of it, or @at. */
static size_t core(const struct long_turn *turn, size_t at)
{
	size_t found = at;

	for (size_t i = at + 1; i < turn->causes; i++) {
		const struct cause *outer = &turn->cause[found], *cause = &turn->cause[i];

		if (cause->depth <= turn->cause[at].depth)
			break;
		if (cause->depth > outer->depth && cause->end <= outer->end &&
		    2 * (cause->end - cause->start) >= outer->end - outer->start)
			found = i;
	}
	return found;
}

/* Return: that of depth 0 which follows @at if the longest comes first; SIZE_MAX: none */
static size_t next_longest(const struct long_turn *turn, size_t at)
{
	uint64_t most = 0, below = UINT64_MAX;
	size_t found = SIZE_MAX;

	if (at != SIZE_MAX)
		below = turn->cause[at].end - turn->cause[at].start;
	for (size_t i = 0; i < turn->causes; i++) {
		uint64_t length = turn->cause[i].end - turn->cause[i].start;

		if (turn->cause[i].depth || length > below || (length == below && i <= at))
			continue;
		if (found == SIZE_MAX || length > most) {
			found = i;
			most = length;
		}
	}
	return found;
}

static void put_cause(FILE *f, const struct long_turn *turn, size_t i, uint64_t hz)
{
	const struct cause *outer = &turn->cause[i], *inner = &turn->cause[core(turn, i)];
	char length[SPAN_LEN];

	fprintf(f, "%s %s", outer->name, span_text(length, outer->end - outer->start, hz));
	if (inner != outer)
		fprintf(f, ": %s %s", inner->name,
			span_text(length, inner->end - inner->start, hz));
}

static void put_lock(FILE *f, const char *before, const struct cause_lock *lock, uint64_t hz)
{
	char length[SPAN_LEN];

	fprintf(f, "%s%s %s lock %s for %s at %s", before, lock->waited ? "waits for" : "holds",
		lock->family, lock->name, span_text(length, lock->length, hz), lock->site);
}

char *causes_text(const struct causes *c, const struct long_turn *turn, uint64_t hz)
{
	uint64_t length = turn->turn.end - turn->turn.begin;
	size_t at = SIZE_MAX, size, told;
	char *text = NULL, rest[SPAN_LEN];
	FILE *f = open_memstream(&text, &size);

	if (!f)
		mem_none();
	for (told = 0; c->found && told < TOLD; told++) {
		size_t next = next_longest(turn, at);

		if (next == SIZE_MAX)
			break;
		fputs(told ? ", " : "", f);
		put_cause(f, turn, next, hz);
		at = next;
	}
	if (c->found) {
		if (turn->lock.length)
			put_lock(f, told++ ? "; " : "", &turn->lock, hz);
		if (turn->gap)
			fprintf(f, "%srecords were lost", told ? ", " : "");
		else if (2 * turn->known < length)
			fprintf(f, "%s%s that was not recorded", told ? ", " : "",
				span_text(rest, length - turn->known, hz));
	}
	if (fclose(f))
		mem_none();
	return text;
}
