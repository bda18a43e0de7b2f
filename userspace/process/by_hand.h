/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The events of a program that runs: turning them on and off by hand, listing them. */
#ifndef FT_PROCESS_BY_HAND_H
#define FT_PROCESS_BY_HAND_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/output.h"

/** pid_parse - a number of a process. Return: 0 where it is none. */
pid_t pid_parse(const char *text);

/** pid_take - an option --pid PID, for OPTION_CALL(); its target is a pid_t */
int pid_take(void *to, const struct option_given *given);

/*
 * All return false after a message.
 *
 * program_enable - until a signal comes, or the program ends; @persist: at once, they stay on
 * program_disable - these, or @all that were turned on from outside
 * program_list - what there is, and what is on
 */
bool program_enable(pid_t pid, char **names, bool persist);
bool program_disable(pid_t pid, char **names, bool all);
bool program_list(pid_t pid, enum output_format format);

#endif /* FT_PROCESS_BY_HAND_H */
