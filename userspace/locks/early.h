/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The items of a trace in the order in which they happened: as trace/merge.h has them, but
 * for acquisitions that carry too early a time.
 *
 * A processor may read its clock before the instruction in front of it has finished.
 * An acquisition that waits for the lock's cache line is then stamped before the other
 * CPU's release. But a lock that excludes others cannot be acquired before it was
 * released: such an acquisition waits here, and its stream with it, until the record of
 * that release has come. It happened then, and so did what the stream says happened
 * earlier. If no release comes within the bound, the clock was not early (records are
 * missing, or the clocks of CPUs differ): the acquisition keeps its time.
 */
#ifndef FT_LOCKS_EARLY_H
#define FT_LOCKS_EARLY_H

#include "locks/locks.h"
#include "locks/taken.h"
#include "trace/merge.h"

/*
 * Numbers of records of a stream: the last that was counted, and the last that has stopped
 * waiting.
 */
struct early_record {
	uint64_t	counted, overdue;
};

struct early {
	uint64_t	count;		/* acquisitions that were early */
	uint64_t	max;		/* ticks, by which they were at most */

	/* Private. */
	struct merge	merge;
	struct locks	*locks;
	struct taken	*taken;
	const uint8_t	(*kinds)[FT_ID_MAX + 1];
	uint8_t		(*none)[FT_ID_MAX + 1];	/* kinds, without locks */
	uint64_t	bound;		/* ticks */
	struct stream	**waiting;	/* in the order in which they came */
	unsigned int	n_waiting;
	struct early_record *last;	/* by stream */
	const struct stream *woken;	/* goes on, but its item has not come yet */
	unsigned int	kind;		/* of the item at hand, from @kinds */
	bool		released;	/* a lock was, by the last item: */
	uint64_t	lock, when;
};

/**
 * early_init - begin
 * @locks: whose pairing it is; NULL: times stay as they are
 *
 * Return: 0, or -1 with a message.
 */
int early_init(struct early *e, struct trace *t, struct locks *locks);
void early_exit(struct early *e);

/* Private: the next item while a stream waits; the item at hand has to wait. */
int early_next_waiting(struct early *e, struct stream **s);
bool early_postpones(struct early *e, struct stream *s);

/* Private: is this an acquisition of a lock that somebody else may hold? */
static inline bool early_perhaps(struct early *e, const struct stream *s)
{
	unsigned int kind;

	if (__builtin_expect(s->item != STREAM_RECORD, 0)) {
		e->kind = LOCKS_KIND_GAP;
		return false;
	}
	kind = e->kinds[s->class][s->rec->id];
	e->kind = kind;
	if (__builtin_expect(kind >= LOCKS_KIND_OTHER, 0))
		return false;
	/* without a branch: whether it is an acquisition cannot be foreseen */
	if (__builtin_expect(kind % 2 | !taken_at_all(e->taken, s->rec->a), 1))
		return false;
	return taken_perhaps(e->taken, s->rec->a, locks_is_exclusive(kind / 2));
}

/** early_next - as merge_next() */
static inline int early_next(struct early *e, struct stream **s)
{
	int ret;

	do {
		ret = __builtin_expect(e->n_waiting, 0) ? early_next_waiting(e, s) :
							  merge_next(&e->merge, s);
	} while (ret > 0 && __builtin_expect(early_perhaps(e, *s), 0) &&
		 early_postpones(e, *s));
	return ret;
}

#endif /* FT_LOCKS_EARLY_H */
