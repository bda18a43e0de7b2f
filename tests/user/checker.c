// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A checker of locks that is preloaded, as detectors of deadlocks are: it stands in front
 * of the functions that take and give back, not of those that try. So it misses whatever
 * takes a lock by another function than the program has called.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

static __thread int held;
static int taken, given;

#define REAL(name)	((__typeof__(&(name)))dlsym(RTLD_NEXT, #name))

static int took(int result)
{
	held++;
	taken++;
	return result;
}

static void give(void)
{
	if (--held < 0) {
		fputs("checker: given back, and never taken\n", stderr);
		abort();
	}
	given++;
}

#define TAKES(name, type)						\
int name(type *l)							\
{									\
	return took(REAL(name)(l));					\
}

#define GIVES(name, type)						\
int name(type *l)							\
{									\
	give();								\
	return REAL(name)(l);						\
}

TAKES(pthread_mutex_lock, pthread_mutex_t)
GIVES(pthread_mutex_unlock, pthread_mutex_t)
TAKES(pthread_rwlock_rdlock, pthread_rwlock_t)
TAKES(pthread_rwlock_wrlock, pthread_rwlock_t)
GIVES(pthread_rwlock_unlock, pthread_rwlock_t)
TAKES(pthread_spin_lock, pthread_spinlock_t)
GIVES(pthread_spin_unlock, pthread_spinlock_t)
TAKES(sem_wait, sem_t)
GIVES(sem_post, sem_t)

int pthread_mutex_timedlock(pthread_mutex_t *m, const struct timespec *until)
{
	return took(REAL(pthread_mutex_timedlock)(m, until));
}

__attribute__((destructor))
static void say(void)
{
	if (taken)
		printf("checker: %d taken, %d given back\n", taken, given);
}
