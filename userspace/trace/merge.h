/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The items of all streams of a trace in the order of time; those of the same
 * time in the order of CPUs.
 *
 * Streams play a tournament: a tree whose leaves are the streams and whose nodes have
 * the earlier one of the two below. A stream's new item goes the way from its leaf to
 * the root. No branch depends on who wins, for the processor could not foresee it.
 */
#ifndef FT_TRACE_MERGE_H
#define FT_TRACE_MERGE_H

#include "trace/trace.h"

struct merge {
	/* Nodes: [1] is the root, [leaves + i] stream i; its item's time beside it. */
	struct stream	**winner;
	uint64_t	*ts;
	unsigned int	leaves;		/* a power of two */
	struct stream	*streams;	/* in the order of CPUs */
	struct stream	*none;		/* behind all: a leaf without an item */
	bool		started;	/* the item at hand was used */
	bool		many;		/* streams: MERGE_MANY */
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

/* Private: what orders items. */
static inline unsigned __int128 merge_key(uint64_t ts, const struct stream *s)
{
	return (unsigned __int128)ts << 64 | (uintptr_t)s;
}

/* Private: the item of a leaf is another one now. */
static inline void merge_play(struct merge *m, size_t leaf, uint64_t ts, struct stream *s)
{
	size_t i;

	m->ts[leaf] = ts;
	m->winner[leaf] = s;
	for (i = leaf; i > 1; i /= 2) {
		uint64_t other_ts = m->ts[i ^ 1];
		struct stream *other = m->winner[i ^ 1];
		bool earlier = merge_key(other_ts, other) < merge_key(ts, s);

		/* as likely as not: so gcc makes no branch of it */
		ts = __builtin_expect_with_probability(earlier, 1, 0.5) ? other_ts : ts;
		s = __builtin_expect_with_probability(earlier, 1, 0.5) ? other : s;
		m->ts[i / 2] = ts;
		m->winner[i / 2] = s;
	}
}

/* Private: the item of @s, which comes when it is its turn, at s->ts. */
static inline void merge_enter(struct merge *m, struct stream *s)
{
	merge_play(m, m->leaves + (size_t)(s - m->streams), s->ts, s);
}

/* Private: @s has no item. */
static inline void merge_leave(struct merge *m, const struct stream *s)
{
	merge_play(m, m->leaves + (size_t)(s - m->streams), UINT64_MAX, m->none);
}

/** merge_postpone - take the stream at hand out; its item has not come yet */
static inline void merge_postpone(struct merge *m)
{
	merge_leave(m, m->winner[1]);
	m->started = false;
}

/**
 * merge_resume - put @s back; its item comes when it is its turn, at s->ts now
 *
 * Only when the item at hand was not used: it comes once more.
 */
static inline void merge_resume(struct merge *m, struct stream *s)
{
	merge_enter(m, s);
	m->started = false;
}

/**
 * merge_next - the next item in the order of time
 *
 * Return: 1 and *@s is the stream that has it, until the next call; 0 at the
 * end; -1 with a message.
 */
static inline int merge_next(struct merge *m, struct stream **s)
{
	struct stream *last = m->winner[1];

	if (m->started && last != m->none) {
		int ret = stream_next(last);

		if (ret < 0)
			return ret;
		if (ret)
			merge_enter(m, last);
		else
			merge_leave(m, last);
		m->waits = m->many && ret && m->winner[1] != last ? last : NULL;
	}
	m->started = true;
	*s = m->winner[1];
	return *s != m->none;
}

#endif /* FT_TRACE_MERGE_H */
