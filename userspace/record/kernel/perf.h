/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The kernel's perf events as a source of news of tasks. A dummy event on each CPU counts
 * nothing and only costs a record of about 40 bytes when a task is forked, is named or
 * ends.
 */
#ifndef FT_RECORD_KERNEL_PERF_H
#define FT_RECORD_KERNEL_PERF_H

#include "record/kernel/news.h"

struct record_perf_ring;

struct record_perf {
	struct record_perf_ring	*ring;	/* by CPU; NULL: not open */
	unsigned int		n;
	int			fd;	/* readable when a ring fills; -1: not open */
};

/**
 * record_perf_open - open events on all online CPUs below @cpus
 *
 * Return: 0, or -errno with nothing open, e.g. -ENOSYS if there are no perf events,
 * -EACCES or -EPERM if we may not use them.
 */
int record_perf_open(struct record_perf *perf, unsigned int cpus);

/** record_perf_read - read what is in the rings; nothing if not open */
void record_perf_read(struct record_perf *perf, struct record_news *news);

void record_perf_close(struct record_perf *perf);

#endif /* FT_RECORD_KERNEL_PERF_H */
