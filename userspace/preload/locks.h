/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Records of locks. An acquisition is recorded when it has happened, a release before
 * it happens: sections of a lock never overlap in the trace.
 *
 * A wrapper tries first, as the real function does, to find out whether it must wait;
 * mutexes with more state are looked at instead. Contention is recorded only if the
 * attempt fails. If the real functions belong to
 * another library, the wrapper calls exactly the function that the program called, and
 * does not record waits.
 */
#ifndef FT_PRELOAD_LOCKS_H
#define FT_PRELOAD_LOCKS_H

#include <errno.h>
#include <stdbool.h>

#include "libfeathertrace/thread.h"
#include "libfeathertrace/tid.h"
#include "preload/real.h"

#define EXPORT		__attribute__((visibility("default")))
#define CALLER		__builtin_return_address(0)
#define COLD		__attribute__((noinline, cold))
#define NOINLINE	__attribute__((noinline))
#define HOT		__attribute__((aligned(64)))	/* begins a cache line */

static __always_inline void
lock_acquired(unsigned int family, const void *lock, const void *site)
{
	ft_thread_record(FT_ID_USER_ACQUIRE(family), (uintptr_t)lock,
			 (uintptr_t)site, FT_MARK_A | FT_MARK_B | FT_BEHIND_ATOMIC);
}

static __always_inline void
lock_released(unsigned int family, const void *lock, const void *site)
{
	ft_thread_record(FT_ID_USER_RELEASE(family), (uintptr_t)lock,
			 (uintptr_t)site, FT_MARK_A | FT_MARK_B);
}

static inline void
wait_begin(unsigned int family, const void *lock, const void *site)
{
	ft_thread_record(FT_ID_CONTENTION_BEGIN, (uintptr_t)lock,
			 FT_WAIT_USER(family, site), FT_MARK_A);
}

/* @result: 0, or the error of a failed acquisition. */
static inline void wait_end(const void *lock, int result)
{
	ft_thread_record(FT_ID_CONTENTION_END, (uintptr_t)lock,
			 (unsigned int)result, FT_MARK_A);
}

/*
 * Is it a clock that can be waited on? If not, the C library says so even if there is nothing
 * to wait for; trying first would hide that.
 */
static inline bool is_clock(clockid_t clock)
{
	return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC;
}

static inline bool is_limit(clockid_t clock, const struct timespec *until)
{
	/* None is for ever, though declared to be an error: gcc would leave that out. */
	__asm__("" : "+r" (until));
	return is_clock(clock) &&
	       (!until || (until->tv_nsec >= 0 && until->tv_nsec < 1000000000));
}

/* --- what kinds of mutex there are ---------------------------------------- */

/* As in <bits/struct_mutex.h>, which is part of the ABI: initialisers use it. */
#define MUTEX_KIND	3
#define MUTEX_ROBUST	16
#define MUTEX_INHERIT	32
#define MUTEX_PROTECT	64

#define MUTEX_OWNER	0x3fffffff	/* as FUTEX_TID_MASK; 0 once the owner has died */
#define MUTEX_IS_TAKEN	0x0007ffff	/* the bits above are the priority's ceiling */

/* The C library does not check the owner. */
static inline bool mutex_is_simple(const pthread_mutex_t *m)
{
	unsigned int kind = (unsigned int)m->__data.__kind;

	return !(kind & MUTEX_ROBUST) &&
	       ((kind & MUTEX_KIND) == PTHREAD_MUTEX_TIMED_NP ||
		(kind & MUTEX_KIND) == PTHREAD_MUTEX_ADAPTIVE_NP);
}

static inline int own_tid(void)
{
	ft_thread_here *t = ft_thread_find();

	return *t->guard == t->ring ? t->tid : ft_tid();
}

/* The owner takes it once more: that begins no new section. */
static inline bool mutex_is_nested(const pthread_mutex_t *m)
{
	return (m->__data.__kind & MUTEX_KIND) == PTHREAD_MUTEX_RECURSIVE_NP &&
	       m->__data.__count > 1;
}

/* Will an unlock of this thread release it? It may be an error, or one of many. */
static inline bool mutex_will_release(const pthread_mutex_t *m)
{
	return mutex_is_simple(m) ||
	       (m->__data.__owner == own_tid() && !mutex_is_nested(m));
}

static inline void mutex_acquired(pthread_mutex_t *m, const void *site)
{
	if (mutex_is_simple(m) || !mutex_is_nested(m))
		lock_acquired(FT_USER_MUTEX, m, site);
}

/* Does this thread own it already, so that locking fails at once? */
static inline bool mutex_is_refused(const pthread_mutex_t *m)
{
	return (m->__data.__kind & MUTEX_KIND) == PTHREAD_MUTEX_ERRORCHECK_NP &&
	       m->__data.__owner == own_tid();
}

/*
 * May a wrapper call trylock before lock? A failed trylock changes more than a failed lock
 * where the kernel or the scheduler has a part in it: that of a robust mutex which is not
 * recoverable leaves the mutex locked.
 */
static inline bool mutex_may_try(const pthread_mutex_t *m)
{
	return !(m->__data.__kind & (MUTEX_ROBUST | MUTEX_INHERIT | MUTEX_PROTECT));
}

/*
 * Will a lock have to wait? For a mutex that must not be tried. If another thread takes
 * it after this check, the wait is not recorded.
 */
static inline bool mutex_is_taken(const pthread_mutex_t *m)
{
	int word = __atomic_load_n(&m->__data.__lock, __ATOMIC_RELAXED);

	if (!(word & (m->__data.__kind & MUTEX_PROTECT ? MUTEX_IS_TAKEN : MUTEX_OWNER)))
		return false;
	return (m->__data.__kind & MUTEX_KIND) != PTHREAD_MUTEX_RECURSIVE_NP ||
	       m->__data.__owner != own_tid();
}

/* EOWNERDEAD: its owner has died, and this thread now owns it. */
static inline bool mutex_is_ours(int result)
{
	return !result || result == EOWNERDEAD;
}

#endif /* FT_PRELOAD_LOCKS_H */
