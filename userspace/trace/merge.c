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
	m->tree = mem_zalloc(m->leaves, 2 * sizeof(*m->tree));
	for (i = 0; i < 2 * m->leaves; i++)
		m->tree[i] = (struct merge_item){ UINT64_MAX, m->none };
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
	mem_free(m->tree);
	*m = (struct merge){ 0 };
}
