/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Samples of CPU 0 that perf records while a command runs, in a ring that holds all of them. */
#ifndef BENCH_PERF_RING_H
#define BENCH_PERF_RING_H

#include <errno.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PERF_RING_BYTES	(32u << 20)

/** perf_ring_open - of every event that @attr names; Return: the ring, or NULL and errno */
static inline struct perf_event_mmap_page *perf_ring_open(struct perf_event_attr *attr)
{
	size_t size = PERF_RING_BYTES + (size_t)getpagesize();
	void *ring;
	int fd;

	attr->size = sizeof(*attr);
	attr->sample_period = 1;
	/* Nobody is to be woken. */
	attr->watermark = 1;
	attr->wakeup_watermark = PERF_RING_BYTES;
	fd = (int)syscall(SYS_perf_event_open, attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return NULL;
	ring = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	return ring == MAP_FAILED ? NULL : ring;
}

/**
 * perf_ring_count - @samples of the ring; the content of each goes to @look, which may be NULL
 *
 * Only samples count: the ring reports losses by records of another type.
 *
 * Return: 0, or -1 and errno
 */
static inline int perf_ring_count(struct perf_event_mmap_page *ring, size_t *samples,
				  void (*look)(const void *sample))
{
	const char *data = (const char *)ring + getpagesize();
	uint64_t at = 0, head = __atomic_load_n(&ring->data_head, __ATOMIC_ACQUIRE);
	struct perf_event_header header;

	for (; at < head; at += header.size) {
		memcpy(&header, data + at, sizeof(header));
		if (header.type == PERF_RECORD_LOST) {
			errno = ENOSPC;
			return -1;
		}
		if (header.type != PERF_RECORD_SAMPLE)
			continue;
		++*samples;
		if (look)
			look(data + at + sizeof(header));
	}
	return 0;
}

#endif /* BENCH_PERF_RING_H */
