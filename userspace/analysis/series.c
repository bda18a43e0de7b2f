// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Bins of 0.1 us, and counts over time. See series.h. */
#include "analysis/series.h"
#include "base/mem.h"

#define NSEC	1000000000u

struct series *series_new(const struct trace *t)
{
	struct series *s = mem_zalloc(1, sizeof(*s));
	unsigned __int128 freq = t->meta.freq;
	unsigned int i;

	/* the least number of ticks that is not shorter than i bins */
	for (i = 0; i <= SERIES_BINS; i++)
		s->edge[i] = (i * SERIES_BIN_NS * freq + NSEC - 1) / NSEC;
	s->scale = ((unsigned __int128)NSEC << 32) / (SERIES_BIN_NS * freq);
	s->base = t->start;
	s->trace = t;
	s->gap = mem_zalloc(t->n_streams, sizeof(*s->gap));
	return s;
}

void series_free(struct series *s)
{
	if (!s)
		return;
	free(s->gap);
	free(s);
}

void series_halve(struct series *s, uint64_t offset)
{
	unsigned int family, i;

	for (; offset >> s->shift >= SERIES_SLOTS; s->shift++) {
		for (family = 0; family < LOCKS_FAMILIES; family++) {
			uint64_t *slot = s->slots[family];

			for (i = 0; i < SERIES_SLOTS / 2; i++)
				slot[i] = slot[2 * i] + slot[2 * i + 1];
			memset(slot + i, 0, SERIES_SLOTS / 2 * sizeof(*slot));
		}
		for (i = 0; i < SERIES_SLOTS / 2; i++)
			s->lost[i] = s->lost[2 * i] || s->lost[2 * i + 1];
		memset(s->lost + i, 0, SERIES_SLOTS / 2 * sizeof(*s->lost));
	}
}

static void mark_lost(struct series *s, uint64_t from, uint64_t to)
{
	uint64_t i;

	series_halve(s, to);
	for (i = from >> s->shift; i <= to >> s->shift; i++)
		s->lost[i] = true;
}

/* 0 is no gap: so what is kept is one more. */
void series_gap(struct series *s, const struct stream *stream)
{
	uint64_t *gap = &s->gap[stream->index];
	uint64_t at = stream->ts - s->base;

	if (stream->item == STREAM_GAP) {
		if (!*gap)
			*gap = at + 1;
	} else if (*gap) {
		mark_lost(s, *gap - 1, at);
		*gap = 0;
	}
}

void series_finish(struct series *s, uint64_t last)
{
	uint64_t end = last - s->base;
	unsigned int i;

	for (i = 0; i < s->trace->n_streams; i++) {
		if (!s->gap[i])
			continue;
		mark_lost(s, s->gap[i] - 1,
			  s->gap[i] - 1 > end ? s->gap[i] - 1 : end);
		s->gap[i] = 0;
	}
}

size_t series_spans(const struct series *s, uint64_t last,
		    size_t most, struct series_span *spans)
{
	uint64_t total = last - s->base;
	size_t slots = (size_t)(total >> s->shift) + 1;
	size_t group = (slots + most - 1) / most, n, i, family;

	if (last <= s->base || !most)
		return 0;
	if (slots > SERIES_SLOTS) {		/* the sections ended long before */
		struct series *wide = mem_zalloc(1, sizeof(*wide));

		*wide = *s;
		series_halve(wide, total);
		n = series_spans(wide, last, most, spans);
		free(wide);
		return n;
	}
	n = (size_t)(total / ((uint64_t)group << s->shift));
	n = n ? n : 1;
	memset(spans, 0, n * sizeof(*spans));
	for (i = 0; i < n; i++) {
		spans[i].from = (uint64_t)(i * group) << s->shift;
		spans[i].to = i + 1 < n ? (uint64_t)((i + 1) * group) << s->shift :
					  total;
	}
	for (i = 0; i < slots; i++) {
		struct series_span *span = &spans[i / group < n ? i / group : n - 1];

		for (family = 0; family < LOCKS_FAMILIES; family++)
			span->count[family] += s->slots[family][i];
		span->lost |= s->lost[i];
	}
	return n;
}
