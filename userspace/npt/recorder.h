/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* ft record, which records events of the kernel while the loop runs. */
#ifndef FT_NPT_RECORDER_H
#define FT_NPT_RECORDER_H

#include <stdbool.h>
#include <sys/types.h>

struct recorder {
	pid_t	pid;
	int	end;		/* it records until this is closed */
};

/**
 * recorder_start - record events into the directory @dir, until it has begun
 * @events: NULL: those that say why a task did not run
 *
 * Return: false after a message.
 */
bool recorder_start(struct recorder *r, const char *dir, const char *events, bool force);

/** recorder_stop - and write the rest. Return: the exit status of ft record */
int recorder_stop(struct recorder *r);

#endif /* FT_NPT_RECORDER_H */
