// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* A program that starts threads, and leaves it to a library to take locks in them. */
#include <pthread.h>
#include <unistd.h>

void *inner_work(void *arg);

int main(void)
{
	pthread_t thread;

	for (int i = 0; i < 4; i++) {
		if (pthread_create(&thread, NULL, inner_work, NULL))
			return 1;
		pthread_join(thread, NULL);
	}
	/* Until their rings have been read, which they have given back. */
	usleep(100000);
	return 0;
}
