// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * As tests/modules/ft_why.c, in a program: a thread holds a mutex for some 10 ms, in which the
 * first waiter comes to wait, the holder runs for 3, another thread has its CPU for 4, and it
 * sleeps for 3. Four wait, each for a mutex that the one before it holds. It prints, in ns, how
 * long the mutex was held at least, how long the other thread ran, and how long the sleep took at
 * most. 77: not allowed.
 */
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define MS	1000000ull
#define WAITERS	4

static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t chain[WAITERS] = {
	PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
	PTHREAD_MUTEX_INITIALIZER,
};

static sem_t hog_starts, goes, has[WAITERS];
static volatile pid_t first;	/* of the first waiter, from when it only has to wait */
static volatile bool hogged;
static uint64_t hog_ran;

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void spin(uint64_t ns)
{
	uint64_t begin = now();

	while (now() - begin < ns)
		;
}

static void pause_for(uint64_t ns)
{
	struct timespec t = { .tv_nsec = (long)ns };

	nanosleep(&t, NULL);
}

static bool is_asleep(pid_t thread)
{
	char path[64], state = '?';
	FILE *stat;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", (int)thread);
	stat = fopen(path, "r");
	if (!stat || fscanf(stat, "%*d (%*[^)]) %c", &state) != 1) {
		fprintf(stderr, "why_holder: %s cannot be read\n", path);
		exit(1);
	}
	fclose(stat);
	return state == 'S';
}

static void be(const char *name, int cpu, int priority)
{
	struct sched_param param = { .sched_priority = priority };
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	pthread_setname_np(pthread_self(), name);
	if (pthread_setaffinity_np(pthread_self(), sizeof(cpus), &cpus) ||
	    (priority && pthread_setschedparam(pthread_self(), SCHED_FIFO, &param))) {
		fprintf(stderr, "why_holder: no such CPU or priority\n");
		exit(77);
	}
}

static void *hog(void *arg)
{
	uint64_t begin;

	(void)arg;
	be("hog", 1, 1);
	sem_post(&has[0]);
	sem_wait(&hog_starts);
	begin = now();
	spin(4 * MS);
	hog_ran = now() - begin;
	hogged = true;
	return NULL;
}

static void *wait_in_chain(void *arg)
{
	long i = (long)arg;
	pthread_mutex_t *other = i ? &chain[i - 1] : &held;
	char name[] = "waiter_1";

	name[7] = (char)('1' + i);
	be(name, 0, 0);
	pthread_mutex_lock(&chain[i]);
	sem_post(&has[i]);
	if (!i) {
		sem_wait(&goes);
		first = gettid();
	}
	pthread_mutex_lock(other);
	pthread_mutex_unlock(other);
	pthread_mutex_unlock(&chain[i]);
	return NULL;
}

int main(void)
{
	pthread_t threads[WAITERS + 1];
	uint64_t begin, before, slept, all;

	be("holder", 1, 0);
	sem_init(&hog_starts, 0, 0);
	sem_init(&goes, 0, 0);
	for (int i = 0; i < WAITERS; i++)
		sem_init(&has[i], 0, 0);
	pthread_create(&threads[WAITERS], NULL, hog, NULL);
	sem_wait(&has[0]);
	for (long i = 0; i < WAITERS; i++) {
		pthread_create(&threads[i], NULL, wait_in_chain, (void *)i);
		sem_wait(&has[i]);
		pause_for(20 * MS);	/* until it waits */
	}
	pthread_mutex_lock(&held);
	begin = now();
	sem_post(&goes);
	while (!first || !is_asleep(first))	/* else it would not see what follows */
		;
	spin(3 * MS / 2);
	sem_post(&hog_starts);
	while (!hogged)
		;
	spin(3 * MS / 2);
	before = now();
	pause_for(3 * MS);
	slept = now() - before;
	all = now() - begin;
	pthread_mutex_unlock(&held);
	for (int i = 0; i <= WAITERS; i++)
		pthread_join(threads[i], NULL);
	printf("%llu %llu %llu\n", (unsigned long long)all, (unsigned long long)hog_ran,
	       (unsigned long long)slept);
	return 0;
}
