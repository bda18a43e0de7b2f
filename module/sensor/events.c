// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Which sensors look at which event.
 *
 * Probes read the lists while they change, with preemption disabled. What is added is
 * complete before it can be seen; what is removed still leads to what comes after it.
 */
#include <linux/err.h>
#include <linux/lockdep.h>
#include <linux/slab.h>

#include "sensor/events.h"
#include "sensor/probes.h"
#include "sensor/stack.h"
#include "trace/trace.h"
#include "watch/pairs.h"

static struct ft_sensed *ft_sensed_get(u32 id)
{
	static unsigned int last;	/* guarded by ft_trace_mutex */
	struct ft_sensed *sensed = ft_sensed[ft_sensed_number[id]];

	if (sensed)
		return sensed;
	if (last == ARRAY_SIZE(ft_sensed) - 1)
		return ERR_PTR(-ENOSPC);
	sensed = kzalloc(sizeof(*sensed), GFP_KERNEL);
	if (!sensed)
		return ERR_PTR(-ENOMEM);
	ft_sensed[++last] = sensed;
	/* Before any trigger leads to a probe that reads it. */
	smp_store_release(&ft_sensed_number[id], last);
	return sensed;
}

/* --- pairs ---------------------------------------------------------------- */

u32 ft_sensor_key_of(u32 begin)
{
	if (begin == FT_ID_CONTENTION_BEGIN)
		return FT_KEY_WAIT;
	/* Any task may release a semaphore. */
	if (!FT_ID_IS_LOCK(begin) || begin == FT_ID_ACQUIRE(FT_LOCK_SEMAPHORE))
		return FT_KEY_WORD;
	return ft_pairs_is_spinning(begin) ? FT_KEY_CPU : FT_KEY_TASK_WORD;
}

bool ft_sensor_is_on_stack(u32 begin, u32 event, u32 key)
{
	return key == FT_KEY_CPU && ft_pairs_is_spinning(begin) && !FT_ID_IS_RELEASE(begin) &&
	       event == begin + 1;
}

/* A reader may read twice. */
static bool ft_sensor_is_reading(u32 begin)
{
	return begin == FT_ID_ACQUIRE(FT_LOCK_RWSEM_READ) ||
	       begin == FT_ID_ACQUIRE(FT_LOCK_RWLOCK_READ);
}

static enum ft_pairs_kind ft_pairing_kind(const struct ft_pairing *pairing)
{
	switch (pairing->key) {
	case FT_KEY_CPU:
		return FT_PAIRS_CPU;
	case FT_KEY_WAIT:
		return ft_pairs_kind_of_waits(pairing->begin, pairing->event);
	case FT_KEY_WORD:
		return FT_PAIRS_KEY;
	default:
		return ft_sensor_is_reading(pairing->begin) ? FT_PAIRS_READ : FT_PAIRS_TASK;
	}
}

/* How many use the stacks. Guarded by ft_trace_mutex. */
static unsigned int ft_stack_pairings;

static struct ft_pairing *ft_pairing_new(const struct ft_sense *sense)
{
	struct ft_pairing *pairing = kzalloc(sizeof(*pairing), GFP_KERNEL);

	if (!pairing)
		return NULL;
	pairing->begin = sense->begin;
	pairing->event = sense->event;
	pairing->key = sense->key;
	if (ft_sensor_is_on_stack(sense->begin, sense->event, sense->key)) {
		/* Of this event there is nothing on them: see ft_pairing_free(). */
		if (!ft_stack_pairings++)
			ft_stack_reset();
		return pairing;
	}
	pairing->pairs = ft_pairs_new(ft_pairing_kind(pairing));
	if (pairing->pairs)
		return pairing;
	kfree(pairing);
	return NULL;
}

void ft_pairing_free(struct ft_pairing *pairing)
{
	if (!pairing)
		return;
	/* No release of what is open will be seen, and others count how deep they are nested. */
	if (!pairing->pairs && --ft_stack_pairings)
		ft_stack_forget(pairing->begin);
	ft_pairs_free(pairing->pairs);
	kfree(pairing);
}

static struct ft_pairing *ft_pairing_find(const struct ft_sensed *sensed,
					  const struct ft_sense *sense)
{
	struct ft_pairing *pairing;

	for (pairing = sensed->ends; pairing; pairing = pairing->next_end)
		if (pairing->begin == sense->begin && pairing->key == sense->key)
			break;
	return pairing;
}

static void ft_pairing_link(struct ft_pairing *pairing, struct ft_sensed *begin,
			    struct ft_sensed *end)
{
	pairing->next_end = end->ends;
	pairing->next_begin = begin->begins;
	/* Pair with the acquires in ft_sensor_see(). Ends first: no beginning is missed. */
	smp_store_release(&end->ends, pairing);
	/* So does this one. */
	smp_store_release(&begin->begins, pairing);
}

static void ft_pairing_unlink(struct ft_pairing *pairing, struct ft_sensed *begin,
			      struct ft_sensed *end)
{
	struct ft_pairing **at;

	for (at = &begin->begins; *at != pairing; at = &(*at)->next_begin)
		;
	WRITE_ONCE(*at, pairing->next_begin);
	for (at = &end->ends; *at != pairing; at = &(*at)->next_end)
		;
	WRITE_ONCE(*at, pairing->next_end);
}

/* --- the short ways ------------------------------------------------------- */

/* What a sensor needs that they do not have: FT_ROW_*. */
static u8 ft_sense_special(const struct ft_sense *sense)
{
	if (sense->at_end[0].what || sense->at_begin[0].what || sense->n_ranges)
		return FT_ROW_GENERAL;
	if (sense->kind == FT_SENSOR_COUNTER)
		return sense->split || sense->begin ? FT_ROW_GENERAL : 0;
	if (!sense->gates || (sense->begin && sense->axis[0].value != FT_VALUE_TIME))
		return FT_ROW_GENERAL;
	if (!sense->split)
		return 0;
	if (sense->split != FT_SPLIT_SITE || !sense->begin)
		return FT_ROW_GENERAL;
	return FT_ROW_SITES | (sense->axis[0].bits == FT_ROW_USUAL_BITS ? FT_ROW_USUAL : 0);
}

bool ft_sensed_is_simple(const struct ft_sensed *sensed)
{
	return sensed->senses && !sensed->senses->next && !sensed->ends && !sensed->begins &&
	       !ft_sense_special(sensed->senses);
}

/* A call site is never the key of a free row, or of one that is being emptied. */
static bool ft_sense_is_quick(const struct ft_sense *sense)
{
	return sense->kind == FT_SENSOR_HISTOGRAM && FT_ID_IS_LOCK(sense->begin) &&
	       ft_sense_special(sense) != FT_ROW_GENERAL;
}

/*
 * Stands for the sensor of each event without one: its gates are closed, and nobody reads its
 * counts. It is also the whole of its table, as its rows are 0 bytes apart.
 */
static DEFINE_PER_CPU(struct ft_row, ft_sensor_nobody) = {
	.low = U64_MAX, .special = FT_ROW_GENERAL,
};

static void ft_sensed_choose_only(u32 number)
{
	const struct ft_sensed *sensed = ft_sensed[number];
	bool simple = sensed && ft_sensed_is_simple(sensed);
	struct ft_row *row;
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		row = per_cpu_ptr(&ft_sensor_nobody, cpu);
		if (simple) {
			row = ft_sense_row_of(sensed->senses, cpu);
			WRITE_ONCE(row->special, sensed->senses->kind == FT_SENSOR_COUNTER ?
						 0 : FT_ROW_GENERAL);
		}
		/* Pairs with the dependency on ft_sensor_only_row(). */
		smp_store_release(&per_cpu(ft_sensor_only[number], cpu), row);
	}
}

/* The only sensor of a family of locks, if it is one of pairs, and a simple one. */
static const struct ft_sense *ft_sensed_only_pair(u32 acquire)
{
	const struct ft_sensed *begin = ft_sensed[ft_sensed_number[acquire]];
	const struct ft_sensed *end = ft_sensed[ft_sensed_number[acquire + 1]];
	const struct ft_pairing *pairing = begin ? begin->begins : NULL;

	if (!pairing || pairing->next_begin || begin->senses || begin->ends || !end ||
	    end->senses || end->begins || end->ends != pairing || pairing->next_end ||
	    !pairing->senses || pairing->senses->next || !pairing->senses->quick)
		return NULL;
	return pairing->senses;
}

/* The short ways have the key that ft_sensor_key_of() gives: the stack's, or lock and task. */
static bool ft_sense_has_short_way(const struct ft_sense *sense)
{
	if (sense->pairing->pairs)
		return sense->pairing->key == FT_KEY_TASK_WORD &&
		       !ft_pairs_is_spinning(sense->pairing->begin);
	/* An entry of the stack has more in it if a sensor counts its depth. */
	return !ft_sensed_depth;
}

static void ft_sensed_choose_lock(u32 acquire)
{
	const struct ft_sense *sense = ft_sensed_only_pair(acquire);
	struct ft_pairs_table *table = &ft_pairs_nowhere;
	struct ft_row *row, *usual;
	unsigned int cpu;
	u32 mask = 0;

	if (sense && !ft_sense_has_short_way(sense))
		sense = NULL;
	if (sense && sense->pairing->pairs)
		table = ft_pairs_table(sense->pairing->pairs);
	else if (sense)
		mask = FT_STACK_MASK;
	/* What has begun with no more than this is paired all the same. */
	WRITE_ONCE(ft_sensor_masks[acquire], mask);
	for_each_possible_cpu(cpu) {
		row = per_cpu_ptr(&ft_sensor_nobody, cpu);
		usual = row;
		if (sense) {
			row = ft_sense_row_of(sense, cpu);
			WRITE_ONCE(row->special, ft_sense_special(sense));
			if (row->special & FT_ROW_USUAL)
				usual = ft_row_at(row, 1);
		}
		/* Pair with the dependencies in the probes of locks. */
		smp_store_release(&per_cpu(ft_sensor_usual[acquire + 1], cpu), usual);
		/* So does this one. */
		smp_store_release(&per_cpu(ft_sensor_locks[acquire + 1], cpu), row);
	}
	/* And this one, */
	smp_store_release(&ft_sensor_tables[acquire], table);
	/* and this one. */
	smp_store_release(&ft_sensor_tables[acquire + 1], table);
}

static void ft_sensed_choose(void)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(ft_sensed); i++)
		ft_sensed_choose_only(i);
	for (i = FT_ID_LOCK; FT_ID_IS_LOCK(i); i += 2)
		ft_sensed_choose_lock(i);
}

/* How many sensors want to know how deep locks are nested. Guarded by ft_trace_mutex. */
static void ft_sensed_want_depth(const struct ft_sense *sense, int more)
{
	static int count;

	if (sense->axis[0].value == FT_VALUE_DEPTH || sense->axis[1].value == FT_VALUE_DEPTH)
		count += more;
	WRITE_ONCE(ft_sensed_depth, count);
}

/* --- sensors -------------------------------------------------------------- */

/* The list to which a sensor belongs. */
static struct ft_sense **ft_sense_list(const struct ft_sense *sense, struct ft_sensed *sensed)
{
	return sense->pairing ? &sense->pairing->senses : &sensed->senses;
}

static unsigned int ft_sensed_count(const struct ft_sensed *sensed)
{
	const struct ft_pairing *pairing;
	const struct ft_sense *sense;
	unsigned int n = 0;

	for (sense = sensed->senses; sense; sense = sense->next)
		n++;
	for (pairing = sensed->ends; pairing; pairing = pairing->next_end)
		for (sense = pairing->senses; sense; sense = sense->next)
			n++;
	for (pairing = sensed->begins; pairing; pairing = pairing->next_begin)
		n++;
	return n;
}

int ft_sense_add(struct ft_sense *sense)
{
	struct ft_pairing *pairing = NULL;
	struct ft_sensed *end, *begin;
	struct ft_sense **list;
	bool link = false;

	lockdep_assert_held(&ft_trace_mutex);
	end = ft_sensed_get(sense->event);
	begin = sense->begin ? ft_sensed_get(sense->begin) : end;
	if (IS_ERR(end) || IS_ERR(begin))
		return IS_ERR(end) ? PTR_ERR(end) : PTR_ERR(begin);
	if (ft_sensed_count(end) >= FT_SENSED_SENSORS ||
	    ft_sensed_count(begin) >= FT_SENSED_SENSORS)
		return -ENOSPC;
	if (sense->begin) {
		pairing = ft_pairing_find(end, sense);
		if (!pairing) {
			pairing = ft_pairing_new(sense);
			link = true;
		}
		if (!pairing)
			return -ENOMEM;
	}

	sense->pairing = pairing;
	sense->quick = ft_sense_is_quick(sense);
	list = ft_sense_list(sense, end);
	sense->next = *list;
	/* Pairs with the acquire in ft_sensor_see(): it is complete. */
	smp_store_release(list, sense);
	if (link)
		ft_pairing_link(pairing, begin, end);
	ft_sensed_want_depth(sense, 1);
	ft_sensed_choose();
	return 0;
}

struct ft_pairing *ft_sense_remove(struct ft_sense *sense)
{
	struct ft_pairing *pairing = sense->pairing;
	struct ft_sensed *end = ft_sensed[ft_sensed_number[sense->event]];
	struct ft_sense **list = ft_sense_list(sense, end), **at;

	lockdep_assert_held(&ft_trace_mutex);
	for (at = list; *at != sense; at = &(*at)->next)
		;
	/* A reader that is at it still finds the next one. */
	WRITE_ONCE(*at, sense->next);
	ft_sensed_want_depth(sense, -1);
	ft_sensed_choose();
	if (!pairing || pairing->senses)
		return NULL;
	ft_pairing_unlink(pairing, ft_sensed[ft_sensed_number[sense->begin]], end);
	ft_sensed_choose();
	return pairing;
}

void ft_sense_init(void)
{
	ft_stack_reset();
	ft_sensed_choose();
}

void ft_sense_exit(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(ft_sensed); i++)
		kfree(ft_sensed[i]);
}
