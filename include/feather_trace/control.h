/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * libfeathertrace: turning the events of this program on and off.
 *
 * See trigger.h for events and triggers. Nothing of this is needed for a program
 * that is only ever traced by 'ft run'. Functions return -errno and print nothing.
 * They may be called from several threads, not from signal handlers.
 */
#ifndef _FEATHER_TRACE_CONTROL_H
#define _FEATHER_TRACE_CONTROL_H

#ifdef __cplusplus
extern "C" {
#endif

struct ft_event;

/**
 * ft_callback - what an enabled trigger calls
 * @event:	the event; its @data is the callback's
 * @a:		first word, 0 if the event has none; so are the others
 *
 * In the thread of the trigger, which may be in a signal handler.
 */
typedef void (*ft_callback)(const struct ft_event *event,
			    unsigned long long a, unsigned long long b,
			    unsigned long long c, unsigned long long d);

/**
 * ft_enable() - turn on the events that have a name
 * @name:	of events; shell patterns ("queue_*") are understood. Events of
 *		libraries that are loaded later are turned on then
 *
 * Enabling nests: what was enabled twice must be disabled twice.
 *
 * Return: how many events there are of that name now, perhaps 0; -EINVAL @name is
 * empty or too long; -ENOSPC too many names; or why code could not be changed.
 */
int ft_enable(const char *name);

/**
 * ft_disable() - the opposite
 * @name:	as it was enabled
 *
 * When it returns, no thread can enter a trigger of events that are off.
 * Return: as ft_enable(); -ENOENT it was not enabled by this name.
 */
int ft_disable(const char *name);

/** ft_enable_id(), ft_disable_id() - the same by number; see ft_event_id() */
int ft_enable_id(unsigned int id);
int ft_disable_id(unsigned int id);

/** ft_disable_all() - whatever was enabled, and however often */
int ft_disable_all(void);

/** ft_is_enabled() - is any event of this name, of this number, on? */
int ft_is_enabled(const char *name);
int ft_is_enabled_id(unsigned int id);

/** ft_event_id() - number of the event of this name; -ENOENT */
int ft_event_id(const char *name);

/**
 * ft_set_callback() - what the triggers of an event call
 * @name:	of the event, no pattern
 * @callback:	NULL: the default, which records
 * @data:	for the callback
 *
 * Return: how many events have that name (one in each library at most); -ENOENT; -EINVAL
 * it is a sensor, which counts.
 */
int ft_set_callback(const char *name, ft_callback callback, void *data);

/**
 * ft_each_event() - call @each for all events
 * @each:	@triggers: places in the code; a result that is not 0 ends it
 *
 * Return: what @each returned last.
 */
int ft_each_event(int (*each)(void *arg, const struct ft_event *event,
			      unsigned int triggers), void *arg);

/**
 * ft_record() - write a record without a trigger
 * @id:		of an event: ft_event_id()
 *
 * Wait-free; also from signal handlers. Does nothing while this process is not traced.
 */
void ft_record(unsigned int id, unsigned long long a, unsigned long long b);

/**
 * ft_thread_prepare() - give this thread its ring now, not at its first event
 *
 * Return: 0; -ENOTCONN this process is not traced; -ENOSPC there is no ring, or
 * no memory for one.
 */
int ft_thread_prepare(void);

#ifdef __cplusplus
}
#endif

#endif /* _FEATHER_TRACE_CONTROL_H */
