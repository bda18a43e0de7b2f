// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Children of every kind, which have what their parent has: children CASE. As in alone.c
 * it prints what it sees.
 */
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
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

static void wait_for(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, __WALL) == pid)
		printf("status %x\n", status);
}

static void *long_turns(void *arg)
{
	for (int i = 0; i < 20; i++) {
		turns(&lock, 50);
		usleep(20000);
	}
	return arg;
}

/* Two threads for as long as the reader takes to look who is alive, several times. */
static void long_turns_of_two(void)
{
	pthread_t t;

	pthread_create(&t, NULL, long_turns, NULL);
	long_turns(NULL);
	pthread_join(t, NULL);
}

enum { LATECOMERS = 20 };

static atomic_int had_their_turn;

static void *one_turn(void *lock_)
{
	turns(lock_, 1);
	atomic_fetch_add(&had_their_turn, 1);
	pause();
	return NULL;
}

/* Threads that begin one after the other, and stay until the last one has begun. */
static void latecomers(void)
{
	pthread_t t;

	for (int i = 0; i < LATECOMERS; i++) {
		if (pthread_create(&t, NULL, one_turn, &lock))
			_exit(1);
		usleep(50000);
		while (atomic_load(&had_their_turn) <= i)
			usleep(1000);
	}
}

static void *begin_latecomers(void *arg)
{
	latecomers();
	return arg;
}

/*
 * The child of vfork() has the first event, as this thread, and is gone. Threads that begin
 * later must not get the ring that this one goes on in.
 */
static void vfork_first(void)
{
	pid_t pid = vfork();
	pthread_t t;

	if (!pid) {
		turns(&lock, 1);
		_exit(0);
	}
	wait_for(pid);
	pthread_create(&t, NULL, begin_latecomers, NULL);
	long_turns(NULL);
	pthread_join(t, NULL);
}

static int twin(void *arg)
{
	turns(arg, 20000);
	return 0;
}

/* A child that has the memory of its parent, and runs at the same time. */
static void twins(void)
{
	static pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
	char *stack = mmap(NULL, 65536, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pid_t pid;

	turns(&lock, 100);
	pid = clone(twin, stack + 65536, CLONE_VM | SIGCHLD, &own);
	turns(&lock, 20000);
	wait_for(pid);
}

/* A child's only thread ends as threads do, with what it has of its parent's. */
static void child_thread_ends(void)
{
	pid_t pid;

	turns(&lock, 1);
	pid = fork();
	if (!pid)
		pthread_exit(NULL);
	wait_for(pid);
	long_turns_of_two();
}

/* What a sandbox forbids; but not to make children. */
static void enter_sandbox(void)
{
#define DENY(call)							\
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ ## call, 0, 1),	\
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		DENY(prctl), DENY(gettid), DENY(getpid), DENY(openat), DENY(newfstatat),
		DENY(rt_sigprocmask), DENY(madvise),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(filter[0]), filter };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program))
		exit(1);
}

static pid_t clone_only(void)
{
	return (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, 0);
}

/* Each has a lock that asks who takes it. */
static void child_in_sandbox(pid_t (*make)(void))
{
	pthread_mutex_t careful;
	pid_t pid;

	mutex_init(&careful, PTHREAD_MUTEX_ERRORCHECK);
	turns(&lock, 100);
	puts("in a sandbox");
	fflush(stdout);		/* asks now what kind of file it is */
	enter_sandbox();
	pid = make();
	if (!pid) {
		turns(&careful, 10);
		_exit(0);
	}
	wait_for(pid);
}

static void sandbox_fork(void)
{
	child_in_sandbox(_Fork);
}

static void sandbox_clone(void)
{
	child_in_sandbox(clone_only);
}

/* A child with a lock of its own; it is gone before anybody looks. */
__attribute__((noinline)) static void turn_in_child(void)
{
	turns(&lock, 1);
}

static void child(void)
{
	pid_t pid = fork();

	if (!pid) {
		turn_in_child();
		_exit(0);
	}
	wait_for(pid);
}

/* The first process of a namespace of its own; its number in ours comes through @tell. */
static void first_of_namespace(int tell)
{
	pid_t pid;

	if (unshare(CLONE_NEWPID))
		_exit(1);
	pid = fork();
	if (!pid) {
		sleep(60);
		_exit(0);
	}
	if (write(tell, &pid, sizeof(pid)) != sizeof(pid))
		_exit(1);
	waitpid(pid, NULL, 0);
	_exit(0);
}

/* Numbers from this one on mean another process here, or none. */
static void begin_numbers(pid_t first)
{
	FILE *f = fopen("/proc/sys/kernel/ns_last_pid", "w");

	if (!f || fprintf(f, "%d", first) < 0 || fclose(f))
		_exit(1);
}

/*
 * The child of one that has joined a namespace without saying of which kind. It has
 * a ring while threads that begin elsewhere look for one, and writes into it again
 * when all of them have theirs.
 */
static void joins(void)
{
	int tell[2], begun[2], done[2];
	pid_t first, helper, other, child;
	char path[64], end;

	if (pipe(tell))
		exit(1);
	helper = fork();
	if (!helper)
		first_of_namespace(tell[1]);
	if (read(tell[0], &first, sizeof(first)) != sizeof(first) ||
	    pipe(begun) || pipe(done))
		exit(1);
	other = fork();		/* stays here, and begins later */
	if (!other) {
		if (read(begun[0], &end, 1) != 1)
			_exit(1);
		latecomers();
		_exit(0);
	}
	close(done[1]);
	snprintf(path, sizeof(path), "/proc/%d/ns/pid", first);
	if (setns(open(path, O_RDONLY | O_CLOEXEC), 0))
		exit(1);
	child = fork();		/* the second one there */
	if (!child) {
		begin_numbers(30000);
		child = fork();
		if (!child) {
			turns(&lock, 100);
			if (write(begun[1], "", 1) != 1 || read(done[0], &end, 1))
				_exit(1);
			turns(&lock, 100);
			_exit(0);
		}
		waitpid(child, NULL, 0);
		_exit(0);
	}
	wait_for(other);
	wait_for(child);
	kill(first, SIGKILL);
	wait_for(helper);
}

/* Children that have ended and are not waited for: their rings are others' by and by. */
static void zombies(void)
{
	for (int i = 0; i < 40; i++) {
		if (!fork()) {
			turns(&lock, 1);
			_exit(0);
		}
		usleep(50000);
	}
}

/* Whose child is it when its parent has ended? */
static void orphan(void)
{
	int done[2];
	char end;
	pid_t pid;

	if (pipe(done))
		exit(1);
	pid = fork();
	if (!pid) {
		pid = getpid();
		if (fork())
			_exit(0);
		while (getppid() == pid)
			usleep(1000);
		dprintf(STDOUT_FILENO, "child of %d\n", getppid());
		_exit(0);
	}
	close(done[1]);
	wait_for(pid);
	if (read(done[0], &end, 1))	/* until the orphan has ended, too */
		exit(1);
}

/* Goes on, with another text where its environment was, as daemons do to be named so. */
static void left(void)
{
	if (fork())
		_exit(0);
	setsid();
	close_range(0, ~0u, 0);
	for (char **e = environ; *e; e++)
		memset(*e, 'x', strlen(*e));
	usleep(500000);
	turns(&lock, 100);
}

static const struct program_case cases[] = {
	{ "vfork", vfork_first }, { "twins", twins },
	{ "child-thread", child_thread_ends }, { "child", child },
	{ "long", long_turns_of_two }, { "orphan", orphan }, { "left", left },
	{ "sandbox-fork", sandbox_fork }, { "sandbox-clone", sandbox_clone },
	{ "joins", joins }, { "late", latecomers }, { "zombies", zombies },
};

int main(int argc, char **argv)
{
	return RUN_CASE(cases, argc, argv);
}
