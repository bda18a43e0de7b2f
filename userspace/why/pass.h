/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What the files of the two readings share. Nobody else includes it. */
#ifndef FT_WHY_PASS_H
#define FT_WHY_PASS_H

#include "analysis/stacked.h"
#include "base/map.h"
#include "locks/locks.h"
#include "locks/waits.h"
#include "why/why.h"

/* A part of the time of WHY_ASLEEP or the like, with what is known of it. */
struct why_sleep {
	uint64_t		ticks, hash;	/* of what is the same */
	struct why_detail	like;
};

/* Those of a section or a wait; the waker of the last may not be known yet. */
struct why_sleeps {
	struct why_sleep	*sleep;
	unsigned int		n;
	bool			pending;
};

/* A section or a wait that goes on: of the first reading. */
struct why_open {
	enum why_kind	kind;
	enum why_cause	last;		/* what the time before @since was counted as */
	uint64_t	start, since, lock;
	uint64_t	waits;		/* waits that began then, or later, are its own */
	uint8_t		family, ctx;
	bool		over;		/* a wait: its end was seen */
	unsigned int	base;		/* of an interrupt: it is in so many, with itself */
	uint64_t	ticks[WHY_CAUSES];
	struct why_sleeps sleeps;
};

/* A task, or the interrupts of a CPU, with what it holds and waits for. */
struct why_owner {
	uint64_t	key;
	int32_t		tid;
	uint32_t	cpu;
	bool		interrupts;
	unsigned int	n, room;
	struct why_open	*open;		/* in the order of their beginning */
};

/* Who ended the sleep that the last record ended. */
struct why_woken {
	int32_t			tid;	/* 0: none has ended */
	enum thread_state	state;	/* it was this, in the end */
	int32_t			by;
	struct interrupt_span	interrupt;
};

struct requests_pass;

struct why_pass {
	struct why		answer;		/* first: it is freed with this */
	struct filter		filter;
	uint64_t		all_waits;	/* those that are not selected, too */
	bool			part;		/* of a report, which has the symbols */
	bool			second;		/* reading */
	bool			again;		/* the trace was read before, by a report, too */
	struct trace_books	before;		/* then */
	bool			closed;		/* the trace: it could not be opened again */
	uint8_t			seen[METADATA_CLASSES][FT_ID_MAX + 1];	/* in why_seen, by id */
	struct locks		*locks;
	struct waits		*waits;
	struct threads		threads;
	uint8_t			interrupts;	/* FT_CTX_*: what is not the task's own */
	struct map		owners;		/* the first reading: struct why_owner */
	struct stacked		*stacked;	/* the same, where there are stacks; or NULL */
	struct stream		*now;		/* of the item at hand */
	struct map		chosen;		/* the second: struct why_item, by start */
	struct why_item		**active;	/* of these, which go on */
	size_t			n_active;
	struct why_woken	woken;
	struct map		pending;	/* the second: struct why_pending, by task */
	size_t			room_active;	/* of @active, for requests */
	struct map		parked;		/* of requests: those that sleep, by task */
	struct requests_pass	*requests;	/* the only reading is the second; or NULL */
};

/**
 * why_pass_open - open the trace, with all that both readings need
 *
 * Return: NULL after a message; else why_free() frees it.
 */
struct why_pass *why_pass_open(const struct why_asked *asked, char *const *dirs);

/** why_cannot_read_again - what was said why, and what is missing therefore */
void why_cannot_read_again(char *const *dirs, const char *of);

/** why_pass_read - read it once. Return: 0, or -1 with a message */
int why_pass_read(struct why_pass *p);

/* What the trace says of an instant. Both readings ask here. */

static inline bool why_in_interrupt(const struct why_pass *p, unsigned int family, uint8_t ctx)
{
	return !locks_is_program(family) && ctx & p->interrupts;
}

/** why_cause_of_span - of a thread that does not run; @wait: what it waits for, or NULL */
enum why_cause why_cause_of_span(const struct thread_span *span, const struct wait *wait);

/**
 * why_running - what a task does that has this CPU
 * @since: as why_waits_since()
 */
enum why_cause why_running(const struct why_pass *p, int32_t tid, uint32_t cpu, uint64_t since);

/** why_wait_of - what a task waits for, in the kernel or else in its program; or NULL */
const struct wait *why_wait_of(const struct why_pass *p, int32_t tid, uint32_t cpu,
			       uint64_t since, bool runs);

/*
 * A task that acquires a spinlock in the slow path of another lock does not wait for the
 * other while it holds the spinlock: only waits that began in a section count for it. If its
 * beginning was raised to a release, as clocks differ, that does not tell which waits these
 * are.
 */
static inline uint64_t why_waits_since(const struct section *s)
{
	return s->flags & SECTION_RAISED ? 0 : s->start;
}

/* --- sums.c: the first reading: all sections and waits ------------------------------- */

/** why_sums_begin, why_sums_wait_begins - one has begun */
void why_sums_begin(struct why_pass *p, const struct section *section);
void why_sums_wait_begins(struct why_pass *p, const struct wait *wait);

/** why_sums_wait_ends - the end of @wait was seen; that it is complete, will be */
void why_sums_wait_ends(struct why_pass *p, const struct wait *wait, uint64_t time);

/** why_sums_end, why_sums_waited - one is complete */
void why_sums_end(struct why_pass *p, const struct section *section);
void why_sums_waited(struct why_pass *p, const struct wait *wait, bool selected);

/** why_sums_cpu - up to @time, the task on this CPU did what it does now; so did interrupts */
void why_sums_cpu(struct why_pass *p, uint32_t cpu, uint64_t time);

/** why_sums_task - the same for a task, wherever it is */
void why_sums_task(struct why_pass *p, int32_t tid, uint64_t time);

/** why_sums_span - a thread that did not run did this */
void why_sums_span(struct why_pass *p, const struct thread_span *span);

/** why_sums_no_interrupt - a record from outside interrupts came: nothing in one goes on */
void why_sums_no_interrupt(struct why_pass *p, uint32_t cpu);

/** why_sums_gap - records of a CPU are missing from here on */
void why_sums_gap(struct why_pass *p, uint64_t time);

/** why_sums_woken - p->woken: who woke it is known */
void why_sums_woken(struct why_pass *p);

void why_sums_free(struct why_pass *p);

/* --- places.c: where it slept ---------------------------------------------------------- */

/** why_places_new - Return: NULL: the trace has no stacks, or the kernel's symbols are not known */
struct why_places *why_places_new(const struct symbols *s, const struct stacks *stacks);
void why_places_free(struct why_places *p);

/** why_places_find - of the kernel's stack with this id; @p: or NULL */
struct why_place why_places_find(struct why_places *p, uint32_t id);

/* --- details.c: what it slept for, of the first reading -------------------------------- */

/** why_details_slept - it slept so long, for the lock of @wait, or who wakes it comes next */
void why_details_slept(struct why_pass *p, struct why_sleeps *to, enum why_cause cause,
		       uint64_t ticks, const struct thread_span *span, const struct wait *wait);

/** why_details_woken - now it is known */
void why_details_woken(struct why_pass *p, struct why_sleeps *to);

/**
 * why_details_add - add the details of a complete section or wait to its row
 * @ticks: by cause; what is not that long any more is not known
 */
void why_details_add(struct why_table *table, struct why_row *row, const struct why_sleeps *from,
		     const uint64_t ticks[WHY_CAUSES]);

/** why_details_finish - give them to their rows, longest first */
void why_details_finish(struct why_table *table);

void why_details_free(struct why_sleeps *sleeps);

/* --- rows.c: the summary and the longest ---------------------------------------------- */

/** why_rows_add - a section or a wait is complete; @item has its ticks. Return: its row, or NULL */
struct why_row *why_rows_add(struct why_pass *p, const struct why_item *item);

/** why_rows_finish - sort all */
void why_rows_finish(struct why_pass *p);

/* --- tree.c: parts of parts ------------------------------------------------------------ */

/** why_tree_part - the part of @up that is like this; made if there is none */
struct why_part *why_tree_part(struct why_part *up, const struct why_part *like);

/** why_tree_grow - it, and all above it, was true for @ticks */
void why_tree_grow(struct why_part *part, uint64_t ticks);

/** why_tree_not_pending - stop waiting for the one that wakes it */
void why_tree_not_pending(struct why_part *part);

/** why_tree_sort - longest first, without those that have no length */
void why_tree_sort(struct why_part *part);

/** why_tree_take - so much less: from what is at the end of chains, and from what is above */
void why_tree_take(struct why_part *part, uint64_t *more);

void why_parts_free(struct why_part *whole);

/* --- parts.c: the second reading: the chosen ones ------------------------------------- */

/** why_parts_choose - before it: these are to be taken apart */
void why_parts_choose(struct why_pass *p);

void why_parts_begin(struct why_pass *p, const struct section *section);
void why_parts_wait_begins(struct why_pass *p, const struct wait *wait);
void why_parts_wait_ends(struct why_pass *p, const struct wait *wait, uint64_t time);
void why_parts_end(struct why_pass *p, const struct section *section);
void why_parts_waited(struct why_pass *p, const struct wait *wait);

/** why_parts_settle - up to @time, all was as it was when they were looked at */
void why_parts_settle(struct why_pass *p, uint64_t time);

/** why_parts_look - what is it now? */
void why_parts_look(struct why_pass *p);

/** why_parts_woken - p->woken: who woke it is known */
void why_parts_woken(struct why_pass *p);

/** why_parts_finish - what is not complete, as the trace was changed meanwhile, is not known */
void why_parts_finish(struct why_pass *p);

/** why_parts_start, why_parts_stop - take apart what @item's task does from here on, to @end */
void why_parts_start(struct why_pass *p, struct why_item *item);
void why_parts_stop(struct why_pass *p, struct why_item *item, uint64_t end);

/**
 * why_parts_unpark - before the record of @s, or a gap, changes anything
 *
 * Most requests that are under way sleep until a record names their task. They are not looked
 * at meanwhile, so the cost of a record does not grow with their number.
 */
void why_parts_unpark(struct why_pass *p, const struct stream *s);

/* --- requests_marks.c: requests, in a reading of their own ----------------------------- */

/** requests_record - is this record a mark? What it begins and ends */
void requests_record(struct requests_pass *r, const struct stream *s);

/** requests_gap - a gap begins or ends in the stream @s; was it in one before? */
void requests_gap(struct requests_pass *r, const struct stream *s, bool was_in_gap);

/** requests_finish - the trace is over: what is under way has no end */
void requests_finish(struct requests_pass *r);

#endif /* FT_WHY_PASS_H */
