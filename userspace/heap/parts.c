// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Over time, by call site. See parts.h. */
#include "base/mem.h"
#include "heap/parts.h"

static void take_away(struct heap_count *from, const struct heap_count *count)
{
	from->blocks -= count->blocks;
	from->bytes -= count->bytes;
}

/* Each of its spans is so many of the whole. */
static struct heap_timeline *whole_in_spans_of_rows(const struct heap *h)
{
	struct heap_timeline *t = heap_timeline_new(h->timeline->start, HEAP_ROW_SPANS);

	heap_timeline_at(t, h->end_ts);
	for (size_t i = 0; i < h->timeline->n; i++) {
		const struct heap_span *from = &h->timeline->span[i];
		struct heap_span *to = &t->span[i >> (t->shift - h->timeline->shift)];

		to->end = from->end;
		to->allocated.blocks += from->allocated.blocks;
		to->allocated.bytes += from->allocated.bytes;
		to->freed += from->freed;
	}
	return t;
}

static struct heap_timeline *rest_of(const struct heap *h, const struct heap_parts *p)
{
	struct heap_timeline *t = whole_in_spans_of_rows(h);

	for (size_t k = 0; k < p->n; k++) {
		for (size_t i = 0; i < t->n; i++) {
			const struct heap_span *span = &p->row[k]->over_time->span[i];

			take_away(&t->span[i].end, &span->end);
			take_away(&t->span[i].allocated, &span->allocated);
			t->span[i].freed -= span->freed;
		}
	}
	return t;
}

void heap_parts_take(struct heap_parts *p, const struct heap *h, enum heap_table table,
		     size_t limit)
{
	const struct heap_rows *rows = &h->rows[table];

	*p = (struct heap_parts){ .row = mem_zalloc(rows->n + 1, sizeof(*p->row)) };
	for (size_t i = 0; i < rows->n && p->n < limit; i++) {
		if (rows->row[i]->over_time)
			p->row[p->n++] = rows->row[i];
	}
	if (p->n < rows->n)
		p->rest = rest_of(h, p);
}

void heap_parts_free(struct heap_parts *p)
{
	mem_free(p->row);
	mem_free(p->rest);
}
