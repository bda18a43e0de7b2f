// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Takes locks, for a C library other than glibc. */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

int main(void)
{
	pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
	pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
	int results = 0;
	sem_t s;

	sem_init(&s, 0, 1);
	for (int i = 0; i < 100; i++) {
		results |= pthread_mutex_lock(&m) | pthread_mutex_unlock(&m);
		results |= pthread_rwlock_rdlock(&l) | pthread_rwlock_unlock(&l);
		results |= sem_wait(&s) | sem_post(&s);
	}
	printf("each: %d\n", results);
	fflush(stdout);
	usleep(500000);		/* ft looks for who is not traced */
	return 0;
}
