/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
#ifndef FT_FT_SCRIPT_H
#define FT_FT_SCRIPT_H

#include <stdbool.h>

#include "base/options.h"

/** script_is_program - is it one of ours, whose options are a table, too? */
bool script_is_program(const struct command *command);

/**
 * script_exec - become the script of the command @argv[0], with its arguments
 *
 * Return: FT_EXIT_ERROR with a message, if that is not possible.
 */
int script_exec(int argc, char **argv);

#endif /* FT_FT_SCRIPT_H */
