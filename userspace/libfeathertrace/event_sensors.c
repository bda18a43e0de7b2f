// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Sensors that programs make. Each is an event, whose triggers call another function while
 * a session has sensors. So they cost what triggers cost while there is none, and can be
 * recorded like any event.
 */
#include "libfeathertrace/event_sensors.h"
#include "libfeathertrace/process.h"
#include "libfeathertrace/thread.h"

static struct ft_event_sensor *all;

struct ft_event_sensor *ft_event_sensor_of(const struct ft_event *event)
{
	struct ft_event_sensor *s = all;

	while (s && s->event != event)
		s = s->next;
	return s;
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
	s->event->data = s;
	ft_unlock(&old);
	ft_event_add(s->event);
}

void ft_sensor_remove(struct ft_event_sensor *s)
{
	struct ft_event_sensor **at = &all;
	sigset_t old;

	ft_event_remove(s->event);
	ft_lock(&old);
	while (*at && *at != s)
		at = &(*at)->next;
	if (*at)
		*at = s->next;
	ft_unlock(&old);
}

/*
 * Its own sensor, and not that of another library with the same name, which may be unloaded
 * at this moment: where code runs that calls this, the event and its sensor are loaded.
 */
void ft_callback_sense(const struct ft_event *event, unsigned long long a,
		       unsigned long long b, unsigned long long c, unsigned long long d)
{
	const struct ft_event_sensor *s = event->data;

	(void)b;
	(void)c;
	(void)d;
	ft_thread_sense(s->sense, a);
	if (s->recorded)
		ft_thread_record(event->id, a, 0, 0);
}
