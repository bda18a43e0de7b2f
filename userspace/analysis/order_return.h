/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Which edges of the lock order may be part of a way that leads back to where it began?
 * That needs locks, or classes of them, which are outer ones here and inner ones there;
 * most are always the one or the other. So few of a hundred thousand edges are left, or none,
 * and no graph of them all is needed.
 */
#ifndef FT_ANALYSIS_ORDER_RETURN_H
#define FT_ANALYSIS_ORDER_RETURN_H

#include "analysis/order.h"

/**
 * order_return - keep edges that may lead back, in their order
 * @classes: locks of one class count as one; NULL: each lock is by itself
 *
 * Some may be kept that do not. Return: how many are kept.
 */
size_t order_return(const struct order_edge **edges, size_t n,
		    const struct lock_classes *classes);

/** order_class_of - the class of a lock, where it is certain; or NULL */
const struct lock_class_known *order_class_of(const struct lock_classes *c, uint64_t lock);

#endif /* FT_ANALYSIS_ORDER_RETURN_H */
