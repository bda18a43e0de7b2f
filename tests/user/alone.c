// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A program that behaves as it does alone, traced or not: alone CASE. It prints what it
 * sees of itself; alone.py compares.
 */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
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

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t sem;
static mtx_t mtx;
static cnd_t cnd;

static struct timespec soon(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_sec += 100;
	return t;
}

/* --- cancellation --------------------------------------------------------- */

static void unlock_it(void *m)
{
	pthread_mutex_unlock(m);
}

static void unlock_mtx(void *m)
{
	mtx_unlock(m);
}

/* What is to be cancelled, with all that it waits for there at once or very soon. */
static void call(int what)
{
	const struct timespec later = soon(), past = { 1, 0 };
	pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;

	switch (what) {
	case 0:
		sem_wait(&sem);
		return;
	case 1:
		sem_timedwait(&sem, &later);
		return;
	case 2:
		sem_clockwait(&sem, CLOCK_REALTIME, &later);
		return;
	case 3: case 4: case 5:
		pthread_mutex_lock(&lock);
		pthread_cleanup_push(unlock_it, &lock);
		if (what == 3)
			pthread_cond_wait(&cond, &lock);
		else if (what == 4)
			pthread_cond_timedwait(&cond, &lock, &past);
		else
			pthread_cond_clockwait(&cond, &lock, CLOCK_REALTIME, &past);
		pthread_cleanup_pop(1);
		return;
	case 6: case 7:
		mtx_lock(&mtx);
		pthread_cleanup_push(unlock_mtx, &mtx);
		if (what == 6)
			cnd_wait(&cnd, &mtx);
		else
			cnd_timedwait(&cnd, &mtx, &past);
		pthread_cleanup_pop(1);
		return;
	/* none of these is a cancellation point */
	case 8:
		sem_trywait(&sem);
		return;
	case 9:
		sem_post(&sem);
		return;
	case 10:
		pthread_mutex_lock(&own);
		pthread_mutex_unlock(&own);
		return;
	case 11:
		pthread_rwlock_rdlock(&rwlock);
		pthread_rwlock_unlock(&rwlock);
		return;
	case 12:
		pthread_rwlock_wrlock(&rwlock);
		pthread_rwlock_unlock(&rwlock);
	}
}

#define CALLS	13

/* A cancellation is pending when the call is made: no matter of time. */
static void *cancelled(void *what)
{
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	pthread_cancel(pthread_self());
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
	call((int)(intptr_t)what);
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	return NULL;
}

static void cancel(void)
{
	mtx_init(&mtx, mtx_plain);
	cnd_init(&cnd);
	for (intptr_t i = 0; i < CALLS; i++) {
		pthread_t t;
		void *result;
		int value;

		sem_init(&sem, 0, 5);
		pthread_create(&t, NULL, cancelled, (void *)i);
		pthread_join(t, &result);
		sem_getvalue(&sem, &value);
		printf("call %d: %s, semaphore %d, mutexes %d %d\n", (int)i,
		       result == PTHREAD_CANCELED ? "cancelled" : "went on", value,
		       pthread_mutex_trylock(&lock), mtx_trylock(&mtx));
		pthread_mutex_unlock(&lock);
		mtx_unlock(&mtx);
	}
}

/* --- results of semaphores ------------------------------------------------ */

static void nothing(int signal)
{
	(void)signal;
}

#define TELL(call)							\
({									\
	int result_;							\
									\
	errno = 7;							\
	result_ = (call);						\
	printf("%s: %d, errno %d\n", #call, result_, errno);		\
})

static void results(void)
{
	const struct itimerval often = {
		.it_interval = { .tv_usec = 1000 }, .it_value = { .tv_usec = 1000 },
	};
	struct sigaction action = { .sa_handler = nothing };
	const struct timespec past = { 1, 0 }, wrong = { 1, 1000000000 }, later = soon();
	sem_t full;

	sem_init(&sem, 0, 1);
	sem_init(&full, 0, SEM_VALUE_MAX);
	TELL(sem_post(&full));
	TELL(sem_wait(&sem));
	TELL(sem_trywait(&sem));
	TELL(sem_timedwait(&sem, &past));
	TELL(sem_clockwait(&sem, CLOCK_MONOTONIC, &past));
	TELL(sem_timedwait(&sem, &wrong));
	TELL(sem_post(&sem));
	TELL(sem_timedwait(&sem, &later));
	TELL(sem_post(&sem));
	TELL(sem_clockwait(&sem, CLOCK_REALTIME, &later));
	TELL(sem_post(&sem));
	TELL(sem_trywait(&sem));
	/* not restarted: each of them ends by a signal */
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	TELL(sem_wait(&sem));
	TELL(sem_timedwait(&sem, &later));
	TELL(sem_clockwait(&sem, CLOCK_REALTIME, &later));
}

/* --- mutexes that refuse --------------------------------------------------- */

/* A ceiling below any priority that a thread has: a lock fails, each time. */
static void refused(void)
{
	pthread_mutex_t careful, low;
	pthread_mutexattr_t attr;

	mutex_init(&careful, PTHREAD_MUTEX_ERRORCHECK);
	TELL(pthread_mutex_lock(&careful));
	TELL(pthread_mutex_lock(&careful));
	TELL(pthread_mutex_unlock(&careful));
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_PROTECT);
	pthread_mutexattr_setprioceiling(&attr, 1);
	for (int i = 0; i < 3; i++) {
		pthread_mutex_init(&low, &attr);
		TELL(pthread_mutex_lock(&low));
	}
}

/* Who writes can neither read nor write once more; and mutexes of C11 that are careful. */
static void refused_others(void)
{
	const struct timespec later = soon();

	TELL(pthread_rwlock_wrlock(&rwlock));
	TELL(pthread_rwlock_rdlock(&rwlock));
	TELL(pthread_rwlock_wrlock(&rwlock));
	TELL(pthread_rwlock_timedrdlock(&rwlock, &later));
	TELL(pthread_rwlock_timedwrlock(&rwlock, &later));
	TELL(pthread_rwlock_unlock(&rwlock));
	mutex_init((pthread_mutex_t *)&mtx, PTHREAD_MUTEX_ERRORCHECK);
	TELL(mtx_lock(&mtx));
	TELL(mtx_lock(&mtx));
	TELL(mtx_timedlock(&mtx, &later));
	TELL(mtx_unlock(&mtx));
}

static void *die_with_it(void *m)
{
	pthread_mutex_lock(m);
	return NULL;
}

static void *ask(void *m)
{
	const struct timespec later = soon();

	TELL(pthread_mutex_timedlock(m, &later));
	TELL(pthread_mutex_clocklock(m, CLOCK_REALTIME, &later));
	return NULL;
}

/* Each attempt fails at once, in each thread; a trylock would change that. */
static void not_recoverable(void)
{
	const int protocols[] = { PTHREAD_PRIO_NONE, PTHREAD_PRIO_INHERIT };
	pthread_mutexattr_t attr;
	pthread_mutex_t m;
	pthread_t t;

	setvbuf(stdout, NULL, _IOLBF, 0);
	alarm(20);
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	for (int i = 0; i < 2; i++) {
		pthread_mutexattr_setprotocol(&attr, protocols[i]);
		pthread_mutex_init(&m, &attr);
		pthread_create(&t, NULL, die_with_it, &m);
		pthread_join(t, NULL);
		TELL(pthread_mutex_lock(&m));
		TELL(pthread_mutex_unlock(&m));
		TELL(pthread_mutex_lock(&m));
		pthread_create(&t, NULL, ask, &m);
		pthread_join(t, NULL);
		TELL(pthread_mutex_lock(&m));
	}
}

/* --- conditions of old programs ------------------------------------------- */

#ifdef __x86_64__
/* Before glibc 2.3.2 a condition was a pointer, and whatever else is there is not its. */
typedef struct {
	void	*at;
	long	not_its[8];
} old_cond;

int old_wait(old_cond *c, pthread_mutex_t *m);
int old_timedwait(old_cond *c, pthread_mutex_t *m, const struct timespec *until);
int old_signal(old_cond *c);
__asm__(".symver old_wait, pthread_cond_wait@GLIBC_2.2.5\n"
	".symver old_timedwait, pthread_cond_timedwait@GLIBC_2.2.5\n"
	".symver old_signal, pthread_cond_signal@GLIBC_2.2.5\n");

static old_cond old = { .not_its = { 1, 2, 3, 4, 5, 6, 7, 8 } };
static bool ready;

static void *make_ready(void *arg)
{
	pthread_mutex_lock(&lock);
	ready = true;
	old_signal(&old);
	pthread_mutex_unlock(&lock);
	return arg;
}

static void old_conditions(void)
{
	const struct timespec past = { 1, 0 };
	pthread_t t;
	void *at;

	pthread_mutex_lock(&lock);
	printf("timed: %s\n", strerror(old_timedwait(&old, &lock, &past)));
	at = old.at;
	pthread_create(&t, NULL, make_ready, NULL);
	while (!ready)
		old_wait(&old, &lock);
	pthread_mutex_unlock(&lock);
	pthread_join(t, NULL);
	for (int i = 0; i < 8; i++)
		printf("%ld ", old.not_its[i]);
	/* The new kind would count its waits there. */
	puts(old.at == at ? "ready" : "moved");
}
#else
static void old_conditions(void)
{
	puts("ready");
}
#endif

/* --- each lock once, for a library that counts ---------------------------- */

static void each(void)
{
	const struct timespec later = soon();
	pthread_spinlock_t spin;

	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	pthread_mutex_timedlock(&lock, &later);
	pthread_mutex_unlock(&lock);
	pthread_rwlock_rdlock(&rwlock);
	pthread_rwlock_unlock(&rwlock);
	pthread_rwlock_wrlock(&rwlock);
	pthread_rwlock_unlock(&rwlock);
	pthread_spin_init(&spin, 0);
	pthread_spin_lock(&spin);
	pthread_spin_unlock(&spin);
	sem_init(&sem, 0, 2);
	sem_wait(&sem);
	sem_post(&sem);
	puts("each");
}

/* --- ends while the list of loaded files is in use ------------------------- */

static pthread_barrier_t within;

static int wait_for_lock(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)info;
	(void)size;
	pthread_barrier_wait(&within);
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	return arg == NULL;
}

static void *list_files(void *arg)
{
	dl_iterate_phdr(wait_for_lock, NULL);
	return arg;
}

/* Another thread is inside of dl_iterate_phdr(), and waits there for what this one has. */
static pthread_t begin_list(void)
{
	pthread_t t;

	pthread_barrier_init(&within, NULL, 2);
	pthread_mutex_lock(&lock);
	pthread_create(&t, NULL, list_files, NULL);
	pthread_barrier_wait(&within);
	return t;
}

static void listed_exit(void)
{
	begin_list();
	puts("exit");
}

static void listed_unload(void)
{
	void *library = dlopen("libm.so.6", RTLD_NOW);
	pthread_t t;

	dlopen("libm.so.6", RTLD_NOW);	/* stays, so that dlclose() does not change the list */
	t = begin_list();
	printf("unload %d\n", dlclose(library));
	pthread_mutex_unlock(&lock);
	pthread_join(t, NULL);
}

/* --- the tracer's code ---------------------------------------------------- */

/* How often the clock is read without order where a lock was taken: see thread.h. */
static void count_clocks(void)
{
	static const unsigned char plain[] = { 0x3e, 0x0f, 0x31 };
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512], rights[5];
	unsigned int n = 0;
	char *from, *to;

	while (maps && fgets(line, sizeof(line), maps)) {
		if (!strstr(line, "libfeathertrace") ||
		    sscanf(line, "%p-%p %4s", (void **)&from, (void **)&to, rights) != 3 ||
		    rights[2] != 'x')
			continue;
		while ((from = memmem(from, (size_t)(to - from), plain, sizeof(plain)))) {
			from++;
			n++;
		}
	}
	fprintf(stderr, "unordered: %u\n", n);
}

static const struct program_case cases[] = {
	{ "cancel", cancel }, { "results", results }, { "refused", refused },
	{ "refused-others", refused_others }, { "old", old_conditions },
	{ "not-recoverable", not_recoverable }, { "each", each },
	{ "listed-exit", listed_exit }, { "listed-unload", listed_unload }, { "clocks", count_clocks },
};

int main(int argc, char **argv)
{
	return RUN_CASE(cases, argc, argv);
}
