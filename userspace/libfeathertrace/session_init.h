/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Making a session: done by the reader, and by programs that read their own rings. */
#ifndef FT_LIBFEATHERTRACE_SESSION_INIT_H
#define FT_LIBFEATHERTRACE_SESSION_INIT_H

#include "libfeathertrace/session.h"

/**
 * ft_session_init_reader - the reader's side of ring @i, before its first owner
 * @rings:	their sizes, which the reader takes from its own memory, not
 *		from the shared one
 * @mine:	zeroed; gets positions of its own, pointers to its mapping
 */
static inline void
ft_session_init_reader(const struct ft_session *s, const struct ft_session_rings rings[],
		       __u32 i, struct ft_ring *mine)
{
	ft_ring_init(mine, ft_session_at(s, ft_session_slots_at(rings, i)),
		     rings[ft_session_kind(rings, i)].slots);
	ft_ring_restart(mine);
}

/** ft_session_init_ring - make ring @i ready for its first owner; the same @rings */
static inline void
ft_session_init_ring(struct ft_session *s, const struct ft_session_rings rings[], __u32 i)
{
	struct ft_ring ring = { 0 };

	ft_session_init_reader(s, rings, i, &ring);
	ring.slots = NULL;
	ft_session_ring(s, i)->ring = ring;
}

/** ft_session_publish - the session is complete: processes may join from now on */
static inline void ft_session_publish(struct ft_session *s)
{
	/* Pairs with the acquire in check_session() of the library. */
	ft_store_release(&s->magic, FT_SESSION_MAGIC);
}

/** ft_session_give_back - tell the owner of ring @i how far @mine has read */
static inline void ft_session_give_back(struct ft_session *s, __u32 i,
					const struct ft_ring *mine)
{
	struct ft_ring *shared = &ft_session_ring(s, i)->ring;

	/* The other half of ft_ring_release(): the position that the writers read. */
	ft_store_release(&shared->r, mine->r);
	if (mine->open)
		ft_store_release(&shared->limit, mine->limit);
}

#endif /* FT_LIBFEATHERTRACE_SESSION_INIT_H */
