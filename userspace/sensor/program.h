/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The sensors of programs that run under 'ft run --sensors'. */
#ifndef FT_SENSOR_PROGRAM_H
#define FT_SENSOR_PROGRAM_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/options.h"
#include "symbols/symbols.h"

/**
 * sensor_program_open - open the sensors in which programs count
 * @pid:	of their ft run; 0: the only one that there is
 * @whose:	set to the ft run; NULL: it does not matter
 *
 * Return: a descriptor like that of the module's device, which keeps the sensors while it
 * is open; -1 after a message.
 */
int sensor_program_open(pid_t pid, pid_t *whose);

/** sensor_program_has - are the sensors of @fd still those of this ft run? */
bool sensor_program_has(pid_t whose, int fd);

/** sensor_program_symbols - the names of addresses in programs, as far as they are known */
struct symbols *sensor_program_symbols(int fd);

#define SENSOR_NO_PROGRAM	((pid_t)-1)	/* the kernel's sensors are meant */

/** sensor_program_take - an option --program[=PID], for OPTION_CALL(); its target is a pid_t */
int sensor_program_take(void *to, const struct option_given *given);

/* The row of that option in a table; it begins as SENSOR_NO_PROGRAM. Further members may follow. */
#define SENSOR_PROGRAM_OPTION(type, member, ...)			\
	{ 0, "program", "PID", "the sensors of programs: of those that this ft run runs, " \
	  "or the only one that has sensors",				\
	  OPTION_CALL(type, member, sensor_program_take), .otherwise = "0", __VA_ARGS__ }

#endif /* FT_SENSOR_PROGRAM_H */
