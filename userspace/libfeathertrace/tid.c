// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The number of a thread, without a system call: a program may have given up its right
 * to make any. The C library keeps it in memory of its own, for mutexes that know their
 * owner. The exact place is found at the start: glibc tells it to debuggers
 * (libthread_db). Otherwise, if exactly one word near the thread pointer, aligned as a
 * pointer is, holds the number that the kernel returns, it is that one. The upper half of a
 * pointer may well hold it, too: 0x7f21 is a number of a thread.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "libfeathertrace/process.h"
#include "libfeathertrace/tid.h"

#define NEAR	1024	/* bytes; the C library's structure is larger */

static size_t at;	/* bytes from the thread pointer; 0: not known */

/* Sanitizers do not know the bounds. */
__attribute__((no_sanitize("address", "thread", "undefined")))
static __s32 look(size_t offset)
{
	return *(const volatile __s32 *)((const char *)pthread_self() + offset);
}

/* Programs without shared libraries have none. */
extern void *dlsym(void *handle, const char *name) __attribute__((weak));

/* Return: 0: not told */
static size_t told(void)
{
	/* bits, how many, bytes from the beginning */
	const __u32 *field = dlsym ? dlsym(RTLD_DEFAULT, "_thread_db_pthread_tid") : NULL;

	return field && field[0] == 32 && field[2] <= 4 * NEAR ? field[2] : 0;
}

void ft_tid_learn(void)
{
	__s32 tid = (__s32)syscall(SYS_gettid);
	size_t found = 0, n = 0;

	at = told();
	if (at && look(at) == tid)
		return;
	for (size_t i = sizeof(void *); i < NEAR; i += sizeof(void *)) {
		if (look(i) != tid)
			continue;
		found = i;
		n++;
	}
	at = n == 1 ? found : 0;
}

__s32 ft_tid(void)
{
	/* unknown: it is the parent's, as the C library assumes */
	return at && (ft_private->knows_threads || ft_process_is_unknown()) ?
	       look(at) : (__s32)syscall(SYS_gettid);
}
