/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The names of tasks, where the recording kept them: TRACE/info/tasks, a line
 * for each, number<TAB>name. A number that comes twice has its last name.
 *
 * A name is shown, and asked for, as it is written there: tabs, newlines and other
 * control characters as session_escape() does it. So it never breaks a line or a
 * terminal.
 */
#ifndef FT_SYMBOLS_TASKS_H
#define FT_SYMBOLS_TASKS_H

#include <stddef.h>
#include <stdint.h>

struct names;

/** names_open - those of the trace @dir; NULL where it has none */
struct names *names_open(const char *dir);
void names_free(struct names *names);

/** names_find - of task @tid, or NULL; @names may be NULL */
const char *names_find(const struct names *names, int32_t tid);

/** names_lookup - all tasks of this name. Return: how many; free *@tids */
size_t names_lookup(const struct names *names, const char *name,
		    int32_t **tids);

#endif /* FT_SYMBOLS_TASKS_H */
