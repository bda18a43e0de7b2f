/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Events that come to be when they are named: of any tracepoint, of any function. */
#ifndef FT_CONTROL_EVENTS_MADE_H
#define FT_CONTROL_EVENTS_MADE_H

#include <stdbool.h>

struct events;

/** events_is_made - is it "tracepoint:NAME", "tracepoint:SYSTEM:NAME" or "function:NAME"? */
bool events_is_made(const char *word);

/** events_is_tracepoint - is it one of the first two, which are one event each? */
bool events_is_tracepoint(const char *word);

/**
 * events_make - make such events, and choose them
 *
 * Of a function, those of its entry and of its exit. Return: false after a message.
 */
bool events_make(struct events *events, const char *word);

#endif /* FT_CONTROL_EVENTS_MADE_H */
