/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Rings of the session: taking them, and giving them back. */
#ifndef FT_LIBFEATHERTRACE_RINGS_H
#define FT_LIBFEATHERTRACE_RINGS_H

#include <stdbool.h>

#include "libfeathertrace/session.h"

/**
 * ft_rings_take - take a ring that is free
 * @tid:	the thread that writes to it from now on
 *
 * Lock-free, and makes no system call. Context: any, signal handlers too.
 *
 * Return: its index + 1; 0 where all that are prepared are taken.
 */
__u32 ft_rings_take(enum ft_session_kind kind, __s32 tid);

/** ft_rings_give_back - the caller, its owner, has finished writing */
void ft_rings_give_back(struct ft_user_ring *r);

/**
 * ft_rings_shrink - leave only a small part of the session in this process's memory
 *
 * Called before the process locks all of its memory. A few rings stay for its threads
 * and children, which take no others from then on.
 */
void ft_rings_shrink(void);

/** ft_rings_are_shrunk - was it done, for this session? */
bool ft_rings_are_shrunk(void);

/** ft_rings_forget - the process is in another session */
void ft_rings_forget(void);

#endif /* FT_LIBFEATHERTRACE_RINGS_H */
