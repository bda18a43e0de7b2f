// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Mutexes of all kinds. */
#include "preload/mutex_known.h"

/*
 * The mutex could not be taken at once, or was not tried. Any other error (it was taken
 * too often) is what lock would return, too; do not try again.
 */
#define WAIT(m, site, tried, real)					\
({									\
	int waited_;							\
									\
	if ((tried) == EBUSY && !mutex_is_refused(m)) {			\
		wait_begin(FT_USER_MUTEX, m, site);			\
		waited_ = (real);					\
		wait_end(m, mutex_is_ours(waited_) ? 0 : waited_);	\
	} else {							\
		waited_ = (tried) == EBUSY || (tried) == REAL_NOT_TRIED ?	\
			  (real) : (tried);				\
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

/* Return: 0, if it was taken; EBUSY: it must be waited for; or what trylock says. */
static inline int try(pthread_mutex_t *m)
{
	if (!ft_real.own_mutex)
		return REAL_NOT_TRIED;
	if (mutex_may_try(m))
		return ft_real.mutex_trylock(m);
	return mutex_is_taken(m) ? EBUSY : REAL_NOT_TRIED;
}

/*
 * Takes a mutex of an unknown kind, or one that is not free. @known: the result of
 * mutex_known_take().
 */
#define TAKE(m, site, known, wait, real, ...)				\
({									\
	int tried_;							\
									\
	if (!ft_tracing())						\
		return real(m, ##__VA_ARGS__);				\
	tried_ = (known) == EBUSY ? EBUSY : try(m);			\
	if (tried_)							\
		return wait(m, site, tried_, ##__VA_ARGS__);		\
	mutex_acquired(m, site);					\
	0;								\
})

static NOINLINE int take_lock(pthread_mutex_t *m, const void *site, int known)
{
	return TAKE(m, site, known, wait_lock, ft_real.mutex_lock);
}

EXPORT HOT int pthread_mutex_lock(pthread_mutex_t *m)
{
	int known = mutex_known_take(m, CALLER);

	return likely(!known) ? 0 : take_lock(m, CALLER, known);
}

EXPORT int pthread_mutex_timedlock(pthread_mutex_t *m,
				   const struct timespec *until)
{
	int known = mutex_known_take(m, CALLER);

	return likely(!known) ? 0 :
	       TAKE(m, CALLER, known, wait_timedlock, ft_real.mutex_timedlock, until);
}

EXPORT int pthread_mutex_clocklock(pthread_mutex_t *m, clockid_t clock,
				   const struct timespec *until)
{
	int known;

	if (!ft_tracing() || !is_clock(clock))
		return ft_real.mutex_clocklock(m, clock, until);
	known = mutex_known_take(m, CALLER);
	return likely(!known) ? 0 :
	       TAKE(m, CALLER, known, wait_clocklock, ft_real.mutex_clocklock, clock,
		    until);
}

EXPORT int pthread_mutex_trylock(pthread_mutex_t *m)
{
	int result = mutex_known_take(m, CALLER);

	if (result >= 0)
		return result;
	if (!ft_tracing())
		return ft_real.mutex_trylock(m);
	result = ft_real.mutex_trylock(m);
	if (mutex_is_ours(result))
		mutex_acquired(m, CALLER);
	return result;
}

static NOINLINE int unlock(pthread_mutex_t *m, const void *site, int known)
{
	if (known != EBUSY && ft_tracing() && mutex_will_release(m))
		lock_released(FT_USER_MUTEX, m, site);
	return ft_real.mutex_unlock(m);
}

EXPORT HOT int pthread_mutex_unlock(pthread_mutex_t *m)
{
	int known = mutex_known_release(m, CALLER);

	return likely(!known) ? 0 : unlock(m, CALLER, known);
}
