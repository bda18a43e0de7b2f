// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Dies in the middle of a record, as a thread would that is killed between taking a
 * slot and publishing it; a handler has published another record behind it.
 *
 *	cut		the process is killed
 *	cut thread	the thread ends, and gives back what it has
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <feather_trace/trigger.h>

#include "libfeathertrace/thread.h"

DEFINE_FT_EVENT(one, a);

static void *begin_record(void *arg)
{
	__u32 word = 0;

	ft_event(one, 1);
	if (!ft_ring_reserve(ft_thread.ring, &word))
		exit(1);
	ft_event(one, 2);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t;

	(void)argv;
	if (argc > 1)
		return pthread_create(&t, NULL, begin_record, NULL) || pthread_join(t, NULL);
	begin_record(NULL);
	raise(SIGKILL);
	return 1;
}
