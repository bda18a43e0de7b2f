// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The tree of a section or a wait: parts of parts, each the sum of its own. */
#include "base/mem.h"
#include "why/pass.h"

static bool is_same(const struct why_part *x, const struct why_part *y)
{
	return x->cause == y->cause && x->who == y->who && x->holder == y->holder &&
	       x->lock == y->lock && x->site == y->site && x->family == y->family &&
	       x->label == y->label && x->place.function == y->place.function &&
	       x->place.io == y->place.io && x->pending == y->pending && !x->others &&
	       x->interrupt.event == y->interrupt.event &&
	       (!x->interrupt.event || x->interrupt.a == y->interrupt.a);
}

/* Too many were told apart already: one part for all others of this cause. */
static struct why_part *others(struct why_part *up, const struct why_part *like)
{
	struct why_part *part;

	for (part = up->part; part; part = part->next) {
		if (part->others && part->cause == like->cause)
			return part;
	}
	part = mem_zalloc(1, sizeof(*part));
	part->cause = like->cause;
	part->others = true;
	return part;
}

/* Is there room for one more in @up? Then it is taken. */
static bool take_room(struct why_part *up)
{
	struct why_part *whole = up;

	while (whole->up)
		whole = whole->up;
	if (up->parts == WHY_PARTS || whole->all == WHY_ALL_PARTS)
		return false;
	up->parts++;
	whole->all++;
	return true;
}

/* The part of @up that is like this; made if there is none. The latest is the first. */
struct why_part *why_tree_part(struct why_part *up, const struct why_part *like)
{
	struct why_part **at = &up->part, *part;

	while (*at && !is_same(*at, like))
		at = &(*at)->next;
	part = *at;
	if (part) {
		*at = part->next;
	} else if (like->pending || take_room(up)) {
		part = mem_zalloc(1, sizeof(*part));
		*part = *like;
		part->up = up;
	} else {
		part = others(up, like);
		if (part->up)
			return part;
		part->up = up;
	}
	part->next = up->part;
	up->part = part;
	return part;
}

void why_tree_grow(struct why_part *part, uint64_t ticks)
{
	for (; part; part = part->up)
		part->ticks += ticks;
}

void why_tree_not_pending(struct why_part *part)
{
	if (part->listed)
		LIST_REMOVE(part, in_pending);
	part->listed = false;
}

static void free_all(struct why_part *part)
{
	while (part) {
		struct why_part *next = part->next;

		free_all(part->part);
		why_tree_not_pending(part);
		mem_free(part);
		part = next;
	}
}

void why_parts_free(struct why_part *whole)
{
	free_all(whole->part);
	whole->part = NULL;
}

/* Longest first, without those that have no length. */
void why_tree_sort(struct why_part *part)
{
	struct why_part *in = part->part, *next, **at;

	part->part = NULL;
	for (; in; in = next) {
		next = in->next;
		if (!in->ticks) {
			free_all(in->part);
			mem_free(in);
			continue;
		}
		for (at = &part->part; *at && (*at)->ticks > in->ticks; at = &(*at)->next)
			;
		in->next = *at;
		*at = in;
		why_tree_sort(in);
	}
}

/* Takes so much from what is at the end of chains, and from what is above. */
void why_tree_take(struct why_part *part, uint64_t *more)
{
	uint64_t n = part->ticks < *more ? part->ticks : *more;

	for (struct why_part *in = part->part; in; in = in->next)
		why_tree_take(in, more);
	if (part->part)
		return;
	*more -= n;
	for (; part; part = part->up)
		part->ticks -= n;
}
