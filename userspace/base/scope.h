/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Calls of a library into code that commands use as well: they print nothing, do not
 * exit and leak no memory.
 *
 * While scope_call() runs, on its thread alone,
 *  - memory of mem.h belongs to the scope, and is freed with it at the latest,
 *  - messages (warn(), warnx()) are kept as text,
 *  - without memory the call ends at once and returns -ENOMEM; only scope_free() may use
 *    the scope after that.
 * So code that calls mem.h must not hold a descriptor in a local variable alone: it would
 * leak.
 *
 * Outside of a scope memory comes from malloc(), messages go to stderr, and without
 * memory the program ends.
 */
#ifndef FT_BASE_SCOPE_H
#define FT_BASE_SCOPE_H

#include <setjmp.h>
#include <stddef.h>

/* Stands in front of each piece of memory in a scope: a cache line. */
struct scope_block {
	struct scope_block	*prev, *next;
	char			rest[64 - 2 * sizeof(void *)];
};

/** struct scope - zeroed, it is an empty one */
struct scope {
	struct scope_block	*blocks;	/* the latest first */
	char			*text;		/* messages, a line each; or NULL */
	int			error;		/* errno of the first message that has one */
	jmp_buf			no_memory;	/* private: where the call ends */
};

/* The one that runs on this thread, or NULL. */
extern __thread struct scope *scope_now;

/** scope_call - @f(@arg) in a scope. Return: what it returns, or -ENOMEM */
int scope_call(struct scope *s, int (*f)(void *arg), void *arg);

/** scope_free - all memory that was taken in it and is not free yet */
void scope_free(struct scope *s);

/** scope_say - keep a message; @why: what the errno @error means, or "" and 0 */
void scope_say(struct scope *s, const char *text, const char *why, int error);

#endif /* FT_BASE_SCOPE_H */
