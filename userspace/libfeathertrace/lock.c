// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A lock against other threads, and handlers that keep fork() out of critical sections.
 *
 * The lock is the usual mutex on a futex; pthread's mutexes are not used here, as they
 * may be traced themselves.
 */
#include <link.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "libfeathertrace/loader.h"
#include "libfeathertrace/process.h"
#include "libfeathertrace/tid.h"

static void block_signals(sigset_t *old)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, old);
}

static bool try(__u32 *word)
{
	__u32 state = 0;

	return __atomic_compare_exchange_n(word, &state, 1, false, __ATOMIC_ACQUIRE,
					   __ATOMIC_RELAXED);
}

/* 0 free, 1 taken, 2 taken with waiters. */
void ft_lock(sigset_t *old)
{
	__u32 *word = &ft_private->lock;

	block_signals(old);
	if (try(word))
		return;
	while (__atomic_exchange_n(word, 2, __ATOMIC_ACQUIRE))
		syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, 2, NULL, NULL, 0);
}

void ft_unlock(const sigset_t *old)
{
	__u32 *word = &ft_private->lock;

	if (__atomic_exchange_n(word, 0, __ATOMIC_RELEASE) == 2)
		syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	pthread_sigmask(SIG_SETMASK, old, NULL);
}

/* --- fork() --------------------------------------------------------------- */

/*
 * dl_iterate_phdr() holds a lock of the C library. If a thread of this library holds it
 * while another thread forks, the child's copy stays locked for ever, and the child's
 * next dlopen() hangs. Therefore this library never runs dl_iterate_phdr() during a
 * fork.
 *
 * The program's own fork handlers may wait for a lock whose holder waits here for the
 * fork to end: a deadlock. After a second both sides give up waiting and go on.
 *
 * Signals are not blocked where the program has called fork(), exit() or dlclose():
 * these make no system call for it, and a sandbox may allow none. A handler that finds
 * its own thread here does not wait for it.
 */
static __thread struct {
	unsigned int	forks;		/* this thread's, one within the other */
	bool		locked;
	bool		lists;		/* it is in ft_try_objects() */
} here __attribute__((tls_model("initial-exec")));

static bool loader_lock(void)
{
	const struct timespec ms = { .tv_nsec = 1000000 };

	for (unsigned int i = 0; i < 1000; i++) {
		if (try(&ft_private->loader))
			return true;
		nanosleep(&ms, NULL);
	}
	return false;
}

static void loader_unlock(void)
{
	__atomic_store_n(&ft_private->loader, 0, __ATOMIC_RELEASE);
}

int ft_all_objects(int (*each)(struct dl_phdr_info *info, size_t size, void *arg),
		   void (*end)(void *arg), void *arg)
{
	sigset_t old;
	bool locked;
	int ret;

	block_signals(&old);
	locked = loader_lock();
	ret = dl_iterate_phdr(each, arg);
	if (end)
		end(arg);
	if (locked)
		loader_unlock();
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return ret;
}

int ft_each_object(int (*each)(struct dl_phdr_info *info, size_t size, void *arg),
		   void *arg)
{
	return ft_all_objects(each, NULL, arg);
}

static bool list_and_end(int (*each)(struct dl_phdr_info *info, size_t size, void *arg),
			 void (*end)(void *arg), void *arg)
{
	if (!ft_loader_take())
		return false;
	dl_iterate_phdr(each, arg);
	end(arg);
	ft_loader_give_back();
	return true;
}

bool ft_try_objects(int (*each)(struct dl_phdr_info *info, size_t size, void *arg),
		    void (*end)(void *arg), void *arg)
{
	bool done = false;

	if (here.lists)
		return false;
	here.lists = true;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (try(&ft_private->loader)) {
		done = list_and_end(each, end, arg);
		loader_unlock();
	}
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	here.lists = false;
	return done;
}

static void fork_begins(void)
{
	if (here.forks++)
		return;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	here.locked = !here.lists && loader_lock();
}

static void fork_ends(void)
{
	if (here.forks == 1 && here.locked)
		loader_unlock();
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	here.forks--;
}

/* In the child the word is wiped, which releases the lock. */
static void fork_ends_in_child(void)
{
	ft_process_forked();
	if (here.lists)
		ft_loader_inherit();
	fork_ends();
}

#ifdef __GLIBC__
/*
 * glibc's pthread_atfork() calls this function. Another C library does not have it; a
 * strong reference would keep this library from loading there.
 */
extern int __register_atfork(void (*prepare)(void), void (*parent)(void),
			     void (*child)(void), void *dso) __attribute__((weak));
extern void *__dso_handle __attribute__((visibility("hidden")));

void ft_lock_init(void)
{
	/*
	 * A static program contains it if it contains fork(). If it finds no memory, the
	 * handlers are not registered.
	 */
	if (__register_atfork)
		__register_atfork(fork_begins, fork_ends, fork_ends_in_child, &__dso_handle);
}
#else
void ft_lock_init(void)
{
	pthread_atfork(fork_begins, fork_ends, fork_ends_in_child);
}
#endif
