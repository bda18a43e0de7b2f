/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The kernel's perf events as a source of news of tasks: a dummy event on each
 * CPU, which counts nothing and costs nothing but a record of about 40 bytes when
 * a task is forked, named or ends.
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
 * record_perf_open - on all CPUs below @cpus that are online
 *
 * Return: 0, or -errno with nothing open: -ENOSYS, -EACCES, -EPERM and others
 * where there are no perf events, or not for us.
 */
int record_perf_open(struct record_perf *perf, unsigned int cpus);

/** record_perf_read - what is in the rings now; nothing if not open */
void record_perf_read(struct record_perf *perf, struct record_news *news);

void record_perf_close(struct record_perf *perf);

#endif /* FT_RECORD_KERNEL_PERF_H */
