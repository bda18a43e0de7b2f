// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Live over time. See timeline.h. */
#include "base/mem.h"
#include "heap/timeline.h"

#define SHIFT_LEAST	10u

struct heap_timeline *heap_timeline_new(uint64_t start, size_t room)
{
	struct heap_timeline *t = mem_zalloc(1, sizeof(*t) + room * sizeof(*t->span));

	t->start = start;
	t->shift = SHIFT_LEAST;
	t->room = room;
	return t;
}

static uint64_t greater(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static struct heap_span joined(const struct heap_span *a, const struct heap_span *b)
{
	return (struct heap_span){
		.most = { greater(a->most.blocks, b->most.blocks),
			  greater(a->most.bytes, b->most.bytes) },
		.end = b->end,
		.allocated = { a->allocated.blocks + b->allocated.blocks,
			       a->allocated.bytes + b->allocated.bytes },
		.freed = a->freed + b->freed,
	};
}

/* If the number is odd, the last one stays alone. */
static void halve(struct heap_timeline *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n; i += 2, n++)
		t->span[n] = i + 1 < t->n ? joined(&t->span[i], &t->span[i + 1]) : t->span[i];
	t->n = n;
	t->shift++;
}

struct heap_span *heap_timeline_reach(struct heap_timeline *t, uint64_t ts)
{
	uint64_t since = ts - t->start, i;

	while ((i = since >> t->shift) >= t->room)
		halve(t);
	while (t->n <= i)
		t->span[t->n++] = (struct heap_span){ .most = t->now, .end = t->now };
	return &t->span[i];
}
