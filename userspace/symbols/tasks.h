/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Names of tasks, from TRACE/info/tasks: a line each, number<TAB>name. The last name of a
 * number counts.
 *
 * Names stay escaped, as session_escape() wrote them, when they are shown and searched. So
 * none breaks a line or a terminal.
 */
#ifndef FT_SYMBOLS_TASKS_H
#define FT_SYMBOLS_TASKS_H

#include <stddef.h>
#include <stdint.h>

struct names;

/** names_open - the names of the trace @dir; NULL if it has none */
struct names *names_open(const char *dir);
void names_free(struct names *names);

/** names_find - of task @tid, or NULL; @names may be NULL */
const char *names_find(const struct names *names, int32_t tid);

/** names_lookup - all tasks of this name. Return: how many; free *@tids */
size_t names_lookup(const struct names *names, const char *name,
		    int32_t **tids);

#endif /* FT_SYMBOLS_TASKS_H */
