// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Merging streams: a binary heap of streams by the time of their item. */
#include "merge.h"
#include "report_mem.h"

static void sink(struct merge *m, unsigned int i)
{
	const struct merge_item item = m->heap[i];

	for (;;) {
		unsigned int child = 2 * i + 1;

		if (child >= m->n)
			break;
		if (child + 1 < m->n &&
		    merge_before(&m->heap[child + 1], &m->heap[child]))
			child++;
		if (!merge_before(&m->heap[child], &item))
			break;
		m->heap[i] = m->heap[child];
		i = child;
	}
	m->heap[i] = item;
}

void merge_sink(struct merge *m)
{
	sink(m, 0);
}

void merge_postpone(struct merge *m)
{
	m->heap[0] = m->heap[--m->n];
	sink(m, 0);
	m->started = false;
}

void merge_resume(struct merge *m, struct stream *s)
{
	const struct merge_item item = { s->ts, s };
	unsigned int i = m->n++;

	for (; i && merge_before(&item, &m->heap[(i - 1) / 2]); i = (i - 1) / 2)
		m->heap[i] = m->heap[(i - 1) / 2];
	m->heap[i] = item;
	m->started = false;
}

int merge_init(struct merge *m, struct trace *t)
{
	unsigned int i;
	int ret = 0;

	*m = (struct merge){ 0 };
	m->heap = mem_zalloc(t->n_streams, sizeof(*m->heap));
	for (i = 0; i < t->n_streams && ret >= 0; i++) {
		if (t->streams[i].skipped)
			continue;
		ret = stream_next(&t->streams[i]);
		if (ret > 0)
			m->heap[m->n++] = (struct merge_item){
				t->streams[i].ts, &t->streams[i]
			};
	}
	if (ret < 0) {
		merge_exit(m);
		return -1;
	}
	for (i = m->n / 2; i-- > 0;)
		sink(m, i);
	return 0;
}

void merge_exit(struct merge *m)
{
	free(m->heap);
	*m = (struct merge){ 0 };
}
