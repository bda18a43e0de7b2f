/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Messages that were already said. warn() and warnx() are those of err.h. */
#ifndef FT_BASE_MESSAGE_H
#define FT_BASE_MESSAGE_H

#include <stdbool.h>

/**
 * message_quiet - say nothing, or speak again: where a trace is read once more, its faults
 * were told the first time
 *
 * For commands; in a call of the library messages are kept anyway (scope.h).
 *
 * Return: was it quiet?
 */
bool message_quiet(bool quiet);

/** message_lines - say what a library said, a message a line */
void message_lines(const char *lines);

#endif /* FT_BASE_MESSAGE_H */
