/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The module's event table, and choosing events from it by name, pattern,
 * number or group.
 */
#ifndef FT_CONTROL_EVENTS_H
#define FT_CONTROL_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#include <linux/feather_trace.h>

#include "base/output.h"

/** EVENTS_LOCKS - the group of all events of the kernel's locks */
#define EVENTS_LOCKS	"locks"

/**
 * struct events - the event table at one moment
 * @info:	sorted by id
 * @fields:	of each: what its words consist of
 * @chosen:	for each: is it chosen?
 * @n:		how many
 * @control:	the control device, not owned
 */
struct events {
	struct ft_event_info	*info;
	struct ft_fields	*fields;
	bool			*chosen;
	size_t			n;
	int			control;
};

/* A field of an event: where it is in which word. */
struct event_part {
	unsigned int		word;	/* 0 or 1 */
	unsigned int		shift;
	const struct ft_field	*field;
};

/**
 * events_part - the field of the @i-th event with this name
 *
 * Return: false: it has none.
 */
bool events_part(const struct events *events, size_t i, const char *name,
		 struct event_part *part);

/** events_word_is_signed - is a word of the @i-th event one number that has a sign? */
bool events_word_is_signed(const struct events *events, size_t i, unsigned int word);

/** events_print_fields - the names of the @i-th event's fields, with @between between them */
void events_print_fields(const struct events *events, size_t i, FILE *f, const char *between);

/** events_fields_text - the same as text, which the caller frees */
char *events_fields_text(const struct events *events, size_t i);

/** events_load - ask the module; false after a message */
bool events_load(struct events *events, int control);

void events_free(struct events *events);

/** events_list - print all of them */
void events_list(const struct events *events, enum output_format format);

/**
 * events_choose - choose the events in @text: names, patterns with * ? [],
 * numbers, the group "locks", tracepoints and functions, separated by commas
 * (not those inside parentheses)
 *
 * Return: false after a message that names what does not exist.
 */
bool events_choose(struct events *events, const char *text,
		   const struct ft_info *info);

/** events_comma - the first comma that is not inside parentheses, or NULL */
char *events_comma(const char *text);

/** events_each_word - of a list with commas, until @choose returns false; then false */
bool events_each_word(const char *text, bool (*choose)(void *arg, const char *word),
		      void *arg);

/**
 * events_know - would events_choose() find an event of the kernel for this word?
 *
 * True for any that comes to be when it is named: only the kernel has them.
 */
bool events_know(const struct events *events, const char *word);

/** events_find - the place in @info of the event with this id, or -1 */
ssize_t events_find(const struct events *events, __u32 id);

/** events_append - choose an event that the table did not have when it was loaded */
bool events_append(struct events *events, __u32 id);

/** events_any_chosen - is one chosen? */
bool events_any_chosen(const struct events *events);

/** events_print_chosen - their names, with @separator between */
void events_print_chosen(const struct events *events, FILE *f,
			 const char *separator);

/**
 * events_enable - enable the chosen events, all or none
 * @flags:	of &struct ft_enable
 *
 * Return: false after a message.
 */
bool events_enable(const struct events *events, int control, __u32 flags);

/** events_disable - disable the chosen events; continues after a failure, and returns false */
bool events_disable(const struct events *events, int control, __u32 flags);

#endif /* FT_CONTROL_EVENTS_H */
