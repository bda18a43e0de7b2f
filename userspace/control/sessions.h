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
	{ 0, "session", "NAME", "in this session, not in the default one; see 'ft session'", \
	  OPTION_TEXT(type, member), .word = sessions_word }

/**
 * sessions_open - open the control device for a session
 * @name: NULL: the default session
 *
 * Return: descriptor, or -1.
 */
int sessions_open(const char *name, struct ft_info *info);

/**
 * sessions_begin - let a control descriptor be about a new session
 * @name: NULL: the session ends with the descriptor; else it stays until sessions_end()
 * @info: as device_open_control() gives it
 */
bool sessions_begin(int control, const char *name, struct ft_info *info);

/** sessions_end - end a session that has a name, whoever uses it */
bool sessions_end(int control);

/** sessions_word - names of sessions, for completion */
const char *sessions_word(unsigned int i);

#endif /* FT_CONTROL_SESSIONS_H */
