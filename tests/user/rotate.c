// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Programs for a rotated recording: rotate CASE [ARGUMENT]. rotate.py compares what is in
 * its parts with what they did.
 *
 *	bursts N	threads that write without a pause, so that each seam is within a
 *			burst; others come and go, and one writes once, at the beginning
 *	waits FILE	takes a slot, waits until FILE exists, writes its record into it
 *	dies FILE	takes a slot, waits until FILE exists, and dies
 *	locks SECONDS	takes and releases a lock for so long
 *	paces SECONDS	two threads write for so long: one so often that the reader always finds a
 *			record of it, and one so seldom that it hardly ever does
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <feather_trace/trigger.h>

#include "libfeathertrace/thread.h"

#define THREADS	3
#define SHORT	40	/* threads that come and go, each with so many records */

DEFINE_FT_EVENT(tick, thread, count);

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long ticks;

static void *burst(void *arg)
{
	for (unsigned long i = 0; i < ticks; i++)
		ft_event(tick, (uintptr_t)arg, i);
	return NULL;
}

static void *come_and_go(void *arg)
{
	for (unsigned long i = 0; i < SHORT; i++)
		ft_event(tick, (uintptr_t)arg, i);
	return NULL;
}

static int run_bursts(const char *arg)
{
	pthread_t thread[THREADS], other;

	ticks = strtoul(arg, NULL, 0);
	ft_event(tick, THREADS, 0);
	for (uintptr_t i = 0; i < THREADS; i++) {
		if (pthread_create(&thread[i], NULL, burst, (void *)i))
			return 1;
	}
	for (uintptr_t i = 1; i <= SHORT; i++) {
		if (pthread_create(&other, NULL, come_and_go, (void *)(THREADS + i)))
			return 1;
		pthread_join(other, NULL);
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	return 0;
}

static struct ft_record *wait_with_slot(const char *file, __u32 *word)
{
	struct ft_record *slot;

	ft_event(tick, 0, 1);
	slot = ft_ring_reserve(ft_thread.ring, word);
	if (!slot)
		exit(1);
	slot->ts = slot[-1].ts + 1;	/* on whatever clock */
	slot->tid = (__s32)gettid();
	slot->a = 0;
	slot->b = 2;
	for (int i = 0; i < 3000 && access(file, F_OK); i++)
		usleep(10000);
	usleep(50000);
	return slot;
}

/* As a thread that is stopped between the two. */
static int run_waits(const char *file)
{
	__u32 word = 0, id;
	struct ft_record *slot = wait_with_slot(file, &word);

	ft_event(tick, 0, 3);
	/* the two slots are one behind the other */
	id = FT_RING_ID(slot[1].id);
	ft_ring_commit(slot, word | id);
	return 0;
}

static int run_dies(const char *file)
{
	__u32 word = 0;

	wait_with_slot(file, &word);
	_exit(0);
}

static void __attribute__((noinline)) lock_here(void)
{
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
}

static int run_locks(const char *arg)
{
	time_t end = time(NULL) + atoi(arg);

	while (time(NULL) <= end) {
		lock_here();
		usleep(1000);
	}
	return 0;
}

#define OFTEN_US	50
#define SELDOM_US	20000

static void write_each(useconds_t us, uintptr_t who, time_t end)
{
	for (unsigned long i = 0; time(NULL) <= end; i++) {
		ft_event(tick, who, i);
		usleep(us);
	}
}

static void *write_seldom(void *end)
{
	write_each(SELDOM_US, 1, *(time_t *)end);
	return NULL;
}

static int run_paces(const char *arg)
{
	time_t end = time(NULL) + atoi(arg);
	pthread_t seldom;

	if (pthread_create(&seldom, NULL, write_seldom, &end))
		return 1;
	write_each(OFTEN_US, 0, end);
	pthread_join(seldom, NULL);
	return 0;
}

static const struct {
	const char	*name;
	int		(*run)(const char *arg);
} runs[] = {
	{ "bursts", run_bursts }, { "waits", run_waits }, { "dies", run_dies },
	{ "locks", run_locks }, { "paces", run_paces },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 2 && i < sizeof(runs) / sizeof(runs[0]); i++) {
		if (!strcmp(argv[1], runs[i].name))
			return runs[i].run(argv[2]);
	}
	fputs("usage: rotate CASE ARGUMENT\n", stderr);
	return 2;
}
