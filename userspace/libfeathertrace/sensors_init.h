/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Making sensors: those of locks by the reader, others by the programs that have them. */
#ifndef FT_LIBFEATHERTRACE_SENSORS_INIT_H
#define FT_LIBFEATHERTRACE_SENSORS_INIT_H

#include <string.h>
#include <time.h>

#include "libfeathertrace/sensors.h"

/** struct ft_sense_name - what a sensor is called, and what it measures */
struct ft_sense_name {
	char		name[FT_NAME_LEN];
	char		unit[16];	/* of a word; "ticks": it measures times */
	__u32		clock;		/* enum ft_clock_source */
	__u32		split;		/* enum ft_sensor_split of its rows, if it has some */
	__u64		ticks;		/* now */
};

static inline void ft_sense_describe_rows(struct ft_sensor_header *h, const struct ft_sense *sense)
{
	h->copies_offset = 4096;
	h->copy_bytes = sense->copy_bytes;
	h->used = offsetof(struct ft_sensed_copy, used);
	h->rows_offset = sizeof(struct ft_sensed_copy);
	h->row_bytes = sense->row_bytes;
	h->rows = sense->rows + 1;
	h->key = offsetof(struct ft_sensed_row, key);
	h->sum = offsetof(struct ft_sensed_row, sum);
	h->under = offsetof(struct ft_sensed_row, under);
	h->over = offsetof(struct ft_sensed_row, over);
	if (sense->kind != FT_SENSOR_HISTOGRAM)
		h->count = offsetof(struct ft_sensed_row, count);
	else
		h->bins = offsetof(struct ft_sensed_row, bin);
	h->n_bins = sense->bins;
	if (sense->kind == FT_SENSOR_COUNTER)
		return;
	h->marks = offsetof(struct ft_sensed_row, mark);
	h->n_marks = FT_SENSED_MARKS;
	h->mark_bytes = sizeof(struct ft_sensor_mark);
}

static inline void ft_sense_describe_kind(struct ft_sensor *to, const struct ft_sense *sense,
					  const struct ft_sense_name *name)
{
	bool is_time = !strcmp(name->unit, "ticks");

	to->instance = 1;
	to->kind = sense->kind;
	to->rows = sense->rows;
	to->split = sense->rows ? name->split : FT_SPLIT_NONE;
	if (sense->kind != FT_SENSOR_COUNTER)
		to->axis[0] = (struct ft_sensor_axis){
			.value = is_time ? FT_VALUE_TIME : FT_VALUE_A,
			.bits = FT_SENSED_BITS, .bins = sense->bins,
		};
	memcpy(to->name, name->name, sizeof(to->name));
	memcpy(to->unit, name->unit, sizeof(to->unit));
}

/* Monitors take a header without a rate of the clock for one that is not complete. */
static inline void ft_sense_set_clock(struct ft_sensed *sensed, const struct ft_sense *sense)
{
	__u64 hz = __atomic_load_n(&sensed->clock_hz, __ATOMIC_SEQ_CST);

	/* Either the reader, which stores it, sees this sensor, or this sees the rate. */
	if (hz)
		__atomic_store_n(&ft_sensed_header(sensed, sense)->clock_hz, hz, __ATOMIC_RELAXED);
}

/**
 * ft_sense_enter - describe a sensor to monitors
 * @i:	its number in the directory, from 0 on, which the caller has made FT_ENTRY_BUSY
 */
static inline void ft_sense_enter(struct ft_sensed *sensed, __u32 i, const struct ft_sense *sense,
				  const struct ft_sense_name *name)
{
	struct ft_sensor_header *h = ft_sensed_header(sensed, sense);
	struct ft_sensor_entry *entry = &sensed->entry[i];
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	h->magic = FT_SENSOR_MAGIC;
	h->version = FT_SENSOR_VERSION;
	h->header_bytes = sizeof(*h);
	h->serial = i + 1;
	h->size = ft_sense_size(sense);
	h->state = FT_SENSOR_LIVE;
	h->clock = name->clock;
	h->since_ticks = name->ticks;
	h->since_ns = (__u64)now.tv_sec * 1000000000u + (__u64)now.tv_nsec;
	ft_sense_describe_rows(h, sense);
	ft_sense_describe_kind(&h->sensor, sense, name);
	h->sensor.number = i + 1;
	entry->offset = sense->at;
	entry->size = h->size;
	entry->kind = sense->kind;
	entry->instance = 1;
	memcpy(entry->name, name->name, sizeof(entry->name));
	/* Pair with the acquires of those that look for a name, and of monitors. */
	__atomic_store_n(&sensed->state[i], FT_ENTRY_READY, __ATOMIC_SEQ_CST);
	ft_sense_set_clock(sensed, sense);
	__atomic_store_n(&entry->serial, i + 1, __ATOMIC_RELEASE);
	__atomic_fetch_add(&sensed->directory.generation, 2, __ATOMIC_RELEASE);
}

/** ft_sensed_size - of the file */
static inline __u64 ft_sensed_size(void)
{
	struct ft_sense senses[FT_SENSED_LOCKS];

	return ft_sensed_locks(senses) + FT_SENSED_ROOM;
}

#endif /* FT_LIBFEATHERTRACE_SENSORS_INIT_H */
