// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The stacks of spinning locks: what the short ways of an event do not do.
 */
#include <linux/build_bug.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/smp.h>

#include "sensor/stack.h"

DEFINE_PER_CPU(struct ft_stack, ft_stacks);
DEFINE_PER_CPU(unsigned long, ft_stack_above);

static_assert(sizeof(struct ft_stack_entry) == 32 && FT_STACK_BYTES == 512);

struct ft_stack_entry *ft_stack_search(u64 lock)
{
	struct ft_stack_entry *open = ft_stack_top();

	while (!ft_stack_is_bottom(open) && open->lock != lock)
		open--;
	return ft_stack_is_bottom(open) ? NULL : open;
}

/* Interrupts put theirs above the top meanwhile. */
void ft_stack_drop(struct ft_stack_entry *open)
{
	struct ft_stack_entry *top = ft_stack_top();

	for (; open < top; open++) {
		*open = open[1];
		/*
		 * ft_stack_forget_here() may have come in the middle of that: look at the source
		 * when the copy is whole. It interrupts this CPU: the order of code is enough.
		 */
		barrier();
		if (READ_ONCE(open[1].lock) == FT_STACK_NONE)
			WRITE_ONCE(open->lock, FT_STACK_NONE);
	}
	ft_stack_pop(top);
}

u64 ft_stack_depth(const struct ft_stack_entry *open)
{
	const u32 context = open->word >> 16;
	u64 depth = 0;

	for (open--; !ft_stack_is_bottom(open); open--)
		depth += open->lock != FT_STACK_NONE && open->word >> 16 == context;
	return depth;
}

void ft_stack_reset(void)
{
	struct ft_stack *stack;
	unsigned int cpu, i;

	for_each_possible_cpu(cpu) {
		stack = per_cpu_ptr(&ft_stacks, cpu);
		for (i = 0; i <= FT_STACK_DEPTH; i++) {
			stack->below[i].lock = FT_STACK_NONE;
			stack->open[i].lock = FT_STACK_NONE;
		}
		per_cpu(ft_stack_above, cpu) = (unsigned long)&stack->open[1];
	}
}

/* @open: the top */
static void ft_stack_forget_on(struct ft_stack_entry *open, u32 id)
{
	for (; !ft_stack_is_bottom(open); open--)
		if (FT_STACK_ID(open->word) == id)
			WRITE_ONCE(open->lock, FT_STACK_NONE);
}

/* The code that this interrupts finds as many entries as before. */
static void ft_stack_forget_here(void *id)
{
	ft_stack_forget_on(ft_stack_top(), *(u32 *)id);
}

void ft_stack_forget(u32 id)
{
	unsigned int cpu;

	cpus_read_lock();
	on_each_cpu(ft_stack_forget_here, &id, true);
	for_each_possible_cpu(cpu)
		if (!cpu_online(cpu))
			ft_stack_forget_on((void *)per_cpu(ft_stack_above, cpu) -
					   sizeof(struct ft_stack_entry), id);
	cpus_read_unlock();
}
