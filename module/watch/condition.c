// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Conditions: they find the event that is worth a snapshot.
 *
 * A condition watches its event, and the event that begins the time it measures. The
 * probe evaluates it, in any context, without waiting: all that it needs is prepared when
 * it is created. Atomic operations are only needed to fulfil it, and to count.
 *
 * A fulfilled condition wakes nobody. It leaves a record and a note, which the recorder
 * finds when it polls, a few milliseconds later. Only closing the rings must not wait,
 * and is done on the spot.
 */
#include <linux/atomic.h>
#include <linux/build_bug.h>
#include <linux/lockdep.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>

#include "clock.h"
#include "context.h"
#include "probe.h"
#include "ring/rings.h"
#include "sensor/sense.h"
#include "trace/trace.h"
#include "watch/comparison.h"
#include "watch/condition.h"
#include "watch/pairs.h"
#include "watch/watch.h"

static_assert(sizeof(struct ft_when) == 176 && sizeof(struct ft_when_state) == 56);

/* The note of the first fulfilment, until it is queried. */
enum ft_note {
	FT_NOTE_NONE,
	FT_NOTE_BEING_WRITTEN,
	FT_NOTE_WRITTEN,
};

/**
 * struct ft_condition - a condition
 * @end:	watches &ft_when.event
 * @begin:	watches &ft_when.begin
 * @sensor:	called by &ft_when.sensor
 * @bit:	its session's bit
 * @trace:	number of the trace that it belongs to
 * @pairs:	open pairs; NULL: it measures no time
 * @longer:	&ft_when.longer_ns in ticks
 * @at_end:	tests at @end; the last one is FT_TEST_NONE
 * @at_begin:	tests at @begin
 * @session:	that it belongs to
 * @clock:	the trace's clock
 * @owner:	descriptor that created it
 * @when:	as requested
 * @matched:	events that passed the tests
 * @left:	how many times it may still be fulfilled
 * @fulfilled:	how many times it was fulfilled
 * @note:	enum ft_note: the state of @noted
 * @noted:	when and where it was first fulfilled
 */
struct ft_condition {
	struct ft_watch		end;
	struct ft_watch		begin;
	struct ft_told		sensor;
	u8			bit;
	u32			trace;
	struct ft_pairs		*pairs;
	u64			longer;
	struct ft_comparison	at_end[FT_TESTS_MAX + 1];
	struct ft_comparison	at_begin[FT_TESTS_MAX + 1];
	struct ft_session	*session;
	struct ft_clock		clock;
	const void		*owner;
	struct ft_when		when;

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

/* Did the event happen in the condition's trace, and are its rings open? */
static __always_inline bool ft_condition_is_live(const struct ft_condition *c, u8 sessions)
{
	return ft_watch_is_live(c, sessions);
}

/* A context that interrupts this, or runs on another CPU, was not the first. */
static bool ft_condition_begin_note(struct ft_condition *c)
{
	return atomic_cmpxchg(&c->note, FT_NOTE_NONE, FT_NOTE_BEING_WRITTEN) == FT_NOTE_NONE;
}

static void ft_condition_end_note(struct ft_condition *c, u64 ts, u64 measured)
{
	c->noted.ts = ts;
	c->noted.measured = measured;
	c->noted.cpu = smp_processor_id();
	c->noted.tid = current->pid;
	c->noted.ctx = ft_context_bits();
	/* Pairs with the acquire in ft_condition_describe(). */
	atomic_set_release(&c->note, FT_NOTE_WRITTEN);
}

/* All tests hold: is this occurrence the one that counts? */
static noinline void ft_condition_fulfil(struct ft_condition *c, u64 ts, u64 measured)
{
	u64 rest = 0;
	bool first;

	/* Counts on, as a reset would race. Far from an event's usual path. */
	if (c->when.count > 1)
		div64_u64_rem(atomic64_inc_return(&c->matched), c->when.count, &rest);
	if (rest)
		return;
	/* Looked at first, so that it never wraps, and no note is begun in vain for long. */
	if (c->when.times && atomic64_read(&c->left) <= 0)
		return;
	first = ft_condition_begin_note(c);
	if (!first && c->when.flags & FT_WHEN_IF_TOLD)
		return;
	if (c->when.times && atomic64_dec_return(&c->left) < 0) {
		if (first)
			atomic_set(&c->note, FT_NOTE_NONE);
		return;
	}
	ft_probe_record(c->bit, READ_ONCE(c->session->way))(FT_ID_CONDITION, c->when.number,
							    measured);
	if (first)
		ft_condition_end_note(c, ts, measured);
	atomic_inc(&c->fulfilled);
	if (c->when.flags & FT_WHEN_STOP)
		ft_rings_stop(&c->session->rings);
}

/* Did the tests at the beginning hold? They have for all pairs but waits that spin. */
static bool ft_condition_is_begun(const struct ft_condition *c, u64 a, u64 b)
{
	return !ft_pairs_is_spin_wait(c->pairs, b) || ft_comparison_all_hold(c->at_begin, a, b);
}

/* Measures the time, and fulfils the condition if it was long enough. */
static noinline void ft_condition_measure(struct ft_condition *c, u64 a, u64 b)
{
	struct ft_pair pair;
	u64 ts;

	/* If both are the same event, the tests decide whether it ends a time. */
	if (c->when.event == c->when.begin && !ft_comparison_all_hold(c->at_end, a, b))
		return;
	ts = ft_clock_now(&c->clock);
	/* What began before the rings were last opened may have ended unseen. */
	pair = ft_pairs_end(c->pairs, a, ts, READ_ONCE(c->session->opened));
	if (pair.time != FT_PAIRS_NONE && pair.time > c->longer &&
	    ft_condition_is_begun(c, a, pair.word) && ft_comparison_all_hold(c->at_end, a, b))
		ft_condition_fulfil(c, ts, pair.time);
}

static void ft_condition_at_end(struct ft_watch *watch, u8 sessions, u64 a, u64 b)
{
	struct ft_condition *c = container_of(watch, struct ft_condition, end);

	if (!ft_condition_is_live(c, sessions))
		return;
	if (c->pairs)
		ft_condition_measure(c, a, b);
	else if (unlikely(ft_comparison_all_hold(c->at_end, a, b)))
		ft_condition_fulfil(c, ft_clock_now(&c->clock), 0);
}

static void ft_condition_at_begin(struct ft_watch *watch, u8 sessions, u64 a, u64 b)
{
	struct ft_condition *c = container_of(watch, struct ft_condition, begin);

	if (ft_condition_is_live(c, sessions) &&
	    (ft_comparison_all_hold(c->at_begin, a, b) || ft_pairs_is_spin_wait(c->pairs, b)))
		ft_pairs_begin(c->pairs, a, ft_clock_now(&c->clock),
			       READ_ONCE(c->session->opened), b);
}

/* A sensor has measured enough. */
static void ft_condition_at_sensor(struct ft_told *told, const struct ft_seen *seen, u64 value)
{
	struct ft_condition *c = container_of(told, struct ft_condition, sensor);

	if (ft_condition_is_live(c, c->bit) &&
	    ft_comparison_all_hold(c->at_end, seen->a, seen->b))
		ft_condition_fulfil(c, seen->ts, value);
}

/* --- their life ----------------------------------------------------------- */

/* Is it clear what it is a condition of? */
static bool ft_condition_check_what(const struct ft_when *when)
{
	if (when->flags & FT_WHEN_SENSOR)
		return when->sensor && !when->event && !when->begin;
	return !when->sensor && (when->begin || !when->longer_ns);
}

static bool ft_condition_check_test(const struct ft_when *when, const struct ft_test *test)
{
	return ft_comparison_check(test) && (when->begin || !(test->flags & FT_TEST_AT_BEGIN));
}

/* 36 years: in ticks, it fits into 64 bits up to 16 GHz. */
#define FT_CONDITION_LONGEST_NS	BIT_ULL(60)

int ft_condition_check(const struct ft_when *when)
{
	static const struct ft_test none;
	unsigned int i;

	if (when->number || memchr_inv(when->reserved, 0, sizeof(when->reserved)) ||
	    when->flags & ~(FT_WHEN_STOP | FT_WHEN_IF_TOLD | FT_WHEN_SENSOR) ||
	    !ft_condition_check_what(when) ||
	    when->longer_ns > FT_CONDITION_LONGEST_NS ||
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

static void ft_condition_set_tests(struct ft_condition *c)
{
	struct ft_comparison *begin = c->at_begin, *end = c->at_end;
	const struct ft_test *test = c->when.test;
	unsigned int i;

	for (i = 0; i < FT_TESTS_MAX && test[i].what; i++)
		ft_comparison_set(test[i].flags & FT_TEST_AT_BEGIN ? begin++ : end++, &test[i]);
}

static struct ft_condition *ft_condition_make(struct ft_session *session, const void *owner,
					      const struct ft_when *when)
{
	struct ft_condition *c = kzalloc(sizeof(*c), GFP_KERNEL);

	if (!c)
		return NULL;
	c->session = session;
	c->bit = BIT(ft_session_number(session));
	c->trace = session->trace.number;
	c->owner = owner;
	c->when = *when;
	c->clock = session->trace.clock;
	c->end.look = ft_condition_at_end;
	c->begin.look = ft_condition_at_begin;
	c->sensor.tell = ft_condition_at_sensor;
	c->longer = mul_u64_u64_div_u64(when->longer_ns, c->clock.hz, NSEC_PER_SEC);
	atomic64_set(&c->left, when->times);
	ft_condition_set_tests(c);
	if (when->begin) {
		c->pairs = ft_pairs_new(ft_pairs_kind_of(when->begin, when->event));
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

	if (c->when.flags & FT_WHEN_SENSOR)
		return 0;
	/*
	 * The latest is called first: if both are the same event, it ends a time, then
	 * begins one.
	 */
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
		/* A trigger may have reached it, if others watch the event. */
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

struct ft_told *ft_condition_told_by(const struct ft_session *session, u32 number)
{
	return &(*ft_condition_slot(session, number))->sensor;
}

void ft_condition_mute(struct ft_session *session, u32 number)
{
	struct ft_condition *c = *ft_condition_slot(session, number);

	if (c->when.flags & FT_WHEN_SENSOR)
		return;
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
	/* Pairs with the release in ft_condition_end_note(). */
	if (atomic_read_acquire(&c->note) == FT_NOTE_WRITTEN)
		*state = c->noted;
	state->number = number;
	state->fulfilled = atomic_read(&c->fulfilled);
	if (c->pairs)
		ft_pairs_look(c->pairs, &books);
	state->alone = books.alone;
	state->forgotten = books.forgotten;
	return 0;
}

void ft_condition_told(const struct ft_session *session, const void *owner,
		       const struct ft_when_state *state)
{
	struct ft_condition *c = *ft_condition_slot(session, state->number);

	/* Others with the same descriptor may have been faster. */
	if (c && c->owner == owner && state->ts && c->noted.ts == state->ts)
		/* From here on, the next fulfilment may overwrite it: after the copy. */
		atomic_set_release(&c->note, FT_NOTE_NONE);
}
