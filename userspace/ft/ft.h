/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * ft: what its subcommands share with the dispatcher.
 *
 * Messages go through <err.h> (warnx(), errx()) and so start with "ft: ".
 */
#ifndef FT_FT_H
#define FT_FT_H

/**
 * enum ft_exit - exit status of every subcommand
 *
 * ft run and ft record end as their command does; what is their own is told apart
 * from that, as timeout(1) and env(1) do: see record_exit.h.
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

/* Each takes its own arguments, argv[0] being the subcommand's name. */
int attach_main(int argc, char **argv);
int compare_main(int argc, char **argv);
int config_main(int argc, char **argv);
int disable_main(int argc, char **argv);
int dump_main(int argc, char **argv);
int enable_main(int argc, char **argv);
int export_main(int argc, char **argv);
int fix_main(int argc, char **argv);
int list_main(int argc, char **argv);
int functions_main(int argc, char **argv);
int load_main(int argc, char **argv);
int mark_main(int argc, char **argv);
int record_main(int argc, char **argv);
int report_main(int argc, char **argv);
int run_main(int argc, char **argv);
int sites_main(int argc, char **argv);
int status_main(int argc, char **argv);
int study_main(int argc, char **argv);
int unload_main(int argc, char **argv);

#endif /* FT_FT_H */
