/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* ft monitor: answers monitoring systems, by HTTP. */
#ifndef FT_MONITOR_SERVER_H
#define FT_MONITOR_SERVER_H

#include <stdbool.h>
#include <stddef.h>

#include "control/sensor_defaults.h"

/**
 * server_run - serve /metrics until a signal ends the program
 * @address:	"127.0.0.1:9117", "[::1]:9117"
 * @fd:		the device of the sensors
 * @top:	at most so many rows of each sensor
 * @program:	they are of programs
 * @own:	of these names, no other instance is served: a second monitor's say the same
 *
 * Return: false after a message.
 */
bool server_run(const char *address, int fd, size_t top, bool program,
		const struct sensor_defaults *own);

#endif /* FT_MONITOR_SERVER_H */
