// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Where locks are initialised: see lock_sites.h. */
#include <errno.h>
#include <stdint.h>

#include "libfeathertrace/lock_sites.h"
#include "libfeathertrace/process.h"
#include "libfeathertrace/rings.h"

static void fill(struct ft_user_lock *l, __u64 lock, __u64 site)
{
	__u32 turn = __atomic_load_n(&l->turn, __ATOMIC_RELAXED);

	/* Another thread, or what this handler has interrupted, writes it: leave it to that. */
	if (turn & 1 || !__atomic_compare_exchange_n(&l->turn, &turn, turn + 1, false,
						     __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return;
	if (l->lock != lock) {
		l->lock = lock;
		l->sites = 0;
	} else if (l->site != site) {
		l->sites++;
	}
	l->site = site;
	/* Pairs with the acquire in run_lock_entry() of ft run: the entry was written before it. */
	__atomic_store_n(&l->turn, turn + 2, __ATOMIC_RELEASE);
}

static void note(const void *lock, const void *site)
{
	__u64 tag = (__u64)(ft_process_index() + 1) << FT_TAG_SHIFT, key = tag | (uintptr_t)lock;

	if (ft_process_index() < FT_TAG_MAX)
		fill(ft_session_lock(ft_session, ft_session_lock_place(key)), key,
		     tag | (uintptr_t)site);
}

void ft_lock_site(const void *lock, const void *site)
{
	int error = errno;

	if (!ft_session || !(ft_session->locks & FT_LOCKS_NAMED) ||
	    __atomic_load_n(&ft_session->closed, __ATOMIC_RELAXED))
		return;
	/* It may make calls, which the program must not see. */
	if (ft_process_join()) {
		/* The table goes, as rings do: ft_rings_shrink() waits for those in here. */
		ft_takers_enter();
		if (!ft_rings_are_shrunk())
			note(lock, site);
		ft_takers_leave();
	}
	errno = error;
}
