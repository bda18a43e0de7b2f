/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The event table: all events, whatever announced them, and the wants of each. */
#ifndef _FT_TABLE_H
#define _FT_TABLE_H

#include <linux/types.h>
#include <linux/xarray.h>
#include <uapi/linux/feather_trace.h>

#include "probe.h"

struct ft_entry;
struct ft_session;

/**
 * struct ft_source - where the triggers of an event are, and how to patch them
 * @hold:	before @set switches them on: what is prepared, as for each
 *		event that is on, stays so until @finish. The caller holds ft_trace_mutex.
 *		NULL: there is nothing to prepare
 * @prepare:	after @hold, for an event that was off then, without ft_trace_mutex: what
 *		may take long
 * @renews:	@prepare is called for an event that is on, too: what was prepared may be gone
 * @finish:	the opposite of @hold, whatever came between
 * @set:	switches all of them on in these sessions, a bit each, and for sensors
 *		(&ft_entry.sensed); or off. Only in one session more, or for the first
 *		sensor, it can fail; then they are as before. May sleep. The caller holds
 *		ft_trace_mutex
 * @triggers:	how many there are; NULL: one
 * @missed:	&ft_event_info.missed; NULL: never. The caller holds ft_trace_mutex
 * @unread:	how many words could not be read in the session's trace, or for sensors and
 *		conditions: without a session; -1: it was not on in that trace. NULL: all can
 *		be. Called after the triggers have gone, too: &ft_entry.data is still there. The
 *		caller holds ft_trace_mutex
 */
struct ft_source {
	void		(*hold)(void);
	int		(*prepare)(u32 id);
	bool		renews;
	void		(*finish)(void);
	int		(*set)(const struct ft_entry *entry, u8 sessions);
	unsigned int	(*triggers)(const struct ft_entry *entry);
	u64		(*missed)(const struct ft_entry *entry);
	s64		(*unread)(const struct ft_entry *entry, const struct ft_session *session);
};

/**
 * struct ft_use - who wants an event in a session
 * @enabled:	by how many it is wanted
 * @persistent:	how many of these outlive their descriptors
 * @generation:	changes when all wants were dropped at once; older ones are void
 */
struct ft_use {
	unsigned int		enabled;
	unsigned int		persistent;
	unsigned int		generation;
};

/**
 * struct ft_entry - an event
 * @id:		constant; an entry is never freed before the module goes
 * @name:	constant
 * @field:	constant
 * @fields:	what they consist of, up to FT_FIELDS; NULL: they are what they are called
 * @owner:	constant; name of the module with the triggers
 * @counts:	as in &ft_event
 * @unit:	the same
 * @source:	its triggers; NULL when their module has gone
 * @data:	the source's own
 * @gone:	what it was, where its counts of words that could not be read are still there
 * @sessions:	in which it is on, a bit each
 * @sensed:	how many sensors it is on for; while its triggers are away, 0
 * @sensors:	how many sensors it has
 * @use:	in each of them
 */
struct ft_entry {
	u32			id;
	char			name[FT_NAME_LEN];
	char			field[2][FT_FIELD_LEN];
	const struct ft_field	*fields;
	char			owner[FT_NAME_LEN];
	u8			counts;
	char			unit[16];
	const struct ft_source	*source;
	void			*data;
	const struct ft_source	*gone;
	u8			sessions;
	unsigned int		sensed;
	unsigned int		sensors;
	struct ft_use		use[FT_SESSIONS];
};

/**
 * ft_table_add() - enter an event
 * @id:		its fixed id, or 0: the next free one
 * @name:	unique, a C identifier
 * @a:		name of the first field
 * @b:		name of the second field
 * @owner:	module with the triggers
 * @source:	how to reach them
 * @data:	for @source
 *
 * Revives an entry that had gone, if all names are the same: then the id is the
 * same, too. The caller holds ft_trace_mutex.
 *
 * Return: the entry; -EEXIST, -EINVAL, -ENOSPC, -ENOMEM as ERR_PTR().
 */
struct ft_entry *ft_table_add(u32 id, const char *name, const char *a,
			      const char *b, const char *owner,
			      const struct ft_source *source, void *data);

/**
 * ft_table_retire() - the triggers of an event go away
 * @entry:	the event; switched off whoever wants it
 *
 * The name stays known for records that are still to be read. The caller holds
 * ft_trace_mutex.
 */
void ft_table_retire(struct ft_entry *entry);

/**
 * ft_table_set_again() - an event is watched, or no longer is
 * @id:		any number
 *
 * Leads its triggers to the probe that fits, if it is on. The caller holds ft_trace_mutex.
 *
 * Return: 0; an error, if a watch was added and cannot be called.
 */
int ft_table_set_again(u32 id);

/**
 * ft_table_sense() - events are on for a sensor
 * @ids:	of @count events
 * @attach:	called with @data and ft_trace_mutex held, before the first is on
 *
 * Its caller prepares the clock. Return: 0; -ENOENT no such event; the errors of @attach,
 * &ft_source.prepare and &ft_source.set: then none is on, and @detach was called.
 */
int ft_table_sense(const u32 *ids, unsigned int count, int (*attach)(void *data),
		   void (*detach)(void *data), void *data);

/* The opposite for one of them, after it is not the sensor's. The caller holds the mutex. */
void ft_table_unsense(u32 id);

/**
 * struct ft_wants - what a descriptor of /dev/ft_trace wants
 * @session:	in which
 * @holds:	how often it enabled an event, by id
 * @paused:	it holds a pause
 * @owns_session: the session ends with it
 * @conditions:	how many it has; control_condition.c
 * @stacks:	it has asked for those of the session; control_stacks.c
 */
struct ft_wants {
	struct ft_session	*session;
	struct xarray		holds;
	bool			paused;
	bool			owns_session;
	unsigned int		conditions;
	bool			stacks;
};

static inline void ft_wants_init(struct ft_wants *wants,
				 struct ft_session *session)
{
	wants->session = session;
	xa_init(&wants->holds);
	wants->paused = false;
	wants->owns_session = false;
	wants->conditions = 0;
	wants->stacks = false;
}

/* Is it a C identifier of less than @size characters? */
bool ft_table_is_identifier(const char *name, size_t size);

/*
 * ft_table_is_symbol() - the same of what is in @size bytes from user space, dots apart
 * @size: up to FT_NAME_LEN
 */
bool ft_table_is_symbol(const char *name, size_t size);

/**
 * ft_table_start() - want some events: all begin at one moment, or none
 * @wants:	of the descriptor
 * @ids:	the events
 * @count:	how many
 * @failed:	out: which one failed, if one did
 * @flags:	FT_ENABLE_PERSIST: for good, rather than as long as the descriptor is
 *		there; FT_ENABLE_ORDERED: in a trace whose acquisitions read the clock
 *		in order
 *
 * The first want of all starts a trace.
 *
 * Return: 0; -EINVAL no such event; -EALREADY the trace is not ordered; and the
 * errors of ft_trace_prepare(), &ft_source.prepare and &ft_source.set; -EOVERFLOW;
 * -ENOMEM; -ESHUTDOWN the session has ended; -EINTR the caller was killed while it waited.
 */
int ft_table_start(struct ft_wants *wants, const u32 *ids, u32 count, u32 flags,
		   u32 *failed);

/**
 * ft_table_stop() - the opposite: all end at one moment, or none
 * @wants:	the same
 * @ids:	the same
 * @count:	the same
 * @persist:	it was FT_ENABLE_PERSIST
 * @failed:	out: which one failed, if one did
 *
 * Return: 0; -EINVAL no such event, or it was not enabled so.
 */
int ft_table_stop(struct ft_wants *wants, const u32 *ids, u32 count, bool persist,
		  u32 *failed);

/**
 * ft_table_pause() - begin or end the pause of a descriptor
 * Return: 0; -EBUSY it has begun before; -EINVAL it has not.
 */
int ft_table_pause(struct ft_wants *wants, bool pause);

/**
 * ft_table_move() - let a descriptor's wants be in another session
 * Return: 0; -EBUSY it has left the default session before, or wants something, pauses, or
 * has a snapshot, a condition or stacks there.
 */
int ft_table_move(struct ft_wants *wants, struct ft_session *session);

/* Drop all that a descriptor wants. */
void ft_table_drop(struct ft_wants *wants);

/* Drop all wants in a session; this ends its trace. */
void ft_table_disable_all(struct ft_session *session);

/* The same, for a caller that holds ft_trace_mutex. */
void ft_table_drop_all(struct ft_session *session);

/**
 * ft_table_next() - the first event with an id of at least @id
 *
 * The caller holds ft_trace_mutex. Return: the event, which may have gone, or
 * NULL.
 */
struct ft_entry *ft_table_next(u32 id);

/** ft_entry_unread() - as &ft_source.unread, also when its triggers have gone; 0 without it */
s64 ft_entry_unread(const struct ft_entry *entry, const struct ft_session *session);

/**
 * ft_table_describe() - tell user space about an event
 * @session:	in which its wants are counted
 * @info:	in: ->id, where to look from; out
 *
 * Return: 0; -ENOENT no event with so high an id.
 */
int ft_table_describe(const struct ft_session *session, struct ft_event_info *info);

/**
 * ft_table_fields() - tell user space what an event's words consist of
 * @info:	in: ->id; out
 *
 * Return: 0; -ENOENT no such event.
 */
int ft_table_fields(struct ft_fields *info);

/* --- what the table's own files share ------------------------------------- */

/* ft_table_at() - the event with this id, or NULL. The caller holds ft_trace_mutex. */
struct ft_entry *ft_table_at(u32 id);

/**
 * ft_entry_set() - point the triggers of an event at the probe for these sessions
 *
 * The caller holds ft_trace_mutex. Return: as &ft_source.set.
 */
int ft_entry_set(struct ft_entry *entry, u8 sessions);

/**
 * ft_table_prepare() - prepare the sources of some events, without ft_trace_mutex
 * @session:	for which; NULL: for a sensor
 * @held:	out: what ft_table_finish() ends, for each, whatever this returns
 * @failed:	out: which one, after an error
 */
int ft_table_prepare(const struct ft_session *session, const u32 *ids, u32 count, u32 flags,
		     const struct ft_source **held, u32 *failed);
void ft_table_finish(const struct ft_source **held, u32 count);

/* Free everything. Nothing is enabled, nothing can be any more. */
void ft_table_exit(void);

#endif /* _FT_TABLE_H */
