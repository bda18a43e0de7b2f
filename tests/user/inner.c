// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* A library that takes locks, for programs that take none themselves. */
#include <pthread.h>

void *inner_work(void *arg);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((constructor))
static void take(void)
{
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
}

void *inner_work(void *arg)
{
	for (int i = 0; i < 5; i++)
		take();
	return arg;
}
