/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * News of tasks: who was forked by whom, who has a new name, as the kernel's perf
 * events tell it (perf_event_open(2): PERF_RECORD_FORK, PERF_RECORD_COMM).
 *
 * Each CPU tells its own in order, in a ring of its own. What they tell together
 * has to be put in order before it is believed: a task is forked on one CPU, and
 * named on another.
 */
#ifndef FT_RECORD_KERNEL_NEWS_H
#define FT_RECORD_KERNEL_NEWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/kernel/names.h"

struct record_news_item {
	uint64_t	time;
	uint32_t	tid;
	uint32_t	parent;		/* has its name, too; 0: the name follows */
	char		name[RECORD_NAME_LEN];
};

struct record_news {
	struct record_news_item *item;	/* not applied yet */
	size_t		n, room;
	uint64_t	missed;		/* lost by the kernel, or by us */
	bool		full;		/* a ring was: losses that are yet to be told */
};

/**
 * record_news_read - take all that is in a ring
 * @ring:	its data area, @size bytes, a power of two
 * @tail:	where it was read to, as a count of bytes since the beginning
 * @head:	where it was written to; at most @size ahead
 *
 * Records must end in the time alone (sample_id_all, PERF_SAMPLE_TIME).
 */
void record_news_read(struct record_news *news, const void *ring, size_t size,
		      uint64_t tail, uint64_t head);

/** record_news_apply - to the names, in order, what happened before @time */
void record_news_apply(struct record_news *news, struct record_names *names,
		       uint64_t time);

void record_news_free(struct record_news *news);

#endif /* FT_RECORD_KERNEL_NEWS_H */
