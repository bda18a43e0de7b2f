/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The order of locks: which call site acquires inside a section of which other one, and
 * which two locks were acquired in both orders.
 *
 * A section counts as inside another only in the same kind of context: what an interrupt
 * interrupts says nothing about the order of its locks.
 *
 * Memory is bounded: ORDER_PAIRS pairs of sites, ORDER_LOCKS pairs of locks; more are
 * counted (struct pairs, refused), and the report shows how many.
 */
#ifndef FT_ANALYSIS_ORDER_H
#define FT_ANALYSIS_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/places.h"
#include "base/pairs.h"
#include "locks/locks.h"
#include "symbols/lock_classes.h"

#define ORDER_PAIRS	(64u << 10)
#define ORDER_LOCKS	(256u << 10)
/* Only this many of the latest held locks count as outer ones. */
#define ORDER_OUTER	8

/* The families of two sections as the tag of a pair. */
static inline uint32_t order_tag(unsigned int outer, unsigned int inner)
{
	return outer << 8 | inner;
}

/** struct order_pair - sites: key.a outer, key.b inner; tag as order_tag() */
struct order_pair {
	struct pair	key;
	uint64_t	count;
};

/* Addresses are not enough where one lock is inside of another: see locks_are_apart(). */
static inline uint32_t order_locks_tag(unsigned int outer, unsigned int inner)
{
	return (uint32_t)(outer == FT_LOCK_RAW_SPIN) << 1 | (inner == FT_LOCK_RAW_SPIN);
}

/*
 * How a lock is held, and how one is waited for. A reader waits behind a writer that waits
 * itself; one that may hold the lock several times does not, and no reader of an interrupt.
 */
enum order_mode { ORDER_EXCLUSIVE, ORDER_READER, ORDER_READER_AGAIN, ORDER_MODES };

/* A bit of order_edge.modes. */
static inline uint16_t order_modes(enum order_mode outer, enum order_mode inner)
{
	return (uint16_t)(1u << (ORDER_MODES * outer + inner));
}

/**
 * struct order_edge - locks: key.b was acquired while key.a was held; order_locks_tag()
 *
 * There may be very many, so one is a cache line.
 */
struct order_edge {
	struct pair	key;		/* .more: the first time: which CPU, */
	int32_t		tid;		/* who, */
	uint32_t	ctx : 8;
	uint32_t	outer_family : 6, inner_family : 6;
	uint32_t	several : 1;	/* another task did so, too, or another context */
	uint32_t	modes : 9;	/* order_modes(), of all times */
	uint64_t	count;
	uint64_t	when;		/* ticks, the first time */
	uint64_t	outer_site, inner_site;
};

_Static_assert(sizeof(struct order_edge) == 64, "a cache line");
_Static_assert(LOCKS_FAMILIES <= 1 << 6 && ORDER_MODES * ORDER_MODES <= 9, "bits suffice");

/** order_same_doer - the same task, or context of it; of idle tasks each CPU has one */
static inline bool order_same_doer(const struct order_edge *x, const struct order_edge *y)
{
	return x->tid == y->tid && x->ctx == y->ctx && (x->tid || x->key.more == y->key.more);
}

/**
 * struct order_inversion - A then B here, B then A there
 *
 * Pairs of locks that were taken at the same four places are one inversion; the
 * edges are those of the pair with the lowest addresses.
 */
struct order_inversion {
	const struct order_edge	*there, *back;
	uint64_t		there_count, back_count;	/* acquisitions */
	uint64_t		locks;		/* pairs of locks */
};

struct order;

struct order *order_new(void);
void order_free(struct order *o);

/**
 * order_begin - @inner was acquired, and @outer was held then
 * @tried: by a trylock, which waits for nobody: it is nested, and no order of locks
 */
void order_begin(struct order *o, const struct section *inner,
		 const struct section *outer, bool tried);

/** order_skip - and @n more beyond ORDER_OUTER, which are only counted */
void order_skip(struct order *o, uint64_t n);

/** order_finish - sort, look for inversions; @places: or NULL */
void order_finish(struct order *o, struct places *places);

/* After that: most often first. */
const struct order_pair *const *order_pairs(const struct order *o, size_t *n);
const struct order_inversion *order_inversions(const struct order *o, size_t *n);

/**
 * order_edges - all pairs of locks, in the order of their keys; the caller's to free
 * @classes: or NULL
 *
 * None where no lock, or class of locks, can be on a way that leads back to it: then there
 * are no cycles.
 */
const struct order_edge **order_edges(const struct order *o, const struct lock_classes *classes,
				      size_t *n);

/** order_tried - nestings by trylock, which are no edges */
uint64_t order_tried(const struct order *o);

/** order_refused - pairs of sites, of locks, that bounded memory refused */
uint64_t order_refused(const struct order *o);
uint64_t order_refused_locks(const struct order *o);

/** order_skipped - pairs left out by order_skip() */
uint64_t order_skipped(const struct order *o);

#endif /* FT_ANALYSIS_ORDER_H */
