/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Where the loop runs: a CPU, a real-time priority, memory that stays. */
#ifndef FT_NPT_PLACE_H
#define FT_NPT_PLACE_H

#include <stdbool.h>
#include <stdint.h>

#define PLACE_ANY_CPU	UINT32_MAX

/**
 * struct place - the request
 * @cpu:	PLACE_ANY_CPU: see place_choose()
 * @priority:	of SCHED_FIFO, 1 to 99; 0: none is taken, nor is memory locked
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

/** place_warn - what else will be measured there: tasks, or the kernel's limits */
void place_warn(const struct place *p);

/**
 * place_take - from now on this thread runs there
 *
 * Call it after other processes were started: they must not inherit it. Return: false
 * after a message.
 */
bool place_take(const struct place *p);

/** place_leave - an ordinary thread again */
void place_leave(void);

#endif /* FT_NPT_PLACE_H */
