// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Locks for many readers or one writer. */
#include "preload/locks.h"

/* Does this thread hold it for writing, so that locking fails at once? */
static inline bool rwlock_is_refused(const pthread_rwlock_t *l)
{
	return l->__data.__cur_writer == own_tid();
}

#define TAKE(family, l, try, real)					\
({									\
	int result_ = ft_real.own_rwlock ? (try) : REAL_NOT_TRIED;	\
									\
	if (result_ == EBUSY && !rwlock_is_refused(l)) {		\
		wait_begin(family, l, CALLER);				\
		result_ = (real);					\
		wait_end(l, result_);					\
	} else if (unlikely(result_)) {					\
		result_ = (real);					\
	}								\
	if (!result_)							\
		lock_acquired(family, l, CALLER);			\
	result_;							\
})

#define READ(l, real)	TAKE(FT_USER_READ, l, ft_real.tryrdlock(l), real)
#define WRITE(l, real)	TAKE(FT_USER_WRITE, l, ft_real.trywrlock(l), real)

EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t *l)
{
	return ft_tracing() ? READ(l, ft_real.rdlock(l)) : ft_real.rdlock(l);
}

EXPORT int pthread_rwlock_timedrdlock(pthread_rwlock_t *l,
				      const struct timespec *until)
{
	return ft_tracing() && is_limit(CLOCK_REALTIME, until) ?
	       READ(l, ft_real.timedrdlock(l, until)) :
	       ft_real.timedrdlock(l, until);
}

EXPORT int pthread_rwlock_clockrdlock(pthread_rwlock_t *l, clockid_t clock,
				      const struct timespec *until)
{
	return ft_tracing() && is_limit(clock, until) ?
	       READ(l, ft_real.clockrdlock(l, clock, until)) :
	       ft_real.clockrdlock(l, clock, until);
}

EXPORT int pthread_rwlock_tryrdlock(pthread_rwlock_t *l)
{
	bool tracing = ft_tracing();
	int result = ft_real.tryrdlock(l);

	if (tracing && !result)
		lock_acquired(FT_USER_READ, l, CALLER);
	return result;
}

EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t *l)
{
	return ft_tracing() ? WRITE(l, ft_real.wrlock(l)) : ft_real.wrlock(l);
}

EXPORT int pthread_rwlock_timedwrlock(pthread_rwlock_t *l,
				      const struct timespec *until)
{
	return ft_tracing() && is_limit(CLOCK_REALTIME, until) ?
	       WRITE(l, ft_real.timedwrlock(l, until)) :
	       ft_real.timedwrlock(l, until);
}

EXPORT int pthread_rwlock_clockwrlock(pthread_rwlock_t *l, clockid_t clock,
				      const struct timespec *until)
{
	return ft_tracing() && is_limit(clock, until) ?
	       WRITE(l, ft_real.clockwrlock(l, clock, until)) :
	       ft_real.clockwrlock(l, clock, until);
}

EXPORT int pthread_rwlock_trywrlock(pthread_rwlock_t *l)
{
	bool tracing = ft_tracing();
	int result = ft_real.trywrlock(l);

	if (tracing && !result)
		lock_acquired(FT_USER_WRITE, l, CALLER);
	return result;
}

/* While there are readers there is no writer, and the other way round. */
EXPORT int pthread_rwlock_unlock(pthread_rwlock_t *l)
{
	if (ft_tracing())
		lock_released(l->__data.__cur_writer ? FT_USER_WRITE :
						       FT_USER_READ, l, CALLER);
	return ft_real.rw_unlock(l);
}
