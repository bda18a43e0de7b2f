/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Calls that print nothing, never exit and lose no memory: what a library needs from
 * code that a command uses as well.
 *
 * While scope_call() runs, on its thread alone,
 *  - what mem.h gives belongs to the scope, and goes with it at the latest,
 *  - messages (warn(), warnx()) are kept as text,
 *  - without memory the call ends at once and returns -ENOMEM; what it worked on is
 *    left as it is, and good for nothing but scope_free().
 * So whoever calls mem.h must not have a file or directory open that only a local
 * variable knows.
 *
 * Outside of a scope memory comes from malloc(), messages go to stderr, and without
 * memory the program ends.
 */
#ifndef FT_BASE_SCOPE_H
#define FT_BASE_SCOPE_H

#include <setjmp.h>
#include <stddef.h>

/* In front of what mem.h gives in a scope: a cache line. */
struct scope_block {
	struct scope_block	*prev, *next;
	char			rest[64 - 2 * sizeof(void *)];
};

/** struct scope - zeroed, it is an empty one */
struct scope {
	struct scope_block	*blocks;	/* the latest first */
	char			*text;		/* messages, a line each; or NULL */
	int			error;		/* errno of the first that had one */
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
