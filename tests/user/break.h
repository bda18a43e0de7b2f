/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A breakpoint at an instruction of the library, at which a handler runs once: so a test
 * interrupts an event at each of its instructions. Their offsets come on standard input.
 */
#ifndef TESTS_USER_BREAK_H
#define TESTS_USER_BREAK_H

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>
#include <unistd.h>

static struct {
	int		memory;
	uintptr_t	at;
	unsigned char	was;	/* what was there */
} broken;

static inline void break_put(unsigned char byte)
{
	if (pwrite(broken.memory, &byte, 1, (off_t)broken.at) != 1)
		abort();
}

/* What the handler calls first: takes the breakpoint away, and goes on where it was. */
static inline void break_over(void *context)
{
	ucontext_t *interrupted = context;

	break_put(broken.was);
#ifdef __x86_64__
	/* A restartable sequence goes on elsewhere. */
	if ((uintptr_t)interrupted->uc_mcontext.gregs[REG_RIP] == broken.at + 1)
		interrupted->uc_mcontext.gregs[REG_RIP]--;
#else
	(void)interrupted;
#endif
}

/*
 * For each offset from the beginning of the file that has @function, a thread runs
 * @body(its number), which is interrupted there by @handler, if it comes there.
 *
 * Return: how many threads there were.
 */
static inline unsigned long break_each(void *function,
				       void (*handler)(int signal, siginfo_t *info, void *context),
				       void *(*body)(void *number))
{
	struct sigaction action = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO };
	unsigned long n = 0, offset;
	pthread_t thread;
	Dl_info info;

	broken.memory = open("/proc/self/mem", O_RDWR);
	if (broken.memory < 0 || !dladdr(function, &info) || sigaction(SIGTRAP, &action, NULL))
		abort();
	for (; scanf("%lx", &offset) == 1; n++) {
		broken.at = (uintptr_t)info.dli_fbase + offset;
		broken.was = *(const unsigned char *)broken.at;
		break_put(0xcc);
		if (pthread_create(&thread, NULL, body, (void *)n))
			abort();
		pthread_join(thread, NULL);
		break_put(broken.was);
	}
	return n;
}

#endif /* TESTS_USER_BREAK_H */
