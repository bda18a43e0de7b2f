/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Counting a value in a row: from any context, without waiting, by plain instructions. */
#ifndef _FT_SENSOR_ROW_H
#define _FT_SENSOR_ROW_H

#include <asm/local64.h>
#include <linux/atomic.h>
#include <linux/bitops.h>

#include "sensor/sense.h"

/* One instruction, which no interrupt divides; no LOCK prefix, as the CPU is the only one. */
static __always_inline void ft_row_inc(u64 *counter)
{
	local64_inc((local64_t *)counter);
}

static __always_inline void ft_row_sum(u64 *counter, u64 value)
{
	local64_add(value, (local64_t *)counter);
}

/* The number of a log-linear bin: @least is 1 << @bits. */
static __always_inline u64 ft_row_bin(u64 x, unsigned int bits, u64 least)
{
	unsigned int e = __fls(x | least) - bits;

	return ((u64)e << bits) + (x >> e);
}

/**
 * ft_row_note() - a value that is outside of what was seen before, or of the bins
 * @sense:	the sensor
 * @row:	of its CPU
 * @v:		flipped
 * @seen:	where it is from
 *
 * Marks it, and makes &ft_row.high and &ft_row.low let through what needs no mark.
 */
void ft_row_note(const struct ft_sense *sense, struct ft_row *row, u64 v,
		 const struct ft_seen *seen);

/**
 * ft_row_find() - the row of a key
 * @first:	of its CPU, of a sensor with a split
 * @key:	not 0
 *
 * Return: it, made if there was none; or @first, if there is no room, or @key is
 * FT_ROW_LEAVING.
 */
struct ft_row *ft_row_find(struct ft_row *first, u64 key);

/**
 * ft_row_move_marks() - least and greatest values of a row that is being emptied
 * @first:	where they go
 * @row:	nobody else knows of it; of a scalar or histogram
 *
 * On the CPU of both, in a task, with preemption disabled.
 */
void ft_row_move_marks(const struct ft_sense *sense, struct ft_row *first, struct ft_row *row);

/* The place where a key is looked for first. */
static __always_inline struct ft_row *ft_row_place(struct ft_row *first, u64 key)
{
	u64 hash = key * 0x9e3779b97f4a7c15ull;

	/* A copy is smaller than 4 GiB. */
	return (void *)first + ((u32)(hash >> first->shift) + 1) * first->bytes;
}

/*
 * The row of a key which no row has that is free or being emptied.
 *
 * Return: whether it is where it is looked for first, or where ft_row_find() has found a key of
 * that place last.
 */
static __always_inline bool ft_row_quick(struct ft_row *first, u64 key, struct ft_row **row)
{
	*row = ft_row_place(first, key);
	if (likely((*row)->key == key))
		return true;
	*row = (void *)first + (*row)->hint;
	return likely((*row)->key == key);
}

/* The same, where &ft_row.special is FT_ROW_SITES | FT_ROW_USUAL. */
static __always_inline void ft_row_add_usual(struct ft_row *row, u64 v)
{
	ft_row_inc(&row->bin[ft_row_bin(v, FT_ROW_USUAL_BITS, 1 << FT_ROW_USUAL_BITS)]);
	ft_row_sum(&row->sum, v);
}

/* A value between the gates. */
static __always_inline void ft_row_add(struct ft_row *row, u64 v)
{
	ft_row_inc(&row->bin[ft_row_bin(v, row->bits, row->least)]);
	ft_row_sum(&row->sum, v);
}

static __always_inline bool ft_row_is_between(const struct ft_row *row, u64 v)
{
	return v <= row->high && v >= row->low;
}

/* From any CPU, once no probe opens the gate further. A row that is emptied closes it itself. */
static inline void ft_row_close(struct ft_row *row, u64 limit)
{
	u64 high = READ_ONCE(row->high);

	if (high > limit)
		cmpxchg(&row->high, high, limit);
}

/* The time of a pair that began at @site, for &ft_sense.quick. Return: whether that was all. */
static __always_inline bool ft_sense_see_quick(const struct ft_sense *sense, u64 time, u64 site)
{
	struct ft_row *row = ft_sense_row(sense);

	if (sense->split && !ft_row_quick(row, site, &row))
		return false;
	if (unlikely(!ft_row_is_between(row, time)))
		return false;
	ft_row_add(row, time);
	return true;
}

/* Any sensor: all that an event may mean for it. */
void ft_sense_see(const struct ft_sense *sense, const struct ft_seen *seen);

#endif /* _FT_SENSOR_ROW_H */
