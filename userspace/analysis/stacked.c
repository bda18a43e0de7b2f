// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Sections and waits wait for their stacks. See stacked.h. */
#include "analysis/stacked.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/pairs.h"
#include "symbols/frames.h"
#include "symbols/programs.h"

/* Stacks of acquisitions that are kept, one for each lock and task. */
#define ACQUISITIONS	(1u << 20)

struct ended_section {
	struct section	section;
	int32_t		tid;		/* that has released it */
	uint8_t		ctx;		/* where it did */
	uint32_t	number;		/* of the acquisition's stack */
	bool		waits;
};

struct ended_wait {
	struct wait	wait;
	bool		waits;
};

struct begun {
	uint64_t	lock, start;
	int32_t		tid;
	bool		waits;
};

/* What a CPU, or a thread's ring, has seen last; slots are used in turn. */
struct stacked_cpu {
	struct ended_section	section[STACKED_WAITING];
	struct ended_wait	wait[STACKED_WAITING];
	struct begun		begun[STACKED_WAITING];
	unsigned int		sections, ended_waits, begins;	/* they may wrap */
};

struct acquisition {
	struct pair	key;		/* the lock, section_task() */
	uint64_t	start;
	uint32_t	number;
};

/*
 * Values of maps. For a site: is it a helper's? For a stack: its first frame that is not a
 * helper's.
 */
#define NO	((void *)1)
#define YES	((void *)2)

struct stacked {
	const struct stacks		*stacks;
	const struct symbols		*symbols;
	bool				fold;
	const struct stacked_told	*told;
	void				*arg;
	struct stacked_cpu		*cpu;
	unsigned int			n_cpus;
	struct pairs			acquisitions;
	struct map			helper;		/* sites */
	uint64_t			*caller;	/* by number of the stack; 0: ask */
	struct stacked_counts		counts;
};

struct stacked *stacked_new(const struct trace *t, const struct stacks *stacks,
			    const struct symbols *symbols, bool fold,
			    const struct stacked_told *told, void *arg)
{
	struct stacked *st = mem_zalloc(1, sizeof(*st));

	st->stacks = stacks;
	st->symbols = symbols;
	st->fold = fold;
	st->told = told;
	st->arg = arg;
	st->n_cpus = t->n_streams;
	st->cpu = mem_zalloc(st->n_cpus, sizeof(*st->cpu));
	st->acquisitions.size = sizeof(struct acquisition);
	st->acquisitions.max = ACQUISITIONS;
	st->caller = mem_zalloc((size_t)stacks_count(stacks) + 1, sizeof(*st->caller));
	return st;
}

static void tell_section(struct stacked *st, struct ended_section *e, uint32_t number)
{
	e->waits = false;
	st->told->section(st->arg, &e->section, number);
}

static void tell_wait(struct stacked *st, struct ended_wait *e, uint32_t number)
{
	e->waits = false;
	st->told->wait(st->arg, &e->wait, number);
}

void stacked_begins(struct stacked *st, const struct stream *s, const struct section *section)
{
	struct stacked_cpu *cpu = &st->cpu[s->index];

	cpu->begun[cpu->begins++ % STACKED_WAITING] = (struct begun){
		.lock = section->lock, .start = section->start, .tid = section->tid,
		.waits = true,
	};
}

static uint32_t acquired_with(const struct stacked *st, const struct section *s)
{
	const struct acquisition *a = pairs_find(&st->acquisitions, s->lock,
						 section_task(s->tid, s->cpu), 0);

	return a && a->start == s->start ? a->number : 0;
}

void stacked_section(struct stacked *st, const struct stream *s, const struct section *section)
{
	struct ended_section *e, late;

	/* nothing ends at a record that is not there, nor later than it does */
	if (!s || s->item != STREAM_RECORD || section_is_late(section)) {
		late = (struct ended_section){ .section = *section };
		tell_section(st, &late, acquired_with(st, section));
		return;
	}
	e = &st->cpu[s->index].section[st->cpu[s->index].sections++ % STACKED_WAITING];
	if (e->waits)
		tell_section(st, e, e->number);
	*e = (struct ended_section){
		.section = *section, .tid = s->rec->tid, .ctx = s->rec->ctx, .waits = true,
		.number = acquired_with(st, section),
	};
}

/* One that has ended, of this lock, by the task of the record @s, there. */
static bool is_section(const struct ended_section *e, const struct stream *s, uint64_t lock)
{
	return e->waits && e->section.lock == lock && e->tid == s->rec->tid &&
	       e->ctx == s->rec->ctx;
}

static bool is_wait(const struct ended_wait *e, const struct stream *s, uint64_t lock)
{
	return e->waits && e->wait.lock == lock && e->wait.tid == s->rec->tid &&
	       e->wait.ctx == s->rec->ctx;
}

void stacked_release(struct stacked *st, const struct stream *s)
{
	for (unsigned int i = 0; i < STACKED_WAITING; i++) {
		struct ended_section *e = &st->cpu[s->index].section[i];

		if (is_section(e, s, s->rec->a))
			tell_section(st, e, e->number);
	}
}

void stacked_wait_end(struct stacked *st, const struct stream *s)
{
	for (unsigned int i = 0; i < STACKED_WAITING; i++) {
		struct ended_wait *e = &st->cpu[s->index].wait[i];

		if (is_wait(e, s, s->rec->a))
			tell_wait(st, e, 0);
	}
}

void stacked_wait(struct stacked *st, const struct stream *s, const struct wait *wait)
{
	struct ended_wait *e, known;

	if (!s || wait->stack) {
		known = (struct ended_wait){ .wait = *wait };
		tell_wait(st, &known, wait->stack);
		return;
	}
	e = &st->cpu[s->index].wait[st->cpu[s->index].ended_waits++ % STACKED_WAITING];
	if (e->waits)
		tell_wait(st, e, 0);
	*e = (struct ended_wait){ .wait = *wait, .waits = true };
}

/* Return: is its section there? */
static bool of_section(struct stacked *st, struct stacked_cpu *cpu, const struct stream *s,
		       uint32_t number)
{
	for (unsigned int i = 1; i <= STACKED_WAITING; i++) {
		struct ended_section *e = &cpu->section[(cpu->sections - i) % STACKED_WAITING];

		if (!is_section(e, s, s->rec->b))
			continue;
		if (number)
			tell_section(st, e, number);
		return true;
	}
	return false;
}

static bool of_wait(struct stacked *st, struct stacked_cpu *cpu, const struct stream *s,
		    uint32_t number)
{
	for (unsigned int i = 1; i <= STACKED_WAITING; i++) {
		struct ended_wait *e = &cpu->wait[(cpu->ended_waits - i) % STACKED_WAITING];

		if (!is_wait(e, s, s->rec->b))
			continue;
		if (number)
			tell_wait(st, e, number);
		return true;
	}
	return false;
}

static bool of_acquisition(struct stacked *st, struct stacked_cpu *cpu, const struct stream *s,
			   uint32_t number)
{
	for (unsigned int i = 1; i <= STACKED_WAITING; i++) {
		struct begun *b = &cpu->begun[(cpu->begins - i) % STACKED_WAITING];
		struct acquisition *a;

		if (!b->waits || b->lock != s->rec->b || b->tid != s->rec->tid)
			continue;
		b->waits = false;
		a = number ? pairs_get(&st->acquisitions, b->lock, section_task(b->tid, s->cpu),
				       0) : NULL;
		if (a) {
			a->start = b->start;
			a->number = number;
		}
		return true;
	}
	return false;
}

static bool of_any(struct stacked *st, struct stacked_cpu *cpu, const struct stream *s,
		   uint32_t number)
{
	switch (STACKS_OF(s->rec->a)) {
	case STACKS_OF_ACQUISITION:
		return of_acquisition(st, cpu, s, number);
	case STACKS_OF_SECTION:
		return of_section(st, cpu, s, number);
	case STACKS_OF_WAIT:
		return of_wait(st, cpu, s, number);
	}
	return false;
}

/* A thread of a program may have been given another ring before it wrote the stack. */
static bool find(struct stacked *st, const struct stream *s, struct waits *w, uint32_t number)
{
	bool found = STACKS_OF(s->rec->a) == STACKS_OF_WAIT && w && waits_stack(w, s, number);

	found = found || of_any(st, &st->cpu[s->index], s, number);
	for (unsigned int i = 0; !found && stream_is_program(s) && i < st->n_cpus; i++)
		found = of_any(st, &st->cpu[i], s, number);
	return found;
}

void stacked_record(struct stacked *st, const struct stream *s, struct waits *w)
{
	uint32_t id = STACKS_ID(s->rec->a), number = 0;
	const struct stack *stack = NULL;
	uint32_t pid = 0;
	bool known = true, found;

	if (STACKS_OF(s->rec->a) == STACKS_OF_ALLOCATION || STACKS_OF(s->rec->a) == STACKS_OF_SLEEP)
		return;
	st->counts.records++;
	if (stream_is_program(s)) {
		pid = symbols_pid(st->symbols, s->rec->b);
		known = pid;
	}
	if (id && known)
		stack = stacks_find(st->stacks, pid, id);
	if (stack)
		number = stack->number;
	found = find(st, s, w, number);
	st->counts.none += !id;
	st->counts.unknown += id && !number;
	st->counts.stray += number && !found;
	st->counts.used += number && found;
}

/* In the order in which they have ended. */
static void tell_all(struct stacked *st, struct stacked_cpu *cpu)
{
	for (unsigned int i = 0; i < STACKED_WAITING; i++) {
		struct ended_section *e;
		struct ended_wait *w;

		e = &cpu->section[(cpu->sections + i) % STACKED_WAITING];
		if (e->waits)
			tell_section(st, e, e->number);
		w = &cpu->wait[(cpu->ended_waits + i) % STACKED_WAITING];
		if (w->waits)
			tell_wait(st, w, 0);
		cpu->begun[i].waits = false;
	}
}

void stacked_gap(struct stacked *st, const struct stream *s)
{
	tell_all(st, &st->cpu[s->index]);
}

void stacked_finish(struct stacked *st)
{
	for (unsigned int c = 0; c < st->n_cpus; c++)
		tell_all(st, &st->cpu[c]);
}

static bool is_helper(struct stacked *st, uint64_t site)
{
	void *known = map_get(&st->helper, site);

	if (!known) {
		known = frames_is_helper(st->symbols, site) ? YES : NO;
		map_put(&st->helper, site, known);
	}
	return known == YES;
}

uint64_t stacked_site(struct stacked *st, uint64_t site, uint32_t number)
{
	const struct stack *stack;
	uint32_t first;

	if (!st->fold || !number || !site || !is_helper(st, site))
		return site;
	if (!st->caller[number]) {
		stack = stacks_at(st->stacks, number);
		first = frames_first(st->symbols, stack);
		/* helpers alone: their site stays; 1 is no address */
		st->caller[number] = first < stack->n ?
				     frames_address(st->symbols, stack, first) : 1;
	}
	return st->caller[number] == 1 ? site : st->caller[number];
}

const struct stacked_counts *stacked_counts(const struct stacked *st)
{
	return &st->counts;
}

void stacked_free(struct stacked *st)
{
	if (!st)
		return;
	mem_free(st->cpu);
	mem_free(st->caller);
	pairs_free(&st->acquisitions);
	map_free(&st->helper);
	mem_free(st);
}
