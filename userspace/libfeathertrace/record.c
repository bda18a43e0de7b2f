// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The default callbacks: they write records. */
#include <errno.h>

#include "libfeathertrace/events.h"
#include "libfeathertrace/process.h"
#include "libfeathertrace/thread.h"

void ft_callback_record(const struct ft_event *event, unsigned long long a,
			unsigned long long b, unsigned long long c,
			unsigned long long d)
{
	(void)c;
	(void)d;
	ft_thread_record(event->id, a, b, 0);
}

/*
 * A record has two words. The other two follow in a second record, which belongs to the
 * last record of this event and thread that lacks one: a signal handler that runs
 * between the two writes both of its own.
 */
void ft_callback_record4(const struct ft_event *event, unsigned long long a,
			 unsigned long long b, unsigned long long c,
			 unsigned long long d)
{
	ft_thread_record(event->id, a, b, 0);
	ft_thread_record(event->more, c, d, 0);
}

/* Apart, so that the others need no registers of their caller. */
static __attribute__((noinline))
void callback_at(const struct ft_event *event, unsigned long long ticks,
		 unsigned long long a, unsigned long long b,
		 unsigned long long c, unsigned long long d)
{
	if (event->callback != ft_callback_record4) {
		event->callback(event, a, b, c, d);
		return;
	}
	ft_thread_record_at(event->id, ticks, a, b);
	ft_thread_record_at(event->more, ticks, c, d);
}

void ft_callback_at(const struct ft_event *event, unsigned long long ticks,
		    unsigned long long a, unsigned long long b,
		    unsigned long long c, unsigned long long d)
{
	if (event->callback == ft_callback_record)
		ft_thread_record_at(event->id, ticks, a, b);
	else
		callback_at(event, ticks, a, b, c, d);
}

void ft_record(unsigned int id, unsigned long long a, unsigned long long b)
{
	if (id && id <= FT_ID_MAX)
		ft_thread_record(id, a, b, 0);
}

int ft_thread_prepare(void)
{
	if (!ft_session)
		return -ENOTCONN;
	return ft_thread_begin() ? 0 : -ENOSPC;
}
