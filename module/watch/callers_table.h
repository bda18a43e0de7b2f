/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* A bounded table of different call stacks, each with an id. */
#ifndef _FT_CALLERS_TABLE_H
#define _FT_CALLERS_TABLE_H

#include <linux/types.h>
#include <uapi/linux/feather_trace.h>

struct ft_callers_table;

/* @room: a power of two, at least FT_STACKS_ROOM_MIN. Return: NULL without memory. May sleep. */
struct ft_callers_table *ft_callers_table_new(u32 room);
void ft_callers_table_free(struct ft_callers_table *table);

/**
 * ft_callers_table_id() - the id of a stack, which is entered if it is new
 * @addr:	@depth addresses, from 1 to FT_STACKS_DEPTH
 *
 * Wait-free: a bounded number of steps, whatever others do. Context: any.
 *
 * Return: from 1 on; 0: there was no room.
 */
u32 ft_callers_table_id(struct ft_callers_table *table, const unsigned long *addr, u32 depth);

/**
 * ft_callers_table_get() - copy a stack
 * @id:		in: the least that is wanted; out: the one that was found, else 0
 * @addr:	out: FT_STACKS_DEPTH of them at most
 *
 * One that is being entered is left out. Return: its depth.
 */
u32 ft_callers_table_get(const struct ft_callers_table *table, u32 *id, u64 *addr);

#endif /* _FT_CALLERS_TABLE_H */
