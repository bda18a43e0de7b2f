// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A task with a name, which takes sleeping locks under it.
 *
 *	named_task NAME [THREADS]
 *
 * Prints its number. THREADS threads are there before, one after another: each is
 * a task that is forked and ends.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

static void *nothing(void *unused)
{
	return unused;
}

/* Whatever happens, a pipe's mutex is taken. */
static int use_locks(void)
{
	char c = 0;
	int fd[2];

	if (pipe(fd))
		return -1;
	for (int i = 0; i < 100; i++) {
		if (write(fd[1], &c, 1) != 1 || read(fd[0], &c, 1) != 1)
			return -1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	long threads = argc > 2 ? atol(argv[2]) : 0;
	pthread_t thread;

	if (argc < 2)
		return 2;
	while (threads--) {
		if (pthread_create(&thread, NULL, nothing, NULL) ||
		    pthread_join(thread, NULL))
			return 1;
	}
	if (prctl(PR_SET_NAME, argv[1]) || use_locks())
		return 1;
	printf("%d\n", getpid());
	return 0;
}
