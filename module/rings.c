// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The rings of all CPUs.
 *
 * A CPU gets memory for its ring, on its own node, when the first trace starts, or when
 * it comes up later. The memory stays when the CPU goes down: its records can be read.
 */
#include <linux/cpumask.h>
#include <linux/list.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/topology.h>
#include <linux/vmalloc.h>

#include "rings.h"

static struct ft_cpu **ft_cpus;		/* by number; entries are never removed */
static LIST_HEAD(ft_rings_list);	/* the same, those there are */
static struct ft_config ft_rings_config;
static bool ft_rings_wanted;		/* rings have memory from now on */
static bool ft_rings_are_open;
static u32 ft_rings_trace;		/* the last trace: as in struct ft_cpu */
static uuid_t ft_rings_uuid;
static u64 ft_rings_clock_hz;

/*
 * Guards the above and the memory of rings. It nests inside ft_trace_mutex. Hotplug
 * takes it alone: ft_trace_mutex is held while triggers are patched, which excludes
 * hotplug.
 */
static DEFINE_MUTEX(ft_rings_mutex);

struct ft_cpu *ft_rings_get(unsigned int cpu)
{
	/* Pairs with the release in ft_rings_add(). */
	return cpu < nr_cpu_ids ? smp_load_acquire(&ft_cpus[cpu]) : NULL;
}

u32 ft_rings_wake_us(void)
{
	return READ_ONCE(ft_rings_config.wake_us);
}

void ft_rings_get_config(struct ft_config *config)
{
	mutex_lock(&ft_rings_mutex);
	*config = ft_rings_config;
	mutex_unlock(&ft_rings_mutex);
}

u64 ft_rings_lost(const struct ft_cpu *c)
{
	return ft_any_load(&c->ring->lost) - c->lost_start;
}

static struct ft_record *ft_rings_new(const struct ft_cpu *c, u32 slots)
{
	return vzalloc_node((size_t)slots * sizeof(struct ft_record),
			    cpu_to_node(c->cpu));
}

/* vmalloc() would make the kernel kill other programs before it fails. */
static int ft_rings_check_memory(u32 slots, unsigned int rings)
{
	u64 bytes = (u64)slots * sizeof(struct ft_record) * rings;

	if (bytes >> PAGE_SHIFT > si_mem_available() / 2) {
		pr_warn("%u rings of %u slots would take more than half of the free memory\n",
			rings, slots);
		return -ENOMEM;
	}
	return 0;
}

static int ft_rings_give_memory(struct ft_cpu *c)
{
	struct ft_record *memory;
	bool open;

	memory = ft_rings_new(c, ft_rings_config.slots);
	if (!memory)
		return -ENOMEM;

	mutex_lock(&c->mutex);
	open = c->ring->open;
	ft_ring_init(c->ring, memory, ft_rings_config.slots);
	c->slots = ft_rings_config.slots;
	c->start = c->ring->w;
	/* The ring was open without memory. */
	if (open)
		ft_ring_open(c->ring);
	mutex_unlock(&c->mutex);
	return 0;
}

int ft_rings_alloc(void)
{
	unsigned int missing = 0;
	struct ft_cpu *c;
	int err = 0;

	mutex_lock(&ft_rings_mutex);
	list_for_each_entry(c, &ft_rings_list, list)
		missing += !c->slots;
	if (missing)
		err = ft_rings_check_memory(ft_rings_config.slots, missing);

	/* The rings that were allocated before a failure stay, for the next attempt. */
	list_for_each_entry(c, &ft_rings_list, list)
		if (!err && !c->slots)
			err = ft_rings_give_memory(c);
	if (!err)
		ft_rings_wanted = true;
	mutex_unlock(&ft_rings_mutex);
	return err;
}

static void ft_rings_reset_one(struct ft_cpu *c)
{
	mutex_lock(&c->mutex);
	WRITE_ONCE(c->trace, ft_rings_trace);
	c->uuid = ft_rings_uuid;
	c->clock_hz = ft_rings_clock_hz;
	c->lost_start = ft_any_load(&c->ring->lost);
	c->read = 0;
	c->backsteps = 0;
	c->floor = 0;
	WRITE_ONCE(c->tick, false);
	c->start = ft_any_load(&c->ring->w);
	if (c->slots)
		ft_ring_clear(c->ring);
	mutex_unlock(&c->mutex);

	/* A reader of the previous trace is at its end. */
	wake_up_interruptible(&c->wait);
}

static void ft_rings_open_one(struct ft_cpu *c)
{
	mutex_lock(&c->mutex);
	if (!c->ring->open)
		ft_ring_open(c->ring);
	mutex_unlock(&c->mutex);
}

void ft_rings_reset(u32 trace, const uuid_t *uuid, u64 clock_hz)
{
	struct ft_cpu *c;

	mutex_lock(&ft_rings_mutex);
	ft_rings_trace = trace;
	ft_rings_uuid = *uuid;
	ft_rings_clock_hz = clock_hz;
	list_for_each_entry(c, &ft_rings_list, list)
		ft_rings_reset_one(c);
	mutex_unlock(&ft_rings_mutex);
}

/*
 * Opens or closes all rings, within a few stores: if a task acquired a lock before its
 * CPU's ring opens, and released it on a CPU whose ring is open, the acquisition would be
 * missing. So nothing here waits, least of all for mutexes, which have triggers.
 */
static void ft_rings_switch(bool open)
{
	struct ft_cpu *c;

	mutex_lock(&ft_rings_mutex);
	list_for_each_entry(c, &ft_rings_list, list)
		mutex_lock_nest_lock(&c->mutex, &ft_rings_mutex);

	local_irq_disable();
	ft_rings_are_open = open;
	list_for_each_entry(c, &ft_rings_list, list) {
		if (!open)
			ft_ring_close(c->ring);
		else if (!c->ring->open)
			ft_ring_open(c->ring);
	}
	local_irq_enable();

	list_for_each_entry(c, &ft_rings_list, list)
		mutex_unlock(&c->mutex);
	mutex_unlock(&ft_rings_mutex);
}

void ft_rings_open(void)
{
	ft_rings_switch(true);
}

void ft_rings_close(void)
{
	ft_rings_switch(false);
}

void ft_rings_wake(void)
{
	struct ft_cpu *c;

	mutex_lock(&ft_rings_mutex);
	list_for_each_entry(c, &ft_rings_list, list)
		wake_up_interruptible(&c->wait);
	mutex_unlock(&ft_rings_mutex);
}

int ft_rings_claim(struct ft_cpu *c)
{
	int err = 0;

	mutex_lock(&ft_rings_mutex);
	if (c->reader)
		err = -EBUSY;
	else
		c->reader = true;
	mutex_unlock(&ft_rings_mutex);
	return err;
}

void ft_rings_unclaim(struct ft_cpu *c)
{
	mutex_lock(&ft_rings_mutex);
	c->reader = false;
	mutex_unlock(&ft_rings_mutex);
}

/* --- size ----------------------------------------------------------------- */

static int ft_rings_check(const struct ft_config *config)
{
	if (!is_power_of_2(config->slots) || config->slots < FT_SLOTS_MIN ||
	    config->slots > FT_SLOTS_MAX)
		return -EINVAL;
	if (config->wake_us < FT_WAKE_MIN_US || config->wake_us > FT_WAKE_MAX_US)
		return -EINVAL;
	if (config->mode != FT_MODE_DISCARD ||
	    memchr_inv(config->reserved, 0, sizeof(config->reserved)))
		return -EINVAL;
	return 0;
}

/* Rings are closed, and no probe has a slot since the last trace ended. */
static void ft_rings_swap(struct ft_record **memory, u32 slots)
{
	struct ft_record *old;
	struct ft_cpu *c;
	u64 w;

	list_for_each_entry(c, &ft_rings_list, list) {
		if (!c->slots)
			continue;
		mutex_lock(&c->mutex);
		old = c->ring->slots;
		w = c->ring->w;
		ft_ring_init(c->ring, memory[c->cpu], slots);
		/*
		 * Positions continue: a late writer that was refused may still store its
		 * gap at the old position, which must not be that of a later gap.
		 */
		c->ring->w = ALIGN(w + 1, c->ring->mask + 1);
		c->ring->r = c->ring->w;
		c->slots = slots;
		c->start = c->ring->w;
		c->lost_start = c->ring->lost;
		c->read = 0;
		mutex_unlock(&c->mutex);
		memory[c->cpu] = old;
	}
}

static int ft_rings_resize(u32 slots)
{
	struct ft_record **memory;
	unsigned int cpu, rings = 0;
	struct ft_cpu *c;
	int err;

	list_for_each_entry(c, &ft_rings_list, list)
		rings += !!c->slots;
	err = ft_rings_check_memory(slots, rings);
	if (err)
		return err;

	memory = kvcalloc(nr_cpu_ids, sizeof(*memory), GFP_KERNEL);
	if (!memory)
		return -ENOMEM;

	list_for_each_entry(c, &ft_rings_list, list) {
		if (!c->slots)
			continue;
		memory[c->cpu] = ft_rings_new(c, slots);
		if (!memory[c->cpu]) {
			err = -ENOMEM;
			goto out_free;
		}
	}
	/* From here on, the memory that is freed below is the old one. */
	ft_rings_swap(memory, slots);

out_free:
	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		vfree(memory[cpu]);
	kvfree(memory);
	return err;
}

int ft_rings_configure(const struct ft_config *config)
{
	struct ft_cpu *c;
	int err;

	err = ft_rings_check(config);
	if (err)
		return err;

	mutex_lock(&ft_rings_mutex);
	list_for_each_entry(c, &ft_rings_list, list)
		if (c->reader)
			err = -EBUSY;
	if (!err && config->slots != ft_rings_config.slots)
		err = ft_rings_resize(config->slots);
	if (!err)
		ft_rings_config = *config;
	mutex_unlock(&ft_rings_mutex);
	return err;
}

/* --- CPUs ----------------------------------------------------------------- */

static struct ft_cpu *ft_rings_new_cpu(unsigned int cpu)
{
	struct ft_cpu *c = kzalloc(sizeof(*c), GFP_KERNEL);

	if (!c)
		return NULL;
	c->cpu = cpu;
	c->ring = per_cpu_ptr(&ft_ring, cpu);
	mutex_init(&c->mutex);
	init_waitqueue_head(&c->wait);
	ft_ring_init(c->ring, NULL, 0);
	return c;
}

bool ft_rings_add(unsigned int cpu)
{
	struct ft_cpu *c;

	mutex_lock(&ft_rings_mutex);
	c = ft_cpus[cpu];
	if (!c) {
		c = ft_rings_new_cpu(cpu);
		if (!c) {
			pr_warn("CPU %u: no memory, its events will be lost\n", cpu);
			goto out;
		}
		/* Pairs with the acquire in ft_rings_get(). */
		smp_store_release(&ft_cpus[cpu], c);
		list_add_tail(&c->list, &ft_rings_list);
	}

	if (ft_rings_wanted && !c->slots && ft_rings_give_memory(c))
		pr_warn("CPU %u: no memory for its ring, its events will be lost\n",
			cpu);
	if (c->trace != ft_rings_trace)
		ft_rings_reset_one(c);
	/* If they are closed, ft_rings_switch() opens this one with the others. */
	if (ft_rings_are_open)
		ft_rings_open_one(c);
out:
	mutex_unlock(&ft_rings_mutex);
	return c;
}

int ft_rings_init(u32 slots, u32 wake_us)
{
	int err;

	ft_rings_config.slots = slots;
	ft_rings_config.wake_us = wake_us;
	err = ft_rings_check(&ft_rings_config);
	if (err) {
		pr_err("slots=%u wake_us=%u: slots must be a power of two from %u to %u, wake_us from %u to %u\n",
		       slots, wake_us, FT_SLOTS_MIN, FT_SLOTS_MAX,
		       FT_WAKE_MIN_US, FT_WAKE_MAX_US);
		return err;
	}

	ft_cpus = kcalloc(nr_cpu_ids, sizeof(*ft_cpus), GFP_KERNEL);
	return ft_cpus ? 0 : -ENOMEM;
}

void ft_rings_exit(void)
{
	struct ft_cpu *c, *next;

	list_for_each_entry_safe(c, next, &ft_rings_list, list) {
		if (c->slots)
			vfree(c->ring->slots);
		kfree(c);
	}
	kfree(ft_cpus);
}
