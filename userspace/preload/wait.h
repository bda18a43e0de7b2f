/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Waits in which a thread may be cancelled: that unwinds the stack from inside the real
 * function. The record after the wait is then written, too (-fexceptions).
 */
#ifndef FT_PRELOAD_WAIT_H
#define FT_PRELOAD_WAIT_H

#include "preload/locks.h"

struct wait {
	const void	*lock;
	pthread_mutex_t	*mutex;		/* taken again at the end, or NULL */
	const void	*site;
	int		result;
};

static inline void wait_done(struct wait *w)
{
	wait_end(w->lock, w->result);
	if (w->mutex && w->result != ENOTRECOVERABLE)
		mutex_acquired(w->mutex, w->site);
}

#define WAIT_DONE	__attribute__((cleanup(wait_done)))

/*
 * Waits for a condition with the call @real: the mutex is released, and taken again at
 * the end. A mutex that was taken several times is released only once, and stays held.
 * @why converts the call's result to an errno.
 */
#define COND_WAIT(c, m, real, why)					\
({									\
	bool gives_ = mutex_will_release(m);				\
	struct wait w_ WAIT_DONE = {					\
		.lock = c, .mutex = gives_ ? m : NULL, .site = CALLER,	\
		.result = ECANCELED					\
	};								\
	int result_;							\
									\
	if (gives_)							\
		lock_released(FT_USER_MUTEX, w_.mutex, CALLER);		\
	wait_begin(FT_USER_COND, c, CALLER);				\
	result_ = (real);						\
	w_.result = why(result_);					\
	result_;							\
})

#endif /* FT_PRELOAD_WAIT_H */
