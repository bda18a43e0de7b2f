// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Semaphores: waiting acquires, posting releases, whoever does it. */
#include <limits.h>

#include "preload/wait.h"

/*
 * Will it have to wait? Trying first, as for locks, would change behaviour: some of
 * these functions act on a cancellation even without waiting, and some do not. If
 * another thread takes the semaphore after this check, the wait is not recorded.
 */
static inline bool is_free(sem_t *s)
{
	int value;

	return !sem_getvalue(s, &value) && value > 0;
}

/* Waits with the call @real. */
#define WAIT(s, real)							\
({									\
	struct wait w_ WAIT_DONE = {					\
		.lock = s, .result = ECANCELED				\
	};								\
	int result_;							\
									\
	wait_begin(FT_USER_SEM, s, CALLER);				\
	result_ = (real);						\
	w_.result = result_ ? errno : 0;				\
	result_;							\
})

#define TAKE(s, real)							\
({									\
	int took_ = is_free(s) ? (real) : WAIT(s, real);		\
									\
	if (!took_)							\
		lock_acquired(FT_USER_SEM, s, CALLER);			\
	took_;								\
})

EXPORT int sem_wait(sem_t *s)
{
	return ft_tracing() ? TAKE(s, ft_real.sem_wait(s)) : ft_real.sem_wait(s);
}

EXPORT int sem_timedwait(sem_t *s, const struct timespec *until)
{
	return ft_tracing() && is_limit(CLOCK_REALTIME, until) ?
	       TAKE(s, ft_real.sem_timedwait(s, until)) :
	       ft_real.sem_timedwait(s, until);
}

EXPORT int sem_clockwait(sem_t *s, clockid_t clock, const struct timespec *until)
{
	return ft_tracing() && is_limit(clock, until) ?
	       TAKE(s, ft_real.sem_clockwait(s, clock, until)) :
	       ft_real.sem_clockwait(s, clock, until);
}

EXPORT int sem_trywait(sem_t *s)
{
	bool tracing = ft_tracing();
	int result = ft_real.sem_trywait(s);

	if (tracing && !result)
		lock_acquired(FT_USER_SEM, s, CALLER);
	return result;
}

/* Then a post fails, and releases nothing. */
static inline bool is_full(sem_t *s)
{
	int value;

	return !sem_getvalue(s, &value) && value == SEM_VALUE_MAX;
}

EXPORT int sem_post(sem_t *s)
{
	if (ft_tracing() && !is_full(s))
		lock_released(FT_USER_SEM, s, CALLER);
	return ft_real.sem_post(s);
}
