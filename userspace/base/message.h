/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Messages that were already said. warn() and warnx() are those of err.h. */
#ifndef FT_BASE_MESSAGE_H
#define FT_BASE_MESSAGE_H

#include <stdbool.h>

/**
 * message_again - what was said is not said again, from here on
 *
 * Where a trace is read once more its faults are the same: only new ones are of interest. Of
 * more than MESSAGE_KEPT messages, the later ones may come twice.
 */
void message_again(void);

#define MESSAGE_KEPT	256

/** message_lines - say what a library said, a message a line */
void message_lines(const char *lines);

#endif /* FT_BASE_MESSAGE_H */
