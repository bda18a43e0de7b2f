/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Taking and giving back a mutex without the C library.
 *
 * Tracing a pair of lock and unlock costs the instructions between its two atomic
 * instructions: the CPU cannot overlap them with anything. The C library's functions are
 * a good part of that, and for a mutex of the default kind they do so little that
 * ft_mutex_learn() can compare it bit by bit: if they do exactly the same, the code here
 * does it, and both can be mixed. All other cases (other kinds, waiters, another C
 * library, another library in front of its functions) go to the real functions.
 */
#ifndef FT_PRELOAD_MUTEX_KNOWN_H
#define FT_PRELOAD_MUTEX_KNOWN_H

#include "preload/locks.h"

#define MUTEX_FREE	0
#define MUTEX_TAKEN	1	/* without waiters */

/** ft_mutex_known - the known kind of mutex; -1: none */
extern int ft_mutex_known __attribute__((visibility("hidden")));

/** ft_mutex_learn - find out what the real functions do to a mutex; once */
void ft_mutex_learn(void) __attribute__((visibility("hidden"), cold));

/**
 * mutex_known_take - take a mutex, and record that
 *
 * Return: 0; EBUSY if it is taken; -1 if its kind is not known, or the thread has no
 * ring yet.
 */
static __always_inline int mutex_known_take(pthread_mutex_t *m, const void *site)
{
	ft_thread_here *t = ft_thread_find();
	struct ft_ring *ring = t->ring;
	int state = MUTEX_FREE;

	if (unlikely(m->__data.__kind != ft_mutex_known || *t->guard != ring))
		return -1;
	/* Pairs with the release by the last owner, below or in the C library. */
	if (unlikely(!__atomic_compare_exchange_n(&m->__data.__lock, &state, MUTEX_TAKEN,
						  false, __ATOMIC_ACQUIRE,
						  __ATOMIC_RELAXED)))
		return EBUSY;
	m->__data.__owner = t->tid;
	m->__data.__nusers++;
	ft_thread_write(t, ring, FT_ID_USER_ACQUIRE(FT_USER_MUTEX), (uintptr_t)m,
			(uintptr_t)site, FT_MARK_A | FT_MARK_B | FT_BEHIND_ATOMIC);
	return 0;
}

/**
 * mutex_known_release - give a mutex back, and record that
 *
 * The clock is read and the slot reserved before the release, so that a signal handler's
 * records come after this one. All else is done after the release: before it, other
 * threads would wait for it.
 *
 * Return: 0; EBUSY if it is recorded, but has waiters, so the real function must release
 * it; -1 if its kind is not known, or the thread has no ring with room.
 */
static __always_inline int mutex_known_release(pthread_mutex_t *m, const void *site)
{
	ft_thread_here *t = ft_thread_find();
	struct ft_ring *ring = t->ring;
	__u32 word = FT_RING_ID(FT_ID_USER_RELEASE(FT_USER_MUTEX));
	int state = MUTEX_TAKEN;
	struct ft_record *slot;
	struct ft_stamp stamp;
	bool done;

	if (unlikely(m->__data.__kind != ft_mutex_known || *t->guard != ring))
		return -1;
	slot = ft_ring_reserve_or(ring, &word);
	if (unlikely(!slot))
		return -1;

	m->__data.__owner = 0;
	m->__data.__nusers--;
	stamp = ft_thread_stamp();
	/* Pairs with the acquire by the next owner, above or in the C library. */
	done = __atomic_compare_exchange_n(&m->__data.__lock, &state, MUTEX_FREE, false,
					   __ATOMIC_RELEASE, __ATOMIC_RELAXED);
	/* Once it is free, @m may be gone: use only its address. */
	ft_stamp_store(stamp, slot);
	ft_thread_fill(slot, t, (uintptr_t)m, (uintptr_t)site, FT_MARK_A | FT_MARK_B);
	ft_ring_commit(slot, word);
	ft_thread_prefetch(slot);
	if (likely(done))
		return 0;

	m->__data.__owner = t->tid;
	m->__data.__nusers++;
	return EBUSY;
}

#endif /* FT_PRELOAD_MUTEX_KNOWN_H */
