/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Which sensors look at which event. */
#ifndef _FT_SENSOR_EVENTS_H
#define _FT_SENSOR_EVENTS_H

#include "sensor/sense.h"

/* What FT_KEY_AUTO means for pairs that begin with this event. */
u32 ft_sensor_key_of(u32 begin);

/* Do the spinning locks' stacks have pairs of these? Then their depth is known. */
bool ft_sensor_is_on_stack(u32 begin, u32 event, u32 key);

/**
 * ft_sense_add() - let a sensor see its events
 * @sense:	complete, and its rows are there
 *
 * The triggers of its events are to be set then. The caller holds ft_trace_mutex.
 *
 * Return: 0; -ENOSPC too many events have or had sensors, or too many sensors this event;
 * -ENOMEM.
 */
int ft_sense_add(struct ft_sense *sense);

/**
 * ft_sense_remove() - the opposite
 *
 * Probes may use it until the next ft_trace_sync(), and its pairing, if that is not others',
 * which is returned then. The caller holds ft_trace_mutex.
 */
struct ft_pairing *ft_sense_remove(struct ft_sense *sense);
void ft_pairing_free(struct ft_pairing *pairing);

void ft_sense_init(void);

/* No trigger leads to a sensor any more. */
void ft_sense_exit(void);

#endif /* _FT_SENSOR_EVENTS_H */
