/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* A tracepoint of the running kernel, and which words its records have. */
#ifndef FT_CONTROL_KERNEL_TRACEPOINT_H
#define FT_CONTROL_KERNEL_TRACEPOINT_H

#include <stdbool.h>

#include <linux/feather_trace.h>

#include "control/typed/types.h"

/**
 * kernel_tracepoint_find - what FT_IOC_TRACEPOINT wants to know
 * @text:	NAME or SYSTEM:NAME, perhaps with expressions: NAME(EXPRESSION, EXPRESSION);
 *		names are unique without the system
 * @out:	zeroed; out: all but the id
 *
 * Without expressions, the words are those of kernel_tracepoint_words(), if the kernel has type
 * information; and the event is called as the tracepoint.
 *
 * Return: false after a message.
 */
bool kernel_tracepoint_find(const char *text, struct ft_tracepoint *out);

/**
 * kernel_tracepoint_words - the words that are chosen if the user names none
 *
 * The first two arguments that are numbers; where there is only one, or none, pointers with
 * them. They stay in their order.
 */
void kernel_tracepoint_words(const struct types_tracepoint *tracepoint, struct ft_word word[2]);

#endif /* FT_CONTROL_KERNEL_TRACEPOINT_H */
