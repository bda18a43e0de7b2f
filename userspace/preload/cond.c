// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Waiting for conditions: the mutex is released, and taken again at the end. A mutex
 * that was taken several times is not: it is released once, and held on.
 */
#include "wait.h"

#define WAIT(c, m, real)						\
({									\
	bool gives_ = mutex_will_release(m);				\
	struct wait w_ WAIT_DONE = {					\
		.lock = c, .mutex = gives_ ? m : NULL, .site = CALLER,	\
		.result = ECANCELED					\
	};								\
									\
	if (gives_)							\
		lock_released(FT_USER_MUTEX, m, CALLER);		\
	wait_begin(FT_USER_COND, c, CALLER);				\
	w_.result = (real);						\
	w_.result;							\
})

EXPORT int pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m)
{
	return ft_tracing() ? WAIT(c, m, ft_real.cond_wait(c, m)) :
			      ft_real.cond_wait(c, m);
}

EXPORT int pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m,
				  const struct timespec *until)
{
	return ft_tracing() ? WAIT(c, m, ft_real.cond_timedwait(c, m, until)) :
			      ft_real.cond_timedwait(c, m, until);
}

EXPORT int pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m,
				  clockid_t clock, const struct timespec *until)
{
	return ft_tracing() ? WAIT(c, m, ft_real.cond_clockwait(c, m, clock, until)) :
			      ft_real.cond_clockwait(c, m, clock, until);
}
