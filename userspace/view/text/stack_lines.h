/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Stacks, printed below the records that name them. */
#ifndef FT_VIEW_TEXT_STACK_LINES_H
#define FT_VIEW_TEXT_STACK_LINES_H

#include <stdint.h>
#include <stdio.h>

#include "symbols/symbols.h"
#include "trace/parts.h"

struct stack_lines;

/**
 * stack_lines_open - of a trace
 * @symbols:	NULL: addresses are numbers, and stacks of programs are left out, whose
 *		processes are not known
 *
 * Return: NULL: it has none.
 */
struct stack_lines *stack_lines_open(const struct parts *parts, const struct symbols *symbols);
void stack_lines_close(struct stack_lines *s);

/**
 * stack_lines_put - a line for each function, innermost first, inlined ones too
 * @a, @lock:	of a record "stack"
 *
 * What has no symbol is its place in its file. @s may be NULL.
 */
void stack_lines_put(const struct stack_lines *s, uint64_t a, uint64_t lock, FILE *to);

#endif /* FT_VIEW_TEXT_STACK_LINES_H */
