/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Waits that may be the end of a thread: cancelling it unwinds the stack from
 * inside the real function. What is to be recorded after the wait is recorded then,
 * too (-fexceptions).
 */
#ifndef FT_PRELOAD_WAIT_H
#define FT_PRELOAD_WAIT_H

#include "locks.h"

struct wait {
	const void	*lock;
	pthread_mutex_t	*mutex;		/* taken again at the end, or NULL */
	const void	*site;
	int		result;
};

static inline void wait_done(struct wait *w)
{
	wait_end(w->lock, w->result);
	if (w->mutex)
		mutex_acquired(w->mutex, w->site);
}

#define WAIT_DONE	__attribute__((cleanup(wait_done)))

#endif /* FT_PRELOAD_WAIT_H */
