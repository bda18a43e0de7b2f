/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The items of all streams of a trace in the order of time; those of the same
 * time in the order of CPUs.
 *
 * Streams play a tournament: a tree whose leaves are the streams and whose nodes have
 * the earlier one of the two below. A stream's new item goes the way from its leaf to
 * the root. No branch depends on who wins, as the processor could not predict it.
 *
 * A node is one number: the time since m->base, and below it the number of the stream.
 * What is too far from the base for that counts as far away; when nothing nearer is left,
 * the base moves there (merge_move_base()).
 */
#ifndef FT_TRACE_MERGE_H
#define FT_TRACE_MERGE_H

#include "trace/trace.h"

struct merge {
	uint64_t	*key;		/* nodes: [1] is the root, [leaves + i] stream i */
	uint64_t	base;		/* ticks */
	uint64_t	far;		/* ticks since the base: so many, or more */
	unsigned int	bits;		/* of the number of a stream */
	unsigned int	leaves;		/* 1 << bits */
	struct stream	*streams;	/* in the order of CPUs */
	struct stream	*last;		/* its item was given, and what follows is to be found */
};

/* The key of a leaf without an item: behind all. */
#define MERGE_NONE	UINT64_MAX

/**
 * merge_init - begin with the first item of each stream that is not skipped
 *
 * Return: 0, or -1 with a message.
 */
int merge_init(struct merge *m, struct trace *t);
void merge_exit(struct merge *m);

/* Private: to the first item that there is. */
void merge_move_base(struct merge *m);

/* Private: the stream of a key. */
static inline struct stream *merge_stream(const struct merge *m, uint64_t key)
{
	return &m->streams[key & (m->leaves - 1)];
}

/* Private: the item of stream @i is another one now, at @key. */
static inline void merge_play(struct merge *m, size_t i, uint64_t key)
{
	size_t node = m->leaves + i;

	m->key[node] = key;
	for (; node > 1; node /= 2) {
		uint64_t other = m->key[node ^ 1];

		/* as likely as not: so gcc makes no branch of it */
		key = __builtin_expect_with_probability(other < key, 1, 0.5) ? other : key;
		m->key[node / 2] = key;
	}
}

/* Private: what @s has next comes at @ts. */
static inline void merge_enter(struct merge *m, const struct stream *s, uint64_t ts)
{
	uint64_t since = ts - m->base;

	if (__builtin_expect(since > m->far, 0))
		since = m->far;
	merge_play(m, s->index, since << m->bits | s->index);
}

/** merge_postpone - take @s out, whose item was given last: it has not come yet */
void merge_postpone(struct merge *m, const struct stream *s);

/**
 * merge_put_back - the item of @s, which was given, comes once more, at s->ts now
 *
 * Either it was postponed, or it was given last.
 */
void merge_put_back(struct merge *m, struct stream *s);

/* Private: finds the next item of the last stream. Return: 0, or -1 with a message */
int merge_find(struct merge *m);

/**
 * merge_next - the next item in the order of time
 *
 * Return: 1 and *@s is the stream that has it, until the next call; 0 at the
 * end, and *@s is NULL; -1 with a message.
 */
static inline int merge_next(struct merge *m, struct stream **s)
{
	const struct ft_record *ahead;
	struct stream *first;
	uint64_t key;

	if (__builtin_expect(!!m->last, 0) && merge_find(m))
		return -1;
	key = m->key[1];
	if (__builtin_expect(key >> m->bits >= m->far, 0)) {
		*s = NULL;
		if (key == MERGE_NONE)
			return 0;
		merge_move_base(m);
		key = m->key[1];
	}
	first = merge_stream(m, key);
	if (__builtin_expect(first->at_hand, 0))
		first->at_hand = false;
	else
		stream_take(first, first->rec + 1);
	/*
	 * Find the next item now and not at the next call, so that the processor has it in
	 * time: it cannot predict the kind of that record.
	 */
	ahead = stream_ahead(first);
	if (__builtin_expect(!!ahead, 1))
		merge_enter(m, first, ahead->ts);
	else
		m->last = first;
	__builtin_prefetch(merge_stream(m, m->key[1]));
	*s = first;
	return 1;
}

#endif /* FT_TRACE_MERGE_H */
