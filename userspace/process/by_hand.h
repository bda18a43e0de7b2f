/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Events of a running program: turning them on and off, listing them. */
#ifndef FT_PROCESS_BY_HAND_H
#define FT_PROCESS_BY_HAND_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/output.h"

/** pid_parse - the number of a process; 0 if @text is none */
pid_t pid_parse(const char *text);

/** pid_take - an option --pid PID, for OPTION_CALL(); its target is a pid_t */
int pid_take(void *to, const struct option_given *given);

/*
 * All return false after a message.
 *
 * program_enable - turn events on until a signal arrives or the program ends; with @persist
 *	return at once and leave them on
 * program_disable - turn off these, or @all that were turned on from outside
 * program_list - list its events, and which are on
 */
bool program_enable(pid_t pid, char **names, bool persist);
bool program_disable(pid_t pid, char **names, bool all);
bool program_list(pid_t pid, enum output_format format);

#endif /* FT_PROCESS_BY_HAND_H */
