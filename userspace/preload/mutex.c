// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Mutexes of all kinds. */
#include "locks.h"

/*
 * It could not be taken at once. What is neither free nor busy (it was not
 * recoverable, it was taken too often) is for the real function to say.
 */
#define WAIT(m, site, tried, real)					\
({									\
	int waited_;							\
									\
	if ((tried) == EBUSY) {						\
		wait_begin(FT_USER_MUTEX, m, site);			\
		waited_ = (real);					\
		wait_end(m, mutex_is_ours(waited_) ? 0 : waited_);	\
	} else {							\
		waited_ = (tried) == EOWNERDEAD ? (tried) : (real);	\
	}								\
	if (mutex_is_ours(waited_))					\
		mutex_acquired(m, site);				\
	waited_;							\
})

static COLD int wait_lock(pthread_mutex_t *m, const void *site, int tried)
{
	return WAIT(m, site, tried, ft_real.mutex_lock(m));
}

static COLD int wait_timedlock(pthread_mutex_t *m, const void *site, int tried,
			       const struct timespec *until)
{
	return WAIT(m, site, tried, ft_real.mutex_timedlock(m, until));
}

static COLD int wait_clocklock(pthread_mutex_t *m, const void *site, int tried,
			       clockid_t clock, const struct timespec *until)
{
	return WAIT(m, site, tried, ft_real.mutex_clocklock(m, clock, until));
}

/* Nearly always it is free. */
#define TAKE(m, wait, ...)						\
({									\
	int tried_ = ft_real.mutex_trylock(m);				\
									\
	if (unlikely(tried_))						\
		return wait(m, CALLER, tried_, ##__VA_ARGS__);		\
	if (!mutex_is_plain(m) ||					\
	    !lock_try_acquired(FT_USER_MUTEX, m, CALLER))		\
		return acquired(m, CALLER);				\
	0;								\
})

static COLD int acquired(pthread_mutex_t *m, const void *site)
{
	mutex_acquired(m, site);
	return 0;
}

EXPORT int pthread_mutex_lock(pthread_mutex_t *m)
{
	return ft_tracing() ? TAKE(m, wait_lock) :
			      ft_real.mutex_lock(m);
}

EXPORT int pthread_mutex_timedlock(pthread_mutex_t *m,
				   const struct timespec *until)
{
	return ft_tracing() ? TAKE(m, wait_timedlock, until) :
			      ft_real.mutex_timedlock(m, until);
}

EXPORT int pthread_mutex_clocklock(pthread_mutex_t *m, clockid_t clock,
				   const struct timespec *until)
{
	return ft_tracing() ? TAKE(m, wait_clocklock, clock, until) :
			      ft_real.mutex_clocklock(m, clock, until);
}

EXPORT int pthread_mutex_trylock(pthread_mutex_t *m)
{
	int result;

	if (!ft_tracing())
		return ft_real.mutex_trylock(m);
	result = ft_real.mutex_trylock(m);
	if (mutex_is_ours(result))
		mutex_acquired(m, CALLER);
	return result;
}

static COLD int unlock(pthread_mutex_t *m, const void *site)
{
	if (ft_tracing() && mutex_will_release(m))
		lock_released(FT_USER_MUTEX, m, site);
	return ft_real.mutex_unlock(m);
}

/* A thread that has a ring is traced, and knows where the real function is. */
EXPORT int pthread_mutex_unlock(pthread_mutex_t *m)
{
	if (mutex_is_plain(m) && lock_try_released(FT_USER_MUTEX, m, CALLER))
		return ft_real.mutex_unlock(m);
	return unlock(m, CALLER);
}
