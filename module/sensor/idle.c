// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Idle rows of a split make room for others: locks and tasks come and go, and a table would fill
 * up with those that have gone.
 *
 * A row is emptied by a task on the row's own CPU, with preemption disabled. So nothing else is
 * in the middle of counting there: counting disables preemption as well, and an interrupt of the
 * task ends before the task goes on. From the moment at which the row has no key, no interrupt
 * finds it; what it has counted is added to the first row, where interrupts go on counting, a
 * number by one instruction. Readers see meanwhile that &ft_sensor_copy.moves is odd, or has
 * changed, and read again. tests/model/rows.pml has these steps.
 *
 * A CPU that is not crowded is left alone. One that a real-time task keeps for itself has to
 * wait until that lets others run, and nobody waits for it, except the removal of the module
 * if the task came in the middle of a look.
 */
#include <linux/cpumask.h>
#include <linux/jiffies.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/workqueue.h>

#include "sensor/idle.h"
#include "sensor/row.h"

#define FT_IDLE_SECONDS		5

/* Read with preemption disabled: ft_trace_sync() waits for those who do. */
static const struct ft_sense *ft_idle_senses[FT_SENSORS_MAX + 1];

/* For the check only, which is not bound to a CPU. */
static struct workqueue_struct *ft_idle_queue;

static void ft_idle_check(struct work_struct *work);
static DECLARE_DELAYED_WORK(ft_idle_checking, ft_idle_check);

static void ft_idle_look(struct work_struct *work);
static DEFINE_PER_CPU(struct work_struct, ft_idle_looking);

/* --- a row ---------------------------------------------------------------- */

static u32 ft_idle_bins(const struct ft_sense *sense, const struct ft_row *first)
{
	if (sense->kind == FT_SENSOR_COUNTER)
		return 0;
	return (first->bytes - offsetof(struct ft_row, bin)) / sizeof(u64);
}

/* How many values it has counted. */
static u32 ft_idle_counted(const struct ft_row *row, u32 bins)
{
	u64 count = row->count + row->under + row->over;
	u32 i;

	for (i = 0; i < bins; i++)
		count += row->bin[i];
	return count;
}

static void ft_idle_move(u64 *to, u64 *from)
{
	ft_row_sum(to, *from);
	WRITE_ONCE(*from, 0);
}

/* The table's rows have the same place for them, also if a counter's are too short. */
static void ft_idle_empty(const struct ft_sense *sense, struct ft_row *first, struct ft_row *row)
{
	struct ft_sensor_copy *copy = ft_row_copy(first);
	u32 i, bins = ft_idle_bins(sense, first);

	WRITE_ONCE(copy->moves, copy->moves + 1);
	smp_wmb();	/* pairs with a monitor's barrier before its second look at it */
	WRITE_ONCE(row->key, FT_ROW_LEAVING);
	barrier();	/* from here on, what interrupts does not find it */
	ft_idle_move(&first->count, &row->count);
	ft_idle_move(&first->sum, &row->sum);
	ft_idle_move(&first->under, &row->under);
	ft_idle_move(&first->over, &row->over);
	for (i = 0; i < bins; i++)
		ft_idle_move(&first->bin[i], &row->bin[i]);
	if (sense->kind != FT_SENSOR_COUNTER)
		ft_row_move_marks(sense, first, row);
	WRITE_ONCE(row->high, 0);
	WRITE_ONCE(row->low, U64_MAX);
	row->seen = 0;
	ft_row_inc(&copy->emptied);
	barrier();	/* complete before others take it */
	WRITE_ONCE(row->key, 0);
	smp_wmb();	/* pairs with a monitor's barrier after its first look at it */
	WRITE_ONCE(copy->moves, copy->moves + 1);
}

/* --- a CPU's tables ------------------------------------------------------- */

/* Has a value found no room since the last look at this copy? */
static bool ft_idle_is_crowded(struct ft_row *first)
{
	return (u32)READ_ONCE(ft_row_copy(first)->crowded) != READ_ONCE(first->seen);
}

/*
 * The row with that number of this CPU's table: 0 is the first one, which says whether there
 * is something to do. Return: false: the next ones are of no interest.
 */
static bool ft_idle_step(u32 number, u32 i)
{
	const struct ft_sense *sense = READ_ONCE(ft_idle_senses[number]);
	struct ft_row *first, *row;
	u32 counted;

	if (!sense || i > sense->rows)
		return false;
	first = ft_sense_row(sense);
	if (!i) {
		if (!ft_idle_is_crowded(first))
			return false;
		WRITE_ONCE(first->seen, (u32)ft_row_copy(first)->crowded);
		return true;
	}
	row = ft_row_at(first, i);
	if (!READ_ONCE(row->key))
		return true;
	counted = ft_idle_counted(row, ft_idle_bins(sense, first));
	if (counted != row->seen)
		row->seen = counted;
	else
		ft_idle_empty(sense, first, row);
	return true;
}

static void ft_idle_look(struct work_struct *work)
{
	unsigned int cpu = raw_smp_processor_id();
	u32 number, i;
	bool more;

	for (number = 1; number <= FT_SENSORS_MAX; number++) {
		for (i = 0, more = true; more; i++) {
			preempt_disable();
			/* Else it was taken from its CPU, which is offline. */
			more = raw_smp_processor_id() == cpu && ft_idle_step(number, i);
			preempt_enable();
			cond_resched();
		}
	}
}

/* --- all of them ---------------------------------------------------------- */

/* @crowded: also the CPUs where it is crowded. Return: whether the sensor has a table */
static bool ft_idle_find(u32 number, struct cpumask *crowded)
{
	const struct ft_sense *sense;
	unsigned int cpu;

	preempt_disable();
	sense = READ_ONCE(ft_idle_senses[number]);
	for_each_online_cpu(cpu)
		if (sense && ft_idle_is_crowded(ft_sense_row_of(sense, cpu)))
			cpumask_set_cpu(cpu, crowded);
	preempt_enable();
	return sense;
}

/* A CPU that goes offline meanwhile is not looked at. */
static void ft_idle_check(struct work_struct *work)
{
	static struct cpumask crowded;
	bool any = false;
	unsigned int cpu;
	u32 number;

	cpumask_clear(&crowded);
	for (number = 1; number <= FT_SENSORS_MAX; number++)
		any |= ft_idle_find(number, &crowded);
	for_each_cpu(cpu, &crowded)
		schedule_work_on(cpu, per_cpu_ptr(&ft_idle_looking, cpu));
	if (any)
		queue_delayed_work(ft_idle_queue, &ft_idle_checking, FT_IDLE_SECONDS * HZ);
}

void ft_idle_watch(u32 number, const struct ft_sense *sense)
{
	WRITE_ONCE(ft_idle_senses[number], sense);
	if (sense)
		queue_delayed_work(ft_idle_queue, &ft_idle_checking, FT_IDLE_SECONDS * HZ);
}

int ft_idle_init(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		INIT_WORK(per_cpu_ptr(&ft_idle_looking, cpu), ft_idle_look);
	ft_idle_queue = alloc_workqueue("feather_trace", WQ_UNBOUND, 1);
	return ft_idle_queue ? 0 : -ENOMEM;
}

void ft_idle_exit(void)
{
	unsigned int cpu;

	cancel_delayed_work_sync(&ft_idle_checking);
	for_each_possible_cpu(cpu)
		cancel_work_sync(per_cpu_ptr(&ft_idle_looking, cpu));
	destroy_workqueue(ft_idle_queue);
}
