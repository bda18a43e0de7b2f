// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Programs that give up rights, lock their memory, or have very many threads: limits CASE.
 * As in alone.c they print what they see.
 */
#include <dlfcn.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "program.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* --- sandboxes ------------------------------------------------------------ */

static void *some_turns(void *n)
{
	pthread_mutex_t careful;

	mutex_init(&careful, PTHREAD_MUTEX_ERRORCHECK);
	turns(&careful, 1);
	turns(&lock, (int)(intptr_t)n);
	return NULL;
}

static void say_ok(void)
{
	if (write(STDOUT_FILENO, "ok\n", 3) != 3)
		_exit(1);
}

#define DENY(call)							\
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ ## call, 0, 1),	\
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)
#define ALLOW_ADVICE(advice)						\
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, advice, 0, 1),		\
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

/*
 * A filter as those of browsers: what is not known is the end. Threads that come later
 * have no event before it.
 */
static void sandbox(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		DENY(prctl), DENY(gettid), DENY(getpid), DENY(openat), DENY(newfstatat),
		DENY(readlink), DENY(mremap), DENY(membarrier), DENY(sigaltstack),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_madvise, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, args[2])),
		ALLOW_ADVICE(MADV_DONTNEED), ALLOW_ADVICE(MADV_NORMAL),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(filter[0]), filter };
	pthread_t t[8];

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		_exit(1);
	for (int i = 0; i < 8; i++)
		pthread_create(&t[i], NULL, some_turns, (void *)1000);
	for (int i = 0; i < 8; i++)
		pthread_join(t[i], NULL);
	say_ok();
	exit(0);
}

#define ALLOW(call)							\
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ ## call, 0, 1),	\
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

/* What this program uses itself, and nothing else; its child ends by exit(), too. */
static void allowed(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		ALLOW(write), ALLOW(exit_group), ALLOW(futex), ALLOW(munmap), ALLOW(clone),
		ALLOW(wait4), ALLOW(set_robust_list),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(filter[0]), filter };
	void *first = dlopen("libm.so.6", RTLD_NOW);
	int status = -1;
	pid_t pid;

	dlopen("libthread_db.so.1", RTLD_NOW);	/* news at the end */
	turns(&lock, 1);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		_exit(1);
	turns(&lock, 1000);
	if (!first || dlclose(first))
		_exit(1);
	say_ok();
	pid = fork();
	turns(&lock, 1);
	if (pid && (waitpid(pid, &status, 0) != pid || status))
		_exit(1);
	exit(0);
}

static long strict_by_prctl(void)
{
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
}

static long strict_by_call_of_prctl(void)
{
	return syscall(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_STRICT, 0, 0, 0);
}

static long strict_by_call_of_seccomp(void)
{
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_STRICT, 0, NULL);
}

/* What fails changes nothing: the thread is traced on. */
static void fail_to_be_strict(pthread_mutex_t *m)
{
	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_STRICT, 1, NULL) != -1 || errno != EINVAL)
		_exit(1);
	turns(m, 1);
}

/* A mutex that nobody else wants needs no system call. */
static void be_strict(long (*call)(void))
{
	pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;

	fail_to_be_strict(&own);
	if (call())
		_exit(1);
	turns(&own, 1000);
	say_ok();
	syscall(SYS_exit, 0);
}

static void strict(void)
{
	be_strict(strict_by_prctl);
}

static void strict_prctl(void)
{
	be_strict(strict_by_call_of_prctl);
}

static void strict_seccomp(void)
{
	be_strict(strict_by_call_of_seccomp);
}

/* The clock is taken from the thread without any other call. */
static void tsc(void)
{
	pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;

	turns(&own, 1);
	if (prctl(PR_SET_TSC, PR_TSC_SIGSEGV))
		_exit(1);
	turns(&own, 1000);
	say_ok();
	_exit(0);
}

/* The same, where a sandbox says no. */
static void tsc_refused(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_prctl, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(filter[0]), filter };

	turns(&lock, 1);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		_exit(1);
	printf("%d, %s\n", prctl(PR_SET_TSC, PR_TSC_SIGSEGV), strerror(errno));
	turns(&lock, 1000);
}

/* All of a call's arguments arrive, and its result. */
static void calls(void)
{
	int flags = MAP_PRIVATE | MAP_ANONYMOUS;
	char *at = (char *)syscall(SYS_mmap, NULL, 4096, PROT_READ | PROT_WRITE, flags, -1,
				   0);

	printf("mmap: %s\n", at == MAP_FAILED ? strerror(errno) : "ok");
	at = (char *)syscall(SYS_mmap, NULL, 4096, PROT_READ, flags, -1, 1);
	printf("mmap at an odd offset: %s\n", at == MAP_FAILED ? strerror(errno) : "ok");
	printf("prctl: %ld\n", syscall(SYS_prctl, PR_GET_DUMPABLE));
}

/* --- memory --------------------------------------------------------------- */

static void tell_memory(const char *key)
{
	FILE *f = fopen("/proc/self/status", "r");
	char line[256];

	while (f && fgets(line, sizeof(line), f)) {
		if (!strncmp(line, key, strlen(key)))
			fputs(line, stderr);
	}
	if (f)
		fclose(f);
}

static int lock_by_function(void)
{
	return mlockall(MCL_CURRENT | MCL_FUTURE);
}

static int lock_by_call(void)
{
	return (int)syscall(SYS_mlockall, MCL_CURRENT | MCL_FUTURE);
}

/* With libearly.so it is locked already. */
static int lock_early(void)
{
	return 0;
}

static void lock_memory_by(int (*call)(void))
{
	pthread_attr_t attr;
	pthread_t t;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 65536);
	turns(&lock, 1);
	printf("%s\n", call() ? strerror(errno) : "locked");
	tell_memory("VmLck");
	if (pthread_create(&t, &attr, some_turns, (void *)1000)) {
		puts("no thread");
		return;
	}
	pthread_join(t, NULL);
}

static void lock_memory(void)
{
	lock_memory_by(lock_by_function);
}

static void lock_memory_by_call(void)
{
	lock_memory_by(lock_by_call);
}

static void lock_memory_early(void)
{
	lock_memory_by(lock_early);
}

static pthread_barrier_t all_there;

static void *one_turn(void *arg)
{
	turns(&lock, 1);
	pthread_barrier_wait(&all_there);
	return arg;
}

/* All at the same time. */
static void one_turn_each(unsigned int n)
{
	pthread_t t[80];

	pthread_barrier_init(&all_there, NULL, n);
	for (unsigned int i = 0; i < n; i++)
		pthread_create(&t[i], NULL, one_turn, NULL);
	for (unsigned int i = 0; i < n; i++)
		pthread_join(t[i], NULL);
	pthread_barrier_destroy(&all_there);
}

/* Rings are kept back for threads that come when the reader has looked for a while. */
static void lock_memory_of_many(void)
{
	one_turn_each(80);
	usleep(300000);
	printf("%s\n", mlockall(MCL_CURRENT | MCL_FUTURE) ? strerror(errno) : "locked");
	turns(&lock, 1);
	usleep(500000);
	one_turn_each(20);
}

#define CROWD	2000

static void *one_of_many(void *arg)
{
	turns(&lock, 10);
	pthread_barrier_wait(&all_there);	/* all have had their turns */
	pthread_barrier_wait(&all_there);
	return arg;
}

static void crowd(void)
{
	static pthread_t t[CROWD];
	pthread_attr_t attr;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 65536);
	pthread_barrier_init(&all_there, NULL, CROWD + 1);
	for (int i = 0; i < CROWD; i++)
		if (pthread_create(&t[i], &attr, one_of_many, NULL))
			exit(1);
	pthread_barrier_wait(&all_there);
	tell_memory("RssShmem");
	pthread_barrier_wait(&all_there);
	for (int i = 0; i < CROWD; i++)
		pthread_join(t[i], NULL);
	puts("all");
}

/* --- threads that lock until their very end -------------------------------- */

#define LAST_THREADS	4370	/* a few more than there are places */

static pthread_key_t last;

/* In each round of destructors. */
static void lock_again(void *round)
{
	turns(&lock, 1);
	pthread_setspecific(last, (char *)round + 1);
}

static void *lock_to_the_end(void *arg)
{
	turns(&lock, 1);
	pthread_setspecific(last, (void *)1);
	return arg;
}

static void last_rounds(void)
{
	pthread_t t;

	pthread_key_create(&last, lock_again);
	for (int i = 1; i <= LAST_THREADS; i++) {
		pthread_create(&t, NULL, lock_to_the_end, NULL);
		pthread_join(t, NULL);
	}
	puts("last");
}

static const struct program_case cases[] = {
	{ "last-rounds", last_rounds },
	{ "sandbox", sandbox }, { "allowed", allowed }, { "strict", strict }, { "strict-prctl", strict_prctl },
	{ "strict-seccomp", strict_seccomp }, { "calls", calls }, { "tsc", tsc },
	{ "tsc-refused", tsc_refused }, { "mlockall", lock_memory },
	{ "mlockall-call", lock_memory_by_call }, { "mlockall-early", lock_memory_early },
	{ "mlockall-many", lock_memory_of_many }, { "crowd", crowd },
};

int main(int argc, char **argv)
{
	return RUN_CASE(cases, argc, argv);
}
