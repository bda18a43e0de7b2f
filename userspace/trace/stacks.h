/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Stacks of a trace: info/stacks, where each distinct one stands once, and the records
 * "stack", which say where one belongs.
 *
 *	# feather-trace stacks 1 full=N failed=N
 *	PID ID ADDR ADDR ...	innermost first, hex with 0x; PID 0 is the kernel
 *
 * In a record, a is the stack's id and to what it belongs, b the address of the lock or block. It
 * belongs to the last event of that kind and lock by the same task on the same CPU before
 * it; a thread of a program may have another ring then. Of a sleep, b is 0, and the record comes
 * before that of the sched_switch with which the sleep begins.
 *
 * A line that is not as it must be is left out, with a message that names the first: of what
 * is damaged nothing is used.
 */
#ifndef FT_TRACE_STACKS_H
#define FT_TRACE_STACKS_H

#include <stddef.h>
#include <stdint.h>

#include "trace/parts.h"

#define STACKS_HEAD	"# feather-trace stacks 1 "
#define STACKS_DEPTH	256	/* addresses of a stack; a longer line is damaged */

#define STACKS_ID(a)	((uint32_t)(a))			/* 0: none could be had */
#define STACKS_OF(a)	((unsigned int)((a) >> 32))	/* enum stacks_of, or not known */

enum stacks_of {
	STACKS_OF_ACQUISITION, STACKS_OF_SECTION, STACKS_OF_WAIT, STACKS_OF_ALLOCATION,
	STACKS_OF_SLEEP, STACKS_OFS
};

/** struct stack - @number: 1, 2, ... in the order of the file */
struct stack {
	uint32_t	pid, id, number, n;
	uint64_t	addr[];
};

struct stacks;

/** stacks_open - those of the trace @dir; NULL: it has no file, or, with a message, a bad one */
struct stacks *stacks_open(const char *dir);

/**
 * stacks_open_parts - those of a trace of several parts
 *
 * Each part has all stacks from the beginning of the recording on, so the last file has all;
 * what could not be had each part counts on its own.
 */
struct stacks *stacks_open_parts(const struct parts *parts);
void stacks_free(struct stacks *s);

/** stacks_find - or NULL; @s may be NULL */
const struct stack *stacks_find(const struct stacks *s, uint32_t pid, uint32_t id);

/** stacks_at - by its number, which must be one */
const struct stack *stacks_at(const struct stacks *s, uint32_t number);

/** stacks_count - how many there are: the last number */
uint32_t stacks_count(const struct stacks *s);

/** stacks_full, stacks_failed - records that got none: the table was full; unwinding failed */
uint64_t stacks_full(const struct stacks *s);
uint64_t stacks_failed(const struct stacks *s);

/** stacks_damaged - lines that were left out */
uint64_t stacks_damaged(const struct stacks *s);

#endif /* FT_TRACE_STACKS_H */
