// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Where tasks went to sleep: the innermost function of the recorded stack that is not the
 * scheduler's own. The kernel keeps functions that only wait for others in a section of their
 * own, between two symbols, as /proc/PID/wchan needs it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/mem.h"
#include "why/pass.h"

struct known {
	bool			asked;
	struct why_place	place;
};

struct why_places {
	const struct symbols	*symbols;
	const struct stacks	*stacks;
	struct symbols_range	scheduler;
	struct symbols_range	io[2];		/* what is called to wait for a device */
	struct known		*known;		/* by number of the stack */
};

static bool find(const struct symbols *s, const char *name, struct symbols_range *range)
{
	struct symbols_range *found = NULL;
	bool one = symbols_lookup(s, name, &found) == 1;

	if (one)
		*range = found[0];
	free(found);
	return one;
}

static bool is_in(const struct symbols_range *range, uint64_t addr)
{
	return addr >= range->low && addr <= range->high;
}

struct why_places *why_places_new(const struct symbols *s, const struct stacks *stacks)
{
	static const char *const waits[] = { "io_schedule", "io_schedule_timeout" };
	struct symbols_range begin, end;
	struct why_places *p;

	if (!stacks || !find(s, "__sched_text_start", &begin) ||
	    !find(s, "__sched_text_end", &end) || begin.low >= end.low)
		return NULL;
	p = mem_zalloc(1, sizeof(*p));
	p->symbols = s;
	p->stacks = stacks;
	p->scheduler = (struct symbols_range){ begin.low, end.low - 1 };
	for (size_t i = 0; i < ARRAY_SIZE(waits); i++) {
		if (!find(s, waits[i], &p->io[i]))
			p->io[i] = (struct symbols_range){ 1, 0 };	/* there is none */
	}
	p->known = mem_zalloc((size_t)stacks_count(stacks) + 1, sizeof(*p->known));
	return p;
}

static struct why_place place_of(const struct why_places *p, const struct stack *stack)
{
	struct why_place place = { 0 };
	struct symbols_place at;
	uint32_t i = 0;

	/* Return addresses: the calls are before them. */
	while (i < stack->n && !is_in(&p->scheduler, stack->addr[i] - 1))
		i++;
	for (; i < stack->n && is_in(&p->scheduler, stack->addr[i] - 1); i++)
		place.io |= is_in(&p->io[0], stack->addr[i] - 1) ||
			    is_in(&p->io[1], stack->addr[i] - 1);
	if (i == stack->n)
		return (struct why_place){ 0 };
	place.function = stack->addr[i];
	if (symbols_place(p->symbols, stack->addr[i], true, &at))
		place.function -= at.offset;
	return place;
}

struct why_place why_places_find(struct why_places *p, uint32_t id)
{
	const struct stack *stack = p && id ? stacks_find(p->stacks, 0, id) : NULL;
	struct known *known;

	if (!stack)
		return (struct why_place){ 0 };
	known = &p->known[stack->number];
	if (!known->asked) {
		known->place = place_of(p, stack);
		known->asked = true;
	}
	return known->place;
}

void why_places_free(struct why_places *p)
{
	if (!p)
		return;
	mem_free(p->known);
	mem_free(p);
}
