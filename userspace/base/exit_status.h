/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Exit status of ft.
 *
 * Messages go through <err.h> (warnx(), errx()) and so start with "ft: ".
 */
#ifndef FT_BASE_EXIT_STATUS_H
#define FT_BASE_EXIT_STATUS_H

/**
 * enum ft_exit - exit status of every subcommand
 *
 * ft run and ft record end with the status of their command. Their own failures have
 * statuses of 125 and more, as those of timeout(1) and env(1): see record/exit.h.
 */
enum ft_exit {
	FT_EXIT_OK = 0,
	FT_EXIT_ERROR = 1,
	FT_EXIT_USAGE = 2,	/* bad arguments; the message says which */
	FT_EXIT_LOST = 3,	/* all well, but records were lost */
	FT_EXIT_FAILED = 125,	/* ft run, ft record: an error, or bad arguments */
	FT_EXIT_CANNOT_RUN = 126, /* they found the command, but cannot run it */
	FT_EXIT_NOT_FOUND = 127, /* they did not find the command */
	FT_EXIT_SIGNAL = 128,	/* their command was ended by a signal: plus its number */
};

#endif /* FT_BASE_EXIT_STATUS_H */
