// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A library that stands behind ours in front of pthread's functions that release: each
 * takes a mutex of its own first, and gives it back. That is recorded, too, and so must
 * come between the record of the release and the release. Says where the mutex is.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdio.h>

static pthread_mutex_t marker = PTHREAD_MUTEX_INITIALIZER;
static __thread bool marking;

static void mark(void)
{
	if (marking)
		return;
	marking = true;
	pthread_mutex_lock(&marker);
	pthread_mutex_unlock(&marker);
	marking = false;
}

#define RELEASES(name, type)						\
int name(type *l)							\
{									\
	mark();								\
	return ((__typeof__(&(name)))dlsym(RTLD_NEXT, #name))(l);	\
}

RELEASES(pthread_mutex_unlock, pthread_mutex_t)
RELEASES(pthread_rwlock_unlock, pthread_rwlock_t)
RELEASES(pthread_spin_unlock, pthread_spinlock_t)
RELEASES(sem_post, sem_t)

__attribute__((destructor))
static void say(void)
{
	fprintf(stderr, "marker: %p\n", (void *)&marker);
}
