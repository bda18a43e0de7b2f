// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The bounds of a thread's stack: see own_stack.h.
 *
 * pthread_getattr_np() takes a lock, allocates, and for the first thread reads a file, so an
 * event must not call it. The C library has noted a thread's stack in the thread's descriptor:
 * its lowest address, its size and its guard's size, one after the other. The place differs
 * between versions. In the first thread's descriptor these words are NULL and
 * __libc_stack_end, which tells where they are. What is found there in other threads is used
 * only if the thread's descriptor and its stack pointer both lie inside.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/resource.h>

#include "libfeathertrace/unwind/own_stack.h"

/* How many words of the descriptor are searched; it is longer in all versions. */
#define WORDS		256u

/*
 * The first thread's stack grows downwards from its end, in one piece; the kernel maps nothing
 * else within this distance, nor within the limit that the program has begun with. An emulator
 * of the system may map other things below that.
 */
#define FIRST_MAX	(64ul << 20)

/* A thread's descriptor lies at the end of its stack; no thread's stack is longer. */
#define THREAD_MAX	(1ul << 40)

/* Unwinding takes half of that below the caller's frame, which a short stack may not have left. */
#define ROOM		4096ul

static uintptr_t first_end;	/* __libc_stack_end; 0: nothing was learnt */
static uintptr_t first_max;
static unsigned int block;	/* index of the word with a stack's lowest address */

void ft_own_stack_learn(void)
{
	const uintptr_t *word = (const uintptr_t *)pthread_self();
	const uintptr_t *end = dlsym(RTLD_DEFAULT, "__libc_stack_end");
	unsigned int found = 0;
	struct rlimit limit;

	if (!end || !*end)
		return;
	first_max = !getrlimit(RLIMIT_STACK, &limit) && limit.rlim_cur < FIRST_MAX ?
		    limit.rlim_cur : FIRST_MAX;
	first_max = first_max > ROOM ? first_max - ROOM : 0;
	for (unsigned int i = 1; i < WORDS; i++) {
		if (word[i] != *end || word[i - 1])
			continue;
		block = i - 1;
		found++;
	}
	if (found == 1)
		first_end = *end;
}

__attribute__((no_sanitize("address", "thread")))
uintptr_t ft_own_stack_end(uintptr_t at)
{
	const uintptr_t self = (uintptr_t)pthread_self();
	const uintptr_t *word = (const uintptr_t *)self + block;
	uintptr_t low, size;

	if (!first_end)
		return 0;
	low = word[0];
	size = word[1];
	if (!low)
		return size == first_end && at < first_end && first_end - at < first_max ?
		       first_end : 0;
	if (size > THREAD_MAX || self < low || self - low >= size || word[2] >= size)
		return 0;
	/* the guard is below the stack */
	return at >= low + word[2] + ROOM && at < self ? self : 0;
}
