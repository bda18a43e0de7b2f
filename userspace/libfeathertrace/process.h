/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* This process and the session that it belongs to. */
#ifndef FT_LIBFEATHERTRACE_PROCESS_H
#define FT_LIBFEATHERTRACE_PROCESS_H

#include <link.h>
#include <signal.h>
#include <stdbool.h>

#include "libfeathertrace/sensors.h"
#include "libfeathertrace/thread.h"

/**
 * struct ft_private - memory that a forked child finds wiped
 * @joined:	0, or entered in the session: the process's index + 1, and in the upper
 *		half a number that no other process has here which was made of this one,
 *		or of which this one was made
 * @lock:	see ft_lock()
 * @loader:	see ft_each_object()
 * @knows_threads: the C library has made this process, or it has not forked: what it says
 *		of its threads is right
 * @pid:	a child's, as its first thread has found it
 * @takers:	threads that are about to take a ring, to note a lock, or to take a stack
 * @unloading:	calls of dlclose(), during which no stack is taken
 * @threads:	what the guards of its threads point to
 * @counting:	by copy of the sensors: its thread is counting in it, so often one inside the
 *		other
 */
struct ft_private {
	__u64			joined;
	__u32			lock;
	__u32			loader;
	__u32			knows_threads;
	__s32			pid;
	__u32			takers;
	__u32			unloading;
	struct ft_ring		*threads[FT_SESSION_RINGS];
	__u32			counting[FT_SENSED_COPIES];
};

/** ft_private - never NULL; @threads may be used only within a session */
extern struct ft_private *ft_private;

/** ft_session - NULL while this process is not traced */
extern struct ft_session *ft_session;

/** ft_process_joined - see ft_private.joined. Context: any. */
static inline __u64 ft_process_joined(void)
{
	return __atomic_load_n(&ft_private->joined, __ATOMIC_ACQUIRE);
}

/** ft_process_index - of this process, which has joined */
static inline __u32 ft_process_index(void)
{
	return (__u32)ft_process_joined() - 1;
}

/** ft_takers_enter - ft_rings_shrink() waits until ft_takers_leave(). Context: any. */
static inline void ft_takers_enter(void)
{
	__atomic_fetch_add(&ft_private->takers, 1, __ATOMIC_SEQ_CST);
}

/*
 * A signal handler may have forked since ft_takers_enter(): its child, which comes here, too,
 * has found the number wiped.
 */
static inline void ft_takers_leave(void)
{
	__u32 n = __atomic_load_n(&ft_private->takers, __ATOMIC_RELAXED);

	while (n && !__atomic_compare_exchange_n(&ft_private->takers, &n, n - 1, true,
						 __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
}

/** ft_process_init - look for a session, once; may be called often */
void ft_process_init(void);

/**
 * ft_process_join - enter this process in the session
 *
 * Also in a child, which has the parent's mapping; there without a system call, if the C
 * library has made it. Context: any. Return: false if there is no session, or the
 * session has ended.
 */
bool ft_process_join(void);

/**
 * ft_process_switch - leave the session, if any, and join another one
 * @path:	of its memory
 *
 * The caller holds ft_lock(). Records that threads have begun still go to the old
 * session. Return: 0 or an errno.
 */
int ft_process_switch(const char *path);

/**
 * ft_process_is_unknown - has nobody told who this process is, and can the kernel not be asked?
 *
 * A child that was not made by the C library, or is in another PID namespace, where a
 * sandbox may allow no call: it is not traced, and makes none.
 */
bool ft_process_is_unknown(void);

/** ft_process_sandboxed - from now on, calls may be forbidden to this process, or deadly */
void ft_process_sandboxed(void);

/** ft_process_forked - the C library has made this child */
void ft_process_forked(void);

/** ft_process_namespace - children are in another PID namespace from now on */
void ft_process_namespace(void);

/**
 * ft_process_objects - enter the files loaded and unloaded since the last call
 *
 * As far as that takes neither waiting nor a system call: the program may have called
 * exit() in a sandbox, or while another thread is inside dl_iterate_phdr() and waits for
 * a lock that this thread holds. What is not entered is left to the reader.
 */
void ft_process_objects(void);

/**
 * ft_lock - excludes other threads that change state of the whole process
 * @old:	signal mask to be restored
 *
 * All signals stay blocked while it is held, as handlers may take it, too. It lies in
 * memory that is wiped on fork(), so a child always finds it free. Events never take it.
 */
void ft_lock(sigset_t *old);
void ft_unlock(const sigset_t *old);

/** ft_lock_init - from now on forks and ft_each_object() wait for each other */
void ft_lock_init(void);

/**
 * ft_each_object - dl_iterate_phdr(), but not while this process forks
 *
 * @each must not fork, nor call this again.
 */
int ft_each_object(int (*each)(struct dl_phdr_info *info, size_t size, void *arg),
		   void *arg);

/** ft_all_objects - as ft_each_object(), then call @end before a fork may begin */
int ft_all_objects(int (*each)(struct dl_phdr_info *info, size_t size, void *arg),
		   void (*end)(void *arg), void *arg);

/**
 * ft_try_objects - as ft_all_objects(), but neither waits nor makes a system call
 *
 * ft_loader_is_known(). Return: false if another thread is using the list, or forks:
 * nothing was done.
 */
bool ft_try_objects(int (*each)(struct dl_phdr_info *info, size_t size, void *arg),
		    void (*end)(void *arg), void *arg);

/** ft_message - a line to stderr, "libfeathertrace: ...": no stdio, no memory */
void ft_message(const char *what, const char *why);

#endif /* FT_LIBFEATHERTRACE_PROCESS_H */
