// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Merging streams: how the tournament begins. See merge.h. */
#include "base/mem.h"
#include "trace/merge.h"

int merge_init(struct merge *m, struct trace *t)
{
	unsigned int i;
	int ret;

	*m = (struct merge){
		.leaves = 1,
		.streams = t->streams,
		.none = t->streams + t->n_streams,
		.many = t->n_streams >= MERGE_MANY,
	};
	while (m->leaves < t->n_streams)
		m->leaves *= 2;
	m->winner = mem_zalloc(m->leaves, 2 * sizeof(*m->winner));
	m->ts = mem_zalloc(m->leaves, 2 * sizeof(*m->ts));
	for (i = 0; i < 2 * m->leaves; i++) {
		m->winner[i] = m->none;
		m->ts[i] = UINT64_MAX;
	}
	for (i = 0; i < t->n_streams; i++) {
		if (t->streams[i].skipped)
			continue;
		ret = stream_next(&t->streams[i]);
		if (ret < 0) {
			merge_exit(m);
			return -1;
		}
		if (ret)
			merge_enter(m, &t->streams[i]);
	}
	return 0;
}

void merge_exit(struct merge *m)
{
	mem_free(m->winner);
	mem_free(m->ts);
	*m = (struct merge){ 0 };
}
