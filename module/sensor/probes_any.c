// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * What an event means for all of its sensors, whatever they are: the general path, for all that
 * those of probes.c do not do.
 */
#include <linux/percpu.h>
#include <linux/sched.h>

#include "context.h"
#include "sensor/probes.h"
#include "sensor/row.h"
#include "sensor/stack.h"
#include "watch/pairs.h"

/* --- spinning locks: the CPU's stack -------------------------------------- */

static void ft_stack_forgot(u32 id)
{
	const struct ft_sensed *sensed = ft_sensed_of(id);
	const struct ft_pairing *pairing = sensed ? READ_ONCE(sensed->begins) : NULL;

	for (; pairing; pairing = READ_ONCE(pairing->next_begin))
		if (!pairing->pairs)
			ft_pairing_forgot(pairing, 1);
}

/* Return: where the first one goes, whatever comes in between. */
static struct ft_stack_entry *ft_stack_empty(void)
{
	struct ft_stack *stack = this_cpu_ptr(&ft_stacks);
	struct ft_stack_entry *open = &stack->open[FT_STACK_DEPTH + 1];

	while (open-- > stack->below) {
		u64 lock = READ_ONCE(open->lock);
		u32 id = FT_STACK_ID(READ_ONCE(open->word));

		/* What interrupts this may find the stack full as well: one of them counts it. */
		if (lock != FT_STACK_NONE &&
		    cmpxchg_local(&open->lock, lock, FT_STACK_NONE) == lock)
			ft_stack_forgot(id);
	}
	return &stack->open[1];
}

/* Its release must not take one of before, which was left there, for this one. */
static void ft_stack_forget_lock(u64 lock, u32 id)
{
	struct ft_stack_entry *open;

	ft_stack_forgot(id);
	while ((open = ft_stack_search(lock))) {
		WRITE_ONCE(open->lock, FT_STACK_NONE);
		ft_stack_forgot(FT_STACK_ID(open->word));
	}
}

static void ft_stack_push(u64 lock, u64 site, u32 id, u64 ts)
{
	const u32 context = ft_context_bits();
	struct ft_stack_entry *next = ft_stack_next();

	if (unlikely(ft_stack_is_end(next))) {
		if (context & FT_STACK_INTERRUPTS) {
			ft_stack_forget_lock(lock, id);
			return;
		}
		next = ft_stack_empty();
	}
	ft_stack_raise(next, site, FT_STACK_WORD(id, context));
	WRITE_ONCE(next->ts, ts);
	ft_stack_fill(next, lock);
	/* It is ours since the top was raised, and only our release looks at this. */
	WRITE_ONCE(next->tid, current->pid);
}

/* --- any event ------------------------------------------------------------ */

/* An interrupt has the number of the task: its context keeps its pairs apart from the task's. */
static u64 ft_pairing_key(const struct ft_pairing *pairing, const struct ft_seen *seen)
{
	return pairing->key == FT_KEY_TASK ? ft_context_bits() : seen->a;
}

static void ft_pairing_begin(struct ft_pairing *pairing, unsigned int id,
			     const struct ft_seen *seen)
{
	unsigned int begins;

	if (!pairing->pairs) {
		ft_stack_push(seen->a, seen->b, id, seen->ts);
		return;
	}
	begins = ft_pairs_begin(pairing->pairs, ft_pairing_key(pairing, seen), seen->ts, 0,
				seen->b);
	if (begins)
		ft_pairing_forgot(pairing, begins);
}

/* Return: whether @seen is a pair now. */
static bool ft_pairing_end(struct ft_pairing *pairing, struct ft_seen *seen)
{
	struct ft_stack_entry *open;
	struct ft_pair pair;

	if (pairing->pairs) {
		pair = ft_pairs_end(pairing->pairs, ft_pairing_key(pairing, seen), seen->ts, 0);
		seen->time = pair.time;
		seen->b = pair.word;
		seen->task = 0;
		return pair.time != FT_PAIRS_NONE;
	}
	open = ft_stack_search(seen->a);
	if (!open)
		return false;
	seen->time = ft_pairs_forward(seen->ts - open->ts);
	seen->b = open->site;
	seen->depth = READ_ONCE(ft_sensed_depth) ? ft_stack_depth(open) : 0;
	seen->task = open->word & FT_STACK_KNOWN ? FT_SEEN_TASK(open->tid) : 0;
	ft_stack_drop(open);
	return seen->time != FT_PAIRS_NONE;
}

static void ft_sense_see_all(const struct ft_sense *sense, const struct ft_seen *seen)
{
	for (; sense; sense = READ_ONCE(sense->next))
		ft_sense_see(sense, seen);
}

void ft_sensor_see(unsigned int id, u64 a, u64 b, u64 ts)
{
	struct ft_seen seen = { .a = a, .b = b, .ts = ts, .end_b = b };
	struct ft_sensed *sensed = ft_sensed_of(id);
	struct ft_pairing *pairing;

	if (!sensed)
		return;
	/* Pairs with the release in ft_sense_add(): it is complete. */
	ft_sense_see_all(smp_load_acquire(&sensed->senses), &seen);
	/*
	 * If an event ends and begins a pair, one time ends, and then another begins. Pairs with
	 * the releases in ft_pairing_link().
	 */
	for (pairing = smp_load_acquire(&sensed->ends); pairing;
	     pairing = READ_ONCE(pairing->next_end)) {
		seen.b = b;
		if (ft_pairing_end(pairing, &seen))
			ft_sense_see_all(READ_ONCE(pairing->senses), &seen);
		else
			ft_pairing_alone(pairing);
	}
	seen.b = b;
	/* The same. */
	for (pairing = smp_load_acquire(&sensed->begins); pairing;
	     pairing = READ_ONCE(pairing->next_begin))
		ft_pairing_begin(pairing, id, &seen);
}
