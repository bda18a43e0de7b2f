/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Putting a mark into the running trace. */
#ifndef FT_CONTROL_MARK_H
#define FT_CONTROL_MARK_H

#include <stdbool.h>

#include <linux/feather_trace.h>

/**
 * mark_set - announce the event "mark" with two words
 * @session: its name; NULL: the default one, or the only one in which the event is on
 *
 * Return: false after a message.
 */
bool mark_set(const char *session, const struct ft_mark *mark);

#endif /* FT_CONTROL_MARK_H */
