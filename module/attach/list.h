/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What is wrapped: the lock functions, where the kernel has no triggers of its own, and
 * functions that are chosen at run time. Read by the compiler and by the assembler.
 *
 *	FT_HOOK(KIND, FUNCTION, FAMILY, SLEEPS)
 *
 * KIND says what is recorded, and when:
 *
 *	ACQUIRE		an acquisition, when the function returns, which returns nothing
 *	ACQUIRE_FLAGS	the same of one that returns something
 *	ACQUIRE_IF	the same if it returns something other than 0
 *	ACQUIRE_IF_0	the same if it returns 0
 *	RELEASE		a release, before the function begins, whose only argument is the lock
 *	RELEASE_FLAGS	the same with a second argument
 *	DOWNGRADE	both of an rwsem, before the function begins: others can
 *			only come to read, so the writer's section ends here
 *
 * SLEEPS: the function can go to sleep between entry and return; then whoever is
 * inside is counted, as no grace period waits for them.
 *
 * The lock is the first argument, except FT_HOOK_SECOND(), where it is the
 * second. Functions that may be built upon another one of this list are in
 * FT_HOOK_UPON(KIND, FUNCTION, FAMILY, SLEEPS, OTHER): they are wrapped only if
 * the compiler has copied the other one into them.
 *
 * On PREEMPT_RT, spinlock_t and rwlock_t are other functions, which sleep. There
 * raw_spinlock_t is a family of its own: the raw lock inside a sleeping one has the same
 * address as that. It is left out where its unlock is inlined (FT_HAVE_ATTACH_RAW).
 */
#ifndef _FT_ATTACH_LIST_H
#define _FT_ATTACH_LIST_H

#include "compat.h"

/* enum ft_lock_family, for the assembler; functions.c compares them */
#define FT_HOOK_SPIN		0
#define FT_HOOK_RWLOCK_READ	1
#define FT_HOOK_RWLOCK_WRITE	2
#define FT_HOOK_MUTEX		3
#define FT_HOOK_SEMAPHORE	4
#define FT_HOOK_RWSEM_READ	5
#define FT_HOOK_RWSEM_WRITE	6
#define FT_HOOK_RAW_SPIN	7

#if FT_HAVE_ATTACH_RAW
#define FT_HOOK_RAW_FAMILY(do)	do(RAW_SPIN)
#else
#define FT_HOOK_RAW_FAMILY(do)
#endif

#define FT_HOOK_FAMILIES(do)						\
	do(SPIN) do(RWLOCK_READ) do(RWLOCK_WRITE) do(MUTEX)		\
	do(SEMAPHORE) do(RWSEM_READ) do(RWSEM_WRITE) FT_HOOK_RAW_FAMILY(do)

/*
 * The functions of raw_spinlock_t, which spinlock_t has, too, without PREEMPT_RT. The holder of
 * one is not preempted; with PREEMPT_RT, those that end in _bh leave preemption on, and have no
 * events.
 */
#define FT_HOOKS_RAW(family)						\
FT_HOOK(ACQUIRE,	_raw_spin_lock,			family, 0)	\
FT_HOOK(ACQUIRE,	_raw_spin_lock_irq,		family, 0)	\
FT_HOOK(ACQUIRE_FLAGS,	_raw_spin_lock_irqsave,	family, 0)	\
FT_HOOK(ACQUIRE_IF,	_raw_spin_trylock,		family, 0)	\
FT_HOOK(RELEASE,	_raw_spin_unlock,		family, 0)	\
FT_HOOK(RELEASE,	_raw_spin_unlock_irq,		family, 0)	\
FT_HOOK(RELEASE_FLAGS,	_raw_spin_unlock_irqrestore,	family, 0)

#if FT_HAVE_ATTACH_RAW
#define FT_HOOKS_RAW_SPIN	FT_HOOKS_RAW(RAW_SPIN)
#else
#define FT_HOOKS_RAW_SPIN
#endif

#ifdef CONFIG_PREEMPT_RT
#define FT_HOOKS_SPIN							\
FT_HOOK(ACQUIRE,	rt_spin_lock,			SPIN, 1)	\
FT_HOOK(ACQUIRE_IF,	rt_spin_trylock,		SPIN, 1)	\
FT_HOOK(ACQUIRE_IF,	rt_spin_trylock_bh,		SPIN, 1)	\
FT_HOOK(RELEASE,	rt_spin_unlock,			SPIN, 1)	\
FT_HOOK(ACQUIRE,	rt_read_lock,			RWLOCK_READ, 1)	\
FT_HOOK(ACQUIRE_IF,	rt_read_trylock,		RWLOCK_READ, 1)	\
FT_HOOK(RELEASE,	rt_read_unlock,			RWLOCK_READ, 1)	\
FT_HOOK(ACQUIRE,	rt_write_lock,			RWLOCK_WRITE, 1) \
FT_HOOK(ACQUIRE_IF,	rt_write_trylock,		RWLOCK_WRITE, 1) \
FT_HOOK(RELEASE,	rt_write_unlock,		RWLOCK_WRITE, 1)
#else
#define FT_HOOKS_SPIN							\
FT_HOOKS_RAW(SPIN)							\
FT_HOOK(ACQUIRE,	_raw_spin_lock_bh,		SPIN, 0)	\
FT_HOOK(ACQUIRE_IF,	_raw_spin_trylock_bh,		SPIN, 0)	\
FT_HOOK(RELEASE,	_raw_spin_unlock_bh,		SPIN, 0)	\
FT_HOOK(ACQUIRE,	_raw_read_lock,			RWLOCK_READ, 0)	\
FT_HOOK(ACQUIRE,	_raw_read_lock_irq,		RWLOCK_READ, 0)	\
FT_HOOK(ACQUIRE_FLAGS,	_raw_read_lock_irqsave,	RWLOCK_READ, 0)	\
FT_HOOK(ACQUIRE,	_raw_read_lock_bh,		RWLOCK_READ, 0)	\
FT_HOOK(ACQUIRE_IF,	_raw_read_trylock,		RWLOCK_READ, 0)	\
FT_HOOK(RELEASE,	_raw_read_unlock,		RWLOCK_READ, 0)	\
FT_HOOK(RELEASE,	_raw_read_unlock_irq,		RWLOCK_READ, 0)	\
FT_HOOK(RELEASE_FLAGS,	_raw_read_unlock_irqrestore,	RWLOCK_READ, 0)	\
FT_HOOK(RELEASE,	_raw_read_unlock_bh,		RWLOCK_READ, 0)	\
FT_HOOK(ACQUIRE,	_raw_write_lock,		RWLOCK_WRITE, 0) \
FT_HOOK(ACQUIRE,	_raw_write_lock_nested,		RWLOCK_WRITE, 0) \
FT_HOOK(ACQUIRE,	_raw_write_lock_irq,		RWLOCK_WRITE, 0) \
FT_HOOK(ACQUIRE_FLAGS,	_raw_write_lock_irqsave,	RWLOCK_WRITE, 0) \
FT_HOOK(ACQUIRE,	_raw_write_lock_bh,		RWLOCK_WRITE, 0) \
FT_HOOK(ACQUIRE_IF,	_raw_write_trylock,		RWLOCK_WRITE, 0) \
FT_HOOK(RELEASE,	_raw_write_unlock,		RWLOCK_WRITE, 0) \
FT_HOOK(RELEASE,	_raw_write_unlock_irq,		RWLOCK_WRITE, 0) \
FT_HOOK(RELEASE_FLAGS,	_raw_write_unlock_irqrestore,	RWLOCK_WRITE, 0) \
FT_HOOK(RELEASE,	_raw_write_unlock_bh,		RWLOCK_WRITE, 0)
#endif

#define FT_HOOKS_MUTEX							\
FT_HOOK(ACQUIRE,	mutex_lock,			MUTEX, 1)	\
FT_HOOK(ACQUIRE_IF_0,	mutex_lock_interruptible,	MUTEX, 1)	\
FT_HOOK(ACQUIRE_IF_0,	mutex_lock_killable,		MUTEX, 1)	\
FT_HOOK(ACQUIRE_IF,	mutex_trylock,			MUTEX, 0)	\
FT_HOOK(RELEASE,	mutex_unlock,			MUTEX, 0)	\
FT_HOOK(ACQUIRE_IF_0,	ww_mutex_lock,			MUTEX, 1)	\
FT_HOOK(ACQUIRE_IF_0,	ww_mutex_lock_interruptible,	MUTEX, 1)	\
FT_HOOK_UPON(ACQUIRE,	mutex_lock_io,			MUTEX, 1, mutex_lock)	\
FT_HOOK_UPON(RELEASE,	ww_mutex_unlock,		MUTEX, 0, mutex_unlock)	\
FT_HOOK_WW(ACQUIRE_IF,	ww_mutex_trylock,		MUTEX, 0, mutex_trylock) \
FT_HOOK_SECOND(ACQUIRE_IF, atomic_dec_and_mutex_lock,	MUTEX, 1, mutex_lock)

#define FT_HOOKS_SEMAPHORE						\
FT_HOOK(ACQUIRE,	down,				SEMAPHORE, 1)	\
FT_HOOK(ACQUIRE_IF_0,	down_interruptible,		SEMAPHORE, 1)	\
FT_HOOK(ACQUIRE_IF_0,	down_killable,			SEMAPHORE, 1)	\
FT_HOOK(ACQUIRE_IF_0,	down_timeout,			SEMAPHORE, 1)	\
FT_HOOK(ACQUIRE_IF_0,	down_trylock,			SEMAPHORE, 0)	\
FT_HOOK(RELEASE,	up,				SEMAPHORE, 0)

#define FT_HOOKS_RWSEM							\
FT_HOOK(ACQUIRE,	down_read,			RWSEM_READ, 1)	\
FT_HOOK(ACQUIRE_IF_0,	down_read_interruptible,	RWSEM_READ, 1)	\
FT_HOOK(ACQUIRE_IF_0,	down_read_killable,		RWSEM_READ, 1)	\
FT_HOOK(ACQUIRE_IF,	down_read_trylock,		RWSEM_READ, 0)	\
FT_HOOK(RELEASE,	up_read,			RWSEM_READ, 0)	\
FT_HOOK(ACQUIRE,	down_write,			RWSEM_WRITE, 1)	\
FT_HOOK(ACQUIRE_IF_0,	down_write_killable,		RWSEM_WRITE, 1)	\
FT_HOOK(ACQUIRE_IF,	down_write_trylock,		RWSEM_WRITE, 0)	\
FT_HOOK(RELEASE,	up_write,			RWSEM_WRITE, 0)	\
FT_HOOK(DOWNGRADE,	downgrade_write,		RWSEM_WRITE, 0)

#define FT_HOOKS							\
	FT_HOOKS_SPIN FT_HOOKS_MUTEX FT_HOOKS_SEMAPHORE FT_HOOKS_RWSEM	\
	FT_HOOKS_RAW_SPIN

/* Places for functions that are chosen at run time (chosen.h), by number. */
#define FT_CHOSEN_COUNT		16
#define FT_EACH_CHOSEN(do)						\
	do(0) do(1) do(2) do(3) do(4) do(5) do(6) do(7)			\
	do(8) do(9) do(10) do(11) do(12) do(13) do(14) do(15)

#endif /* _FT_ATTACH_LIST_H */
