/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Were the locks of a cycle of classes the same ones? */
#ifndef FT_ANALYSIS_ORDER_INSTANCES_H
#define FT_ANALYSIS_ORDER_INSTANCES_H

#include "analysis/order_cycles.h"

/* So many edges are looked at, of one cycle. */
#define ORDER_INSTANCES		(1u << 20)

/** order_instances_find - set @edge, @count and @seen of a cycle */
void order_instances_find(const struct order_graph *g, struct order_cycle *cycle);

/** order_instances_nested - what there is to say of the link of a node with itself */
struct order_nested order_instances_nested(const struct order_graph *g,
					   const struct order_link *link);

#endif /* FT_ANALYSIS_ORDER_INSTANCES_H */
