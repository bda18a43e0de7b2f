/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Locks that interrupts take, and that others take while interrupts can come: an interrupt
 * that does so on the CPU of the holder waits for ever. The same holds for softirqs.
 *
 * A record does not have the state of interrupts. Two things reveal it, at no cost to the
 * record:
 *
 *	an interrupt took locks while the lock was held on its CPU	certain
 *	neither the function that took the lock turns them off		possible: nothing
 *		(trace/lock_calls.h), nor one that took a lock		records
 *		which is still held					local_irq_disable()
 *
 * Only spinning locks count: an interrupt never waits for a lock that sleeps.
 */
#ifndef FT_ANALYSIS_IRQ_USES_H
#define FT_ANALYSIS_IRQ_USES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/pairs.h"
#include "locks/locks.h"
#include "symbols/symbols.h"

#define IRQ_USES_MAX	(256u << 10)

/*
 * Which acquisitions by tasks are looked at, for each call site: the first ones, then one in
 * this many.
 */
#define IRQ_USES_FIRST	16u
#define IRQ_USES_EACH	64u

/** enum irq_kind - which interrupts */
enum irq_kind { IRQ_HARD, IRQ_SOFT, IRQ_KINDS };

/** struct irq_use - key.a is the lock, key.tag private; who did so first, and when */
struct irq_use {
	struct pair	key;
	uint64_t	count;
	uint64_t	when, site;
	int32_t		tid;
	uint32_t	cpu;
	uint8_t		family, ctx;
};

/**
 * struct irq_unsafe - a finding, of a class (order_graph.h) or a lock
 * @locks:	for which both are true
 * @inside:	an acquisition in such an interrupt
 * @on:		one with such interrupts on
 * @on_count:	of those that were looked at
 * @certain:	an interrupt came while @on was held; of such ones there were @came
 * @same:	@inside and @on are of one lock
 */
struct irq_unsafe {
	enum irq_kind			kind;
	const struct lock_class_known	*class;		/* or NULL */
	uint64_t			lock;		/* or the first of the class */
	bool				certain, same;
	uint64_t			locks, inside_count, on_count, came;
	const struct irq_use		*inside, *on;
};

struct irq_uses;

/** irq_uses_new - @symbols: or NULL */
struct irq_uses *irq_uses_new(const struct symbols *symbols);
void irq_uses_free(struct irq_uses *u);

/**
 * irq_uses_begin - @s was acquired, and the @n locks @outer were held: locks_outer()
 *
 * A skipped section (SECTION_SKIP) still shows which locks are held, but is not a use itself.
 */
void irq_uses_begin(struct irq_uses *u, const struct section *s,
		    const struct section *const *outer, unsigned int n);

/** irq_uses_finish - find what is unsafe */
void irq_uses_finish(struct irq_uses *u);

/** irq_uses_unsafe - after that: worst first */
const struct irq_unsafe *irq_uses_unsafe(const struct irq_uses *u, size_t *n);

/** irq_uses_refused - how often bounded memory refused a use */
uint64_t irq_uses_refused(const struct irq_uses *u);

/** irq_uses_knows_calls - does the trace tell which functions were called? */
bool irq_uses_knows_calls(const struct irq_uses *u);

/** irq_kind_name - "hardirq", "softirq" */
const char *irq_kind_name(enum irq_kind kind);

#endif /* FT_ANALYSIS_IRQ_USES_H */
