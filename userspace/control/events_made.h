/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Events that are made when they are named: for any tracepoint, function, or point in one. */
#ifndef FT_CONTROL_EVENTS_MADE_H
#define FT_CONTROL_EVENTS_MADE_H

#include <stdbool.h>

#include <linux/types.h>

struct events;

/**
 * events_is_made - does it begin with "tracepoint:", "function:" or "kprobe:"?
 *
 * tracepoint:NAME, tracepoint:SYSTEM:NAME, function:NAME, kprobe:NAME+OFFSET,
 * kprobe:NAME+OFFSET:REGISTER, kprobe:NAME+OFFSET:REGISTER:REGISTER
 */
bool events_is_made(const char *word);

/** events_is_one - does it stand for one event? Not so of a function: entry and exit. */
bool events_is_one(const char *word);

/**
 * events_make - make such events, and choose them
 *
 * Of a function, those of its entry and of its exit. Return: false after a message.
 */
bool events_make(struct events *events, const char *word);

/** events_is_function - is it "function:NAME"? */
bool events_is_function(const char *word);

/** events_make_function - the same of a function alone; @id: out: of entry and exit */
bool events_make_function(struct events *events, const char *word, __u32 id[2]);

#endif /* FT_CONTROL_EVENTS_MADE_H */
