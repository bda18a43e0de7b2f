// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Takes a snapshot of all rings in memory: see frozen.h. */
#include <err.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <linux/feather_trace.h>

#include "control/device.h"
#include "record/kernel/frozen.h"
#include "record/kernel/rings.h"

/* Packets that may be partly filled: one before an unpublished record, and the last one. */
#define SMALL_PACKETS	16

/* Milliseconds to wait for a ring to reach its mark. */
#define READ_ROUNDS	10000

/* Return: bytes of packets for this many records. */
static size_t room_for(size_t slots)
{
	return slots * sizeof(struct ft_record) +
	       (slots / FT_PACKET_RECORDS + SMALL_PACKETS) * sizeof(struct ft_packet_header);
}

/* Return: false after a message; without a descriptor the CPU is not there. */
static bool ring_open(struct frozen_ring *r, int session, struct ft_stats *stats)
{
	int fd = device_open_ring(session, r->cpu);
	char path[DEVICE_PATH_LEN];

	if (fd == -EBUSY && session >= 0)
		warnx("another program reads the session's rings, for a snapshot perhaps: "
		      "try again when it has ended");
	else if (fd < 0 && !device_absent(-fd))
		device_explain(device_ring_path(path, r->cpu), -fd);
	if (fd < 0)
		return device_absent(-fd);
	r->fd = fd;
	if (!ioctl(r->fd, FT_IOC_STATS, stats))
		return true;
	warn("cannot read the counts of CPU %u", r->cpu);
	return false;
}

/* While a ring has a reader it is not trimmed. */
static void ring_close(struct frozen_ring *r)
{
	if (r->fd >= 0)
		close(r->fd);
	r->fd = -1;
}

static bool ring_prepare(struct frozen_ring *r, int session)
{
	struct ft_stats stats;

	if (!ring_open(r, session, &stats))
		return false;
	if (r->fd < 0)
		return true;
	ring_close(r);
	r->slots = stats.slots;
	r->held = stats.written - stats.read - stats.overwritten;
	r->room = room_for(stats.slots);
	r->packets = mmap(NULL, r->room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			  0);
	if (r->packets == MAP_FAILED) {
		warn("no memory for a copy of the ring of CPU %u", r->cpu);
		r->packets = NULL;
		return false;
	}
	/* touch the pages now: page faults would slow the reader; older kernels cannot */
	madvise(r->packets, room_for(r->held < r->slots ? r->held : r->slots),
		MADV_POPULATE_WRITE);
	return true;
}

bool frozen_prepare(struct frozen *frozen, unsigned int cpus, int session)
{
	unsigned int cpu, here = 0;

	*frozen = (struct frozen){
		.ring = calloc(cpus, sizeof(*frozen->ring)), .session = session,
	};
	if (!frozen->ring) {
		warn("cannot prepare for %u CPUs", cpus);
		return false;
	}
	frozen->n = cpus;
	rings_raise_files(cpus);
	for (cpu = 0; cpu < cpus; cpu++) {
		frozen->ring[cpu].cpu = cpu;
		frozen->ring[cpu].fd = -1;
	}
	for (cpu = 0; cpu < cpus; cpu++) {
		if (!ring_prepare(&frozen->ring[cpu], session))
			return false;
		here += !!frozen->ring[cpu].packets;
	}
	if (!here)
		device_explain(DEVICE_CONTROL "0", ENOENT);
	return here;
}

bool frozen_is_empty(const struct frozen *frozen)
{
	for (unsigned int i = 0; i < frozen->n; i++) {
		if (frozen->ring[i].held)
			return false;
	}
	return true;
}

static bool open_all(struct frozen *frozen)
{
	struct ft_stats stats;

	for (unsigned int i = 0; i < frozen->n; i++) {
		struct frozen_ring *r = &frozen->ring[i];

		if (!r->packets)
			continue;
		if (!ring_open(r, frozen->session, &stats))
			return false;
		if (r->fd < 0 || stats.slots == r->slots)
			continue;
		warnx("no snapshot: the rings have another size now: try again");
		return false;
	}
	return true;
}

static bool explain_mark(void)
{
	switch (errno) {
	case EBUSY:
		warnx("another snapshot is being taken: try again");
		break;
	case EOPNOTSUPP:
		warnx("the rings do not keep the latest records: try: ft record --flight");
		break;
	case ENODATA:
		warnx("there was no trace yet: try: ft record --flight");
		break;
	case ENOTTY:
		warnx("the module cannot take snapshots: it is older than ft");
		break;
	default:
		warn("cannot mark the rings");
	}
	return false;
}

/* The time from which on the ring is complete. It does not change once the rings are open. */
static bool find_window(struct frozen *frozen)
{
	struct ft_window window;

	for (unsigned int i = 0; i < frozen->n; i++) {
		struct frozen_ring *r = &frozen->ring[i];

		if (r->fd < 0)
			continue;
		if (ioctl(r->fd, FT_IOC_WINDOW, &window)) {
			warn("cannot ask CPU %u for its window", r->cpu);
			return false;
		}
		r->begin = window.begin;
		r->clip.lost_before = window.lost;
		if (r->begin > frozen->begin) {
			frozen->begin = r->begin;
			frozen->shortest = r->cpu;
		}
	}
	return true;
}

/* The marks are gone when another trace has begun: the snapshot has no end then. */
static bool is_of_trace(const struct frozen_ring *r)
{
	struct ft_info info;

	return !ioctl(r->control, FT_IOC_INFO, &info) && info.trace == r->trace;
}

/* Waits for an interrupted writer to publish its record. Return: 0 to try again, or errno */
static int wait_for_writer(const struct frozen_ring *r, unsigned int *rounds)
{
	static const struct timespec pause = { .tv_nsec = 1000000 };

	nanosleep(&pause, NULL);
	if (!is_of_trace(r))
		return ESTALE;
	return ++*rounds < READ_ROUNDS ? 0 : ETIMEDOUT;
}

static void *read_ring(void *arg)
{
	struct frozen_ring *r = arg;
	unsigned int rounds = 0;
	ssize_t n;

	do {
		n = read(r->fd, r->packets + r->len, r->room - r->len);
		if (n > 0)
			r->len += (size_t)n;
		else if (n < 0 && errno == EAGAIN)
			r->error = wait_for_writer(r, &rounds);
		else if (n < 0 && errno != EINTR)
			r->error = errno;
	} while (n && !r->error);
	/* return the rest of the ring to the trimmer */
	ring_close(r);
	return NULL;
}

static bool read_all(struct frozen *frozen)
{
	bool ok = true;

	for (unsigned int i = 0; i < frozen->n; i++) {
		struct frozen_ring *r = &frozen->ring[i];

		if (r->fd < 0)
			continue;
		r->started = !pthread_create(&r->thread, NULL, read_ring, r);
		/* without threads it is slower */
		if (!r->started)
			read_ring(r);
	}
	for (unsigned int i = 0; i < frozen->n; i++) {
		struct frozen_ring *r = &frozen->ring[i];

		if (r->started)
			pthread_join(r->thread, NULL);
		if (!r->error)
			continue;
		ok = false;
		if (r->error != ESTALE)	/* the caller says that */
			warnx("reading CPU %u failed: %s", r->cpu, strerror(r->error));
	}
	return ok;
}

static bool clip_all(struct frozen *frozen)
{
	for (unsigned int i = 0; i < frozen->n; i++) {
		struct frozen_ring *r = &frozen->ring[i];

		r->clip.begin = frozen->begin;
		r->len = clip_packets(&r->clip, r->packets, r->len);
		if (r->len == SIZE_MAX) {
			warnx("reading CPU %u failed: no packets", r->cpu);
			r->len = 0;
			return false;
		}
	}
	return true;
}

bool frozen_read(struct frozen *frozen, int control, uint64_t trace)
{
	struct ft_snapshot snapshot;

	for (unsigned int i = 0; i < frozen->n; i++) {
		frozen->ring[i].control = control;
		frozen->ring[i].trace = trace;
	}
	if (!open_all(frozen))
		return false;
	if (ioctl(control, FT_IOC_SNAPSHOT, &snapshot))
		return explain_mark();
	frozen->end = snapshot.ts;
	return find_window(frozen) && read_all(frozen) && clip_all(frozen);
}

void frozen_sum(const struct frozen *frozen, struct frozen_total *total)
{
	memset(total, 0, sizeof(*total));
	for (unsigned int i = 0; i < frozen->n; i++) {
		const struct frozen_ring *r = &frozen->ring[i];

		total->cpus += !!r->packets;
		total->records += r->clip.records;
		total->bytes += r->len;
		total->cut += r->clip.cut;
		total->lost += r->clip.lost;
	}
}

void frozen_free(struct frozen *frozen)
{
	for (unsigned int i = 0; i < frozen->n; i++) {
		struct frozen_ring *r = &frozen->ring[i];

		ring_close(r);
		if (r->packets)
			munmap(r->packets, r->room);
	}
	free(frozen->ring);
	*frozen = (struct frozen){ 0 };
}
