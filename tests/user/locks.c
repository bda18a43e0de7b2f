// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A program that knows nothing of tracing and uses every kind of lock: locks CASE.
 * It checks for itself that they do what they should, traced or not.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "program.h"

#define check(what)							\
do {									\
	if (!(what)) {							\
		fprintf(stderr, "locks: %d: %s\n", __LINE__, #what);	\
		exit(1);						\
	}								\
} while (0)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static sem_t sem;

static struct timespec in(clockid_t clock, long ms)
{
	struct timespec t;

	clock_gettime(clock, &t);
	t.tv_nsec += ms * 1000000;
	t.tv_sec += t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	return t;
}

static void mutex_make(pthread_mutex_t *m, int type, int robust)
{
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, type);
	if (robust)
		pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	check(!pthread_mutex_init(m, &attr));
}

/* 5 sections of a plain one, 2 of them with a time limit. */
static void plain(void)
{
	struct timespec real = in(CLOCK_REALTIME, 1000);
	struct timespec mono = in(CLOCK_MONOTONIC, 1000);

	for (int i = 0; i < 2; i++) {
		check(!pthread_mutex_lock(&lock));
		check(pthread_mutex_trylock(&lock) == EBUSY);
		check(!pthread_mutex_unlock(&lock));
	}
	check(!pthread_mutex_trylock(&lock));
	check(!pthread_mutex_unlock(&lock));
	check(!pthread_mutex_timedlock(&lock, &real));
	check(!pthread_mutex_unlock(&lock));
	check(!pthread_mutex_clocklock(&lock, CLOCK_MONOTONIC, &mono));
	check(!pthread_mutex_unlock(&lock));
}

/* 1 section each, whatever is tried inside. */
static void kinds(void)
{
	pthread_mutex_t recursive, careful, adaptive;

	mutex_make(&recursive, PTHREAD_MUTEX_RECURSIVE, 0);
	mutex_make(&careful, PTHREAD_MUTEX_ERRORCHECK, 0);
	mutex_make(&adaptive, PTHREAD_MUTEX_ADAPTIVE_NP, 0);
	for (int i = 0; i < 3; i++)
		check(!pthread_mutex_lock(&recursive));
	check(!pthread_mutex_trylock(&recursive));
	for (int i = 0; i < 4; i++)
		check(!pthread_mutex_unlock(&recursive));
	check(pthread_mutex_unlock(&recursive) == EPERM);

	check(pthread_mutex_unlock(&careful) == EPERM);
	check(!pthread_mutex_lock(&careful));
	check(pthread_mutex_lock(&careful) == EDEADLK);
	check(!pthread_mutex_unlock(&careful));
	check(pthread_mutex_unlock(&careful) == EPERM);

	check(!pthread_mutex_lock(&adaptive));
	check(!pthread_mutex_unlock(&adaptive));
	check(!pthread_mutex_trylock(&adaptive));
	check(!pthread_mutex_unlock(&adaptive));
}

static pthread_mutex_t robust;

static void *die_with_it(void *arg)
{
	check(!pthread_mutex_lock(&robust));
	return arg;
}

/* 2 acquisitions, of which the first has no release. */
static void orphan(void)
{
	pthread_t t;

	mutex_make(&robust, PTHREAD_MUTEX_NORMAL, 1);
	pthread_create(&t, NULL, die_with_it, NULL);
	pthread_join(t, NULL);
	check(pthread_mutex_lock(&robust) == EOWNERDEAD);
	check(!pthread_mutex_consistent(&robust));
	check(!pthread_mutex_unlock(&robust));
}

static void others(void)
{
	struct timespec past = { 1, 0 };
	int value;

	check(!pthread_rwlock_rdlock(&rwlock));
	check(!pthread_rwlock_tryrdlock(&rwlock));
	check(pthread_rwlock_trywrlock(&rwlock) == EBUSY);
	check(pthread_rwlock_timedwrlock(&rwlock, &past) == ETIMEDOUT);
	check(!pthread_rwlock_unlock(&rwlock));
	check(!pthread_rwlock_unlock(&rwlock));
	check(!pthread_rwlock_wrlock(&rwlock));
	check(pthread_rwlock_tryrdlock(&rwlock) == EBUSY);
	check(!pthread_rwlock_unlock(&rwlock));

	pthread_spin_init(&spin, 0);
	check(!pthread_spin_lock(&spin));
	check(pthread_spin_trylock(&spin) == EBUSY);
	check(!pthread_spin_unlock(&spin));

	sem_init(&sem, 0, 1);
	check(!sem_wait(&sem));
	errno = 0;
	check(sem_trywait(&sem) == -1 && errno == EAGAIN);
	check(sem_timedwait(&sem, &past) == -1 && errno == ETIMEDOUT);
	check(!sem_post(&sem));
	errno = 7;
	check(!sem_wait(&sem) && errno == 7);
	check(!sem_post(&sem));
	check(!sem_getvalue(&sem, &value) && value == 1);
}

/* The C library refuses these of locks that are free, and so takes none; but for none. */
static void limits(void)
{
	const struct timespec *volatile none = NULL;
	struct timespec later = in(CLOCK_REALTIME, 1000), wrong = { 1, 1000000000 };
	clockid_t mono = CLOCK_MONOTONIC, cpu = CLOCK_PROCESS_CPUTIME_ID;

	check(pthread_mutex_clocklock(&lock, cpu, &later) == EINVAL);
	check(pthread_rwlock_clockrdlock(&rwlock, cpu, &later) == EINVAL);
	check(pthread_rwlock_clockwrlock(&rwlock, cpu, &later) == EINVAL);
	check(pthread_rwlock_clockwrlock(&rwlock, mono, &wrong) == EINVAL);
	check(pthread_rwlock_timedrdlock(&rwlock, &wrong) == EINVAL);
	check(pthread_rwlock_timedwrlock(&rwlock, &wrong) == EINVAL);
	check(!pthread_rwlock_timedrdlock(&rwlock, none));
	check(!pthread_rwlock_unlock(&rwlock));
	check(sem_clockwait(&sem, cpu, &later) == -1 && errno == EINVAL);
	check(sem_timedwait(&sem, &wrong) == -1 && errno == EINVAL);
}

/* A section of each kind, and a wait for each that is given up; a mutex has two. */
static void clocks(void)
{
	struct timespec later = in(CLOCK_MONOTONIC, 1000), past = { 1, 0 };
	clockid_t mono = CLOCK_MONOTONIC;

	check(!pthread_mutex_clocklock(&lock, mono, &later));
	check(pthread_mutex_clocklock(&lock, mono, &past) == ETIMEDOUT);
	check(pthread_cond_clockwait(&cond, &lock, mono, &past) == ETIMEDOUT);
	check(!pthread_mutex_unlock(&lock));

	check(!pthread_rwlock_clockrdlock(&rwlock, mono, &later));
	check(pthread_rwlock_clockwrlock(&rwlock, mono, &past) == ETIMEDOUT);
	check(!pthread_rwlock_unlock(&rwlock));
	check(!pthread_rwlock_clockwrlock(&rwlock, mono, &later));
	check(!pthread_rwlock_unlock(&rwlock));

	sem_init(&sem, 0, 1);
	limits();
	check(!sem_clockwait(&sem, mono, &later));
	check(sem_clockwait(&sem, mono, &past) == -1 && errno == ETIMEDOUT);
	check(!sem_post(&sem));
}

static mtx_t mtx;
static cnd_t cnd;

static int signaller11(void *arg)
{
	(void)arg;
	check(mtx_lock(&mtx) == thrd_success);	/* when the other waits */
	check(cnd_signal(&cnd) == thrd_success);
	check(mtx_unlock(&mtx) == thrd_success);
	return 0;
}

/* 2 sections around a wait, 2 around a timeout; the other thread's. */
static void conditions11(void)
{
	struct timespec past = { 1, 0 };
	thrd_t t;

	check(cnd_init(&cnd) == thrd_success);
	check(mtx_lock(&mtx) == thrd_success);
	check(thrd_create(&t, signaller11, NULL) == thrd_success);
	check(cnd_wait(&cnd, &mtx) == thrd_success);
	check(mtx_unlock(&mtx) == thrd_success);
	thrd_join(t, NULL);
	check(mtx_lock(&mtx) == thrd_success);
	check(cnd_timedwait(&cnd, &mtx, &past) == thrd_timedout);
	check(mtx_unlock(&mtx) == thrd_success);
}

/* C11's: 3 sections of a plain one, 1 of a recursive one, 5 with conditions. */
static void c11(void)
{
	struct timespec later = in(CLOCK_REALTIME, 1000), past = { 1, 0 };
	mtx_t recursive;

	check(mtx_init(&mtx, mtx_timed) == thrd_success);
	check(mtx_lock(&mtx) == thrd_success);
	check(mtx_trylock(&mtx) == thrd_busy);
	check(mtx_timedlock(&mtx, &past) == thrd_timedout);
	check(mtx_unlock(&mtx) == thrd_success);
	check(mtx_trylock(&mtx) == thrd_success);
	check(mtx_unlock(&mtx) == thrd_success);
	check(mtx_timedlock(&mtx, &later) == thrd_success);
	check(mtx_unlock(&mtx) == thrd_success);

	check(mtx_init(&recursive, mtx_plain | mtx_recursive) == thrd_success);
	check(mtx_lock(&recursive) == thrd_success);
	check(mtx_lock(&recursive) == thrd_success);
	check(mtx_trylock(&recursive) == thrd_success);
	for (int i = 0; i < 3; i++)
		check(mtx_unlock(&recursive) == thrd_success);
	conditions11();
}

static void *signaller(void *arg)
{
	usleep(20000);
	check(!pthread_mutex_lock(&lock));
	check(!pthread_cond_signal(&cond));
	check(!pthread_mutex_unlock(&lock));
	return arg;
}

static void unlock_mutex(void *m)
{
	check(!pthread_mutex_unlock(m));
}

static atomic_int waiting;

static void *cancelled(void *arg)
{
	check(!pthread_mutex_lock(&lock));
	pthread_cleanup_push(unlock_mutex, &lock);
	waiting = 1;
	for (;;)
		pthread_cond_wait(&cond, &lock);
	pthread_cleanup_pop(1);
	return arg;
}

/* Mutex: main 2 sections around the wait, 2 around a timeout; the others below. */
static void conditions(void)
{
	struct timespec past = { 1, 0 };
	pthread_t t;

	check(!pthread_mutex_lock(&lock));
	pthread_create(&t, NULL, signaller, NULL);
	check(!pthread_cond_wait(&cond, &lock));
	check(!pthread_mutex_unlock(&lock));
	pthread_join(t, NULL);			/* 1 section */

	check(!pthread_mutex_lock(&lock));
	check(pthread_cond_timedwait(&cond, &lock, &past) == ETIMEDOUT);
	check(!pthread_mutex_unlock(&lock));

	pthread_create(&t, NULL, cancelled, NULL);
	while (!waiting)
		usleep(1000);
	check(!pthread_mutex_lock(&lock));	/* it waits now: 1 section */
	check(!pthread_mutex_unlock(&lock));
	pthread_cancel(t);
	pthread_join(t, NULL);			/* 2 sections */
}

static void *contender(void *arg)
{
	waiting = gettid();
	check(!pthread_mutex_lock(&lock));
	check(!pthread_mutex_unlock(&lock));
	return arg;
}

static bool sleeps(int tid)
{
	char path[64], state = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
	f = fopen(path, "r");
	check(f && fscanf(f, "%*d (%*[^)]) %c", &state) == 1);
	fclose(f);
	return state == 'S';
}

/* One that has to wait while the lock is held for a while. */
__attribute__((noinline)) static void hold_the_lock(void)
{
	pthread_t t;

	check(!pthread_mutex_lock(&lock));
	pthread_create(&t, NULL, contender, NULL);
	while (!waiting || !sleeps(waiting))
		usleep(1000);
	usleep(50000);
	check(!pthread_mutex_unlock(&lock));
	pthread_join(t, NULL);
}

#define ROUNDS	5000

static long taken, taken_too;	/* equal, but for who has the lock */

static void take_somehow(int how)
{
	struct timespec later = in(CLOCK_MONOTONIC, 100000);

	switch (how) {
	case 0:
		while (pthread_mutex_trylock(&lock))
			sched_yield();
		break;
	case 1:
		check(!pthread_mutex_clocklock(&lock, CLOCK_MONOTONIC, &later));
		break;
	case 2:		/* the C library's own, which goes to no other function */
		check(mtx_lock((mtx_t *)&lock) == thrd_success);
		break;
	default:
		check(!pthread_mutex_lock(&lock));
	}
	check(lock.__data.__owner == gettid());
}

static pthread_barrier_t all_there;

/* For as long as the others may take on a busy machine. */
static void let_others_wait(void)
{
	for (int i = 0; i < 5000 && __atomic_load_n(&lock.__data.__lock,
						    __ATOMIC_RELAXED) < 2; i++)
		usleep(200);
}

static void *turn(void *arg)
{
	pthread_barrier_wait(&all_there);
	for (int i = 0; i < ROUNDS; i++) {
		take_somehow((i + 1) % 8);
		check(taken == taken_too);
		taken++;
		if (i == 9)
			let_others_wait();
		else if (i % 64 == 9)
			usleep(100);
		taken_too++;
		if (i % 16 == 7)
			check(mtx_unlock((mtx_t *)&lock) == thrd_success);
		else
			check(!pthread_mutex_unlock(&lock));
	}
	return arg;
}

/* Four threads take the same one in every way. Whoever is not woken hangs. */
static void turns_of_four(void)
{
	static const pthread_mutex_t free_one = PTHREAD_MUTEX_INITIALIZER;
	pthread_t t[4];

	pthread_barrier_init(&all_there, NULL, 4);
	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, turn, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	check(taken == 4 * ROUNDS);
	check(!memcmp(&lock, &free_one, sizeof(lock)));
	check(!pthread_mutex_destroy(&lock));
}

static void delay(int signal)
{
	struct timespec t, end = in(CLOCK_MONOTONIC, 0);

	(void)signal;
	end.tv_nsec += 30000;
	do
		clock_gettime(CLOCK_MONOTONIC, &t);
	while (t.tv_sec == end.tv_sec && t.tv_nsec < end.tv_nsec);
}

static void *quick_turn(void *arg)
{
	for (int i = 0; i < 100000; i++) {
		check(!pthread_mutex_lock(&lock));
		check(!pthread_mutex_unlock(&lock));
	}
	return arg;
}

/*
 * Two threads take the same one as fast as they can. Signals stop them at any
 * instruction for longer than the other one takes.
 */
static void interrupted_turns(void)
{
	const struct itimerval often = {
		.it_interval = { .tv_usec = 100 }, .it_value = { .tv_usec = 100 },
	};
	struct sigaction action = { .sa_handler = delay, .sa_flags = SA_RESTART };
	pthread_t t;

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	pthread_create(&t, NULL, quick_turn, NULL);
	quick_turn(NULL);
	pthread_join(t, NULL);
}

/* Its lock comes first, and its name when the reader has seen that. */
static void *named_later(void *arg)
{
	static pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;

	pthread_mutex_lock(&own);
	pthread_mutex_unlock(&own);
	usleep(1000000);
	pthread_setname_np(pthread_self(), "named\\later");
	usleep(1000000);
	return arg;
}

static void names(void)
{
	pthread_t t;

	pthread_create(&t, NULL, named_later, NULL);
	pthread_join(t, NULL);
}

static const struct program_case cases[] = {
	{ "plain", plain }, { "kinds", kinds }, { "orphan", orphan },
	{ "others", others }, { "clocks", clocks }, { "c11", c11 },
	{ "conditions", conditions }, { "contention", hold_the_lock },
	{ "turns", turns_of_four }, { "interrupted", interrupted_turns },
	{ "names", names },
};

int main(int argc, char **argv)
{
	return RUN_CASE(cases, argc, argv);
}
