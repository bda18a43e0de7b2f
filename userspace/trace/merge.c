// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Merging streams: how the tournament begins, and what is rare in it. See merge.h. */
#include "base/mem.h"
#include "trace/merge.h"

/* The last one may have no record ahead; its item is put back next. */
static uint64_t time_of(const struct merge *m, const struct stream *s)
{
	return s->at_hand || s == m->last ? s->ts : s->rec[1].ts;
}

void merge_move_base(struct merge *m)
{
	uint64_t first = UINT64_MAX;
	size_t i;

	for (i = 0; i < m->leaves; i++) {
		if (m->key[m->leaves + i] != MERGE_NONE && time_of(m, &m->streams[i]) < first)
			first = time_of(m, &m->streams[i]);
	}
	m->base = first;
	for (i = 0; i < m->leaves; i++) {
		if (m->key[m->leaves + i] != MERGE_NONE)
			merge_enter(m, &m->streams[i], time_of(m, &m->streams[i]));
	}
}

void merge_postpone(struct merge *m, const struct stream *s)
{
	merge_play(m, s->index, MERGE_NONE);
	m->last = NULL;
}

void merge_put_back(struct merge *m, struct stream *s)
{
	s->at_hand = true;
	merge_enter(m, s, s->ts);
	if (m->last == s)
		m->last = NULL;
	if (s->ts < m->base)	/* it moved while @s waited */
		merge_move_base(m);
}

int merge_find(struct merge *m)
{
	struct stream *s = m->last;
	int ret = stream_next(s);

	m->last = NULL;
	s->at_hand = ret > 0;
	if (ret < 0)
		return -1;
	if (ret)
		merge_enter(m, s, s->ts);
	else
		merge_play(m, s->index, MERGE_NONE);
	return 0;
}

int merge_init(struct merge *m, struct trace *t)
{
	size_t i;

	*m = (struct merge){ .streams = t->streams };
	while (1u << m->bits < t->n_streams)
		m->bits++;
	m->leaves = 1u << m->bits;
	/* one less than there is room for: no number of a stream makes MERGE_NONE of it */
	m->far = (UINT64_MAX >> m->bits) - 1;
	m->key = mem_zalloc(m->leaves, 2 * sizeof(*m->key));
	for (i = 0; i < 2 * m->leaves; i++)
		m->key[i] = MERGE_NONE;
	for (i = 0; i < t->n_streams; i++) {
		if (t->streams[i].skipped)
			continue;
		m->last = &t->streams[i];
		if (merge_find(m)) {
			merge_exit(m);
			return -1;
		}
	}
	return 0;
}

void merge_exit(struct merge *m)
{
	mem_free(m->key);
	*m = (struct merge){ 0 };
}
