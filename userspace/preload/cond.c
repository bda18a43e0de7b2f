// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Waiting for conditions. */
#include "wait.h"

static inline int why(int result)
{
	return result;
}

EXPORT int pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m)
{
	return ft_tracing() ? COND_WAIT(c, m, ft_real.cond_wait(c, m), why) :
			      ft_real.cond_wait(c, m);
}

EXPORT int pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m,
				  const struct timespec *until)
{
	return ft_tracing() ?
	       COND_WAIT(c, m, ft_real.cond_timedwait(c, m, until), why) :
	       ft_real.cond_timedwait(c, m, until);
}

EXPORT int pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m,
				  clockid_t clock, const struct timespec *until)
{
	return ft_tracing() ?
	       COND_WAIT(c, m, ft_real.cond_clockwait(c, m, clock, until), why) :
	       ft_real.cond_clockwait(c, m, clock, until);
}
