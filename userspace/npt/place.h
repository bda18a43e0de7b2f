/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Where the loop runs: a CPU, a real-time priority, memory that stays. */
#ifndef FT_NPT_PLACE_H
#define FT_NPT_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PLACE_ANY_CPU	UINT32_MAX

/**
 * struct place - the request
 * @cpu:	PLACE_ANY_CPU: see place_choose()
 * @priority:	of SCHED_FIFO, 1 to 99; 0: SCHED_OTHER, and memory is not locked
 */
struct place {
	uint32_t	cpu;
	uint32_t	priority;
};

/**
 * place_choose - find a CPU, or look at the one that was named
 *
 * Without a name: the last isolated one that this process may use; else the last one.
 * Return: false after a message.
 */
bool place_choose(struct place *p);

#define PLACE_WARNINGS	3

/** struct place_warnings - what else is measured there; each is allocated */
struct place_warnings {
	char	*text[PLACE_WARNINGS];
	size_t	n;
};

/** place_look - tasks, or the kernel's limits */
void place_look(const struct place *p, struct place_warnings *w);
void place_warnings_free(struct place_warnings *w);

/**
 * place_take - from now on this thread runs there
 *
 * Call it after other processes were started: they must not inherit it. Return: false
 * after a message.
 */
bool place_take(const struct place *p);

/** place_leave - the thread is again as it was */
void place_leave(void);

#endif /* FT_NPT_PLACE_H */
