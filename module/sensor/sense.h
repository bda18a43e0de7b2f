/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What the probes need of a sensor, and where they find it. */
#ifndef _FT_SENSOR_SENSE_H
#define _FT_SENSOR_SENSE_H

#include <linux/percpu.h>
#include <linux/types.h>
#include <uapi/linux/feather_trace_sensor.h>

#include "clock.h"
#include "watch/comparison.h"

struct ft_pairs;
struct ft_pairing;
struct ft_seen;

/**
 * struct ft_told - called for great values of a sensor
 * @next:	of the same sensor
 * @longer:	only values above it
 * @tell:	called in the context of the event, with preemption disabled
 */
struct ft_told {
	struct ft_told	*next;
	u64		longer;
	void		(*tell)(struct ft_told *told, const struct ft_seen *seen, u64 value);
};

/* &ft_row.special: what the shortest way does not do. */
#define FT_ROW_SITES	BIT(0)	/* there is a row for each call site */
#define FT_ROW_GENERAL	BIT(1)	/* more than that */
#define FT_ROW_USUAL	BIT(2)	/* with FT_ROW_SITES: bins as the default sensors have them */

#define FT_ROW_USUAL_BITS	2

/**
 * struct ft_row - what is counted: one of these in each copy, and one for each key of a split
 * @key:	whose it is, 0: it is free; the first one is everybody's
 * @high:	values above it need a closer look: no mark has so great a value, or there is
 *		no bin for it
 * @low:	the same, for values below it
 * @count:	of counters and scalars
 * @sum:	of all values
 * @under:	see &ft_sensor_header
 * @over:	the same
 * @least:	1 << @bits
 * @bits:	of axis[0]
 * @special:	of the first row: FT_ROW_*
 * @mask:	how many rows there are for keys, less one
 * @bytes:	from a row to the next
 * @seen:	how many values there were at the last look of idle.c, modulo 2^32; of the first
 *		row: how many had found no room
 * @hint:	bytes from the second row to where a key was found last that has its place here
 * @mark:	one for each context; a counter has none
 * @bin:	of a histogram
 *
 * It is written by its CPU alone. Interrupts may come between any two instructions, so what
 * is counted is counted by one of them; marks have one writer each. What is constant is here
 * as well, and not in struct ft_sense alone, so that the shortest ways need no more than a row.
 */
struct ft_row {
	u64			key;
	u64			high;
	u64			low;
	u64			count;
	u64			sum;
	u64			under;
	u64			over;
	u64			least;
	u8			bits;
	u8			special;
	u16			mask;
	u32			bytes;
	u32			hint;
	u32			seen;
	struct ft_sensor_mark	mark[FT_SENSOR_CONTEXTS];
	u64			bin[];
};

/* &ft_row.key of one that is being emptied: no address, no task, no usual number has it. */
#define FT_ROW_LEAVING		0xb1d7d5cbc0a2f39dull

/* A table has a place for a key here, or in one of the next. */
#define FT_ROW_PLACES		8

/**
 * struct ft_axis - an axis in a form that is quickly evaluated
 * @value:	enum ft_sensor_value
 * @linear:	it has bins of one width
 * @shift:	as in &struct ft_sensor_axis
 * @bits:	the same
 * @bins:	the same
 * @low:	the same, flipped
 * @flip:	makes signed numbers comparable as unsigned ones
 */
struct ft_axis {
	u8	value;
	bool	linear;
	u8	shift;
	u8	bits;
	u32	bins;
	u64	low;
	u64	flip;
};

/**
 * struct ft_sense - a sensor, for the probes
 * @first:	the first row of CPU 0
 * @copy_bytes:	from there to that of the next CPU
 * @next:	of the same event, or of the same pairing
 * @gates:	it is a histogram whose bins depend on &ft_row.bits alone: values up to @limit,
 *		between two that were marked, need nothing but their bin and the sum
 * @quick:	these values are times of locks, and what else there is to them is a row for
 *		each call site
 * @rows:	without the first one
 * @kind:	enum ft_sensor_kind
 * @split:	enum ft_sensor_split
 * @outside:	FT_SENSOR_OUTSIDE
 * @n_ranges:	of @ranges
 * @limit:	the greatest value that has a bin, and for which @told is not called
 * @told:	called for greater ones
 * @axis:	as they were asked for
 * @at_end:	tests; the last one is FT_TEST_NONE
 * @at_begin:	the same, of the beginning
 * @ranges:	of call sites
 * @event:	where it is called
 * @begin:	of a pair, or 0
 * @key:	enum ft_sensor_key
 * @pairing:	if it is one of a pair
 */
struct ft_sense {
	void				*first;
	u32				copy_bytes;
	struct ft_sense			*next;
	bool				gates;
	bool				quick;
	u32				rows;
	u8				kind;
	u8				split;
	bool				outside;
	u32				n_ranges;
	u64				limit;
	struct ft_told			*told;
	struct ft_axis			axis[2];
	struct ft_comparison		at_end[FT_SENSOR_TESTS + 1];
	struct ft_comparison		at_begin[FT_SENSOR_TESTS + 1];
	const struct ft_sensor_range	*ranges;
	u32				event;
	u32				begin;
	u32				key;
	struct ft_pairing		*pairing;
};

/**
 * struct ft_pairing - sensors of the same pair of events
 * @next_begin:	of those that begin with the same event
 * @next_end:	of those that end with the same event
 * @senses:	the sensors
 * @event:	of each of them
 * @begin:	the same
 * @key:	the same
 * @pairs:	open ones; NULL: they are on the CPU's stack
 */
struct ft_pairing {
	struct ft_pairing	*next_begin;
	struct ft_pairing	*next_end;
	struct ft_sense		*senses;
	u32			event;
	u32			begin;
	u32			key;
	struct ft_pairs		*pairs;
};

/**
 * struct ft_sensed - an event that sensors look at
 * @senses:	those that need no beginning
 * @ends:	pairs that end here
 * @begins:	pairs that begin here
 * @way:	how its records read the clock, while it is traced
 */
struct ft_sensed {
	struct ft_sense		*senses;
	struct ft_pairing	*ends;
	struct ft_pairing	*begins;
	enum ft_clock_way	way;
};

/* Sensors, and pairings, of an event: so long may a probe's way be. */
#define FT_SENSED_SENSORS	32

/**
 * struct ft_seen - an event, as sensors see it
 * @a:		first word
 * @b:		second word; of a pair that of its beginning
 * @ts:		when
 * @time:	of a pair: how long ago it began
 * @depth:	of a pair on a CPU's stack, at its beginning
 * @end_b:	second word of the event itself
 * @task:	FT_SEEN_TASK() of who began a pair on a CPU's stack, or 0: it is who is here
 */
struct ft_seen {
	u64	a;
	u64	b;
	u64	ts;
	u64	time;
	u64	depth;
	u64	end_b;
	u32	task;
};

/* The idle task has number 0. */
#define FT_SEEN_TASK(tid)	((u32)(tid) + 1)

/* The first row of a CPU's copy. */
static inline struct ft_row *ft_sense_row_of(const struct ft_sense *sense, unsigned int cpu)
{
	return sense->first + (size_t)cpu * sense->copy_bytes;
}

static inline struct ft_row *ft_sense_row(const struct ft_sense *sense)
{
	return ft_sense_row_of(sense, raw_smp_processor_id());
}

static inline struct ft_sensor_copy *ft_row_copy(struct ft_row *first)
{
	return (struct ft_sensor_copy *)first - 1;
}

static inline struct ft_row *ft_row_at(struct ft_row *first, u32 i)
{
	return (void *)first + i * first->bytes;
}

#endif /* _FT_SENSOR_SENSE_H */
