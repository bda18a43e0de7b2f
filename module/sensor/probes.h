/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What triggers call while sensors look at their events. */
#ifndef _FT_SENSOR_PROBES_H
#define _FT_SENSOR_PROBES_H

#include <linux/types.h>

#include "clock.h"
#include "probe.h"
#include "sensor/sense.h"

struct ft_pairs_table;

/* Of events that sensors look at, by a number of theirs. They are never freed. */
extern struct ft_sensed *ft_sensed[256];
extern u8 ft_sensed_number[FT_ID_MAX + 1];

static __always_inline struct ft_sensed *ft_sensed_of(unsigned int id)
{
	return ft_sensed[READ_ONCE(ft_sensed_number[id])];
}

/*
 * The short ways: rows of the CPU, never NULL. By &ft_sensed_number, of the only sensor of an
 * event; by event of a lock, of the only sensor that its family has, of pairs. Or one that is
 * FT_ROW_GENERAL, and lets no value through.
 */
DECLARE_PER_CPU(struct ft_row *, ft_sensor_only[256]);
DECLARE_PER_CPU(struct ft_row *, ft_sensor_locks[32]);

/*
 * The shortest one, where that is FT_ROW_USUAL: what is behind its first row. Else one that
 * lets no value through, either.
 */
DECLARE_PER_CPU(struct ft_row *, ft_sensor_usual[32]);

/*
 * By event of a spinning lock: ft_stack_is_full() with it is true at the stack's end, or always,
 * if the short way is not for the event.
 */
extern u32 ft_sensor_masks[32];

/* By event of a sleeping lock: the table of that sensor's pairs, or &ft_pairs_nowhere. */
extern struct ft_pairs_table *ft_sensor_tables[32];

/* Any sensor wants to know how deep locks are nested. */
extern bool ft_sensed_depth;

/* Has an event one sensor, and a simple one? Of events.c. */
bool ft_sensed_is_simple(const struct ft_sensed *sensed);

/* How sensors read the clock, if no trace does it for them. */
extern enum ft_clock_way ft_sensor_way;

u64 ft_sensor_now(void);

/**
 * ft_sensor_see() - an event, for all its sensors
 * @ts:		when, as it is recorded; or ft_sensor_now()
 *
 * Wait-free. Context: any, with preemption disabled.
 */
void ft_sensor_see(unsigned int id, u64 a, u64 b, u64 ts);

/* Is there a sensor of the event? */
bool ft_sensor_is_any(u32 id);

/* How the records of an event that is traced, too, read the clock. One caller at a time. */
void ft_sensor_set_way(u32 id, enum ft_clock_way way);
enum ft_clock_way ft_sensor_way_of(u32 id);

/* The probe of an event that is on in no session; as that of ft_probe_record(). */
ft_probe_t ft_sensor_probe(u32 id);

#endif /* _FT_SENSOR_PROBES_H */
