/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The items of all streams of a trace in the order of time; those of the same
 * time in the order of CPUs. The next one of the stream at hand is usually the
 * earliest: that costs one comparison, and only otherwise a step in a heap.
 */
#ifndef FT_MERGE_H
#define FT_MERGE_H

#include "trace.h"

/* The time of a stream's item beside it: comparing them is most of the work. */
struct merge_item {
	uint64_t	ts;
	struct stream	*s;
};

struct merge {
	struct merge_item *heap;	/* [0] is the stream at hand */
	unsigned int	n;
	bool		started;	/* the item at hand was used */
	/* Has a new item that comes after those of many others, or NULL. */
	struct stream	*waits;
};

/* With so many streams, an item that is not the next one waits for a while. */
#define MERGE_MANY	24

/**
 * merge_init - begin with the first item of each stream that is not skipped
 *
 * Return: 0, or -1 with a message.
 */
int merge_init(struct merge *m, struct trace *t);
void merge_exit(struct merge *m);

/**
 * merge_postpone - take the stream at hand out; its item has not come yet
 * merge_resume - put @s back; its item comes when it is its turn, at s->ts now
 *
 * merge_resume() only when the item at hand was not used: it comes once more.
 */
void merge_postpone(struct merge *m);
void merge_resume(struct merge *m, struct stream *s);

/* Private: moves the stream at hand to its place. */
void merge_sink(struct merge *m);

static inline bool merge_before(const struct merge_item *a,
				const struct merge_item *b)
{
	return a->ts < b->ts || (a->ts == b->ts && a->s->cpu < b->s->cpu);
}

/* Private: must the stream at hand go down? Often it has several items in turn. */
static inline bool merge_falls(const struct merge *m)
{
	return (m->n > 1 && merge_before(&m->heap[1], &m->heap[0])) ||
	       (m->n > 2 && merge_before(&m->heap[2], &m->heap[0]));
}

/**
 * merge_next - the next item in the order of time
 *
 * Return: 1 and *@s is the stream that has it, until the next call; 0 at the
 * end; -1 with a message.
 */
static inline int merge_next(struct merge *m, struct stream **s)
{
	if (m->started && m->n) {
		int ret = stream_next(m->heap[0].s);

		if (ret < 0)
			return ret;
		if (!ret)
			m->heap[0] = m->heap[--m->n];
		else
			m->heap[0].ts = m->heap[0].s->ts;
		m->waits = NULL;
		if (merge_falls(m)) {
			if (m->n >= MERGE_MANY)
				m->waits = m->heap[0].s;
			merge_sink(m);
		}
	}
	m->started = true;
	if (!m->n)
		return 0;
	*s = m->heap[0].s;
	return 1;
}

#endif /* FT_MERGE_H */
