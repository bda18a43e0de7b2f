// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The rings of all CPUs: devices, files, threads. */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "control/device.h"
#include "record/compress/compress.h"
#include "record/kernel/reader.h"
#include "record/kernel/rings.h"
#include "record/kernel/seam.h"

/* Give up on rings of an ended trace that yield neither records nor their end. */
#define DRAIN_SECONDS	2.0

#define STREAM_LEN	16	/* room for "cpu4294967295" */

static const char *stream_name(char name[STREAM_LEN], unsigned int cpu)
{
	snprintf(name, STREAM_LEN, "cpu%u", cpu);
	return name;
}

bool rings_init(struct rings *rings, unsigned int n)
{
	memset(rings, 0, sizeof(*rings));
	rings->event_fd = -1;
	rings->stop_fd = eventfd(0, EFD_CLOEXEC);
	if (rings->stop_fd >= 0)
		rings->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	rings->ring = calloc(n + 1, sizeof(*rings->ring));
	if (rings->event_fd < 0 || !rings->ring) {
		warn("cannot prepare for %u CPUs", n);
		rings_exit(rings);
		return false;
	}
	rings->n = n;
	rings->enough = UINT64_MAX;
	rings->session = -1;
	for (unsigned int cpu = 0; cpu < n; cpu++) {
		rings->ring[cpu].rings = rings;
		rings->ring[cpu].cpu = cpu;
		rings->ring[cpu].fd = -1;
		rings->ring[cpu].file = -1;
		rings->ring[cpu].old_file = -1;
	}
	return true;
}

void rings_raise_files(unsigned int cpus)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) ||
	    limit.rlim_cur >= 3 * cpus + 64)
		return;
	limit.rlim_cur = 3 * cpus + 64;
	if (limit.rlim_cur > limit.rlim_max)
		limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

/* Return: false after a message; true also if the CPU is absent. */
static bool ring_open(struct ring *ring)
{
	char path[DEVICE_PATH_LEN];

	int fd = device_open_ring(ring->rings->session, ring->cpu);

	if (fd < 0 && !device_absent(-fd)) {
		device_explain(device_ring_path(path, ring->cpu), -fd);
		return false;
	}
	if (fd < 0)
		return true;
	ring->fd = fd;
	ring->batch = reader_batch_new();
	if (ring->batch && ring->rings->compress)
		ring->stream = compress_open(ring->rings->compress, ring->cpu);
	if (!ring->batch || (ring->rings->compress && !ring->stream)) {
		warn("no memory to read CPU %u", ring->cpu);
		free(ring->batch);
		ring->batch = NULL;
		close(ring->fd);
		ring->fd = -1;
		return false;
	}
	ring->open = true;
	return true;
}

bool rings_open(struct rings *rings)
{
	bool any = false;

	rings_raise_files(rings->n);
	for (unsigned int cpu = 0; cpu < rings->n; cpu++) {
		if (!ring_open(&rings->ring[cpu]))
			return false;
		any |= rings->ring[cpu].open;
	}
	if (!any)
		device_explain(DEVICE_CONTROL "0", ENOENT);
	return any;
}

int ring_create_file(const struct ring *ring, const struct record_dir *dir)
{
	char name[STREAM_LEN];

	return record_dir_create(dir, stream_name(name, ring->cpu));
}

void ring_remove_file(const struct ring *ring, const struct record_dir *dir)
{
	char name[STREAM_LEN];

	record_dir_unlink(dir, stream_name(name, ring->cpu));
}

static bool ring_create(struct ring *ring, struct record_dir *dir)
{
	ring->file = ring_create_file(ring, dir);
	ring->dir = dir;
	return ring->file >= 0;
}

static struct ring_books all_books(const struct ring *ring)
{
	return (struct ring_books){
		.records = ring->records, .bytes = ring->bytes,
		.lost = ring->lost, .unwritten = ring->unwritten,
		.stored = ring->stored,
	};
}

void ring_begin_file(struct ring *ring)
{
	ring->begun = all_books(ring);
}

struct ring_books ring_books(const struct ring *ring)
{
	return (struct ring_books){
		.records = ring->records - ring->begun.records,
		.bytes = ring->bytes - ring->begun.bytes,
		.lost = ring->lost - ring->begun.lost,
		.unwritten = ring->unwritten - ring->begun.unwritten,
		.stored = ring->stored - ring->begun.stored,
	};
}

bool ring_fail(struct ring *ring, const char *doing, int error)
{
	/* later failures follow from the first */
	if (!ring->error) {
		ring->doing = doing;
		ring->where = ring->dir ? strdup(ring->dir->path) : NULL;
		ring->error = error;
	}
	return false;
}

void ring_cut(struct ring *ring)
{
	off_t end = (off_t)ring_books(ring).bytes;

	if (ftruncate(ring->file, end) || lseek(ring->file, end, SEEK_SET) < 0)
		ring_fail(ring, "cutting", errno);
}

void ring_count(struct ring *ring, size_t records, size_t bytes, uint64_t lost)
{
	ring->records += records;
	ring->bytes += bytes;
	if (lost > ring->lost_before)
		ring->lost = lost - ring->lost_before;
	rings_written(ring->rings, bytes);
}

void rings_tell(struct rings *rings)
{
	const uint64_t one = 1;

	/* an eventfd only refuses when it is readable anyway */
	if (write(rings->event_fd, &one, sizeof(one)) < 0)
		return;
}

void rings_written(struct rings *rings, size_t bytes)
{
	uint64_t before = atomic_fetch_add(&rings->bytes, bytes);
	uint64_t enough = atomic_load(&rings->enough);

	if (before < enough && before + bytes >= enough)
		rings_tell(rings);
}

bool rings_failed(const struct rings *rings)
{
	unsigned int started = 0;

	for (unsigned int cpu = 0; cpu < rings->n; cpu++)
		started += rings->ring[cpu].started;
	return rings->running < started;
}

bool rings_create(struct rings *rings, struct record_dir *dir)
{
	rings->dir = dir;
	for (unsigned int cpu = 0; cpu < rings->n; cpu++) {
		struct ring *ring = &rings->ring[cpu];

		if (ring->open && !ring_create(ring, dir))
			return false;
	}
	return true;
}

/*
 * Queries a ring after the trace has started, as it may get its memory only then. Losses
 * of a trace that ran before us do not count.
 */
static void ring_ask_start(struct ring *ring)
{
	struct ft_stats stats = { 0 };

	if (ioctl(ring->fd, FT_IOC_STATS, &stats) || !stats.slots)
		stats.slots = ring->rings->slots;
	ring->ring_bytes = (uint64_t)stats.slots * sizeof(struct ft_record);
	if (ring->rings->joined)
		ring->lost_before = stats.lost;
	ring->packets.lost = ring->lost_before;
}

static bool ring_start(struct ring *ring)
{
	char name[16];
	int ret;

	ring_ask_start(ring);
	atomic_fetch_add(&ring->rings->running, 1);
	ret = pthread_create(&ring->thread, NULL, reader_thread, ring);
	if (ret) {
		atomic_fetch_sub(&ring->rings->running, 1);
		warnx("cannot start a thread for CPU %u: %s", ring->cpu,
		      strerror(ret));
		return false;
	}
	ring->started = true;
	snprintf(name, sizeof(name), "ft-cpu%u", ring->cpu);
	pthread_setname_np(ring->thread, name);
	return true;
}

bool rings_start(struct rings *rings, const struct ft_config *config,
		 const struct ft_info *info)
{
	rings->info = info;
	rings->wake_us = config->wake_us;
	rings->slots = config->slots;
	for (unsigned int cpu = 0; cpu < rings->n; cpu++) {
		struct ring *ring = &rings->ring[cpu];

		if (ring->open && !ring->started && !ring_start(ring))
			return false;
	}
	return true;
}

bool rings_adopt(struct rings *rings)
{
	for (unsigned int cpu = 0; cpu < rings->n; cpu++) {
		struct ring *ring = &rings->ring[cpu];

		if (ring->open)
			continue;
		if (!ring_open(ring))
			return false;
		if (!ring->open)
			continue;
		ring->seams = rings->seams;
		if (!ring_create(ring, rings->dir) || !ring_start(ring))
			return false;
		warnx("CPU %u came online: recording it, too", cpu);
	}
	return true;
}

/*
 * How long any ring may stay silent while it is drained. After the end of the trace, it is only
 * silent until an interrupted writer publishes its record: all writers have had this time then.
 * In a running trace, the timer of the module hands out packets that are not full.
 */
static double stop_patience(const struct rings *rings, enum rings_stop how)
{
	return how == RINGS_DRAIN ? DRAIN_SECONDS : 2e-6 * rings->wake_us + 1e-3;
}

void rings_stop(struct rings *rings, enum rings_stop how)
{
	const uint64_t one = 1;

	if (how != RINGS_ABORT)
		rings->patience = monotonic_now() + stop_patience(rings, how);
	/* pairs with the load in reader_step() */
	atomic_store_explicit(&rings->stop, how, memory_order_release);
	/* never read, so it stays readable for all threads */
	if (write(rings->stop_fd, &one, sizeof(one)) < 0)
		warn("cannot tell the threads to stop");
}

static void ring_explain(const struct ring *ring)
{
	if (!strcmp(ring->doing, "reading"))
		warnx("reading CPU %u failed: %s", ring->cpu,
		      strerror(ring->error));
	else
		warnx("%s %s/cpu%u failed: %s%s", ring->doing, ring->where ? ring->where : "",
		      ring->cpu, strerror(ring->error),
		      strcmp(ring->doing, "cutting") ?
		      ": it ends with its last complete packet" : "");
}

/*
 * Queries losses after the last packet. Another trace may begin meanwhile, and has counts of its
 * own: if it is still ours after that, so were the counts.
 */
static void ring_ask_lost(struct ring *ring, int control)
{
	struct ft_stats stats = { 0 };
	struct ft_info info;

	if (ioctl(ring->fd, FT_IOC_STATS, &stats) || ioctl(control, FT_IOC_INFO, &info))
		return;
	if (info.trace != ring->rings->info->trace)
		ring->rings->replaced = true;
	else if (stats.lost > ring->lost_before + ring->lost)
		ring->lost = stats.lost - ring->lost_before;
}

static void ring_finish(struct ring *ring, int control)
{
	if (ring->started) {
		pthread_join(ring->thread, NULL);
		ring->started = false;
		ring_ask_lost(ring, control);
	}
	/* some file systems report only now that there was no room */
	if (ring->file >= 0 && close(ring->file))
		ring_fail(ring, "closing", errno);
	if (ring->file >= 0 && !ring_books(ring).bytes)
		ring_remove_file(ring, ring->dir);
	ring->file = -1;
}

bool rings_finish(struct rings *rings, int control)
{
	bool ok = true;

	for (unsigned int cpu = 0; cpu < rings->n; cpu++) {
		struct ring *ring = &rings->ring[cpu];

		if (!ring->open)
			continue;
		ring_finish(ring, control);
		if (ring->error) {
			ring_explain(ring);
			ok = false;
		}
	}
	return ok;
}

void rings_exit(struct rings *rings)
{
	for (unsigned int cpu = 0; cpu < rings->n; cpu++) {
		struct ring *ring = &rings->ring[cpu];

		if (ring->file >= 0)
			close(ring->file);
		if (ring->old_file >= 0)
			close(ring->old_file);
		if (ring->open) {
			if (ring->map)
				munmap((void *)ring->map, ring->ring_bytes);
			free(ring->batch);
			close(ring->fd);
		}
		free(ring->where);
	}
	compress_stop(rings->compress);
	rings->compress = NULL;
	free(rings->seam.file);
	rings->seam.file = NULL;
	free(rings->ring);
	rings->ring = NULL;
	rings->n = 0;
	if (rings->event_fd >= 0)
		close(rings->event_fd);
	if (rings->stop_fd >= 0)
		close(rings->stop_fd);
	rings->event_fd = rings->stop_fd = -1;
}

static void sum(const struct rings *rings, struct rings_total *total,
		struct ring_books (*books_of)(const struct ring *ring))
{
	memset(total, 0, sizeof(*total));
	for (unsigned int cpu = 0; cpu < rings->n; cpu++) {
		const struct ring *ring = &rings->ring[cpu];
		struct ring_books books;

		if (!ring->open)
			continue;
		books = books_of(ring);
		total->cpus++;
		total->records += books.records;
		total->bytes += books.bytes;
		total->lost += books.lost;
		total->lost_before += ring->lost_before;
		total->unwritten += books.unwritten;
		total->stored += books.stored;
	}
}

static struct ring_books old_books(const struct ring *ring)
{
	return ring->old;
}

void rings_sum(const struct rings *rings, struct rings_total *total)
{
	sum(rings, total, all_books);
}

void rings_sum_file(const struct rings *rings, bool old, struct rings_total *total)
{
	sum(rings, total, old ? old_books : ring_books);
}
