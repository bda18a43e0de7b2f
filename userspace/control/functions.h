/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The lock functions that are wrapped on a kernel without triggers. */
#ifndef FT_CONTROL_FUNCTIONS_H
#define FT_CONTROL_FUNCTIONS_H

#include <stdbool.h>

#include "base/output.h"

struct events;
struct ft_hook;

/** functions_reason - why a function is not wrapped, or stays so; "" where all is well */
const char *functions_reason(const struct ft_hook *hook);

/** functions_list - print the state of each. Return: false after a message. */
bool functions_list(int control, const struct events *events, enum output_format format);

/**
 * functions_warn_refused - name the functions that could not be wrapped
 *
 * @participle:	what they are not: "traced", "measured"
 *
 * Only those of chosen events: acquisitions through these functions are missing from the
 * trace, or sensor. Prints nothing if all is well, or if this kernel needs no wrapping.
 */
void functions_warn_refused(const struct events *events, int control, const char *participle);

#endif /* FT_CONTROL_FUNCTIONS_H */
