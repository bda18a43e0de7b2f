/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Sessions of the module: each is a trace with events, rings and readers of its own. All
 * functions print a message where they fail.
 */
#ifndef FT_CONTROL_SESSIONS_H
#define FT_CONTROL_SESSIONS_H

#include <stdbool.h>

#include <linux/feather_trace.h>

#include "base/options.h"

/* The option of commands that are about a session: its name, or NULL for the default one. */
#define SESSIONS_OPTION(type, member)						\
	{ 0, "session", "NAME", "the session of this name; without it the default one; see "	\
	  "'ft session'", OPTION_TEXT(type, member), .word = sessions_word }

/**
 * sessions_open - open the control device for a session
 * @name: NULL: the default session
 *
 * Return: descriptor, or -1.
 */
int sessions_open(const char *name, struct ft_info *info);

/**
 * sessions_begin - let a control descriptor be about a new session
 * @name: NULL: it has none, and ends with the descriptor
 * @own: it ends with the descriptor, too; else it stays until sessions_end()
 * @info: as device_open_control() gives it
 */
bool sessions_begin(int control, const char *name, bool own, struct ft_info *info);

/**
 * struct sessions_kind - which sessions a command can be about that names none
 * @fits: of a control descriptor that has joined it
 * @which: the question where several fit, and @how to answer it
 */
struct sessions_kind {
	bool		(*fits)(int control);
	const char	*which;
	const char	*how;
};

/**
 * sessions_guess - the session to use if the user names none
 * @name: out: the default session (NULL) if it fits or none does, else the only one that
 *	fits, and a message names it
 *
 * Return: false after a message, if several fit.
 */
bool sessions_guess(const struct sessions_kind *kind, const char **name);

/** sessions_leave - close a descriptor, if any, and end its session, which it began */
void sessions_leave(int control);

/** sessions_end - end a session that has a name, whoever uses it */
bool sessions_end(int control);

/** sessions_word - names of sessions, for completion */
const char *sessions_word(unsigned int i);

#endif /* FT_CONTROL_SESSIONS_H */
