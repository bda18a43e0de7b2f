/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* ft record, which records events of the kernel while this process measures. */
#ifndef FT_RECORD_RECORDER_H
#define FT_RECORD_RECORDER_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

struct recorder {
	pid_t	pid;
	int	end;		/* it records until this is closed */
	bool	ended;
	int	status;		/* from waitpid(), after it has ended */
};

/**
 * struct recorder_asked - what is to be recorded
 * @ft:		the program
 * @dir:	where the trace goes
 * @events:	as ft record takes them
 * @locks:	those of locks, too
 * @force:	replace the trace in @dir
 * @quiet:	say only what went wrong
 * @slots:	of each ring, as ft record takes it; or NULL
 * @signals:	its signal mask; NULL: that of this process
 */
struct recorder_asked {
	const char	*ft, *dir, *events, *slots;
	bool		locks, force, quiet;
	const sigset_t	*signals;
};

/** recorder_start - until it has begun. Return: false after a message */
bool recorder_start(struct recorder *r, const struct recorder_asked *asked);

/** recorder_ended - has it ended by itself? Does not wait */
bool recorder_ended(struct recorder *r);

/** recorder_stop - and write the rest. Return: the exit status of ft record */
int recorder_stop(struct recorder *r);

#endif /* FT_RECORD_RECORDER_H */
