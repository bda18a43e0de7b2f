// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Programs to be traced, one for each case: emit CASE [ARGUMENT]. The events that
 * each announces are known; cases.py compares.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <feather_trace/trigger.h>

DEFINE_FT_EVENT(none);
DEFINE_FT_EVENT(one, a);
DEFINE_FT_EVENT(two, a, b);
DEFINE_FT_EVENT(three, a, b, c);
DEFINE_FT_EVENT(four, a, b, c, d);
DEFINE_FT_EVENT(other, a, b);
DEFINE_FT_EVENT(alike, _b, b);

#define check(what)							\
do {									\
	if (!(what)) {							\
		fprintf(stderr, "emit: %d: %s: %s\n", __LINE__, #what,	\
			strerror(errno));				\
		exit(1);						\
	}								\
} while (0)

static int calls;

static int called(void)
{
	return ++calls;
}

/* Words of all numbers; arguments of events that are off are not evaluated. */
static int run_words(const char *arg)
{
	(void)arg;
	ft_event(none);
	ft_event(one, 0x1122334455667788ull);
	ft_event(two, -1, "");
	ft_event(three, 1, 2, 3);
	ft_event(four, 10, 20, 30, 40);
	ft_event(other, called(), called());
	check(calls == 0);
	return 0;
}

static unsigned long long heard;

static void hear(const struct ft_event *event, unsigned long long a, unsigned long long b,
		 unsigned long long c, unsigned long long d)
{
	(void)event, (void)b, (void)c, (void)d;
	heard = a;
}

/* Events with a time that was read before: their first words say which. */
static int run_at(const char *arg)
{
	unsigned long long now;
	int i;

	(void)arg;
	ft_event(one, 0);
	for (i = 0; i < 1000; i++) {
		now = ft_ticks();
		ft_event_at(two, now, now, i);
	}
	ft_event_at(one, 1, 1);
	now = ft_ticks();
	ft_event(one, 2);
	ft_event_at(one, now, now);
	now = ft_ticks();
	ft_event_at(four, now, now, 20, 30, 40);
	check(ft_set_callback("one", hear, NULL) == 1);
	ft_event_at(one, ft_ticks(), 5);
	check(heard == 5);
	return 0;
}

/* Fields that are one to babeltrace2. */
static int run_alike(const char *arg)
{
	(void)arg;
	ft_event(alike, 1, 2);
	return 0;
}

static void wait_for(pid_t pid, int status)
{
	int got;

	check(waitpid(pid, &got, 0) == pid);
	check(got == status);
}

static void in_child(const char *how)
{
	ft_event(two, getpid(), *how);
}

/* Children of all kinds; each announces its number once. */
static int run_forks(const char *arg)
{
	int n = atoi(arg);

	for (int i = 0; i < n; i++) {
		pid_t pid;

		ft_event(one, i);
		switch (i % 3) {
		case 0:
			pid = fork();
			break;
		case 1:
			pid = _Fork();
			break;
		default:
			pid = (pid_t)syscall(SYS_fork);
		}
		check(pid >= 0);
		if (!pid) {
			in_child("f");
			_exit(0);
		}
		wait_for(pid, 0);
		/* for the recorder, which has to find out that children have ended */
		if (i == n / 2)
			sleep(2);
	}
	return 0;
}

static void *thread_in_child(void *arg)
{
	ft_event(other, (uintptr_t)arg, syscall(SYS_gettid));
	return NULL;
}

/* A child of a process with many threads, that makes threads before its event. */
static int run_fork_threads(const char *arg)
{
	int n = atoi(arg);

	ft_event(one, 0);
	for (int i = 0; i < n; i++) {
		pid_t pid = i % 2 ? (pid_t)syscall(SYS_fork) : fork();

		check(pid >= 0);
		if (!pid) {
			pthread_t t[4];

			for (uintptr_t k = 0; k < 4; k++)
				check(!pthread_create(&t[k], NULL, thread_in_child,
						      (void *)(i * 4 + k)));
			for (int k = 0; k < 4; k++)
				pthread_join(t[k], NULL);
			in_child("t");
			_exit(0);
		}
		ft_event(one, i + 1);
		wait_for(pid, 0);
	}
	return 0;
}

static void *one_in_thread(void *arg)
{
	ft_event(one, (uintptr_t)arg);
	return NULL;
}

/* A child whose thread ends in order, though the ring that it knows is its parent's. */
static int run_fork_end(const char *arg)
{
	pthread_t t;
	pid_t pid;

	(void)arg;
	ft_event(one, 0);
	pid = fork();
	check(pid >= 0);
	if (!pid)
		pthread_exit(NULL);
	wait_for(pid, 0);
	check(!pthread_create(&t, NULL, one_in_thread, (void *)1));
	pthread_join(t, NULL);
	ft_event(one, 2);
	return 0;
}

static int forked;

static void *turn(void *arg)
{
	while (!__atomic_load_n(&forked, __ATOMIC_RELAXED)) {
		ft_enable("turned");
		ft_disable("turned");
	}
	return arg;
}

/* Children that turn on an event, of a process where a thread does nothing else. */
static int run_fork_turn(const char *arg)
{
	pthread_t t;

	check(!pthread_create(&t, NULL, turn, NULL));
	alarm(120);
	for (int i = 0; i < atoi(arg); i++) {
		pid_t pid = fork();

		check(pid >= 0);
		if (!pid) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			ft_enable("turned");
			_exit(0);
		}
		wait_for(pid, 0);
	}
	__atomic_store_n(&forked, 1, __ATOMIC_RELAXED);
	pthread_join(t, NULL);
	return 0;
}

static int run_vfork(const char *arg)
{
	for (int i = 0; i < atoi(arg); i++) {
		pid_t pid;

		ft_event(two, i, 0);
		pid = vfork();
		check(pid >= 0);
		if (!pid) {
			ft_event(two, i, 1);
			_exit(0);
		}
		ft_event(two, i, 2);
		wait_for(pid, 0);
	}
	return 0;
}

static void *short_thread(void *arg)
{
	ft_event(one, (uintptr_t)arg);
	return NULL;
}

/* Many threads, a few at a time. */
static int run_threads(const char *arg)
{
	int n = atoi(arg);
	pthread_attr_t attr;
	pthread_t t[8];

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 64 << 10);
	for (int i = 0; i < n; i += 8) {
		for (uintptr_t k = 0; k < 8; k++)
			check(!pthread_create(&t[k], &attr, short_thread,
					      (void *)(i + k)));
		for (int k = 0; k < 8; k++)
			pthread_join(t[k], NULL);
	}
	return 0;
}

static pthread_barrier_t all;

static void *long_thread(void *arg)
{
	ft_event(one, (uintptr_t)arg);
	pthread_barrier_wait(&all);
	return NULL;
}

/* Many threads at once. */
static int run_crowd(const char *arg)
{
	int n = atoi(arg);
	pthread_t *t = calloc((size_t)n, sizeof(*t));
	pthread_attr_t attr;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 64 << 10);
	pthread_barrier_init(&all, NULL, (unsigned int)n + 1);
	for (intptr_t i = 0; i < n; i++)
		check(!pthread_create(&t[i], &attr, long_thread, (void *)i));
	pthread_barrier_wait(&all);
	for (int i = 0; i < n; i++)
		pthread_join(t[i], NULL);
	return 0;
}

/* exec keeps the number of the process; the trace goes on. */
static int run_exec(const char *arg)
{
	int n = atoi(arg);
	char next[16], self[4096];
	ssize_t len;

	ft_event(one, n);
	if (!n)
		return 0;
	/* for the recorder, which has to find out that images have gone */
	if (n == 10)
		sleep(2);
	len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	check(len > 0);
	self[len] = '\0';
	snprintf(next, sizeof(next), "%d", n - 1);
	execl(self, "emit", "exec", next, NULL);
	check(!"exec");
	return 1;
}

/* The whole ceremony; the parent ends at once. */
static int run_daemon(const char *arg)
{
	(void)arg;
	ft_event(one, 1);
	if (fork())
		_exit(0);
	setsid();
	if (fork())
		_exit(0);
	check(!chdir("/"));
	close_range(0, ~0u, 0);
	usleep(300000);
	ft_event(one, 2);
	usleep(300000);
	ft_event(one, 3);
	return 0;
}

/* Gives up its rights; a new thread has to find a ring without them. */
static int run_setuid(const char *arg)
{
	pthread_t t;

	(void)arg;
	ft_event(one, 1);
	check(!setgid(65534));
	check(!setuid(65534));
	ft_event(one, 2);
	check(!pthread_create(&t, NULL, short_thread, (void *)3));
	pthread_join(t, NULL);
	if (!fork()) {
		ft_event(one, 4);
		_exit(0);
	}
	wait(NULL);
	return 0;
}

static volatile sig_atomic_t handled;

static void on_alarm(int sig)
{
	(void)sig;
	ft_event(four, handled, 0, handled, 0);
	handled++;
}

/* Events in a handler that interrupts events. */
static int run_signals(const char *arg)
{
	struct itimerval every = { { 0, 100 }, { 0, 100 } }, off = { 0 };
	unsigned long n = strtoul(arg, NULL, 0);
	struct sigaction action = { .sa_handler = on_alarm };

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
	for (unsigned long i = 0; i < n; i++)
		ft_event(four, i, 1, i, 1);
	setitimer(ITIMER_REAL, &off, NULL);
	ft_event(two, n, handled);
	return 0;
}

static int run_dlopen(const char *arg)
{
	for (int i = 0; i < 3; i++) {
		void *library = dlopen(arg, RTLD_NOW);
		void (*announce)(int);

		if (!library)
			fprintf(stderr, "emit: %s\n", dlerror());
		check(library);
		announce = (void (*)(int))dlsym(library, "plugin_announce");
		check(announce);
		announce(i);
		check(!dlclose(library));
	}
	return 0;
}

/* --- killed in the middle ------------------------------------------------- */

struct progress {
	volatile uint64_t	done[4];	/* by thread: committed for sure */
	volatile int32_t	tid[4];
};

static struct progress *progress;
static uint64_t killed_number;	/* of the process's first thread */

/* No more than this, and the rings hold what many have written, however late they are read. */
#define KILLED_EVENTS	2000

static void *killed_thread(void *arg)
{
	unsigned int k = (unsigned int)(uintptr_t)arg;

	progress->tid[k] = (int32_t)syscall(SYS_gettid);
	for (uint64_t i = 1; i <= KILLED_EVENTS; i++) {
		ft_event(two, killed_number + k, i);
		progress->done[k] = i;
		/* about as long as it lives */
		for (volatile int spin = 0; spin < 200; spin++)
			;
		if (!(i % 64))
			sched_yield();
	}
	pause();
	return NULL;
}

static void killed_child(struct progress *p, int round)
{
	pthread_t t;

	progress = p;
	killed_number = 4 * (uint64_t)round;
	for (uintptr_t k = 0; k < 4; k++)
		check(!pthread_create(&t, NULL, killed_thread, (void *)k));
	pause();
}

#define AT_ONCE		4

static pid_t start_to_be_killed(struct progress *p, int round)
{
	pid_t pid = fork();

	check(pid >= 0);
	if (!pid)
		killed_child(p, round);
	return pid;
}

static void kill_it(pid_t pid)
{
	int status;

	check(!kill(pid, SIGKILL));
	check(waitpid(pid, &status, 0) == pid);
	check(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

/*
 * Processes with four threads each, of which one after the other is killed at a
 * random moment while the others go on; and a bystander in this process. What each
 * had done for sure goes to stdout.
 */
static int run_killed(const char *arg)
{
	int rounds = atoi(arg);
	pid_t pid[AT_ONCE];
	struct progress *p = mmap(NULL, (size_t)rounds * sizeof(*p),
				  PROT_READ | PROT_WRITE,
				  MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	check(p != MAP_FAILED);
	srand(7);
	for (int i = 0; i < rounds + AT_ONCE; i++) {
		if (i >= AT_ONCE)
			kill_it(pid[i % AT_ONCE]);
		if (i < rounds) {
			pid[i % AT_ONCE] = start_to_be_killed(&p[i], i);
			ft_event(one, i);
		}
		usleep((useconds_t)(rand() % 500));
	}
	for (int i = 0; i < 4 * rounds; i++)
		printf("%d %d %lu\n", p[i / 4].tid[i % 4], i,
		       (unsigned long)p[i / 4].done[i % 4]);
	return 0;
}

/* A ring that overflows: what is written and what is lost make up all. */
static int run_flood(const char *arg)
{
	unsigned long n = strtoul(arg, NULL, 0);

	for (unsigned long i = 0; i < n; i++)
		ft_event(two, i, 0);
	return 0;
}

static const struct {
	const char	*name;
	int		(*run)(const char *arg);
} runs[] = {
	{ "words", run_words }, { "alike", run_alike }, { "at", run_at }, { "forks", run_forks },
	{ "fork-threads", run_fork_threads },
	{ "fork-end", run_fork_end }, { "fork-turn", run_fork_turn }, { "vfork", run_vfork },
	{ "threads", run_threads }, { "crowd", run_crowd },
	{ "exec", run_exec }, { "daemon", run_daemon },
	{ "setuid", run_setuid }, { "signals", run_signals },
	{ "dlopen", run_dlopen }, { "killed", run_killed },
	{ "flood", run_flood },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < sizeof(runs) / sizeof(runs[0]); i++) {
		if (!strcmp(argv[1], runs[i].name))
			return runs[i].run(argc > 2 ? argv[2] : "");
	}
	fputs("usage: emit CASE [ARGUMENT]\n", stderr);
	return 2;
}
