/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Numbers of events: the same for a name in all processes of a session. */
#ifndef FT_LIBFEATHERTRACE_EVENTS_H
#define FT_LIBFEATHERTRACE_EVENTS_H

#include <feather_trace/trigger.h>

/**
 * ft_events_number - give an event its numbers
 *
 * The caller excludes others. Where there is no number left it keeps 0: its
 * records are not written.
 */
void ft_events_number(struct ft_event *event);

/**
 * ft_events - all registered events; the caller holds ft_lock()
 */
extern struct ft_event *ft_events;

/**
 * ft_events_enter - enter all in a session that this process is the first to join
 *
 * They keep their numbers: records bear them already.
 */
void ft_events_enter(void);

#endif /* FT_LIBFEATHERTRACE_EVENTS_H */
