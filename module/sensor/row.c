// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Counting a value in a row.
 *
 * A row belongs to one CPU, but an interrupt or an NMI may count in it between any two
 * instructions of a task that does the same. Counts and sums are one instruction each.
 * Everything else is a mark: the least and the greatest value, with time, task and place.
 * Each context has marks of its own, so that they have one writer, which nothing else can
 * delay: a task, a softirq, a hardirq and an NMI each run once at a time on a CPU. Only what
 * a hardirq does at its end, as waking a thread, looks like what it interrupts. If that is
 * just changing its marks, those of hardirqs are taken: these are still off.
 *
 * Comparing a value with four marks would cost too much. So a row has two gates: values up
 * to @high and from @low on are between two that are marked already, in whatever context.
 * A gate is opened only after the value is marked. If an interrupt opens it further in
 * between, the interrupted one closes it a bit: then a value is looked at that need not
 * be, and none is missed.
 */
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/string.h>

#include "context.h"
#include "sensor/row.h"

#define FT_ROW_HARDIRQ	2

static unsigned int ft_row_context(void)
{
	u32 bits = ft_context_bits();

	return bits & FT_CTX_NMI ? 3 :
	       bits & FT_CTX_HARDIRQ ? FT_ROW_HARDIRQ : bits & FT_CTX_SOFTIRQ ? 1 : 0;
}

/* --- marks ---------------------------------------------------------------- */

/* Where this context notes a value, if nothing that looks like it is in the middle of that. */
static struct ft_sensor_mark *ft_mark_of(struct ft_row *row)
{
	struct ft_sensor_mark *mark = &row->mark[ft_row_context()];

	return likely(READ_ONCE(mark->seq) % 2 == 0) ? mark : &row->mark[FT_ROW_HARDIRQ];
}

/*
 * A reader that sees it odd, or changed, reads again. From here on nothing else on this CPU
 * changes it, so what it holds can be compared.
 */
static void ft_mark_begin(struct ft_sensor_mark *mark)
{
	ft_row_inc(&mark->seq);
	smp_wmb();	/* pairs with the barrier before a reader's second look */
}

static void ft_mark_end(struct ft_sensor_mark *mark)
{
	smp_wmb();	/* pairs with the acquire of a reader's first look */
	WRITE_ONCE(mark->seq, mark->seq + 1);
}

/* As in a report: a lock that is passed on is that of the task which took it. */
static s32 ft_seen_tid(const struct ft_seen *seen)
{
	return seen->task ? (s32)(seen->task - FT_SEEN_TASK(0)) : current->pid;
}

static void ft_mark_most(struct ft_sensor_mark *mark, u64 v, const struct ft_seen *seen)
{
	WRITE_ONCE(mark->most, v);
	WRITE_ONCE(mark->ts, seen->ts);
	WRITE_ONCE(mark->a, seen->a);
	WRITE_ONCE(mark->b, seen->b);
	WRITE_ONCE(mark->tid, ft_seen_tid(seen));
	WRITE_ONCE(mark->cpu, raw_smp_processor_id());
}

void ft_row_note(const struct ft_sense *sense, struct ft_row *row, u64 v,
		 const struct ft_seen *seen)
{
	struct ft_sensor_mark *mark = ft_mark_of(row);
	const u64 flip = sense->axis[0].flip;
	bool first;

	ft_mark_begin(mark);
	first = mark->seq == 1;
	if (first || v < (mark->least ^ flip))
		WRITE_ONCE(mark->least, v ^ flip);
	if (first || v > (mark->most ^ flip))
		ft_mark_most(mark, v ^ flip, seen);
	ft_mark_end(mark);
	if (!sense->gates)
		return;
	/* Now that it is marked. */
	if (v > row->high)
		WRITE_ONCE(row->high, min(v, READ_ONCE(sense->limit)));
	/* ft_row_add_usual() has no bins for those below @least. */
	if (v < row->low)
		WRITE_ONCE(row->low, sense->quick ? max(v, row->least) : v);
}

static void ft_row_last(struct ft_row *row, u64 v, u64 ts)
{
	struct ft_sensor_mark *mark = ft_mark_of(row);

	ft_mark_begin(mark);
	WRITE_ONCE(mark->last, v);
	WRITE_ONCE(mark->last_ts, ts);
	ft_mark_end(mark);
}

/* In the context of a task. The first row's gates stay as they are: they are not too far open. */
void ft_row_move_marks(const struct ft_sense *sense, struct ft_row *first, struct ft_row *row)
{
	struct ft_sensor_mark *to = &first->mark[0], *mark;
	const u64 flip = sense->axis[0].flip;

	for (mark = row->mark; mark < row->mark + FT_SENSOR_CONTEXTS; mark++) {
		if (!mark->seq)
			continue;
		ft_mark_begin(to);
		if (to->seq == 1 || (mark->least ^ flip) < (to->least ^ flip))
			WRITE_ONCE(to->least, mark->least);
		if (to->seq == 1 || (mark->most ^ flip) > (to->most ^ flip)) {
			WRITE_ONCE(to->most, mark->most);
			WRITE_ONCE(to->ts, mark->ts);
			WRITE_ONCE(to->a, mark->a);
			WRITE_ONCE(to->b, mark->b);
			WRITE_ONCE(to->tid, mark->tid);
			WRITE_ONCE(to->cpu, mark->cpu);
		}
		if (mark->last_ts >= to->last_ts) {
			WRITE_ONCE(to->last, mark->last);
			WRITE_ONCE(to->last_ts, mark->last_ts);
		}
		ft_mark_end(to);
		memset(mark, 0, sizeof(*mark));
	}
}

/* --- tables --------------------------------------------------------------- */

/*
 * Where a key is, or may go: to the first free one of its places, from @row on, but only if it is
 * in none of them, as rows in between become free. Return: @first if there is no place
 */
static struct ft_row *ft_row_search(struct ft_row *first, struct ft_row *row, u64 key)
{
	struct ft_row *end = ft_row_at(first, first->mask + 2), *vacant = first;
	unsigned int i;
	u64 old;

	for (i = 0; i < FT_ROW_PLACES; i++) {
		old = READ_ONCE(row->key);
		if (old == key)
			return row;
		if (!old && vacant == first)
			vacant = row;
		row = ft_row_at(row, 1);
		if (row == end)
			row = ft_row_at(first, 1);
	}
	return vacant;
}

struct ft_row *ft_row_find(const struct ft_sense *sense, struct ft_row *first, u64 key)
{
	struct ft_row *place = ft_row_place(first, key, sense->quick), *row;
	unsigned int i;
	u64 old;

	if (unlikely(key == FT_ROW_LEAVING))
		return first;
	/* An interrupt may take a place meanwhile, for the same key or another one. */
	for (i = 0; i < FT_ROW_PLACES; i++) {
		row = ft_row_search(first, place, key);
		if (row == first)
			break;
		old = READ_ONCE(row->key) ?: local64_cmpxchg((local64_t *)&row->key, 0, key) ?: key;
		if (old == key) {
			WRITE_ONCE(place->hint, (void *)row - (void *)ft_row_at(first, 1));
			return row;
		}
	}
	return first;
}

static u64 ft_sense_split(const struct ft_sense *sense, const struct ft_seen *seen)
{
	switch (sense->split) {
	case FT_SPLIT_SITE:
		return seen->b;
	case FT_SPLIT_WORD:
		return seen->a;
	case FT_SPLIT_TASK:
		return ft_seen_tid(seen);
	default:
		return ft_row_context() + 1;
	}
}

/* --- any sensor ----------------------------------------------------------- */

/* Reports a value to those that asked for values this great, which are above the gates, if any. */
static void ft_sense_tell(const struct ft_sense *sense, const struct ft_seen *seen, u64 v)
{
	struct ft_told *told;

	/* Pairs with the release in ft_sensor_tell(): it is complete. */
	for (told = smp_load_acquire(&sense->told); told; told = READ_ONCE(told->next))
		if (v > told->longer)
			told->tell(told, seen, v);
}

/* Is a call site in one of the ranges? They are in order: a constant number of steps. */
static bool ft_sense_is_in_range(const struct ft_sense *sense, u64 site)
{
	u32 low = 0, high = sense->n_ranges, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (sense->ranges[middle].last < site)
			low = middle + 1;
		else
			high = middle;
	}
	return low < sense->n_ranges && site >= sense->ranges[low].first;
}

static u64 ft_axis_value(const struct ft_axis *axis, const struct ft_seen *seen)
{
	switch (axis->value) {
	case FT_VALUE_A:
		return seen->a ^ axis->flip;
	case FT_VALUE_B:
		return seen->end_b ^ axis->flip;
	case FT_VALUE_TIME:
		return seen->time;
	default:
		return seen->depth;
	}
}

#define FT_BIN_UNDER	U32_MAX
#define FT_BIN_OVER	(U32_MAX - 1)

static u32 ft_axis_bin(const struct ft_axis *axis, u64 v)
{
	u64 x = (v - axis->low) >> axis->shift;

	if (v < axis->low)
		return FT_BIN_UNDER;
	if (!axis->linear)
		x = ft_row_bin(x, axis->bits, 1ull << axis->bits);
	return x < axis->bins ? x : FT_BIN_OVER;
}

static u32 ft_sense_bin(const struct ft_sense *sense, u64 v, const struct ft_seen *seen)
{
	u32 second, bin = ft_axis_bin(&sense->axis[0], v);

	if (sense->kind == FT_SENSOR_HISTOGRAM || bin >= FT_BIN_OVER)
		return bin;
	second = ft_axis_bin(&sense->axis[1], ft_axis_value(&sense->axis[1], seen));
	return second < FT_BIN_OVER ? second * sense->axis[0].bins + bin : second;
}

void ft_sense_see(const struct ft_sense *sense, const struct ft_seen *seen)
{
	struct ft_row *first, *row;
	u64 v, key;
	u32 bin;

	if (sense->quick && likely(ft_sense_see_quick(sense, seen->time, seen->b)))
		return;
	if (!ft_comparison_all_hold(sense->at_end, seen->a, seen->end_b) ||
	    !ft_comparison_all_hold(sense->at_begin, seen->a, seen->b))
		return;
	if (sense->n_ranges && ft_sense_is_in_range(sense, seen->b) == sense->outside)
		return;
	first = ft_sense_row(sense);
	row = first;
	key = sense->split ? ft_sense_split(sense, seen) : 0;
	if (key) {
		row = ft_row_find(sense, first, key);
		if (row == first)
			ft_row_inc(&ft_row_copy(first)->crowded);
	}
	if (sense->kind == FT_SENSOR_COUNTER) {
		ft_row_inc(&row->count);
		return;
	}

	v = ft_axis_value(&sense->axis[0], seen);
	if (!ft_row_is_between(row, v))
		ft_row_note(sense, row, v, seen);
	ft_sense_tell(sense, seen, v ^ sense->axis[0].flip);
	ft_row_sum(&row->sum, v ^ sense->axis[0].flip);
	if (sense->kind == FT_SENSOR_SCALAR) {
		ft_row_inc(&row->count);
		ft_row_last(row, v ^ sense->axis[0].flip, seen->ts);
		return;
	}
	bin = ft_sense_bin(sense, v, seen);
	ft_row_inc(bin == FT_BIN_UNDER ? &row->under :
		   bin == FT_BIN_OVER ? &row->over : &row->bin[bin]);
}
