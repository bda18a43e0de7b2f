// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Conditions: what happens when an event is worth a snapshot.
 *
 * A condition watches its event, and the event that begins the time it measures. It is
 * evaluated in the probe, in any context, without waiting: what it needs is prepared when
 * it is made. Only when it is fulfilled, and where it counts, there are atomic operations.
 *
 * A fulfilled condition wakes nobody. It leaves a record and a note, which the recorder
 * finds when it looks, a few milliseconds later. What must not wait, closing the rings, is
 * done on the spot.
 */
#include <linux/atomic.h>
#include <linux/build_bug.h>
#include <linux/lockdep.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>

#include "clock.h"
#include "condition.h"
#include "context.h"
#include "pairs.h"
#include "probe.h"
#include "rings.h"
#include "trace.h"
#include "watch.h"

static_assert(sizeof(struct ft_when) == 176 && sizeof(struct ft_when_state) == 56);
static_assert(sizeof_field(struct ft_test, comm) == TASK_COMM_LEN);

/* Of the first fulfilment that nobody has asked for yet. */
enum ft_note {
	FT_NOTE_NONE,
	FT_NOTE_BEING_WRITTEN,
	FT_NOTE_WRITTEN,
};

/**
 * struct ft_condition - a condition
 * @end:	watches &ft_when.event
 * @begin:	watches &ft_when.begin
 * @session:	to which it belongs
 * @trace:	number of the trace to which it belongs
 * @owner:	descriptor that made it
 * @when:	as it was asked for
 * @clock:	of the trace
 * @longer:	&ft_when.longer_ns in ticks
 * @pairs:	open pairs; NULL: it measures no time
 * @matched:	events that have passed the tests, since it was last fulfilled
 * @left:	how often it may still be fulfilled
 * @fulfilled:	how often it was
 * @note:	enum ft_note, of @noted
 * @noted:	when and where
 */
struct ft_condition {
	struct ft_watch		end;
	struct ft_watch		begin;
	struct ft_session	*session;
	u32			trace;
	const void		*owner;
	struct ft_when		when;
	struct ft_clock		clock;
	u64			longer;
	struct ft_pairs		*pairs;

	atomic64_t		matched;
	atomic64_t		left;
	atomic_t		fulfilled;
	atomic_t		note;
	struct ft_when_state	noted;
};

/* Guarded by ft_trace_mutex. */
static struct ft_condition *ft_conditions[FT_SESSIONS][FT_CONDITIONS_MAX];

static struct ft_condition **ft_condition_slot(const struct ft_session *session, u32 number)
{
	lockdep_assert_held(&ft_trace_mutex);
	return &ft_conditions[ft_session_number(session)][number];
}

/* --- evaluation ----------------------------------------------------------- */

/* Has the event happened in the condition's trace, and are records let in? */
static bool ft_condition_is_live(const struct ft_condition *c, u8 sessions)
{
	unsigned int session = ft_session_number(c->session);

	return sessions & BIT(session) &&
	       ft_own_reload(ft_ring[session].limit) &&
	       READ_ONCE(c->session->trace.number) == c->trace;
}

static bool ft_condition_compare(const struct ft_test *test, u64 word)
{
	u64 value = test->value;
	bool less, equal = word == value;

	if (test->flags & FT_TEST_SIGNED)
		less = (s64)word < (s64)value;
	else
		less = word < value;

	switch (test->op) {
	case FT_TEST_EQUAL:
		return equal;
	case FT_TEST_UNEQUAL:
		return !equal;
	case FT_TEST_LESS:
		return less;
	case FT_TEST_LESS_EQUAL:
		return less || equal;
	case FT_TEST_GREATER:
		return !less && !equal;
	default:
		return !less;
	}
}

/* The kernel pads names with zeroes. */
static bool ft_condition_is_called(const char *comm)
{
	u64 name[2], other[2];

	memcpy(name, current->comm, sizeof(name));
	memcpy(other, comm, sizeof(other));
	return name[0] == other[0] && name[1] == other[1];
}

static bool ft_condition_test(const struct ft_test *test, u64 a, u64 b)
{
	switch (test->what) {
	case FT_TEST_A:
		return ft_condition_compare(test, a & test->mask);
	case FT_TEST_B:
		return ft_condition_compare(test, b & test->mask);
	case FT_TEST_TID:
		return ft_condition_compare(test, (s64)current->pid & test->mask);
	case FT_TEST_CPU:
		return ft_condition_compare(test, smp_processor_id() & test->mask);
	case FT_TEST_COMM:
		return ft_condition_is_called(test->comm) == (test->op == FT_TEST_EQUAL);
	default:
		return true;
	}
}

/* Do all tests of the event, or of the one that begins, hold? */
static bool ft_condition_holds(const struct ft_condition *c, u16 which, u64 a, u64 b)
{
	const struct ft_test *test = c->when.test, *last = test + FT_TESTS_MAX;

	for (; test < last && test->what; test++)
		if ((test->flags & FT_TEST_AT_BEGIN) == which &&
		    !ft_condition_test(test, a, b))
			return false;
	return true;
}

static void ft_condition_note(struct ft_condition *c, u64 ts, u64 measured)
{
	/* Whoever interrupts this one, or runs elsewhere, was not the first. */
	if (atomic_cmpxchg(&c->note, FT_NOTE_NONE, FT_NOTE_BEING_WRITTEN) != FT_NOTE_NONE)
		return;
	c->noted.ts = ts;
	c->noted.measured = measured;
	c->noted.cpu = smp_processor_id();
	c->noted.tid = current->pid;
	c->noted.ctx = ft_context_bits();
	/* Pairs with the acquire in ft_condition_describe(). */
	atomic_set_release(&c->note, FT_NOTE_WRITTEN);
}

static void ft_condition_fulfil(struct ft_condition *c, u64 ts, u64 measured)
{
	unsigned int session = ft_session_number(c->session);

	/* The last one takes all that is left, so that it never wraps. */
	if (c->when.times && (atomic64_read(&c->left) <= 0 ||
			      atomic64_dec_return(&c->left) < 0))
		return;
	ft_probe_record(BIT(session), READ_ONCE(c->session->way))(FT_ID_CONDITION,
								  c->when.number, measured);
	ft_condition_note(c, ts, measured);
	/* Pairs with the acquire in ft_condition_describe(): counted, so noted. */
	smp_mb__before_atomic();
	atomic_inc(&c->fulfilled);
	if (c->when.flags & FT_WHEN_STOP)
		ft_rings_stop(&c->session->rings);
}

static void ft_condition_at_end(struct ft_watch *watch, u8 sessions, u64 a, u64 b)
{
	struct ft_condition *c = container_of(watch, struct ft_condition, end);
	u64 ts, measured = 0;

	if (!ft_condition_is_live(c, sessions))
		return;
	/* Where both are one event, the tests tell which of them ends a time. */
	if (c->when.event == c->when.begin && !ft_condition_holds(c, 0, a, b))
		return;
	ts = ft_clock_now(&c->clock);
	if (c->pairs) {
		measured = ft_pairs_end(c->pairs, a, ts);
		if (measured == FT_PAIRS_NONE || measured <= c->longer)
			return;
	}
	if (!ft_condition_holds(c, 0, a, b))
		return;
	if (c->when.count > 1) {
		if (atomic64_inc_return(&c->matched) != c->when.count)
			return;
		atomic64_set(&c->matched, 0);
	}
	ft_condition_fulfil(c, ts, measured);
}

static void ft_condition_at_begin(struct ft_watch *watch, u8 sessions, u64 a, u64 b)
{
	struct ft_condition *c = container_of(watch, struct ft_condition, begin);

	if (ft_condition_is_live(c, sessions) &&
	    ft_condition_holds(c, FT_TEST_AT_BEGIN, a, b))
		ft_pairs_begin(c->pairs, a, ft_clock_now(&c->clock));
}

/* --- their life ----------------------------------------------------------- */

static bool ft_condition_check_test(const struct ft_when *when, const struct ft_test *test)
{
	if (test->what > FT_TEST_COMM || test->op > FT_TEST_GREATER_EQUAL || test->reserved ||
	    test->flags & ~(FT_TEST_SIGNED | FT_TEST_AT_BEGIN) ||
	    (test->flags & FT_TEST_AT_BEGIN && !when->begin))
		return false;
	if (test->what != FT_TEST_COMM)
		return true;
	return test->op <= FT_TEST_UNEQUAL && !test->mask && !test->comm[TASK_COMM_LEN - 1] &&
	       !(test->flags & FT_TEST_SIGNED);
}

int ft_condition_check(const struct ft_when *when)
{
	static const struct ft_test none;
	unsigned int i;

	if (when->number || memchr_inv(when->reserved, 0, sizeof(when->reserved)) ||
	    when->flags & ~FT_WHEN_STOP || (when->longer_ns && !when->begin) ||
	    when->count > S64_MAX || when->times > S32_MAX ||
	    when->event > FT_ID_MAX || when->begin > FT_ID_MAX ||
	    when->event == FT_ID_CONDITION || when->begin == FT_ID_CONDITION)
		return -EINVAL;
	for (i = 0; i < FT_TESTS_MAX && when->test[i].what; i++)
		if (!ft_condition_check_test(when, &when->test[i]))
			return -EINVAL;
	for (; i < FT_TESTS_MAX; i++)
		if (memcmp(&when->test[i], &none, sizeof(none)))
			return -EINVAL;
	return 0;
}

static void ft_condition_free(struct ft_condition *c)
{
	if (c)
		ft_pairs_free(c->pairs);
	kfree(c);
}

static struct ft_condition *ft_condition_make(struct ft_session *session, const void *owner,
					      const struct ft_when *when)
{
	struct ft_condition *c = kzalloc(sizeof(*c), GFP_KERNEL);

	if (!c)
		return NULL;
	c->session = session;
	c->trace = session->trace.number;
	c->owner = owner;
	c->when = *when;
	c->clock = session->trace.clock;
	c->end.look = ft_condition_at_end;
	c->begin.look = ft_condition_at_begin;
	c->longer = mul_u64_u64_div_u64(when->longer_ns, c->clock.hz, NSEC_PER_SEC);
	atomic64_set(&c->left, when->times);
	if (when->begin) {
		c->pairs = ft_pairs_new(ft_pairs_kind_of(when->begin));
		if (!c->pairs) {
			kfree(c);
			return NULL;
		}
	}
	return c;
}

static int ft_condition_watch(struct ft_condition *c)
{
	int err = 0;

	/* The latest one is called first: where an event is both, a time ends, another begins. */
	if (c->when.begin)
		err = ft_watch_add(&c->begin, c->when.begin);
	if (err)
		return err;
	err = ft_watch_add(&c->end, c->when.event);
	if (err && c->when.begin)
		ft_watch_remove(&c->begin, c->when.begin);
	return err;
}

int ft_condition_new(struct ft_session *session, const void *owner, struct ft_when *when)
{
	struct ft_condition *c;
	u32 number;
	int err;

	for (number = 0; number < FT_CONDITIONS_MAX; number++)
		if (!*ft_condition_slot(session, number))
			break;
	if (number == FT_CONDITIONS_MAX)
		return -ENOSPC;
	when->number = number;
	c = ft_condition_make(session, owner, when);
	if (!c)
		return -ENOMEM;
	err = ft_condition_watch(c);
	if (err) {
		/* A trigger may have led to it, if others watch the event. */
		ft_trace_sync();
		ft_condition_free(c);
		return err;
	}
	*ft_condition_slot(session, number) = c;
	return 0;
}

int ft_condition_next(const struct ft_session *session, const void *owner, u32 event[2])
{
	const struct ft_condition *c;
	u32 number;

	for (number = 0; number < FT_CONDITIONS_MAX; number++) {
		c = *ft_condition_slot(session, number);
		if (!c || c->owner != owner)
			continue;
		event[0] = c->when.event;
		event[1] = c->when.begin;
		return number;
	}
	return -ENOENT;
}

void ft_condition_mute(struct ft_session *session, u32 number)
{
	struct ft_condition *c = *ft_condition_slot(session, number);

	if (c->when.begin)
		ft_watch_remove(&c->begin, c->when.begin);
	ft_watch_remove(&c->end, c->when.event);
}

void ft_condition_end(struct ft_session *session, u32 number)
{
	struct ft_condition **slot = ft_condition_slot(session, number);

	ft_condition_free(*slot);
	*slot = NULL;
}

int ft_condition_describe(const struct ft_session *session, const void *owner,
			  struct ft_when_state *state)
{
	u32 number = state->number;
	struct ft_pairs_books books = {};
	struct ft_condition *c;

	c = number < FT_CONDITIONS_MAX ? *ft_condition_slot(session, number) : NULL;
	if (!c || c->owner != owner)
		return -ENOENT;

	memset(state, 0, sizeof(*state));
	/* Pairs with the release in ft_condition_note(). */
	if (atomic_read_acquire(&c->note) == FT_NOTE_WRITTEN) {
		*state = c->noted;
		/* The next one to be fulfilled writes it again: after the copy. */
		atomic_set_release(&c->note, FT_NOTE_NONE);
	}
	state->number = number;
	state->fulfilled = atomic_read(&c->fulfilled);
	if (c->pairs)
		ft_pairs_look(c->pairs, &books);
	state->alone = books.alone;
	state->forgotten = books.forgotten;
	return 0;
}
