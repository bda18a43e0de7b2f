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
 * ft_row_note() - note a value outside those seen before, or outside the bins
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
 * @sense:	the sensor, with a split
 * @first:	of its CPU
 * @key:	not 0
 *
 * Return: it, made if there was none; or @first, if there is no room, or @key is
 * FT_ROW_LEAVING.
 */
struct ft_row *ft_row_find(const struct ft_sense *sense, struct ft_row *first, u64 key);

/**
 * ft_row_move_marks() - least and greatest values of a row that is being emptied
 * @first:	where they go
 * @row:	nobody else knows of it; of a scalar or histogram
 *
 * On the CPU of both, in a task, with preemption disabled.
 */
void ft_row_move_marks(const struct ft_sense *sense, struct ft_row *first, struct ft_row *row);

/* The highest bits of a hash are those that differ most: it is a fraction. */
static __always_inline u32 ft_row_hash(u64 key, u32 below)
{
	return (u64)((u32)(key ^ key >> 32) * 0x9e3779b1u) * below >> 32;
}

/* The place where a key is looked for first. Call sites differ in their lowest bits. */
static __always_inline struct ft_row *ft_row_place(struct ft_row *first, u64 key, bool is_site)
{
	u32 place = is_site ? key & first->mask : ft_row_hash(key, first->mask + 1);

	/* A copy is smaller than 4 GiB. */
	return (void *)first + (place + 1) * first->bytes;
}

/*
 * The row of a call site. @table: the row after the first one
 *
 * Return: whether it is where it is looked for first, or where ft_row_find() has found one of
 * that place last.
 */
static __always_inline bool ft_row_of_site(struct ft_row *table, u64 site, struct ft_row **row)
{
	*row = (void *)table + ((u32)site & table->mask) * table->bytes;
	if (likely((*row)->key == site))
		return true;
	*row = (void *)table + (*row)->hint;
	return likely((*row)->key == site);
}

/*
 * A value between the gates, where &ft_row.special has FT_ROW_USUAL: as ft_row_bin(), but
 * ft_row_note() does not open the gate for values that are smaller than the first power of two
 * that is divided. No time is so long that a bit is lost above.
 */
static __always_inline void ft_row_add_usual(struct ft_row *row, u64 v)
{
	u64 e = __fls(v);

	ft_row_inc(&row->bin[(v << FT_ROW_USUAL_BITS >> e) +
			     ((e - FT_ROW_USUAL_BITS) << FT_ROW_USUAL_BITS)]);
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

/* The same, but the code for a value that is not goes out of line. */
static __always_inline bool ft_row_is_likely_between(const struct ft_row *row, u64 v)
{
	return likely(v <= row->high) && likely(v >= row->low);
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

	if (sense->split && !ft_row_of_site(ft_row_at(row, 1), site, &row))
		return false;
	if (unlikely(!ft_row_is_between(row, time)))
		return false;
	ft_row_add(row, time);
	return true;
}

/* An event that ends nothing that has begun. */
static inline void ft_pairing_alone(const struct ft_pairing *pairing)
{
	const struct ft_sense *sense;

	for (sense = READ_ONCE(pairing->senses); sense; sense = READ_ONCE(sense->next))
		ft_row_inc(&ft_row_copy(ft_sense_row(sense))->alone);
}

/* Counts first events that had to make room. */
static inline void ft_pairing_forgot(const struct ft_pairing *pairing, unsigned int begins)
{
	const struct ft_sense *sense;

	for (sense = READ_ONCE(pairing->senses); sense; sense = READ_ONCE(sense->next))
		ft_row_sum(&ft_row_copy(ft_sense_row(sense))->forgotten, begins);
}

/* Any sensor: all that an event may mean for it. */
void ft_sense_see(const struct ft_sense *sense, const struct ft_seen *seen);

#endif /* _FT_SENSOR_ROW_H */
