/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Strongly connected parts of the graph of locks: from each of its nodes there is a way to all. */
#ifndef FT_ANALYSIS_ORDER_COMPONENTS_H
#define FT_ANALYSIS_ORDER_COMPONENTS_H

#include "analysis/order_graph.h"

/** struct order_components - @part of each node, @size in nodes of each part */
struct order_components {
	uint32_t	*part, *size;
	uint32_t	n;
};

void order_components_find(struct order_components *c, const struct order_graph *g);
void order_components_free(struct order_components *c);

#endif /* FT_ANALYSIS_ORDER_COMPONENTS_H */
