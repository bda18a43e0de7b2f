// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A program whose own events and locks have those of the kernel in between, in an order
 * that is known: between CASE N. For both.sh, and tests/user/both.py without a kernel.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <feather_trace/trigger.h>
#include <linux/feather_trace.h>

DEFINE_FT_EVENT(before, i);
DEFINE_FT_EVENT(after, i);

static int control = -1;
static pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t inner = PTHREAD_MUTEX_INITIALIZER;
static int rounds;

static void set_mark(uint64_t a, uint64_t b)
{
	struct ft_mark mark = { .a = a, .b = b };

	if (control >= 0 && ioctl(control, FT_IOC_MARK, &mark)) {
		perror("between: mark");
		exit(1);
	}
}

/* before(i) mark(i) after(i) */
static void marks(void)
{
	for (int i = 0; i < rounds; i++) {
		ft_event(before, i);
		set_mark((uint64_t)i, 0);
		ft_event(after, i);
	}
}

/*
 * outer { inner { the kernel's locks of a pipe } }. Where the kernel is played, it
 * takes a spinlock inside of a mutex: marks are locks there.
 */
static void *nested(void *arg)
{
	char byte = 0;
	int fd[2];

	if (pipe(fd)) {
		perror("between: pipe");
		exit(1);
	}
	for (int i = 0; i < rounds; i++) {
		pthread_mutex_lock(&outer);
		pthread_mutex_lock(&inner);
		set_mark(0xffff888000000100, FT_ID_ACQUIRE(FT_LOCK_MUTEX));
		set_mark(0xffff888000000200, FT_ID_ACQUIRE(FT_LOCK_SPIN));
		set_mark(0xffff888000000200, FT_ID_RELEASE(FT_LOCK_SPIN));
		set_mark(0xffff888000000100, FT_ID_RELEASE(FT_LOCK_MUTEX));
		if (write(fd[1], &byte, 1) != 1 || read(fd[0], &byte, 1) != 1)
			exit(1);
		pthread_mutex_unlock(&inner);
		pthread_mutex_unlock(&outer);
	}
	close(fd[0]);
	close(fd[1]);
	return arg;
}

/* The same by several at once: they wait in the program, and in the kernel for it. */
static void crowd(void)
{
	pthread_t thread[4];

	for (int i = 0; i < 4; i++) {
		if (pthread_create(&thread[i], NULL, nested, NULL))
			exit(1);
	}
	for (int i = 0; i < 4; i++)
		pthread_join(thread[i], NULL);
}

/* More than a small ring takes. */
static void flood(void)
{
	for (int i = 0; i < rounds; i++)
		ft_event(before, i);
}

static void waits(void)
{
	printf("ready\n");
	fflush(stdout);
	for (int i = 0; i < rounds; i++) {
		marks();
		usleep(10000);
	}
}

int main(int argc, char **argv)
{
	const char *name = argc > 2 ? argv[1] : "";

	rounds = argc > 2 ? atoi(argv[2]) : 0;
	control = open("/dev/ft_trace", O_RDWR | O_CLOEXEC);
	if (!strcmp(name, "marks"))
		marks();
	else if (!strcmp(name, "nested"))
		nested(NULL);
	else if (!strcmp(name, "crowd"))
		crowd();
	else if (!strcmp(name, "flood"))
		flood();
	else if (!strcmp(name, "waits"))
		waits();
	else
		return 2;
	printf("%ld\n", (long)syscall(SYS_gettid));
	return 0;
}
