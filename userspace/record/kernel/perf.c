// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Perf events as a source of news of tasks: see perf.h. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "record/kernel/perf.h"

/* Room for the lives of some 500 tasks. The kernel wakes us when a ring is half full. */
#define RING_BYTES	(64u << 10)

struct record_perf_ring {
	int	fd;
	void	*map;	/* the kernel's page, then RING_BYTES; or NULL */
};

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

static int open_event(unsigned int cpu)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TIME,
		.sample_id_all = 1,
		.comm = 1,
		.task = 1,
		/* needs less privilege; it never samples anyway */
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.watermark = 1,
		.wakeup_watermark = RING_BYTES / 2,
		/* one clock for all CPUs, and ours */
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};

	return (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1,
			    PERF_FLAG_FD_CLOEXEC);
}

static int open_ring(struct record_perf *perf, unsigned int cpu)
{
	/* edge-triggered: the event of an offline CPU may stay hung up */
	struct epoll_event epoll = { .events = EPOLLIN | EPOLLET };
	struct record_perf_ring *ring = &perf->ring[cpu];

	ring->fd = open_event(cpu);
	if (ring->fd < 0)
		return errno == ENODEV ? 0 : -errno;	/* ENODEV: offline */
	ring->map = mmap(NULL, page_size() + RING_BYTES, PROT_READ | PROT_WRITE,
			 MAP_SHARED, ring->fd, 0);
	if (ring->map == MAP_FAILED) {
		ring->map = NULL;
		return -errno;
	}
	return epoll_ctl(perf->fd, EPOLL_CTL_ADD, ring->fd, &epoll) ? -errno : 0;
}

int record_perf_open(struct record_perf *perf, unsigned int cpus)
{
	int ret = 0;

	perf->n = cpus;
	perf->ring = calloc(cpus, sizeof(*perf->ring));
	perf->fd = epoll_create1(EPOLL_CLOEXEC);
	if (!perf->ring || perf->fd < 0)
		ret = -errno;
	for (unsigned int cpu = 0; perf->ring && cpu < cpus; cpu++)
		perf->ring[cpu].fd = -1;
	for (unsigned int cpu = 0; !ret && cpu < cpus; cpu++)
		ret = open_ring(perf, cpu);
	if (ret)
		record_perf_close(perf);
	return ret;
}

static void read_ring(struct record_perf_ring *ring, struct record_news *news)
{
	struct perf_event_mmap_page *page = ring->map;
	/* pairs with the barrier before the kernel moves data_head */
	uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);

	record_news_read(news, (char *)ring->map + page_size(), RING_BYTES,
			 page->data_tail, head);
	/* pairs with the kernel's read of data_tail before it overwrites data */
	__atomic_store_n(&page->data_tail, head, __ATOMIC_RELEASE);
}

void record_perf_read(struct record_perf *perf, struct record_news *news)
{
	struct epoll_event seen[16];

	if (!perf->ring)
		return;
	while (epoll_wait(perf->fd, seen, ARRAY_SIZE(seen), 0) == (int)ARRAY_SIZE(seen))
		;
	for (unsigned int cpu = 0; cpu < perf->n; cpu++) {
		if (perf->ring[cpu].map)
			read_ring(&perf->ring[cpu], news);
	}
}

void record_perf_close(struct record_perf *perf)
{
	for (unsigned int cpu = 0; perf->ring && cpu < perf->n; cpu++) {
		if (perf->ring[cpu].map)
			munmap(perf->ring[cpu].map, page_size() + RING_BYTES);
		if (perf->ring[cpu].fd >= 0)
			close(perf->ring[cpu].fd);
	}
	free(perf->ring);
	if (perf->fd >= 0)
		close(perf->fd);
	memset(perf, 0, sizeof(*perf));
	perf->fd = -1;
}
