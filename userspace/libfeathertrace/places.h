/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Places: words in the memory that is wiped in a child, to which threads' guards point.
 *
 * A place says which ring its thread may write to at once. It is NULL in a child. Where every
 * event is to take the slow path, it is the thread's ring, marked: so it can still be seen
 * whose it was, when that thread has ended.
 */
#ifndef FT_LIBFEATHERTRACE_PLACES_H
#define FT_LIBFEATHERTRACE_PLACES_H

#include <stdbool.h>
#include <stdint.h>

#include "libfeathertrace/session.h"

#define FT_PLACE_MARK	1ul

/** ft_place_nobody - the place of a thread that has none, and what it says: no ring, marked */
extern struct ft_ring *const ft_place_nobody;

static inline struct ft_ring *ft_place_marked(struct ft_ring *ring)
{
	return (struct ft_ring *)((uintptr_t)ring | FT_PLACE_MARK);
}

static inline struct ft_user_ring *ft_place_unmarked(struct ft_ring *ring)
{
	return (struct ft_user_ring *)((uintptr_t)ring & ~FT_PLACE_MARK); /* its first member */
}

/** ft_place_take - a place for this thread. Return: false if none is left. */
bool ft_place_take(void);

/** ft_place_free - the opposite: another thread may take it */
void ft_place_free(struct ft_ring *const *place);

/** ft_place_is_of - who fills it from now on */
void ft_place_is_of(struct ft_ring *const *place, __s32 tid);

#endif /* FT_LIBFEATHERTRACE_PLACES_H */
