/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Stacks of the edges of the lock order: by which path was the inner lock acquired, and the
 * outer one? A stack is recorded behind a wait, or at the end of a section, so who acquires a
 * lock inside of another one asks for both stacks, and gets them when they come.
 *
 * An edge has the first stack that is known of its two places, those of its first time; the
 * first time itself may have none, as few sections are long enough, or waited for.
 *
 * Only traces with stacks are read through this. Memory is bounded: ORDER_LOCKS edges, and
 * ORDER_WISHES sections that are held. Should more be held, all of these are forgotten, and an
 * edge has the stack of a later time, or none.
 */
#ifndef FT_ANALYSIS_ORDER_STACKS_H
#define FT_ANALYSIS_ORDER_STACKS_H

#include <stdint.h>

#include "analysis/order.h"
#include "locks/locks.h"
#include "locks/waits.h"

#define ORDER_WISHES	(64u << 10)

/** struct order_edge_stacks - their numbers: stacks_at(); 0: none is known */
struct order_edge_stacks {
	uint32_t	outer, inner;
};

struct order_stacks;

struct order_stacks *order_stacks_new(void);
void order_stacks_free(struct order_stacks *st);

/** order_stacks_begin - as order_begin(), except for trylocks */
void order_stacks_begin(struct order_stacks *st, const struct section *inner,
			const struct section *outer);

/** order_stacks_section - one has ended; @number: of its stack, or 0 */
void order_stacks_section(struct order_stacks *st, const struct section *s, uint32_t number);

/** order_stacks_wait - one is over: its stack is that of the acquisition, if there was one */
void order_stacks_wait(struct order_stacks *st, const struct wait *w, uint32_t number);

/** order_stacks_of - those of an edge; @st may be NULL */
struct order_edge_stacks order_stacks_of(const struct order_stacks *st,
					 const struct order_edge *e);

#endif /* FT_ANALYSIS_ORDER_STACKS_H */
