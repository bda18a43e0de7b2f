// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Initialisation of locks. It is not recorded; where it happens is noted once a lock, as
 * what memory from malloc() is can only be told by the code that has made it a lock.
 */
#include "libfeathertrace/lock_sites.h"
#include "preload/locks.h"

/* Returns what @real does. */
#define INIT(lock, real)						\
({									\
	bool tracing_ = ft_tracing();					\
	int result_ = (real);						\
									\
	if (tracing_ && !result_)					\
		ft_lock_site((const void *)(lock), CALLER);		\
	result_;							\
})

EXPORT int pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *attr)
{
	return INIT(m, ft_real.mutex_init(m, attr));
}

EXPORT int pthread_rwlock_init(pthread_rwlock_t *l, const pthread_rwlockattr_t *attr)
{
	return INIT(l, ft_real.rwlock_init(l, attr));
}

EXPORT int pthread_spin_init(pthread_spinlock_t *l, int shared)
{
	return INIT(l, ft_real.spin_init(l, shared));
}

EXPORT int sem_init(sem_t *s, int shared, unsigned int value)
{
	return INIT(s, ft_real.sem_init(s, shared, value));
}

/* thrd_success is 0, too. */
EXPORT int mtx_init(mtx_t *m, int type)
{
	return INIT(m, ft_real.mtx_init(m, type));
}
