// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Sensors that programs make. Each is an event, whose triggers call another function while
 * a session has sensors. So they cost what triggers cost while there is none, and can be
 * recorded like any event.
 */
#include "libfeathertrace/event_sensors.h"
#include "libfeathertrace/events.h"
#include "libfeathertrace/process.h"
#include "libfeathertrace/thread.h"

static struct ft_event_sensor *all;

/* By the events' numbers, for the callback. */
static const struct ft_event_sensor *numbered[FT_SESSION_EVENTS];

struct ft_event_sensor *ft_event_sensor_of(const struct ft_event *event)
{
	struct ft_event_sensor *s = all;

	while (s && s->event != event)
		s = s->next;
	return s;
}

static void number(const struct ft_event_sensor *s, const struct ft_event_sensor *to)
{
	unsigned int i = s->event->id - FT_ID_DYNAMIC;

	if (i < FT_SESSION_EVENTS)
		__atomic_store_n(&numbered[i], to, __ATOMIC_RELEASE);
}

void ft_sensor_add(struct ft_event_sensor *s)
{
	sigset_t old;

	ft_process_init();
	ft_lock(&old);
	s->sense = ft_sensed ? ft_event_sensor_make(s) : NULL;
	if (ft_sensed && !s->sense)
		ft_message("there are too many sensors: this one counts nothing", s->event->name);
	s->next = all;
	all = s;
	ft_events_number(s->event);
	number(s, s);
	ft_unlock(&old);
	ft_event_add(s->event);
}

void ft_sensor_remove(struct ft_event_sensor *s)
{
	struct ft_event_sensor **at = &all, *same;
	sigset_t old;

	ft_event_remove(s->event);
	ft_lock(&old);
	while (*at && *at != s)
		at = &(*at)->next;
	if (*at)
		*at = s->next;
	/* Another library may have one of the same name. */
	for (same = all; same && same->event->id != s->event->id; same = same->next)
		;
	number(s, same);
	ft_unlock(&old);
}

void ft_callback_sense(const struct ft_event *event, unsigned long long a,
		       unsigned long long b, unsigned long long c, unsigned long long d)
{
	const struct ft_event_sensor *s;

	(void)b;
	(void)c;
	(void)d;
	s = __atomic_load_n(&numbered[(event->id - FT_ID_DYNAMIC) % FT_SESSION_EVENTS],
			    __ATOMIC_ACQUIRE);
	if (!s)
		return;
	ft_thread_sense(s->sense, a);
	if (s->recorded)
		ft_thread_record(event->id, a, 0, 0);
}
