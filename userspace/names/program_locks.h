/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Names for the locks of programs, from what a trace has of these (symbols/programs.h) and the
 * debug information of their files:
 *
 *	queue_lock [prog]		a variable
 *	table[].lock [prog]		a member of one
 *	heap, initialised in make_queue (queue.c:42)
 *	heap, first taken in push (queue.c:57)
 *	stack of worker
 *
 * Nothing in the program's memory says what else a lock is part of.
 */
#ifndef FT_NAMES_PROGRAM_LOCKS_H
#define FT_NAMES_PROGRAM_LOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum program_memory {
	PROGRAM_HEAP,		/* or what is in no file and on no stack */
	PROGRAM_STACK,
	PROGRAM_THREAD,		/* thread-local */
};

/**
 * struct program_lock - a lock that a program has taken
 * @addr:	with the tag of its process
 * @site:	the return address of the call that has first taken it, or initialised it, with
 *		that tag; 0: not known
 * @init:	that call has initialised it
 * @sites:	how many such calls there were at different sites: the memory is reused
 * @memory:	where it is, if in no file
 * @thread:	whose stack, or memory, that is
 * @likely:	that is likely only
 */
struct program_lock {
	uint64_t		addr, site;
	bool			init;
	unsigned int		sites;
	enum program_memory	memory;
	char			thread[16];
	bool			likely;
};

/** struct program_locks_told - what names lack */
struct program_locks_told {
	unsigned int	stripped;	/* files with locks but no symbols */
	char		file[64];	/* one of them */
	bool		late;		/* members were not looked up: it took too long */
};

/**
 * program_locks_put - write a line of TRACE/info/locks for each of the @n locks
 * @dir:	the trace, whose info/programs is complete
 * @seconds:	of the thread's time; then no more members of variables are looked up
 *
 * It ends the program without memory: call it in one of its own.
 */
void program_locks_put(FILE *f, const char *dir, const struct program_lock *locks, size_t n,
		       double seconds, struct program_locks_told *told);

#endif /* FT_NAMES_PROGRAM_LOCKS_H */
