// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The mutexes and conditions of C11's <threads.h>. In the C library they are those of
 * pthreads, with the same layout; but its functions call each other directly, so these
 * need wrappers, too. Both produce the same records.
 */
#include <assert.h>

#include "preload/wait.h"

static_assert(sizeof(mtx_t) == sizeof(pthread_mutex_t), "a mutex is a mutex");
static_assert(sizeof(cnd_t) == sizeof(pthread_cond_t), "a condition is one");

/* Some libraries define functions of these names for mutexes of their own. */
static inline bool tracing(void)
{
	return ft_tracing() && ft_real.own_c11;
}

static inline pthread_mutex_t *pthread_of(mtx_t *m)
{
	return (pthread_mutex_t *)m;
}

/* Return: the errno for a result of C11's functions. */
static inline int why(int result)
{
	switch (result) {
	case thrd_success:
		return 0;
	case thrd_busy:
		return EBUSY;
	case thrd_timedout:
		return ETIMEDOUT;
	case thrd_nomem:
		return ENOMEM;
	default:
		return EINVAL;
	}
}

/* As with pthread's: C11 has none of the others, but it is the same memory. */
static inline int try(mtx_t *m)
{
	if (mutex_may_try(pthread_of(m)))
		return ft_real.mtx_trylock(m);
	return mutex_is_taken(pthread_of(m)) ? thrd_busy : thrd_error;
}

#define TAKE(m, real)							\
({									\
	int result_ = try(m);						\
									\
	if (result_ == thrd_busy && !mutex_is_refused(pthread_of(m))) {	\
		wait_begin(FT_USER_MUTEX, m, CALLER);			\
		result_ = (real);					\
		wait_end(m, why(result_));				\
	} else if (unlikely(result_ != thrd_success)) {			\
		result_ = (real);					\
	}								\
	if (result_ == thrd_success)					\
		mutex_acquired(pthread_of(m), CALLER);			\
	result_;							\
})

EXPORT int mtx_lock(mtx_t *m)
{
	return tracing() ? TAKE(m, ft_real.mtx_lock(m)) : ft_real.mtx_lock(m);
}

EXPORT int mtx_timedlock(mtx_t *m, const struct timespec *until)
{
	return tracing() ? TAKE(m, ft_real.mtx_timedlock(m, until)) :
			   ft_real.mtx_timedlock(m, until);
}

EXPORT int mtx_trylock(mtx_t *m)
{
	bool traced = tracing();
	int result = ft_real.mtx_trylock(m);

	if (traced && result == thrd_success)
		mutex_acquired(pthread_of(m), CALLER);
	return result;
}

EXPORT int mtx_unlock(mtx_t *m)
{
	if (tracing() && mutex_will_release(pthread_of(m)))
		lock_released(FT_USER_MUTEX, m, CALLER);
	return ft_real.mtx_unlock(m);
}

EXPORT int cnd_wait(cnd_t *c, mtx_t *m)
{
	return tracing() ?
	       COND_WAIT(c, pthread_of(m), ft_real.cnd_wait(c, m), why) :
	       ft_real.cnd_wait(c, m);
}

EXPORT int cnd_timedwait(cnd_t *c, mtx_t *m, const struct timespec *until)
{
	return tracing() ?
	       COND_WAIT(c, pthread_of(m), ft_real.cnd_timedwait(c, m, until), why) :
	       ft_real.cnd_timedwait(c, m, until);
}
