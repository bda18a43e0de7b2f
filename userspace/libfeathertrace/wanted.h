/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Which events are on: those that the program has turned on (ft_enable()), and those
 * that another process has (ft enable --pid). The library decides for its own process,
 * and the tool by the same code for others.
 */
#ifndef FT_LIBFEATHERTRACE_WANTED_H
#define FT_LIBFEATHERTRACE_WANTED_H

#include <fnmatch.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <linux/feather_trace.h>

#define FT_WANTED_MAX	256u

/** struct ft_wanted - events that the program has turned on itself */
struct ft_wanted {
	char		name[FT_NAME_LEN];	/* or "": then by number */
	unsigned int	id;
	unsigned int	count;			/* 0: free */
};

/** ft_is_number - is @pattern a number, and this one? */
static inline bool ft_is_number(const char *pattern, unsigned int id)
{
	char *end;

	return strtoul(pattern, &end, 10) == id && end != pattern && !*end;
}

/**
 * ft_pattern_next - the next of a list of patterns
 * @list:	separated by commas; moved on
 * @pattern:	room for FT_NAME_LEN
 *
 * Return: false at the end of the list.
 */
static inline bool ft_pattern_next(const char **list, char *pattern)
{
	while (**list) {
		const char *at = *list;
		size_t len = strcspn(at, ",");

		*list += len + (at[len] == ',');
		if (!len || len >= FT_NAME_LEN)
			continue;
		memcpy(pattern, at, len);
		pattern[len] = '\0';
		return true;
	}
	return false;
}

/**
 * ft_is_wanted - is an event, or a trigger without one, to be on?
 * @wanted:	FT_WANTED_MAX of them
 * @list:	patterns and numbers, separated by commas
 * @name:  of the event, or NULL
 * @id:		its number
 */
static inline bool ft_is_wanted(const struct ft_wanted *wanted, const char *list,
				const char *name, unsigned int id)
{
	char pattern[FT_NAME_LEN];

	for (unsigned int i = 0; i < FT_WANTED_MAX; i++) {
		const struct ft_wanted *w = &wanted[i];

		if (!w->count)
			continue;
		if (*w->name ? name && !fnmatch(w->name, name, 0) : w->id == id)
			return true;
	}
	while (ft_pattern_next(&list, pattern)) {
		if ((name && !fnmatch(pattern, name, 0)) ||
		    ft_is_number(pattern, id))
			return true;
	}
	return false;
}

#endif /* FT_LIBFEATHERTRACE_WANTED_H */
