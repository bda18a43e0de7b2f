// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A library that stands in front of some of pthread's functions, as others do, and
 * says at the end how many mutexes it saw taken, and given back.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

static int taken, released;

#define REAL(name)	((__typeof__(&(name)))dlsym(RTLD_NEXT, #name))

#define COUNT(counter, result)						\
({									\
	int result_ = (result);						\
									\
	if (!result_)							\
		__atomic_fetch_add(&(counter), 1, __ATOMIC_RELAXED);	\
	result_;							\
})

int pthread_mutex_lock(pthread_mutex_t *m)
{
	return COUNT(taken, REAL(pthread_mutex_lock)(m));
}

int pthread_mutex_trylock(pthread_mutex_t *m)
{
	return COUNT(taken, REAL(pthread_mutex_trylock)(m));
}

int pthread_mutex_unlock(pthread_mutex_t *m)
{
	return COUNT(released, REAL(pthread_mutex_unlock)(m));
}

__attribute__((destructor))
static void say(void)
{
	fprintf(stderr, "seen: %d %d\n", taken, released);
}
