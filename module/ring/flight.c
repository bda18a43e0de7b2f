// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The flight recorder: rings that keep the latest records.
 *
 * Writers are the same in every mode: they stop at @limit. In FT_MODE_OVERWRITE a timer
 * on each CPU, the trimmer, releases the oldest records, so that a part of the ring, the
 * headroom, is free. Events do not become slower. Records that do not fit into the
 * headroom before the trimmer runs are lost, and counted.
 *
 *	     r                                w
 *	     |<------------- kept ----------->|
 *	+----+----+----+----+----+----+----+--+----+----+----+---------+
 *	|free| overwritten next ...   latest  |   headroom   | RESERVE |
 *	+----+----+----+----+----+----+----+--+----+----+----+---------+
 *
 * The trimmer acts as the ring's reader while no descriptor does. &ft_cpu.reader names
 * the reader, and one atomic operation changes it. The trimmer runs in a hard interrupt
 * and never waits: while a descriptor reads, it does nothing, and the ring behaves as in
 * FT_MODE_DISCARD. A reader that opens the ring waits for the trimmer, at most for
 * FT_FLIGHT_BATCH records.
 *
 * A snapshot marks where the rings end. They are opened before, so that nothing is
 * overwritten between the marks and the reading, and read up to the marks.
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/hrtimer.h>
#include <linux/irqflags.h>
#include <linux/smp.h>

#include "clock.h"
#include "compat.h"
#include "ring/flight.h"
#include "ring/rings.h"

/* Records that a trimmer releases at a time: a few microseconds with interrupts off. */
#define FT_FLIGHT_BATCH		512u

/* Time between two ticks of a trimmer: at least this, at most &ft_config.wake_us. */
#define FT_FLIGHT_MIN_NS	(50 * NSEC_PER_USEC)

static int ft_flight_hp_state;

/* --- trimming ------------------------------------------------------------- */

/* The caller is the ring's reader. Return: how many records were released. */
static u32 ft_flight_trim(struct ft_cpu *c)
{
	u64 ts = c->floor;
	u32 count = 0;

	/* After a condition has stopped the rings, keep what led to it. */
	if (!ft_rings_is_stopped(c->rings))
		count = ft_ring_trim(c->ring, c->keep, FT_FLIGHT_BATCH, &ts);
	if (count) {
		/* Pairs with the acquire in ft_reader_ioctl_stats(). */
		smp_store_release(&c->overwritten, c->overwritten + count);
		WRITE_ONCE(c->floor, max(c->floor, ts));
		ft_rings_pass_losses(c, false);
		ft_rings_opened(c);
	}
	return count;
}

/* Return: time to the next tick: short if there was much to do, else twice the last one. */
static u64 ft_flight_pace(struct ft_cpu *c, u32 count)
{
	u64 longest = (u64)ft_rings_wake_us(c->rings) * NSEC_PER_USEC;

	if (count && count >= min(FT_FLIGHT_BATCH, ft_rings_headroom(c) / 4))
		c->pace = FT_FLIGHT_MIN_NS;
	else
		c->pace = min(2 * c->pace, longest);
	return c->pace;
}

static enum hrtimer_restart ft_flight_tick(struct hrtimer *timer)
{
	struct ft_cpu *c = container_of(timer, struct ft_cpu, trimmer);
	u32 count = 0;

	if (atomic_cmpxchg_acquire(&c->reader, FT_READER_NONE,
				   FT_READER_TRIMMER) == FT_READER_NONE) {
		count = ft_flight_trim(c);
		/* Pairs with the acquire in ft_rings_claim(). */
		atomic_set_release(&c->reader, FT_READER_NONE);
	}
	hrtimer_forward_now(timer, ns_to_ktime(ft_flight_pace(c, count)));
	return HRTIMER_RESTART;
}

/* --- start and end -------------------------------------------------------- */

/* Runs on the ring's CPU, which stays online meanwhile. */
static void ft_flight_start_one(void *data)
{
	struct ft_cpu *c = data;

	/* There was no memory for it or for its ring. */
	if (!c || c->trimming || !c->slots)
		return;
	c->trimming = true;
	/* Writers stop before the reserve. */
	c->keep = c->slots - FT_RING_RESERVE - ft_rings_headroom(c);
	c->pace = FT_FLIGHT_MIN_NS;
	ft_hrtimer_setup(&c->trimmer, ft_flight_tick, CLOCK_MONOTONIC,
			 HRTIMER_MODE_REL_PINNED_HARD);
	hrtimer_start(&c->trimmer, ns_to_ktime(c->pace),
		      HRTIMER_MODE_REL_PINNED_HARD);
}

static void ft_flight_stop_one(struct ft_cpu *c)
{
	if (c->trimming)
		hrtimer_cancel(&c->trimmer);
	c->trimming = false;
}

void ft_flight_start(struct ft_rings *rings)
{
	struct ft_config config;
	unsigned int cpu;

	ft_rings_get_config(rings, &config);
	if (config.mode != FT_MODE_OVERWRITE)
		return;

	/* First, so that no CPU comes up unnoticed; starting one twice is harmless. */
	cpuhp_state_add_instance_nocalls(ft_flight_hp_state, &rings->hotplug);
	cpus_read_lock();
	for_each_online_cpu(cpu)
		smp_call_function_single(cpu, ft_flight_start_one,
					 ft_rings_get(rings, cpu), true);
	cpus_read_unlock();
	rings->trimmed = true;
}

void ft_flight_stop(struct ft_rings *rings)
{
	struct ft_cpu *c;
	unsigned int cpu;

	if (!rings->trimmed)
		return;
	cpuhp_state_remove_instance_nocalls(ft_flight_hp_state, &rings->hotplug);
	for_each_possible_cpu(cpu) {
		c = ft_rings_get(rings, cpu);
		if (c)
			ft_flight_stop_one(c);
	}
	rings->trimmed = false;
}

/* Runs on that CPU, which is up and already has its ring. */
static int ft_flight_online(unsigned int cpu, struct hlist_node *node)
{
	struct ft_rings *rings = hlist_entry(node, struct ft_rings, hotplug);

	ft_flight_start_one(ft_rings_get(rings, cpu));
	return 0;
}

static int ft_flight_offline(unsigned int cpu, struct hlist_node *node)
{
	struct ft_rings *rings = hlist_entry(node, struct ft_rings, hotplug);
	struct ft_cpu *c = ft_rings_get(rings, cpu);

	if (c)
		ft_flight_stop_one(c);
	return 0;
}

int __init ft_flight_init(void)
{
	int err;

	err = cpuhp_setup_state_multi(CPUHP_AP_ONLINE_DYN, "feather_trace:flight",
				      ft_flight_online, ft_flight_offline);
	if (err < 0)
		return err;
	ft_flight_hp_state = err;
	return 0;
}

void ft_flight_exit(void)
{
	cpuhp_remove_multi_state(ft_flight_hp_state);
}

/* --- snapshots ------------------------------------------------------------ */

int ft_flight_mark(struct ft_rings *rings, const void *owner,
		   const struct ft_clock *clock, u64 *ts)
{
	struct ft_config config;
	struct ft_cpu *c;
	unsigned int cpu;

	if (rings->marker && rings->marker != owner)
		return -EBUSY;
	ft_rings_get_config(rings, &config);
	if (config.mode != FT_MODE_OVERWRITE)
		return -EOPNOTSUPP;
	rings->marker = owner;

	/*
	 * Nothing waits here, so the marks are a few stores apart. A record whose slot
	 * was reserved before the mark is in the snapshot: readers wait until it is
	 * published.
	 */
	local_irq_disable();
	*ts = ft_clock_now(clock);
	for_each_possible_cpu(cpu) {
		c = ft_rings_get(rings, cpu);
		if (c)
			ft_rings_mark(c);
	}
	local_irq_enable();
	ft_rings_wake(rings);
	return 0;
}

void ft_flight_unmark(struct ft_rings *rings, const void *owner)
{
	struct ft_cpu *c;
	unsigned int cpu;

	if (rings->marker != owner)
		return;
	rings->marker = NULL;
	for_each_possible_cpu(cpu) {
		c = ft_rings_get(rings, cpu);
		if (c)
			WRITE_ONCE(c->mark, 0);
	}
	ft_rings_wake(rings);
}
