/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The answer as text, JSON and a page, and the words that these share. */
#ifndef FT_WHY_SHOW_H
#define FT_WHY_SHOW_H

#include <stdio.h>

#include "why/why.h"

/** why_text, why_json - to stdout */
void why_text(const struct why *w);
void why_json(const struct why *w);

/** why_page - Return: 0, or -1 with a message */
int why_page(const struct why *w, const char *path);

/**
 * why_page_sections, why_page_none - for another page: its sections; or how to get them
 * @failed:	the trace could not be read for it
 */
void why_page_sections(FILE *f, const struct why *w);
void why_page_none(FILE *f, bool failed);

/* --- words.c ----------------------------------------------------------------------- */

#define WHY_WORDS	(3 * SYMBOLS_LEN)

/**
 * why_ns - ticks in whole nanoseconds
 *
 * So that printed parts add up to the printed whole, a part that lies from tick A to tick B of
 * it has why_ns(B) - why_ns(A).
 */
uint64_t why_ns(const struct why *w, uint64_t ticks);

/** why_at - seconds since the start of the trace */
double why_at(const struct why *w, uint64_t ticks);

/* How many parts of a part are shown to people, the longest; JSON has all. */
#define WHY_SHOWN	12

/** why_rest - @part and those after it: ticks. @n: how many */
uint64_t why_rest(const struct why_part *part, unsigned int *n);

/** why_task_words - "name 123", "an idle task" */
const char *why_task_words(const struct why *w, int32_t tid, char buf[WHY_WORDS]);

/** why_cause_words - "asleep in D": in summaries */
const char *why_cause_words(enum why_cause cause);

/** why_part_words - "preempted by cc1 123", "asleep in msleep (D), woken by local_timer 236" */
const char *why_part_words(const struct why *w, const struct why_part *part, char buf[WHY_WORDS]);

/** why_holder_words - who holds the lock that it waits for, and since where; else "" */
const char *why_holder_words(const struct why *w, const struct why_part *part,
			     char buf[WHY_WORDS]);

/** why_item_words - "mutex LOCK at SITE"; why_item_where - "at 1.2 s, CPU 3, task 12 cc1" */
const char *why_item_words(const struct why *w, const struct why_item *item, char buf[WHY_WORDS]);
const char *why_item_where(const struct why *w, const struct why_item *item, char buf[WHY_WORDS]);

/** why_stack_words - "write < ksys_write < ..." of an item; NULL: not known; mem_free() it */
char *why_stack_words(const struct why *w, const struct why_item *item);

/** why_by_name - "lock", "site", "class": as in JSON; NULL behind the last */
const char *why_by_name(unsigned int by);

/** why_by_words - "call site": for people */
const char *why_by_words(enum why_by by);

/* How many details of a row are shown to people, the longest; JSON has all. */
#define WHY_DETAILS_SHOWN	3

/** why_place_words - the function, "" where it is not known */
const char *why_place_words(const struct why *w, const struct why_place *place,
			    char buf[WHY_WORDS]);

/** WHY_WOKEN_BY - in the words of parts and details */
#define WHY_WOKEN_BY	", woken by "

/** why_detail_words - "asleep in D, woken by irq_handler 33", "waiting for a mutex CLASS" */
const char *why_detail_words(const struct why *w, const struct why_detail *detail,
			     char buf[WHY_WORDS]);

/** why_waker - the name of the one that woke it, "kworker/..." for a task; "" if unknown */
const char *why_waker(const struct why *w, const struct why_detail *detail, char buf[WHY_WORDS]);

/** why_row_words - "mutex LOCK", "mutex at SITE", "mutex CLASS" */
const char *why_row_words(const struct why *w, const struct why_row *row, char buf[WHY_WORDS]);

/** why_missing - what the trace does not show, and what follows from that; NULL: no more lines */
const char *why_missing(const struct why *w, unsigned int line);

#endif /* FT_WHY_SHOW_H */
