/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Paths of functions to sections and waits: all stacks that go through the same functions are
 * one path, whatever the calls in them, the families of locks and the processes. They are in
 * order, so that those which begin with the same functions are side by side.
 */
#ifndef FT_ANALYSIS_STACK_PATHS_H
#define FT_ANALYSIS_STACK_PATHS_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/report.h"

enum stack_value { STACK_HOLD, STACK_WAIT, STACK_VALUES };

/** struct stack_path - @frame: outermost first; @ticks: summed up */
struct stack_path {
	const char		**frame;
	uint32_t		n;
	unsigned __int128	ticks[STACK_VALUES];
};

struct stack_paths;

/** stack_paths_new - of all stacks of a report */
struct stack_paths *stack_paths_new(const struct report *r);
void stack_paths_free(struct stack_paths *p);

/** stack_paths_list - in order; @n: how many */
const struct stack_path *stack_paths_list(const struct stack_paths *p, size_t *n);

/** stack_paths_name - "hold", "wait"; NULL behind the last */
const char *stack_paths_name(unsigned int value);

#endif /* FT_ANALYSIS_STACK_PATHS_H */
