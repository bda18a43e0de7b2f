/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What the parts of fields.c share. */
#ifndef FT_VIEW_FIELDS_PUT_H
#define FT_VIEW_FIELDS_PUT_H

#include "base/pairs.h"
#include "view/data/fields.h"

void put_text(struct fields *f, const char *column, const char *value);
__attribute__((format(printf, 3, 4)))
void put_number(struct fields *f, const char *column, const char *fmt, ...);
void put_u64(struct fields *f, const char *column, uint64_t value);

/* Nanoseconds with three decimals. */
void put_ns(struct fields *f, const char *column, report_ps ps);

/* With the columns' prefix. @least: the sum is saturated: it is that or more. */
void put_total(struct fields *f, const char *prefix, report_ps ps, bool least);

/* When: since the start of the trace. */
void put_time(const struct report *r, struct fields *f, const char *column,
	      uint64_t ticks);

/* @call: a call site, else the address of a lock. */
void put_symbol(const struct report *r, struct fields *f, const char *column,
		uint64_t addr, bool call);

/* Which CPU, or which stream of programs. */
void put_stream(struct fields *f, const char *column, unsigned int number);

/* The line of the source code, where it is known. */
void put_line(const struct report *r, struct fields *f, const char *column,
	      uint64_t site);

/* "spin:0xffffffff81234567", and its symbol; "spin:?" where the site is not known. */
void put_site(const struct report *r, struct fields *f, const char *column,
	      unsigned int family, uint64_t addr);
void put_lock(const struct report *r, struct fields *f, const char *column,
	      uint64_t addr);

#define FIELDS_ROW	96	/* room for the name of a row */

/* The name of a row of a pair of sites: "spin:0x1<mutex:0x2". Return: @buf */
const char *pair_name(char buf[FIELDS_ROW], const char *between,
		      const struct pair *key);

/* Tables of fields_NAME.c. */
void put_waits(const struct report *r, struct fields *f);
void put_order(const struct report *r, struct fields *f);
void put_cycles_of_locks(const struct report *r, struct fields *f);
void put_longest(const struct report *r, struct fields *f);
void put_realtime(const struct report *r, struct fields *f);
void put_distributions(const struct report *r, struct fields *f);

/* The functions of a stack, from the innermost on; which one it is in the trace. */
void put_stack(const struct report *r, struct fields *f, const struct stack *stack);

#endif /* FT_VIEW_FIELDS_PUT_H */
