/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * News of tasks from the kernel's perf events: forks and new names (perf_event_open(2):
 * PERF_RECORD_FORK, PERF_RECORD_COMM).
 *
 * Each CPU writes its news in order to a ring of its own. The news of all CPUs must be
 * sorted before use: a task may be forked on one CPU and named on another.
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
	uint32_t	parent;		/* its name is the parent's; 0: the name follows */
	char		name[RECORD_NAME_LEN];
};

struct record_news {
	struct record_news_item *item;	/* not applied yet */
	size_t		n, room;
	uint64_t	missed;		/* news lost by the kernel, or by us */
	bool		full;		/* a ring was: the kernel has yet to report losses */
};

/**
 * record_news_read - read all news in a ring
 * @ring:	its data area, @size bytes, a power of two
 * @tail:	read position, in bytes since the beginning
 * @head:	write position; at most @size ahead
 *
 * Records must end with the time and nothing else (sample_id_all, PERF_SAMPLE_TIME).
 */
void record_news_read(struct record_news *news, const void *ring, size_t size,
		      uint64_t tail, uint64_t head);

/** record_news_apply - apply news from before @time to the names, in order */
void record_news_apply(struct record_news *news, struct record_names *names,
		       uint64_t time);

void record_news_free(struct record_news *news);

#endif /* FT_RECORD_KERNEL_NEWS_H */
