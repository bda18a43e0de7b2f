// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Numbers of events. With a session they come from its table, which processes fill
 * without a lock: a process that dies half-way must not block the others. Two processes
 * that enter the same name at the same moment may therefore both succeed; the name then
 * has two numbers, and every reader of a trace accepts that.
 */
#include <stdio.h>
#include <string.h>

#include "libfeathertrace/events.h"
#include "libfeathertrace/process.h"

#define LOCAL_EVENTS	FT_SESSION_EVENTS

/* Without a session: names by number. */
static const char *local[LOCAL_EVENTS];

static unsigned int local_number(const char *name)
{
	for (unsigned int i = 0; i < LOCAL_EVENTS; i++) {
		if (!local[i])
			local[i] = strdup(name);	/* the event may go */
		if (!local[i])
			return 0;
		if (!strcmp(local[i], name))
			return FT_ID_DYNAMIC + i;
	}
	return 0;
}

static bool is_same(const struct ft_user_event *e, const char *name,
		    const char *const field[2])
{
	if (strncmp(e->name, name, sizeof(e->name)))
		return false;
	for (int i = 0; i < 2; i++) {
		if (strncmp(e->field[i], field[i] ? field[i] : "",
			    sizeof(e->field[i]) - 1))
			return false;
	}
	return true;
}

static void fill(struct ft_user_event *e, const char *name,
		 const char *const field[2])
{
	/* entries start zeroed: the name is terminated */
	memcpy(e->name, name, strnlen(name, sizeof(e->name) - 1));
	for (int i = 0; i < 2; i++) {
		if (!field[i])
			continue;
		memcpy(e->field[i], field[i],
		       strnlen(field[i], sizeof(e->field[i]) - 1));
		e->words++;
	}
}

/* Those who look for new events look below the session's number: it is first. */
static void publish(struct ft_user_event *e, __u32 i, const char *name,
		    const char *const field[2])
{
	fill(e, name, field);
	ft_session_raise(&ft_session->events, i);
	/* Pairs with the acquire in run_event() of ft run, and in session_number(). */
	__atomic_store_n(&e->state, FT_ENTRY_READY, __ATOMIC_RELEASE);
}

static unsigned int session_number(const char *name,
				   const char *const field[2])
{
	for (__u32 i = 0; i < FT_SESSION_EVENTS; i++) {
		struct ft_user_event *e = ft_session_event(ft_session, i);
		__u32 state = FT_ENTRY_FREE;

		/* Pairs with the release in publish(): the name is written before its state. */
		if (__atomic_compare_exchange_n(&e->state, &state, FT_ENTRY_BUSY,
						false, __ATOMIC_ACQUIRE,
						__ATOMIC_ACQUIRE)) {
			publish(e, i, name, field);
			return FT_ID_DYNAMIC + i;
		}
		if (state == FT_ENTRY_READY && is_same(e, name, field))
			return FT_ID_DYNAMIC + i;
	}
	return 0;
}

static unsigned int number(const char *name, const char *const field[2])
{
	return ft_session ? session_number(name, field) : local_number(name);
}

static void enter(unsigned int id, const char *name,
		  const char *const field[2])
{
	struct ft_user_event *e;

	if (id < FT_ID_DYNAMIC || id - FT_ID_DYNAMIC >= FT_SESSION_EVENTS)
		return;
	e = ft_session_event(ft_session, id - FT_ID_DYNAMIC);
	if (e->state != FT_ENTRY_FREE)	/* another event of the same name */
		return;
	publish(e, id - FT_ID_DYNAMIC, name, field);
}

static void name_more(char more[FT_NAME_LEN], const struct ft_event *event)
{
	snprintf(more, FT_NAME_LEN, "%.*s_more", FT_NAME_LEN - 6, event->name);
}

void ft_events_enter(void)
{
	char more[FT_NAME_LEN];

	for (struct ft_event *e = ft_events; e; e = e->next) {
		enter(e->id, e->name, e->field);
		if (!e->more)
			continue;
		name_more(more, e);
		enter(e->more, more, e->field + 2);
	}
}

void ft_events_number(struct ft_event *event)
{
	char more[FT_NAME_LEN];

	if (event->id)
		return;
	event->id = (unsigned short)number(event->name, event->field);
	if (!event->field[2])
		return;
	name_more(more, event);
	event->more = (unsigned short)number(more, event->field + 2);
}
