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

/** functions_list - print what became of each. Return: false after a message. */
bool functions_list(int control, const struct events *events, enum output_format format);

/**
 * functions_warn_refused - name the functions that could not be wrapped
 *
 * Those of chosen events, whose records lack what goes through these functions.
 * Says nothing where all is well, or where no function is wrapped at all.
 */
void functions_warn_refused(const struct events *events, int control);

#endif /* FT_CONTROL_FUNCTIONS_H */
