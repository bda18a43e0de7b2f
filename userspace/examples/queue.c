// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A program with events of its own: two threads, a queue between them.
 *
 *	cc queue.c $(pkg-config --cflags --libs feather-trace) -pthread -o queue
 *	ft run -e 'queue_*' -o t -- ./queue
 *	ft dump t
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include <feather_trace/trigger.h>

DEFINE_FT_EVENT(queue_push, item, length);
DEFINE_FT_EVENT(queue_pop, item, length);
DEFINE_FT_EVENT(queue_full);

#define ROOM	16u

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static unsigned long items[ROOM], pushed, popped;

static void push(unsigned long item)
{
	pthread_mutex_lock(&lock);
	while (pushed - popped == ROOM) {
		ft_event(queue_full);
		pthread_cond_wait(&changed, &lock);
	}
	items[pushed++ % ROOM] = item;
	ft_event(queue_push, item, pushed - popped);
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
}

static unsigned long pop(void)
{
	unsigned long item;

	pthread_mutex_lock(&lock);
	while (pushed == popped)
		pthread_cond_wait(&changed, &lock);
	item = items[popped++ % ROOM];
	ft_event(queue_pop, item, pushed - popped);
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
	return item;
}

static void *consume(void *arg)
{
	unsigned long *sum = (unsigned long *)arg, item;

	while ((item = pop()))
		*sum += item;
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 0) : 100000, sum = 0;
	pthread_t consumer;

	if (pthread_create(&consumer, NULL, consume, &sum)) {
		fputs("queue: no thread\n", stderr);
		return 1;
	}
	for (unsigned long i = 1; i <= n; i++)
		push(i);
	push(0);
	pthread_join(consumer, NULL);
	printf("%lu items, their sum is %lu\n", n, sum);
	return 0;
}
