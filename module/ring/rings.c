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

#include "ring/rings.h"

/*
 * Guards struct ft_rings and the memory of rings. It nests inside ft_trace_mutex. Hotplug
 * takes it alone: ft_trace_mutex is held while triggers are patched, which excludes
 * hotplug.
 */
static DEFINE_MUTEX(ft_rings_mutex);

static LIST_HEAD(ft_rings_all);		/* of all sessions */
static struct cpumask ft_rings_cpus;	/* those that have been up */

struct ft_cpu *ft_rings_get(struct ft_rings *rings, unsigned int cpu)
{
	/* Pairs with the release in ft_rings_add(). */
	return cpu < nr_cpu_ids ? smp_load_acquire(&rings->cpus[cpu]) : NULL;
}

u32 ft_rings_wake_us(const struct ft_rings *rings)
{
	return READ_ONCE(rings->config.wake_us);
}

u32 ft_rings_headroom(const struct ft_cpu *c)
{
	return READ_ONCE(c->rings->config.headroom) ?: c->slots / 4;
}

void ft_rings_get_config(const struct ft_rings *rings, struct ft_config *config)
{
	mutex_lock(&ft_rings_mutex);
	*config = rings->config;
	mutex_unlock(&ft_rings_mutex);
}

u64 ft_rings_lost(const struct ft_cpu *c)
{
	return ft_any_load(&c->ring->lost) - c->lost_start;
}

u64 ft_rings_lost_before_mark(const struct ft_cpu *c)
{
	/* Pairs with the release in ft_rings_mark(). */
	return smp_load_acquire(&c->mark) ? READ_ONCE(c->mark_lost) : ft_rings_lost(c);
}

u64 ft_rings_before_mark(const struct ft_cpu *c)
{
	u64 mark = READ_ONCE(c->mark), r = ft_any_load(&c->ring->r);

	if (!mark)
		return U64_MAX;
	/* The records before the mark may have been overwritten. */
	return r < mark ? (mark - r) / sizeof(struct ft_record) : 0;
}

/*
 * A loss notes its position before it is counted, and the note never goes back. If it is
 * before the first record, so are the positions of all losses that were counted before.
 * A loss right at the first record is later than &ft_cpu.floor, and passed only if a
 * snapshot has told it. One that was overwritten has not.
 */
void ft_rings_pass_losses(struct ft_cpu *c, bool read)
{
	u64 lost = ft_load_acquire(&c->ring->lost) - c->lost_start;

	if (ft_any_load(&c->ring->gap_w) >= c->ring->r)
		lost = read && !ft_rings_before_mark(c) ? READ_ONCE(c->mark_lost) : 0;
	WRITE_ONCE(c->lost_passed, max(c->lost_passed, lost));
}

void ft_rings_mark(struct ft_cpu *c)
{
	/* In this order, a loss between the two is reported. */
	u64 w = ft_load_acquire(&c->ring->w);

	WRITE_ONCE(c->mark_lost, ft_rings_lost(c));
	/* Pairs with the acquire in ft_rings_lost_before_mark(). */
	smp_store_release(&c->mark, w);
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

void ft_rings_stop(struct ft_rings *rings)
{
	unsigned int cpu;

	WRITE_ONCE(rings->stopped, true);
	/* Pairs with the barrier in ft_rings_opened(). */
	smp_mb();
	for_each_possible_cpu(cpu)
		ft_ring_close(per_cpu_ptr(&ft_ring[rings->session], cpu));
}

void ft_rings_opened(struct ft_cpu *c)
{
	/*
	 * Pairs with the barrier in ft_rings_stop(): either this sees that the rings are
	 * stopped, or what was stored before is overwritten there.
	 */
	smp_mb();
	if (ft_rings_is_stopped(c->rings))
		ft_ring_close(c->ring);
}

static void ft_rings_open_ring(struct ft_cpu *c)
{
	ft_ring_open(c->ring);
	ft_rings_opened(c);
}

static int ft_rings_give_memory(struct ft_cpu *c)
{
	const struct ft_rings *rings = c->rings;
	struct ft_record *memory;
	bool open;

	memory = ft_rings_new(c, rings->config.slots);
	if (!memory)
		return -ENOMEM;

	mutex_lock(&c->mutex);
	open = c->ring->open;
	ft_ring_init(c->ring, memory, rings->config.slots);
	c->slots = rings->config.slots;
	c->start = c->ring->w;
	/* The ring was open without memory. */
	if (open)
		ft_rings_open_ring(c);
	mutex_unlock(&c->mutex);
	return 0;
}

int ft_rings_alloc(struct ft_rings *rings)
{
	unsigned int missing = 0;
	struct ft_cpu *c;
	int err = 0;

	mutex_lock(&ft_rings_mutex);
	list_for_each_entry(c, &rings->known, list)
		missing += !c->slots;
	if (missing)
		err = ft_rings_check_memory(rings->config.slots, missing);

	/* The rings that were allocated before a failure stay, for the next attempt. */
	list_for_each_entry(c, &rings->known, list)
		if (!err && !c->slots)
			err = ft_rings_give_memory(c);
	if (!err)
		rings->wanted = true;
	mutex_unlock(&ft_rings_mutex);
	return err;
}

/* From here on, nothing was recorded, and nothing is left to be read. */
static void ft_rings_begin_books(struct ft_cpu *c)
{
	c->start = ft_any_load(&c->ring->w);
	c->lost_start = ft_any_load(&c->ring->lost);
	c->read = 0;
	c->overwritten = 0;
	c->lost_passed = 0;
	WRITE_ONCE(c->mark, 0);
	c->backsteps = 0;
	c->floor = 0;
	WRITE_ONCE(c->tick, false);
}

static void ft_rings_reset_one(struct ft_cpu *c)
{
	const struct ft_rings *rings = c->rings;

	mutex_lock(&c->mutex);
	WRITE_ONCE(c->trace, rings->trace);
	c->uuid = rings->uuid;
	c->clock_hz = rings->clock_hz;
	ft_rings_begin_books(c);
	if (c->slots)
		ft_ring_clear(c->ring);
	mutex_unlock(&c->mutex);

	/* A reader of the previous trace is at its end. */
	wake_up_interruptible(&c->wait);
}

static void ft_rings_open_one(struct ft_cpu *c)
{
	mutex_lock(&c->mutex);
	if (!c->ring->open && !ft_rings_is_stopped(c->rings))
		ft_rings_open_ring(c);
	mutex_unlock(&c->mutex);
}

void ft_rings_reset(struct ft_rings *rings, u32 trace, const uuid_t *uuid,
		    u64 clock_hz)
{
	struct ft_cpu *c;

	mutex_lock(&ft_rings_mutex);
	rings->trace = trace;
	rings->uuid = *uuid;
	rings->clock_hz = clock_hz;
	/* The rings are closed, and no probe of the last trace is running. */
	WRITE_ONCE(rings->stopped, false);
	list_for_each_entry(c, &rings->known, list)
		ft_rings_reset_one(c);
	mutex_unlock(&ft_rings_mutex);
}

/*
 * Opens or closes all rings, within a few stores: if a task acquired a lock before its
 * CPU's ring opens, and released it on a CPU whose ring is open, the acquisition would be
 * missing. So nothing here waits, least of all for mutexes, which have triggers.
 */
static void ft_rings_switch(struct ft_rings *rings, bool open)
{
	struct ft_cpu *c;

	mutex_lock(&ft_rings_mutex);
	list_for_each_entry(c, &rings->known, list)
		mutex_lock_nest_lock(&c->mutex, &ft_rings_mutex);

	local_irq_disable();
	rings->open = open;
	list_for_each_entry(c, &rings->known, list) {
		if (!open)
			ft_ring_close(c->ring);
		else if (!c->ring->open && !ft_rings_is_stopped(rings))
			ft_rings_open_ring(c);
	}
	local_irq_enable();

	list_for_each_entry(c, &rings->known, list)
		mutex_unlock(&c->mutex);
	mutex_unlock(&ft_rings_mutex);
}

void ft_rings_open(struct ft_rings *rings)
{
	ft_rings_switch(rings, true);
}

void ft_rings_close(struct ft_rings *rings)
{
	ft_rings_switch(rings, false);
}

void ft_rings_wake(struct ft_rings *rings)
{
	struct ft_cpu *c;

	mutex_lock(&ft_rings_mutex);
	list_for_each_entry(c, &rings->known, list)
		wake_up_interruptible(&c->wait);
	mutex_unlock(&ft_rings_mutex);
}

int ft_rings_claim(struct ft_cpu *c)
{
	int is;

	mutex_lock(&ft_rings_mutex);
	/* A trimmer is in a hard interrupt on another CPU, and soon done. */
	while ((is = atomic_cmpxchg_acquire(&c->reader, FT_READER_NONE,
					    FT_READER_FILE)) == FT_READER_TRIMMER)
		cpu_relax();
	mutex_unlock(&ft_rings_mutex);
	return is == FT_READER_NONE ? 0 : -EBUSY;
}

void ft_rings_unclaim(struct ft_cpu *c)
{
	mutex_lock(&ft_rings_mutex);
	/* Pairs with the acquire in ft_flight_tick(). */
	atomic_set_release(&c->reader, FT_READER_NONE);
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
	if (config->mode > FT_MODE_OVERWRITE ||
	    memchr_inv(config->reserved, 0, sizeof(config->reserved)))
		return -EINVAL;
	if (config->headroom >
	    (config->mode == FT_MODE_OVERWRITE ? config->slots / 2 : 0))
		return -EINVAL;
	return 0;
}

/* Rings are closed, and no probe has a slot since the last trace ended. */
static void ft_rings_swap(struct ft_rings *rings, struct ft_record **memory,
			  u32 slots)
{
	struct ft_record *old;
	struct ft_cpu *c;
	u64 w;

	list_for_each_entry(c, &rings->known, list) {
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
		ft_rings_begin_books(c);
		mutex_unlock(&c->mutex);
		memory[c->cpu] = old;
	}
}

static int ft_rings_resize(struct ft_rings *rings, u32 slots)
{
	struct ft_record **memory;
	unsigned int cpu, count = 0;
	struct ft_cpu *c;
	int err;

	list_for_each_entry(c, &rings->known, list)
		count += !!c->slots;
	err = ft_rings_check_memory(slots, count);
	if (err)
		return err;

	memory = kvcalloc(nr_cpu_ids, sizeof(*memory), GFP_KERNEL);
	if (!memory)
		return -ENOMEM;

	list_for_each_entry(c, &rings->known, list) {
		if (!c->slots)
			continue;
		memory[c->cpu] = ft_rings_new(c, slots);
		if (!memory[c->cpu]) {
			err = -ENOMEM;
			goto out_free;
		}
	}
	/* From here on, the memory that is freed below is the old one. */
	ft_rings_swap(rings, memory, slots);

out_free:
	for (cpu = 0; cpu < nr_cpu_ids; cpu++)
		vfree(memory[cpu]);
	kvfree(memory);
	return err;
}

int ft_rings_configure(struct ft_rings *rings, const struct ft_config *config)
{
	struct ft_cpu *c;
	int err;

	err = ft_rings_check(config);
	if (err)
		return err;

	mutex_lock(&ft_rings_mutex);
	list_for_each_entry(c, &rings->known, list)
		if (atomic_read(&c->reader) == FT_READER_FILE)
			err = -EBUSY;
	if (!err && config->slots != rings->config.slots)
		err = ft_rings_resize(rings, config->slots);
	if (!err)
		rings->config = *config;
	mutex_unlock(&ft_rings_mutex);
	return err;
}

/* --- CPUs ----------------------------------------------------------------- */

static struct ft_cpu *ft_rings_new_cpu(struct ft_rings *rings, unsigned int cpu)
{
	struct ft_cpu *c = kzalloc(sizeof(*c), GFP_KERNEL);

	if (!c)
		return NULL;
	c->rings = rings;
	c->cpu = cpu;
	c->ring = per_cpu_ptr(&ft_ring[rings->session], cpu);
	mutex_init(&c->mutex);
	init_waitqueue_head(&c->wait);
	ft_ring_init(c->ring, NULL, 0);
	c->start = c->ring->w;
	c->lost_start = ft_any_load(&c->ring->lost);
	return c;
}

static void ft_rings_add_one(struct ft_rings *rings, unsigned int cpu)
{
	struct ft_cpu *c = rings->cpus[cpu];

	if (!c) {
		c = ft_rings_new_cpu(rings, cpu);
		if (!c) {
			pr_warn("CPU %u: no memory: its events will be lost\n", cpu);
			return;
		}
		/* Pairs with the acquire in ft_rings_get(). */
		smp_store_release(&rings->cpus[cpu], c);
		list_add_tail(&c->list, &rings->known);
	}

	if (rings->wanted && !c->slots && ft_rings_give_memory(c))
		pr_warn("CPU %u: no memory for its ring: its events will be lost\n",
			cpu);
	if (c->trace != rings->trace)
		ft_rings_reset_one(c);
	/* If they are closed, ft_rings_switch() opens this one with the others. */
	if (rings->open)
		ft_rings_open_one(c);
}

void ft_rings_add(unsigned int cpu)
{
	struct ft_rings *rings;

	mutex_lock(&ft_rings_mutex);
	cpumask_set_cpu(cpu, &ft_rings_cpus);
	list_for_each_entry(rings, &ft_rings_all, list)
		ft_rings_add_one(rings, cpu);
	mutex_unlock(&ft_rings_mutex);
}

int ft_rings_init(struct ft_rings *rings, unsigned int session,
		  const struct ft_config *config)
{
	unsigned int cpu;

	*rings = (struct ft_rings){ .session = session, .config = *config };
	INIT_LIST_HEAD(&rings->known);
	if (ft_rings_check(config)) {
		pr_err("slots=%u wake_us=%u: slots must be a power of two from %u to %u, wake_us from %u to %u\n",
		       config->slots, config->wake_us, FT_SLOTS_MIN, FT_SLOTS_MAX,
		       FT_WAKE_MIN_US, FT_WAKE_MAX_US);
		return -EINVAL;
	}

	rings->cpus = kcalloc(nr_cpu_ids, sizeof(*rings->cpus), GFP_KERNEL);
	if (!rings->cpus)
		return -ENOMEM;

	mutex_lock(&ft_rings_mutex);
	list_add_tail(&rings->list, &ft_rings_all);
	for_each_cpu(cpu, &ft_rings_cpus)
		ft_rings_add_one(rings, cpu);
	mutex_unlock(&ft_rings_mutex);
	return 0;
}

void ft_rings_exit(struct ft_rings *rings)
{
	struct ft_cpu *c, *next;

	mutex_lock(&ft_rings_mutex);
	list_del(&rings->list);
	mutex_unlock(&ft_rings_mutex);

	list_for_each_entry_safe(c, next, &rings->known, list) {
		if (c->slots)
			vfree(c->ring->slots);
		/* For the next session that has this ring. */
		ft_ring_init(c->ring, NULL, 0);
		kfree(c);
	}
	kfree(rings->cpus);
}
