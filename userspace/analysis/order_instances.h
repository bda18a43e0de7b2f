/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Were the locks of a cycle of classes the same ones? */
#ifndef FT_ANALYSIS_ORDER_INSTANCES_H
#define FT_ANALYSIS_ORDER_INSTANCES_H

#include "analysis/order_cycles.h"

/*
 * The most edges that are tried beside the first one of each link: of one cycle, and of all.
 * The first ones are bounded by the steps of the search.
 */
#define ORDER_INSTANCES_EACH	(1u << 20)
#define ORDER_INSTANCES		(16u << 20)

/**
 * order_instances_find - set @edge, @count and @seen of a cycle
 * @budget: edges that may be tried; those that were are subtracted
 */
void order_instances_find(const struct order_graph *g, struct order_cycle *cycle,
			  uint64_t *budget);

/** order_instances_nested - what there is to say of the link of a node with itself */
struct order_nested order_instances_nested(const struct order_graph *g,
					   const struct order_link *link);

#endif /* FT_ANALYSIS_ORDER_INSTANCES_H */
