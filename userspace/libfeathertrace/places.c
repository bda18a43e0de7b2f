// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Places of threads: see places.h. */
#include "libfeathertrace/places.h"
#include "libfeathertrace/process.h"

struct ft_ring *const ft_place_nobody = (struct ft_ring *)FT_PLACE_MARK;

/*
 * Places for threads in the memory that is wiped in a child. Which of them are used is
 * not wiped: no thread of a child gets the place that another one has from its parent.
 */
__u32 ft_thread_places;
static bool used[FT_SESSION_RINGS];
static __s32 tids[FT_SESSION_RINGS];	/* of who filled it last */

static void raise_places(__u32 n)
{
	__u32 places = __atomic_load_n(&ft_thread_places, __ATOMIC_RELAXED);

	while (places < n &&
	       !__atomic_compare_exchange_n(&ft_thread_places, &places, n, true,
					    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

void ft_place_free(struct ft_ring *const *place)
{
	__atomic_store_n(&used[place - ft_private->threads], false, __ATOMIC_RELEASE);
}

/*
 * A thread that took a ring in the last destructors of its end could not give its place
 * back; but the reader has freed its ring. Return: a place for the caller; NULL: none
 */
static struct ft_ring *const *place_of_ended(void)
{
	for (__u32 i = 0; i < FT_SESSION_RINGS; i++) {
		struct ft_ring **place = &ft_private->threads[i];
		struct ft_ring *ring = __atomic_load_n(place, __ATOMIC_ACQUIRE);
		__u64 owner;

		if (!ring || ring == ft_place_nobody)
			continue;
		owner = __atomic_load_n(&ft_place_unmarked(ring)->owner, __ATOMIC_RELAXED);
		if (owner != FT_RING_OWNER(ft_process_index(), tids[i]) &&
		    __atomic_compare_exchange_n(place, &ring, NULL, false, __ATOMIC_RELAXED,
						__ATOMIC_RELAXED))
			return place;
	}
	return NULL;
}

/* Return: false if a handler was faster. */
static bool place_set(struct ft_ring *const *place)
{
	struct ft_ring *const *none = &ft_place_nobody;

	return __atomic_compare_exchange_n(&ft_thread.guard, &none, place, false,
					   __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

bool ft_place_take(void)
{
	struct ft_ring *const *left;

	/* it has a place, perhaps from before fork() */
	if (ft_thread.guard != &ft_place_nobody)
		return true;
	for (__u32 i = 0; i < FT_SESSION_RINGS; i++) {
		if (__atomic_load_n(&used[i], __ATOMIC_RELAXED) ||
		    __atomic_exchange_n(&used[i], true, __ATOMIC_ACQUIRE))
			continue;
		raise_places(i + 1);
		if (!place_set(&ft_private->threads[i]))
			ft_place_free(&ft_private->threads[i]);
		return true;
	}
	left = place_of_ended();
	if (left && !place_set(left))
		ft_place_free(left);
	return left;
}

void ft_place_is_of(struct ft_ring *const *place, __s32 tid)
{
	tids[place - ft_private->threads] = tid;
}

void ft_thread_forget(void)
{
	/* In one order with what place_fill() does: it sees the change, or is undone. */
	for (__u32 i = 0; i < ft_thread_places; i++)
		__atomic_store_n(&ft_private->threads[i], NULL, __ATOMIC_SEQ_CST);
}
