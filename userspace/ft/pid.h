/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* ft enable, disable, list --pid: the events of a program that runs. */
#ifndef FT_FT_PID_H
#define FT_FT_PID_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/output.h"
#include "process/target.h"

/** pid_parse - a number of a process. Return: 0 where it is none. */
pid_t pid_parse(const char *text);

/** pid_take - an option --pid PID, for OPTION_CALL() */
int pid_take(void *to, const struct option_given *given);

/* The subcommands; they return their exit status. @persist: see ft enable. */
int pid_enable(pid_t pid, char **names, bool persist);
int pid_disable(pid_t pid, char **names, bool all);
int pid_list(pid_t pid, enum output_format format);

#endif /* FT_FT_PID_H */
