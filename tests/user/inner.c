// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* A library that takes a lock, once loaded, for a program that takes none itself. */
#include <pthread.h>

__attribute__((constructor))
static void take(void)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
}
