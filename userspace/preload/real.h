/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The functions that this library wraps. */
#ifndef FT_PRELOAD_REAL_H
#define FT_PRELOAD_REAL_H

#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <threads.h>
#include <time.h>

typedef int (*real_mutex)(pthread_mutex_t *);
typedef int (*real_mutex_init)(pthread_mutex_t *, const pthread_mutexattr_t *);
typedef int (*real_rwlock_init)(pthread_rwlock_t *, const pthread_rwlockattr_t *);
typedef int (*real_spin_init)(pthread_spinlock_t *, int);
typedef int (*real_sem_init)(sem_t *, int, unsigned int);
typedef int (*real_mtx_init)(mtx_t *, int);
typedef int (*real_mutex_until)(pthread_mutex_t *, const struct timespec *);
typedef int (*real_mutex_clock)(pthread_mutex_t *, clockid_t,
				const struct timespec *);
typedef int (*real_rwlock)(pthread_rwlock_t *);
typedef int (*real_rwlock_until)(pthread_rwlock_t *, const struct timespec *);
typedef int (*real_rwlock_clock)(pthread_rwlock_t *, clockid_t,
				 const struct timespec *);
typedef int (*real_spin)(pthread_spinlock_t *);
typedef int (*real_sem)(sem_t *);
typedef int (*real_sem_until)(sem_t *, const struct timespec *);
typedef int (*real_sem_clock)(sem_t *, clockid_t, const struct timespec *);
typedef int (*real_cond)(pthread_cond_t *, pthread_mutex_t *);
typedef int (*real_cond_until)(pthread_cond_t *, pthread_mutex_t *,
			       const struct timespec *);
typedef int (*real_cond_clock)(pthread_cond_t *, pthread_mutex_t *, clockid_t,
			       const struct timespec *);
typedef int (*real_mtx)(mtx_t *);
typedef int (*real_mtx_until)(mtx_t *, const struct timespec *);
typedef int (*real_cnd)(cnd_t *, mtx_t *);
typedef int (*real_cnd_until)(cnd_t *, mtx_t *, const struct timespec *);

typedef int (*real_prctl)(int, ...);
typedef long (*real_syscall)(long, unsigned long, unsigned long, unsigned long,
			     unsigned long, unsigned long, unsigned long);
typedef int (*real_int)(int);
typedef pid_t (*real_fork)(void);
typedef void (*real_exit)(int);
typedef int (*real_setns)(int, int);
typedef int (*real_clone)(int (*)(void *), void *, int, void *, ...);

struct real {
	real_mutex_init		mutex_init;
	real_rwlock_init	rwlock_init;
	real_spin_init		spin_init;
	real_sem_init		sem_init;
	real_mtx_init		mtx_init;
	real_mutex		mutex_lock, mutex_trylock, mutex_unlock;
	real_mutex_until	mutex_timedlock;
	real_mutex_clock	mutex_clocklock;
	real_rwlock		rdlock, tryrdlock, wrlock, trywrlock, rw_unlock;
	real_rwlock_until	timedrdlock, timedwrlock;
	real_rwlock_clock	clockrdlock, clockwrlock;
	real_spin		spin_lock, spin_trylock, spin_unlock;
	real_sem		sem_wait, sem_trywait, sem_post;
	real_sem_until		sem_timedwait;
	real_sem_clock		sem_clockwait;
	real_cond		cond_wait;
	real_cond_until		cond_timedwait;
	real_cond_clock		cond_clockwait;
	real_mtx		mtx_lock, mtx_trylock, mtx_unlock;
	real_mtx_until		mtx_timedlock;
	real_cnd		cnd_wait;
	real_cnd_until		cnd_timedwait;
	real_cond		old_cond_wait;		/* of GLIBC_2.2.5 */
	real_cond_until		old_cond_timedwait;

	real_prctl		prctl;
	real_syscall		syscall;
	real_int		mlockall, unshare;
	real_setns		setns;
	real_clone		clone;
	real_fork		fork_only;
	real_exit		_exit, _Exit, quick_exit;

	/*
	 * These are the C library's own, so that one function may be called in place of
	 * another: trylock before lock. A library in between would miss the call.
	 */
	bool			own_mutex, own_rwlock, own_spin, own_c11;
};

/* Not a result of any attempt: none was made, as the functions are not the C library's. */
#define REAL_NOT_TRIED	(-1)

/* What to do with a lock. */
enum mode {
	MODE_UNREADY,		/* before the library was initialised */
	MODE_PASS,		/* locks of this process are not traced */
	MODE_TRACE,
};

extern enum mode ft_mode __attribute__((visibility("hidden")));
extern struct real ft_real __attribute__((visibility("hidden")));

/** ft_real_find - may be called at any time; other threads may do the same */
void ft_real_find(void) __attribute__((visibility("hidden"), cold));

/** ft_unwind_find - look up what a cancelled wait needs; called once */
void ft_unwind_find(void) __attribute__((visibility("hidden"), cold));

/** ft_tracing - are locks traced? ft_real is valid in either case. */
static inline int ft_tracing(void)
{
	if (__builtin_expect(ft_mode == MODE_TRACE, 1))
		return 1;
	if (ft_mode == MODE_UNREADY)
		ft_real_find();
	return 0;
}

/* The heap of this process is traced, by the library for that. */
extern bool ft_heap_is_traced __attribute__((visibility("hidden")));

/** ft_traced - is anything of this process traced, locks or the heap? As ft_tracing() */
static inline bool ft_traced(void)
{
	return ft_tracing() || ft_heap_is_traced;
}

#endif /* FT_PRELOAD_REAL_H */
