// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Programs for a flight recorder: flight CASE [ARGUMENT]. flight.py compares what is in
 * its snapshots with what they did.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <feather_trace/trigger.h>

#define THREADS	4
#define AT_ONCE	400	/* ticks, and then a pause that lets the recorder run */

DEFINE_FT_EVENT(tick, thread, count);
DEFINE_FT_EVENT(spike, size, count);

static pthread_barrier_t begin, end;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long ticks;

static void name_thread(uintptr_t number)
{
	char name[16];

	snprintf(name, sizeof(name), "worker-%u", (unsigned int)number);
	pthread_setname_np(pthread_self(), name);
}

static void tick_all(uintptr_t thread, unsigned long n)
{
	for (unsigned long i = 0; i < n; i++) {
		ft_event(tick, thread, i);
		if (i % AT_ONCE == AT_ONCE - 1)
			usleep(1000);
	}
}

/* The first thread has done little, long before the others. */
static void *worker(void *arg)
{
	uintptr_t number = (uintptr_t)arg;

	name_thread(number);
	if (!number)
		tick_all(number, 10);
	pthread_barrier_wait(&begin);
	if (number)
		tick_all(number, ticks);
	pthread_barrier_wait(&end);
	for (;;)
		pause();
	return NULL;
}

/* It ends before the others begin: one takes its small ring, another its larger one. */
static void *early(void *arg)
{
	name_thread((uintptr_t)arg);
	tick_all((uintptr_t)arg, 300);
	return NULL;
}

static void run_early(void)
{
	pthread_t thread;

	if (!pthread_create(&thread, NULL, early, (void *)(uintptr_t)THREADS))
		pthread_join(thread, NULL);
	usleep(50000);
}

static void *burst(void *arg)
{
	ft_event(spike, 0, 0);
	for (unsigned long i = 0; i < 3000; i++)
		ft_event(tick, THREADS + 1, i);
	return arg;
}

static int run_crash(const char *arg)
{
	ticks = strtoul(arg, NULL, 0);
	if (ticks > AT_ONCE)
		run_early();
	pthread_barrier_init(&begin, NULL, THREADS + 1);
	pthread_barrier_init(&end, NULL, THREADS + 1);
	for (uintptr_t i = 0; i < THREADS; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, worker, (void *)i))
			return 1;
	}
	pthread_barrier_wait(&begin);
	pthread_barrier_wait(&end);
	usleep(20000);
	*(volatile int *)NULL = 0;
	return 0;
}

__attribute__((noinline)) static void lock_here(void)
{
	pthread_mutex_lock(&lock);
	__asm__ volatile("" : : : "memory");
}

static int run_locked(const char *arg)
{
	(void)arg;
	for (int i = 0; i < 100; i++) {
		lock_here();
		pthread_mutex_unlock(&lock);
	}
	lock_here();
	abort();
}

/* Ticks by lines of standard input: so many for each. Says "done" after each. */
static int run_lines(const char *arg)
{
	unsigned long from = 0, to;
	char line[32];

	(void)arg;
	while (fgets(line, sizeof(line), stdin)) {
		for (to = from + strtoul(line, NULL, 0); from < to; from++)
			ft_event(tick, 0, from);
		puts("done");
		fflush(stdout);
	}
	return 0;
}

/* Three spikes, of size 1, 2 and 3, with ticks around them. */
static int run_spikes(const char *arg)
{
	unsigned long n = strtoul(arg, NULL, 0);

	for (unsigned long size = 1; size <= 3; size++) {
		tick_all(size, n);
		ft_event(spike, size, n);
		tick_all(size, n);
		usleep(300000);
	}
	return 0;
}

/* Full large rings; then threads that end soon, in rings that are copied after these. */
static int run_short(const char *arg)
{
	unsigned long n = strtoul(arg, NULL, 0);
	pthread_t thread;

	pthread_barrier_init(&begin, NULL, THREADS + 1);
	pthread_barrier_init(&end, NULL, THREADS + 1);
	ticks = 20000;
	for (uintptr_t i = 1; i <= THREADS; i++) {
		if (pthread_create(&thread, NULL, worker, (void *)i))
			return 1;
	}
	pthread_barrier_wait(&begin);
	pthread_barrier_wait(&end);
	while (n--) {
		if (pthread_create(&thread, NULL, burst, NULL))
			return 1;
		pthread_join(thread, NULL);
	}
	return 0;
}

static void *ticker(void *arg)
{
	tick_all(1, strtoul(arg, NULL, 0));
	return NULL;
}

/* A thread that has ended long before the program does, so that its rings are looked at. */
static int run_ended(const char *arg)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, ticker, (void *)arg))
		return 1;
	pthread_join(thread, NULL);
	sleep(1);
	return 0;
}

/* More threads than there are large rings, one after the other: each keeps its rings. */
static void *keeper(void *arg)
{
	tick_all((uintptr_t)arg, 600);
	pthread_barrier_wait(&end);
	for (;;)
		pause();
	return NULL;
}

static int run_many(const char *arg)
{
	unsigned long n = strtoul(arg, NULL, 0);
	pthread_t thread;

	pthread_barrier_init(&end, NULL, 2);
	for (uintptr_t i = 1; i <= n; i++) {
		if (pthread_create(&thread, NULL, keeper, (void *)i))
			return 1;
		pthread_barrier_wait(&end);
	}
	return 0;
}

static const struct {
	const char	*name;
	int		(*run)(const char *arg);
} runs[] = {
	{ "crash", run_crash }, { "locked", run_locked }, { "lines", run_lines },
	{ "spikes", run_spikes }, { "short", run_short }, { "many", run_many },
	{ "ended", run_ended },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < sizeof(runs) / sizeof(runs[0]); i++) {
		if (!strcmp(argv[1], runs[i].name))
			return runs[i].run(argc > 2 ? argv[2] : "");
	}
	fputs("usage: flight CASE [ARGUMENT]\n", stderr);
	return 2;
}
