// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * What triggers call while sensors look at their events, and no trace is on.
 *
 * A counter, a histogram of a word, and how long spinlocks are held, in all or by call site,
 * have a fast path each, whose instructions are counted (make bench). Everything else takes
 * ft_sensor_see() of probes_any.c, and so do these where a trace is on as well: then sensors
 * see the times that are recorded.
 *
 * The path of a spinlock needs no preempt_disable(): whoever holds one has it disabled.
 */
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/timekeeping.h>

#include "context.h"
#include "sensor/probes.h"
#include "sensor/row.h"
#include "sensor/stack.h"
#include "watch/pairs.h"
#include "watch/pairs_table.h"

struct ft_sensed *ft_sensed[256];
u8 ft_sensed_number[FT_ID_MAX + 1];
DEFINE_PER_CPU(struct ft_row *, ft_sensor_only[256]);
DEFINE_PER_CPU(struct ft_row *, ft_sensor_locks[32]);
DEFINE_PER_CPU(struct ft_row *, ft_sensor_usual[32]);
u32 ft_sensor_masks[32];
struct ft_pairs_table *ft_sensor_tables[32] = { [0 ... 31] = &ft_pairs_nowhere };
bool ft_sensed_depth;
enum ft_clock_way ft_sensor_way;

static __always_inline u64 ft_sensor_clock(enum ft_clock_way way)
{
	if (way == FT_WAY_TSC)
		return ft_context_tsc();
	if (way == FT_WAY_TSC_ORDERED)
		return ft_context_tsc_ordered();
	return ktime_get_mono_fast_ns();
}

u64 ft_sensor_now(void)
{
	return READ_ONCE(ft_sensor_way) == FT_WAY_MONO ? ft_sensor_clock(FT_WAY_MONO) :
							 ft_sensor_clock(FT_WAY_TSC);
}

bool ft_sensor_is_any(u32 id)
{
	const struct ft_sensed *sensed = ft_sensed_of(id);

	return sensed && (sensed->senses || sensed->ends || sensed->begins);
}

void ft_sensor_set_way(u32 id, enum ft_clock_way way)
{
	struct ft_sensed *sensed = ft_sensed_of(id);

	if (sensed)
		WRITE_ONCE(sensed->way, way);
}

enum ft_clock_way ft_sensor_way_of(u32 id)
{
	const struct ft_sensed *sensed = ft_sensed_of(id);

	return sensed ? READ_ONCE(sensed->way) : FT_WAY_TSC;
}

static void ft_sensor_any(unsigned int id, u64 a, u64 b)
{
	preempt_disable_notrace();
	ft_sensor_see(id, a, b, ft_sensor_now());
	preempt_enable_notrace();
}

/* --- events with one simple sensor ---------------------------------------- */

/* What the row says is read through this: pairs with the release in ft_sensed_choose_only(). */
static __always_inline struct ft_row *ft_sensor_only_row(unsigned int id)
{
	return raw_cpu_read(ft_sensor_only[READ_ONCE(ft_sensed_number[id])]);
}

/* The caller has disabled preemption, and leaves it to this to enable it. */
static noinline void ft_sensor_general(unsigned int id, u64 a, u64 b)
{
	ft_sensor_see(id, a, b, ft_sensor_now());
	preempt_enable_notrace();
}

/* The trigger may lead here still when there are several sensors, or another kind of sensor. */
static void ft_sensor_counter(unsigned int id, u64 a, u64 b)
{
	struct ft_row *row;

	preempt_disable_notrace();
	row = ft_sensor_only_row(id);
	if (unlikely(row->special)) {
		ft_sensor_general(id, a, b);
		return;
	}
	ft_row_inc(&row->count);
	preempt_enable_notrace();
}

/*
 * A value between the gates has a bin, whichever sensor becomes the only one while a task is on
 * its way in here: gates open only for histograms of this kind.
 */
static __always_inline void ft_sensor_word(unsigned int id, u64 a, u64 b, u64 v)
{
	struct ft_row *row;

	preempt_disable_notrace();
	row = ft_sensor_only_row(id);
	if (unlikely(!ft_row_is_between(row, v))) {
		ft_sensor_general(id, a, b);
		return;
	}
	ft_row_add(row, v);
	preempt_enable_notrace();
}

static void ft_sensor_word_a(unsigned int id, u64 a, u64 b)
{
	ft_sensor_word(id, a, b, a);
}

static void ft_sensor_word_b(unsigned int id, u64 a, u64 b)
{
	ft_sensor_word(id, a, b, b);
}

/* --- locks, of one simple sensor ------------------------------------------ */

/*
 * Finds the row of a time that began at @site, if the only sensor of a release is a simple one
 * that is not usual. Return: whether adding the time to it is all that is left to do.
 */
static __always_inline bool ft_sensor_unusual_row(unsigned int id, u64 site, u64 time,
						  struct ft_row **row)
{
	struct ft_row *first = raw_cpu_read(ft_sensor_locks[id]);

	*row = first;
	if (first->special & FT_ROW_GENERAL)
		return false;
	if (first->special & FT_ROW_SITES && !ft_row_of_site(ft_row_at(first, 1), site, row))
		return false;
	return ft_row_is_between(*row, time);
}

/* A time outside of the gates, of a pair that a short way has found: for sensors that have one. */
static void ft_sensor_look(unsigned int id, const struct ft_seen *seen, bool on_stack)
{
	const struct ft_sensed *sensed = ft_sensed_of(id);
	const struct ft_pairing *pairing;
	const struct ft_sense *sense;

	/* Pairs with the release in ft_pairing_link(). */
	for (pairing = smp_load_acquire(&sensed->ends); pairing;
	     pairing = READ_ONCE(pairing->next_end)) {
		if (!pairing->pairs != on_stack)
			continue;
		if (seen->time == FT_PAIRS_NONE) {
			ft_pairing_alone(pairing);
			continue;
		}
		for (sense = READ_ONCE(pairing->senses); sense; sense = READ_ONCE(sense->next))
			if (sense->quick)
				ft_sense_see(sense, seen);
	}
}

/* --- spinning ones -------------------------------------------------------- */

/* All that these fast paths cannot do: several sensors, or a full stack. */
static noinline void ft_sensor_spin_general(unsigned int id, u64 lock, u64 site)
{
	ft_sensor_see(id, lock, site, ft_sensor_now());
}

/*
 * The clock is read once the entry is there: until then nothing is known of it but that
 * it is being filled.
 */
static __always_inline void ft_sensor_spin_acquire(unsigned int id, u64 lock, u64 site,
						   enum ft_clock_way way)
{
	struct ft_stack_entry *next = ft_stack_next();

	/* A value that is only tested may be read twice. */
	if (unlikely(ft_stack_is_full(next, data_race(ft_sensor_masks[id])))) {
		ft_sensor_spin_general(id, lock, site);
		return;
	}
	ft_stack_raise(next, site, id);
	if (way == FT_WAY_TSC)
		ft_context_keep_tsc(&next->ts);
	else
		WRITE_ONCE(next->ts, ft_sensor_clock(way));
	ft_stack_fill(next, lock);
}

/*
 * A time, less @beyond << 32. Return: whether that is 0: else the time needs a look, as no gate is
 * so far open, or it is negative.
 */
static __always_inline bool ft_sensor_since(const u64 *ts, enum ft_clock_way way, u64 *time,
					    u64 *beyond)
{
	if (way == FT_WAY_TSC)
		return ft_context_tsc_since(ts, time, beyond);
	*time = ft_sensor_clock(way) - *ts;
	*beyond = 0;
	return true;
}

/* A time of the top's that is outside of the gates. @next: above it */
static noinline void ft_sensor_spin_look(struct ft_stack_entry *next, u64 time)
{
	struct ft_stack_entry *top = next - 1;
	const struct ft_seen seen = {
		.a = top->lock, .b = top->site, .ts = top->ts + time,
		.time = ft_pairs_forward(time),
		.task = top->word & FT_STACK_KNOWN ? FT_SEEN_TASK(top->tid) : 0,
	};

	ft_sensor_look(FT_STACK_ID(top->word) + 1, &seen, true);
	ft_stack_pop(top);
}

/*
 * Unusual cases: other bins, one row for all call sites, a call site without a row, a release
 * that is not of the top entry.
 */
static noinline void ft_sensor_spin_unusual(unsigned int id, u64 lock, u64 site)
{
	struct ft_stack_entry *top = ft_stack_top();
	u64 ts = ft_sensor_now();
	/* Read once: the bin is that of the time which was compared with the gates. */
	u64 time = ts - READ_ONCE(top->ts);
	struct ft_row *row;

	if (top->lock != lock || !ft_sensor_unusual_row(id, top->site, time, &row)) {
		ft_sensor_see(id, lock, site, ts);
		return;
	}
	ft_row_add(row, time);
	ft_stack_pop(top);
}

/* Uses the call site first: reading the clock takes the register that it is in. */
static __always_inline void ft_sensor_spin_release(unsigned int id, u64 lock, u64 site,
						   enum ft_clock_way way)
{
	struct ft_stack_entry *next = ft_stack_next();
	u64 time, beyond;
	struct ft_row *row;

	if (unlikely(next[-1].lock != lock ||
		     !ft_row_of_site(raw_cpu_read(ft_sensor_usual[id]), next[-1].site, &row))) {
		ft_sensor_spin_unusual(id, lock, site);
		return;
	}
	if (unlikely(!ft_sensor_since(&next[-1].ts, way, &time, &beyond))) {
		ft_sensor_spin_look(next, time | beyond << 32);
		return;
	}
	if (unlikely(!ft_row_is_likely_between(row, time))) {
		ft_sensor_spin_look(next, time);
		return;
	}
	ft_row_add_usual(row, time);
	ft_stack_pop(next - 1);
}

/* The same if the only sensor has one row: to look for the call site would be in vain. */
static __always_inline void ft_sensor_spin_release_all(unsigned int id, u64 lock, u64 site,
						       enum ft_clock_way way)
{
	struct ft_row *first = raw_cpu_read(ft_sensor_locks[id]);
	struct ft_stack_entry *next = ft_stack_next();
	u64 time, beyond;

	if (unlikely(next[-1].lock != lock || first->special)) {
		ft_sensor_spin_unusual(id, lock, site);
		return;
	}
	if (unlikely(!ft_sensor_since(&next[-1].ts, way, &time, &beyond))) {
		ft_sensor_spin_look(next, time | beyond << 32);
		return;
	}
	if (unlikely(!ft_row_is_likely_between(first, time))) {
		ft_sensor_spin_look(next, time);
		return;
	}
	ft_row_add(first, time);
	ft_stack_pop(next - 1);
}

/* Ids are below 32. */
static void ft_sensor_spin_release_all_tsc(unsigned int id, u64 lock, u64 site)
{
	ft_sensor_spin_release_all(id, lock, site, FT_WAY_TSC);
}

static void ft_sensor_spin_release_all_mono(unsigned int id, u64 lock, u64 site)
{
	ft_sensor_spin_release_all(id, lock, site, FT_WAY_MONO);
}

/* --- sleeping ones -------------------------------------------------------- */

/* The clock is read where all else is known, as of a spinning lock. */
static __always_inline void ft_sensor_sleep_acquire(unsigned int id, u64 lock, u64 site,
						    enum ft_clock_way way)
{
	struct ft_pairs_entry *entry;
	u64 owner, turned, rest;

	preempt_disable_notrace();
	if (unlikely(!ft_pairs_enter_quick(READ_ONCE(ft_sensor_tables[id]), lock, &entry,
					   &owner))) {
		ft_sensor_general(id, lock, site);
		return;
	}
	turned = ft_pairs_turn(site);
	ft_pairs_claim(entry, owner, turned);
	/* As below: what needs the call site comes first. */
	rest = owner ^ turned;
	OPTIMIZER_HIDE_VAR(rest);
	ft_pairs_fill(entry, rest, ft_sensor_clock(way), 0);
	preempt_enable_notrace();
}

/*
 * A time outside the gates. If another CPU has overwritten its first event since, that is never
 * paired, and the time is not used.
 */
static noinline void ft_sensor_sleep_look(unsigned int id, u64 lock, u64 place, u64 began,
					  u64 time, struct ft_pairs_entry *entry)
{
	const struct ft_seen seen = {
		.a = lock, .b = place, .ts = began + time, .time = ft_pairs_forward(time),
	};

	ft_sensor_look(id, &seen, false);
	ft_pairs_leave_quick(entry);
	preempt_enable_notrace();
}

/* Unusual cases, as for a spinning lock. */
static noinline void ft_sensor_sleep_unusual(unsigned int id, u64 lock, u64 site, u64 place,
					     u64 began, struct ft_pairs_entry *entry)
{
	u64 ts = ft_sensor_now();
	struct ft_row *row;

	if (unlikely(!ft_sensor_unusual_row(id, place, ts - began, &row))) {
		ft_sensor_see(id, lock, site, ts);
	} else {
		ft_row_add(row, ts - began);
		ft_pairs_leave_quick(entry);
	}
	preempt_enable_notrace();
}

/* A negative time is above all gates. */
static __always_inline void ft_sensor_sleep_release(unsigned int id, u64 lock, u64 site,
						    enum ft_clock_way way)
{
	struct ft_pairs_entry *entry;
	u64 began, place, time;
	struct ft_row *row;

	preempt_disable_notrace();
	if (unlikely(!ft_pairs_find_quick(READ_ONCE(ft_sensor_tables[id]), lock, &entry, &began,
					  &place))) {
		ft_sensor_general(id, lock, site);
		return;
	}
	if (unlikely(!ft_row_of_site(raw_cpu_read(ft_sensor_usual[id]), place, &row))) {
		ft_sensor_sleep_unusual(id, lock, site, place, began, entry);
		return;
	}
	time = ft_sensor_clock(way) - began;
	if (unlikely(!ft_row_is_likely_between(row, time))) {
		ft_sensor_sleep_look(id, lock, place, began, time, entry);
		return;
	}
	ft_row_add_usual(row, time);
	ft_pairs_leave_quick(entry);
	preempt_enable_notrace();
}

/* --- which probe ---------------------------------------------------------- */

/*
 * One for each event, whose number it need not be told, and for each clock: a CPU goes through
 * few of them.
 */
#define FT_SENSOR_PROBES(family, clock, way)						\
static void ft_sensor_acquire_##family##_##clock(unsigned int id, u64 lock, u64 site)	\
{											\
	if (ft_pairs_is_spinning(FT_ID_ACQUIRE(FT_LOCK_##family)))			\
		ft_sensor_spin_acquire(FT_ID_ACQUIRE(FT_LOCK_##family), lock, site, way); \
	else										\
		ft_sensor_sleep_acquire(FT_ID_ACQUIRE(FT_LOCK_##family), lock, site, way); \
}											\
											\
static void ft_sensor_release_##family##_##clock(unsigned int id, u64 lock, u64 site)	\
{											\
	if (ft_pairs_is_spinning(FT_ID_ACQUIRE(FT_LOCK_##family)))			\
		ft_sensor_spin_release(FT_ID_RELEASE(FT_LOCK_##family), lock, site, way); \
	else										\
		ft_sensor_sleep_release(FT_ID_RELEASE(FT_LOCK_##family), lock, site, way); \
}

#define FT_SENSOR_CLOCKS(family)			\
	FT_SENSOR_PROBES(family, tsc, FT_WAY_TSC)	\
	FT_SENSOR_PROBES(family, mono, FT_WAY_MONO)

FT_SENSOR_CLOCKS(SPIN)
FT_SENSOR_CLOCKS(RWLOCK_READ)
FT_SENSOR_CLOCKS(RWLOCK_WRITE)
FT_SENSOR_CLOCKS(MUTEX)
FT_SENSOR_CLOCKS(SEMAPHORE)
FT_SENSOR_CLOCKS(RWSEM_READ)
FT_SENSOR_CLOCKS(RWSEM_WRITE)
FT_SENSOR_CLOCKS(RAW_SPIN)

#define FT_SENSOR_OF(family)							\
	[FT_LOCK_##family] = {							\
		{ ft_sensor_acquire_##family##_tsc, ft_sensor_acquire_##family##_mono }, \
		{ ft_sensor_release_##family##_tsc, ft_sensor_release_##family##_mono }, \
	}

static ft_probe_t ft_sensor_lock_probe(u32 id)
{
	static const ft_probe_t probes[FT_LOCK_FAMILIES][2][2] = {
		FT_SENSOR_OF(SPIN), FT_SENSOR_OF(RWLOCK_READ), FT_SENSOR_OF(RWLOCK_WRITE),
		FT_SENSOR_OF(MUTEX), FT_SENSOR_OF(SEMAPHORE), FT_SENSOR_OF(RWSEM_READ),
		FT_SENSOR_OF(RWSEM_WRITE), FT_SENSOR_OF(RAW_SPIN),
	};

	bool mono = ft_sensor_way == FT_WAY_MONO;

	/* Each works for any sensor that becomes the only one meanwhile. */
	if (FT_ID_IS_RELEASE(id) && ft_pairs_is_spinning(id) &&
	    !raw_cpu_read(ft_sensor_locks[id])->special)
		return mono ? ft_sensor_spin_release_all_mono : ft_sensor_spin_release_all_tsc;
	return probes[(id - FT_ID_LOCK) / 2][FT_ID_IS_RELEASE(id)][mono];
}

ft_probe_t ft_sensor_probe(u32 id)
{
	const struct ft_sensed *sensed = ft_sensed_of(id);
	const struct ft_sense *sense = sensed ? sensed->senses : NULL;

	if (FT_ID_IS_LOCK(id))
		return ft_sensor_lock_probe(id);
	if (!sense || !ft_sensed_is_simple(sensed))
		return ft_sensor_any;
	if (sense->kind == FT_SENSOR_COUNTER)
		return ft_sensor_counter;
	return sense->axis[0].value == FT_VALUE_A ? ft_sensor_word_a : ft_sensor_word_b;
}
