// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* What the real functions do to a mutex: see mutex_known.h. */
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/mutex_known.h"

int ft_mutex_known = -1;

static bool is_state(const pthread_mutex_t *m, int lock, int owner, unsigned int users)
{
	pthread_mutex_t expected = PTHREAD_MUTEX_INITIALIZER;

	expected.__data.__lock = lock;
	expected.__data.__owner = owner;
	expected.__data.__nusers = users;
	return !memcmp(m, &expected, sizeof(expected));
}

static bool is_pair(pthread_mutex_t *m, real_mutex take, real_mutex release)
{
	return !take(m) && is_state(m, MUTEX_TAKEN, (int)syscall(SYS_gettid), 1) &&
	       !release(m) && is_state(m, MUTEX_FREE, 0, 0);
}

/* A waiter marks the word that a release reads. */
static bool is_waited_for(pthread_mutex_t *m, const struct real *r)
{
	const struct timespec past = { .tv_sec = 1 };

	return !r->mutex_lock(m) && r->mutex_timedlock(m, &past) == ETIMEDOUT &&
	       m->__data.__lock != MUTEX_TAKEN && m->__data.__lock != MUTEX_FREE &&
	       !r->mutex_unlock(m) && is_state(m, MUTEX_FREE, 0, 0);
}

void ft_mutex_learn(void)
{
	static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
	const struct real *r = &ft_real;

	if (r->own_mutex && is_pair(&m, r->mutex_lock, r->mutex_unlock) &&
	    is_pair(&m, r->mutex_trylock, r->mutex_unlock) && is_waited_for(&m, r))
		ft_mutex_known = PTHREAD_MUTEX_TIMED_NP;
}
