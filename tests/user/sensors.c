// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Programs with sensors of their own: sensors CASE.
 *
 *	counts		threads count, beside a library that is loaded later
 *	reloads		threads count while a library with one of their sensors comes and goes
 *	handler		a handler counts and locks, at any time
 *	breaks		a handler counts at each instruction of a thread's first event
 *	children	fork(), vfork() and exec() count in the same sensors
 *	locks		locks of all kinds, some released out of order
 *	leaks		threads that end while they hold a lock
 *	holes		a thread that holds many locks releases them out of order, one twice
 *	deep		a thread holds more locks than it has room for
 *	killed		its process ends while a thread notes values
 *	waits		one thread waits for what another one holds, locks of all kinds
 *	lines		counts once for each line that it reads, and answers with one
 *	many		more sensors than there is room for
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <feather_trace/trigger.h>

#include "break.h"
#include "program.h"

#define THREADS	8
#define ROUNDS	50000u

DEFINE_FT_COUNTER(rounds);
DEFINE_FT_HISTOGRAM(sizes, "bytes");
DEFINE_FT_SCALAR(level, "items");

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *count(void *arg)
{
	for (uint64_t i = 0; i < ROUNDS; i++) {
		ft_counter(rounds);
		ft_histogram(sizes, i);
		ft_scalar(level, i + (uintptr_t)arg);
	}
	return NULL;
}

/* Counts in "rounds", too: it has a counter of the same name. */
static void count_in_library(const char *name, int n)
{
	void *library = dlopen(name, RTLD_NOW);
	void (*call)(int n);

	if (!library) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	*(void **)&call = dlsym(library, "count_here");
	call(n);
	dlclose(library);
}

static void run_counts(void)
{
	pthread_t thread[THREADS];

	for (uintptr_t i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, count, (void *)i);
	count_in_library(getenv("SENSORS_LIBRARY"), 1000);
	count_in_library(getenv("SENSORS_LIBRARY"), 1000);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
}

static volatile sig_atomic_t stop;
static uint64_t counted;

static void *count_until_stop(void *arg)
{
	uint64_t n = 0;

	for (; !stop; n++)
		ft_counter(rounds);
	__atomic_fetch_add(&counted, n, __ATOMIC_RELAXED);
	return arg;
}

static void run_reloads(void)
{
	pthread_t thread[THREADS];

	for (int i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, count_until_stop, NULL);
	for (int i = 0; i < 100; i++) {
		count_in_library(getenv("SENSORS_LIBRARY"), 10);
		usleep(1000);
	}
	stop = 1;
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	printf("%llu\n", (unsigned long long)counted + 1000);
}

static volatile sig_atomic_t handled;
static pthread_mutex_t handlers = PTHREAD_MUTEX_INITIALIZER;

static void handle(int number)
{
	(void)number;
	handled++;
	ft_counter(rounds);
	ft_histogram(sizes, 1u << 20);
	ft_scalar(level, handled);
	pthread_mutex_lock(&handlers);
	pthread_mutex_unlock(&handlers);
}

static void run_handler(void)
{
	const struct itimerval every = { { 0, 50 }, { 0, 50 } }, never = { 0 };
	unsigned int n = 0;

	signal(SIGALRM, handle);
	setitimer(ITIMER_REAL, &every, NULL);
	while (handled < 2000) {
		ft_counter(rounds);
		ft_histogram(sizes, 1);
		pthread_mutex_lock(&lock);
		pthread_mutex_unlock(&lock);
		n++;
	}
	setitimer(ITIMER_REAL, &never, NULL);
	printf("%u %d\n", n, (int)handled);
}

static void count_at_break(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	break_over(context);
	handled++;
	ft_counter(rounds);
}

static void *count_twice(void *number)
{
	ft_counter(rounds);
	ft_counter(rounds);
	return number;
}

/* Standard input: instructions of the library. */
static void run_breaks(void)
{
	unsigned long n = break_each((void *)ft_callback_record, count_at_break, count_twice);

	printf("%lu %d\n", 2 * n, (int)handled);
}

static void run_once(void)
{
	/* A sensor stays one. */
	if (ft_set_callback("rounds", NULL, NULL) != -EINVAL)
		exit(1);
	ft_counter(rounds);
}

static void run_children(void)
{
	volatile int i;
	pid_t pid;

	for (i = 0; i < 20; i++) {
		pid = i % 2 ? fork() : vfork();
		if (!pid && i % 4 == 1) {
			for (int k = 0; k < 1000; k++)
				ft_counter(rounds);
			_exit(0);
		}
		if (!pid) {
			execl("/proc/self/exe", "sensors", "once", NULL);
			_exit(1);
		}
		waitpid(pid, NULL, 0);
	}
	/* its copy is the next one's */
	pid = fork();
	if (!pid) {
		ft_counter(rounds);
		kill(getpid(), SIGKILL);
	}
	waitpid(pid, NULL, 0);
}

static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static sem_t sem;

static void *take_all(void *arg)
{
	pthread_mutex_t own;

	mutex_init(&own, PTHREAD_MUTEX_RECURSIVE);
	for (int i = 0; i < 500; i++) {
		pthread_mutex_lock(&lock);
		pthread_mutex_lock(&other);
		pthread_mutex_unlock(&lock);		/* out of order */
		pthread_mutex_unlock(&other);
		pthread_mutex_lock(&own);
		pthread_mutex_lock(&own);
		pthread_mutex_unlock(&own);
		pthread_mutex_unlock(&own);
		pthread_rwlock_rdlock(&rw);
		pthread_rwlock_rdlock(&rw);
		pthread_rwlock_unlock(&rw);
		pthread_rwlock_unlock(&rw);
		pthread_rwlock_wrlock(&rw);
		pthread_rwlock_unlock(&rw);
		pthread_spin_lock(&spin);
		pthread_spin_unlock(&spin);
		sem_wait(&sem);
		sem_post(&sem);
	}
	return arg;
}

static void run_locks(void)
{
	pthread_t thread[4];

	pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
	sem_init(&sem, 0, 1);
	for (int i = 0; i < 4; i++)
		pthread_create(&thread[i], NULL, take_all, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
}

static void *take_one(void *arg)
{
	pthread_mutex_lock(arg);
	return NULL;
}

static void run_leaks(void)
{
	static pthread_mutex_t left[40];
	pthread_t thread;

	for (int i = 0; i < 40; i++) {
		pthread_create(&thread, NULL, take_one, &left[i]);
		pthread_join(thread, NULL);
	}
}

/* What sections() of the test sees must be told apart by the lengths. */
static void pass_time(void)
{
	usleep(200);
}

static pthread_mutex_t many[30];

static void init_many(void)
{
	for (int i = 0; i < 30; i++)
		mutex_init(&many[i], PTHREAD_MUTEX_NORMAL);
}

static void run_holes(void)
{
	init_many();
	/* each is acquired before the one before it is released, as along a list */
	for (int i = 0; i < 100; i++) {
		pthread_mutex_lock(&many[i % 30]);
		if (i)
			pthread_mutex_unlock(&many[(i - 1) % 30]);
	}
	pthread_mutex_unlock(&many[99 % 30]);
	/* there is room for the second acquisition below the first only */
	for (int i = 0; i < 29; i++)
		pthread_mutex_lock(&many[i]);
	pthread_rwlock_rdlock(&rw);
	pass_time();
	pthread_mutex_unlock(&many[5]);
	pthread_rwlock_rdlock(&rw);
	pthread_rwlock_unlock(&rw);
	pass_time();
	pthread_rwlock_unlock(&rw);
	for (int i = 0; i < 29; i++)
		if (i != 5)
			pthread_mutex_unlock(&many[i]);
}

static void run_deep(void)
{
	init_many();
	for (int i = 0; i < 30; i++)
		pthread_mutex_lock(&many[i]);
	pthread_rwlock_rdlock(&rw);
	pthread_rwlock_unlock(&rw);
	for (int i = 0; i < 30; i++)
		pthread_mutex_unlock(&many[i]);
}

static volatile uint64_t noted;

static void *note_for_ever(void *arg)
{
	for (;; noted++)
		ft_scalar(level, noted + 1);
	return arg;
}

static void run_killed(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, note_for_ever, NULL);
	while (noted < 1000)
		usleep(1000);
	_exit(0);
}

/* A lock, held by one thread while another one waits for it. */
struct waited {
	void	(*hold)(void), (*let_go)(void), (*wait)(void);
	bool	spins;
};

static void hold_mutex(void)
{
	pthread_mutex_lock(&lock);
}

static void let_mutex_go(void)
{
	pthread_mutex_unlock(&lock);
}

static void wait_for_mutex(void)
{
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
}

static void hold_reading(void)
{
	pthread_rwlock_rdlock(&rw);
}

static void hold_writing(void)
{
	pthread_rwlock_wrlock(&rw);
}

static void let_rwlock_go(void)
{
	pthread_rwlock_unlock(&rw);
}

static void wait_to_read(void)
{
	pthread_rwlock_rdlock(&rw);
	pthread_rwlock_unlock(&rw);
}

static void wait_to_write(void)
{
	pthread_rwlock_wrlock(&rw);
	pthread_rwlock_unlock(&rw);
}

static void hold_spin(void)
{
	pthread_spin_lock(&spin);
}

static void let_spin_go(void)
{
	pthread_spin_unlock(&spin);
}

static void wait_for_spin(void)
{
	pthread_spin_lock(&spin);
	pthread_spin_unlock(&spin);
}

static void hold_sem(void)
{
	sem_wait(&sem);
}

static void post_sem(void)
{
	sem_post(&sem);
}

static void wait_for_sem(void)
{
	sem_wait(&sem);
	sem_post(&sem);
}

static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static bool told;

static void untell(void)
{
	told = false;
}

static void tell(void)
{
	pthread_mutex_lock(&other);
	told = true;
	pthread_cond_signal(&cond);
	pthread_mutex_unlock(&other);
}

static void wait_for_cond(void)
{
	pthread_mutex_lock(&other);
	while (!told)
		pthread_cond_wait(&cond, &other);
	pthread_mutex_unlock(&other);
}

static const struct waited waited[] = {
	{ hold_mutex, let_mutex_go, wait_for_mutex, false },
	{ hold_writing, let_rwlock_go, wait_to_read, false },
	{ hold_reading, let_rwlock_go, wait_to_write, false },
	{ hold_spin, let_spin_go, wait_for_spin, true },
	{ hold_sem, post_sem, wait_for_sem, false },
	{ untell, tell, wait_for_cond, false },
};

static volatile pid_t waiter;

static void *wait_for_it(void *arg)
{
	const struct waited *w = arg;

	waiter = gettid();
	w->wait();
	return NULL;
}

/* It has nothing to sleep for but the lock. */
static void until_it_waits(void)
{
	char path[64], state = 0;
	FILE *f;

	for (int i = 0; i < 10000 && state != 'S'; i++) {
		usleep(1000);
		snprintf(path, sizeof(path), "/proc/self/task/%d/stat", (int)waiter);
		f = fopen(path, "r");
		if (!f)
			continue;
		if (fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
			state = 0;
		fclose(f);
	}
}

static void run_waits(void)
{
	const size_t n = sizeof(waited) / sizeof(*waited);
	pthread_t thread;

	pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
	sem_init(&sem, 0, 1);
	for (size_t i = 0; i < 5 * n; i++) {
		const struct waited *w = &waited[i % n];

		w->hold();
		waiter = 0;
		pthread_create(&thread, NULL, wait_for_it, (void *)w);
		/* one that spins need not have begun */
		if (!w->spins)
			until_it_waits();
		usleep(20000);
		w->let_go();
		pthread_join(thread, NULL);
	}
}

static void run_lines(void)
{
	char line[64];

	while (fgets(line, sizeof(line), stdin)) {
		for (int i = atoi(line); i > 0; i--)
			ft_counter(rounds);
		ft_histogram(sizes, (unsigned int)atoi(line));
		pthread_mutex_lock(&lock);
		pthread_mutex_unlock(&lock);
		puts("done");
		fflush(stdout);
	}
}

/* As libraries would: each with a name of its own. */
static void run_many(void)
{
	static struct ft_event event[300];
	static struct ft_event_sensor sensor[300];
	static char name[300][16];

	for (int i = 0; i < 300; i++) {
		snprintf(name[i], sizeof(name[i]), "many_%d", i);
		event[i].name = name[i];
		sensor[i] = (struct ft_event_sensor){ &event[i], 2, "", 0, 0, 0 };
		ft_sensor_add(&sensor[i]);
		if (event[i].callback)
			event[i].callback(&event[i], 1, 0, 0, 0);
	}
}

static const struct program_case cases[] = {
	{ "counts", run_counts }, { "reloads", run_reloads }, { "handler", run_handler },
	{ "breaks", run_breaks }, { "children", run_children },
	{ "once", run_once }, { "locks", run_locks },
	{ "leaks", run_leaks }, { "waits", run_waits }, { "lines", run_lines },
	{ "many", run_many }, { "holes", run_holes }, { "deep", run_deep },
	{ "killed", run_killed },
};

int main(int argc, char **argv)
{
	return RUN_CASE(cases, argc, argv);
}
