// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Waiting for conditions. */
#include "preload/wait.h"

/* These symbols differ only in their versions. */
int ft_old_cond_wait(pthread_cond_t *c, pthread_mutex_t *m);
int ft_old_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m,
			  const struct timespec *until);
int ft_new_cond_wait(pthread_cond_t *c, pthread_mutex_t *m);
int ft_new_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m,
			  const struct timespec *until);

static inline int why(int result)
{
	return result;
}

/*
 * If the C library has two kinds of conditions, a wrapper calls the kind that the
 * program was linked with: the old kind has another structure.
 */
#define COND_WAIT_AS(c, m, wait)					\
	(ft_tracing() ? COND_WAIT(c, m, wait(c, m), why) : wait(c, m))
#define COND_TIMEDWAIT_AS(c, m, until, wait)				\
	(ft_tracing() ? COND_WAIT(c, m, wait(c, m, until), why) : wait(c, m, until))

#ifdef __x86_64__
/* clang has no attribute for it. */
#define VERSION_IS(function, symbol)	__asm__(".symver " #function ", " symbol)

VERSION_IS(ft_old_cond_wait, "pthread_cond_wait@GLIBC_2.2.5");
EXPORT int ft_old_cond_wait(pthread_cond_t *c, pthread_mutex_t *m)
{
	return COND_WAIT_AS(c, m, ft_real.old_cond_wait);
}

VERSION_IS(ft_old_cond_timedwait, "pthread_cond_timedwait@GLIBC_2.2.5");
EXPORT int ft_old_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m,
				 const struct timespec *until)
{
	return COND_TIMEDWAIT_AS(c, m, until, ft_real.old_cond_timedwait);
}

VERSION_IS(ft_new_cond_wait, "pthread_cond_wait@@GLIBC_2.3.2");
EXPORT int ft_new_cond_wait(pthread_cond_t *c, pthread_mutex_t *m)
{
	return COND_WAIT_AS(c, m, ft_real.cond_wait);
}

VERSION_IS(ft_new_cond_timedwait, "pthread_cond_timedwait@@GLIBC_2.3.2");
EXPORT int ft_new_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m,
				 const struct timespec *until)
{
	return COND_TIMEDWAIT_AS(c, m, until, ft_real.cond_timedwait);
}
#else
EXPORT int pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m)
{
	return COND_WAIT_AS(c, m, ft_real.cond_wait);
}

EXPORT int pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m,
				  const struct timespec *until)
{
	return COND_TIMEDWAIT_AS(c, m, until, ft_real.cond_timedwait);
}
#endif

EXPORT int pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m,
				  clockid_t clock, const struct timespec *until)
{
	return ft_tracing() ?
	       COND_WAIT(c, m, ft_real.cond_clockwait(c, m, clock, until), why) :
	       ft_real.cond_clockwait(c, m, clock, until);
}
