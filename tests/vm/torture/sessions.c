// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Disturbances by others who trace the same event: conditions in the round's own session,
 * and sessions that come and go, with snapshots and conditions that close their rings.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "sessions.h"

/* All that a condition can be, by chance; most of them are fulfilled at some events. */
static struct ft_when choose_condition(struct rng *rng, uint32_t fire)
{
	struct ft_when when = {
		.event = fire, .count = rng_below(rng, 3), .times = rng_below(rng, 50),
		.test = { {
			.what = FT_TEST_A + rng_below(rng, FT_TEST_CPU),
			.op = rng_below(rng, FT_TEST_GREATER_EQUAL + 1),
			.flags = rng_below(rng, 2) * FT_TEST_SIGNED,
			.mask = rng_below(rng, 2) ? ~0ull : 0xff,
			.value = rng_next(rng) >> rng_below(rng, 64),
		} },
	};

	if (!rng_below(rng, 3))
		when.test[0] = (struct ft_test){ 0 };
	if (!rng_below(rng, 3)) {
		when.begin = fire;
		when.longer_ns = rng_below(rng, 1000);
	}
	return when;
}

static void set_conditions(struct rng *rng, int control, uint32_t fire, uint32_t flags)
{
	for (unsigned int i = rng_below(rng, 4); i > 0; i--) {
		struct ft_when when = choose_condition(rng, fire);
		struct ft_when_state state;

		when.flags = (flags && !rng_below(rng, 2) ? flags : 0) |
			     (rng_below(rng, 2) ? FT_WHEN_IF_TOLD : 0);
		/* no memory; too many; the trace has ended, or the event is off */
		if (ioctl(control, FT_IOC_WHEN, &when)) {
			if (errno != ENOMEM && errno != ENOSPC && errno != ENODATA &&
			    errno != ENOENT && errno != EINTR)
				err(1, "FT_IOC_WHEN");
			continue;
		}
		sleep_us(rng_below(rng, 3000));
		state = (struct ft_when_state){ .number = when.number };
		if (ioctl(control, FT_IOC_WHEN_STATE, &state))
			err(1, "FT_IOC_WHEN_STATE");
		if (when.times && state.fulfilled > when.times)
			errx(1, "a condition was fulfilled %u times, at most %u were asked for",
			     state.fulfilled, when.times);
	}
}

void sessions_conditions(struct rng *rng, uint32_t fire)
{
	int control = open(CONTROL, O_RDWR | O_CLOEXEC);

	if (control < 0)
		return;
	set_conditions(rng, control, fire, 0);
	close(control);
}

static void check_ring(int control, unsigned int cpu, bool snapshot)
{
	struct ft_open how = { .cpu = cpu, .flags = FT_OPEN_NONBLOCK };
	int ring = ioctl(control, FT_IOC_OPEN, &how);
	struct ft_snapshot mark;
	struct ft_stats stats;
	char packets[1 << 14];

	if (ring < 0)
		return;
	if (snapshot && !ioctl(control, FT_IOC_SNAPSHOT, &mark)) {
		for (unsigned int i = 0; i < 1000; i++)
			if (read(ring, packets, sizeof(packets)) <= 0)
				break;
	}
	if (ioctl(ring, FT_IOC_STATS, &stats))
		err(1, "FT_IOC_STATS");
	if (stats.read + stats.overwritten > stats.written)
		errx(1, "CPU %u: %llu records were read and %llu overwritten, of %llu", cpu,
		     stats.read, stats.overwritten, stats.written);
	close(ring);
}

/* Reads all packets to the end. Return: false: it cannot be read now. */
static bool read_books(int ring, struct books *b)
{
	static char packets[16 * FT_PACKET_MAX];
	ssize_t got;

	while ((got = read(ring, packets, sizeof(packets))) > 0)
		if (books_packets(b, packets, got) != (size_t)got)
			errx(1, "half a packet was read");
	return !got;
}

/*
 * The books of a CPU in a session whose trace is over: each record was read, overwritten, or
 * is behind the mark of a snapshot. In a @whole session events went on and off together, with
 * rings closed; else those of a single event do so trigger by trigger. There nothing is missing
 * where nothing was lost. What comes after a condition has closed the rings is not lost.
 */
static void check_end(int control, unsigned int cpu, uint32_t fire, bool snapshot, bool whole)
{
	struct ft_open how = { .cpu = cpu, .flags = FT_OPEN_NONBLOCK };
	int ring = ioctl(control, FT_IOC_OPEN, &how);
	struct ft_stats before, after;
	struct books b = { .fire = fire };
	struct ft_info info = { 0 };
	uint64_t rest;

	if (ring < 0)
		return;
	if (ioctl(ring, FT_IOC_STATS, &before) || !read_books(ring, &b))
		goto out;
	if (ioctl(control, FT_IOC_INFO, &info) || ioctl(ring, FT_IOC_STATS, &after))
		err(1, "FT_IOC_STATS");
	if (b.records + b.others != after.read - before.read)
		errx(1, "CPU %u: %llu records were read, %llu are told", cpu,
		     (unsigned long long)(b.records + b.others), after.read - before.read);
	rest = after.written - after.read - after.overwritten;
	if (rest && !snapshot)
		errx(1, "CPU %u: %llu records of %llu are left behind the end", cpu,
		     (unsigned long long)rest, after.written);
	if (whole && b.records && !after.lost && !snapshot && !(info.flags & FT_INFO_STOPPED) &&
	    b.highest - b.lowest + 1 - b.records > 2 * NESTING)
		errx(1, "CPU %u: %llu of numbers %llu to %llu were read, and nothing is lost", cpu,
		     (unsigned long long)b.records, (unsigned long long)b.lowest,
		     (unsigned long long)b.highest);
out:
	free(b.seen);
	close(ring);
}

void sessions_come_and_go(struct rng *rng, uint32_t fire, unsigned int cpus)
{
	struct ft_session_info info = { .flags = FT_SESSION_NEW };
	struct ft_config config = {
		.slots = FT_SLOTS_MIN << rng_below(rng, 6), .wake_us = FT_WAKE_MIN_US,
		.mode = rng_below(rng, 2),
	};
	uint32_t ids[] = { fire, FT_ID_MARK };
	struct ft_set set = { .ids = (uintptr_t)ids, .count = 1 + rng_below(rng, 2) };
	int control = open(CONTROL, O_RDWR | O_CLOEXEC);
	bool snapshot;

	if (control < 0)
		return;
	if (ioctl(control, FT_IOC_SESSION, &info) || ioctl(control, FT_IOC_SET_CONFIG, &config) ||
	    ioctl(control, FT_IOC_START, &set)) {
		if (errno != ENOMEM && errno != ENOSPC && errno != EINTR)
			err(1, "a session");
		close(control);
		return;
	}
	snapshot = config.mode == FT_MODE_OVERWRITE && rng_below(rng, 2);
	set_conditions(rng, control, fire, FT_WHEN_STOP);
	check_ring(control, rng_below(rng, cpus), snapshot);
	if (rng_below(rng, 2)) {
		if (ioctl(control, FT_IOC_STOP, &set))
			err(1, "FT_IOC_STOP");
		for (unsigned int cpu = 0; cpu < cpus; cpu++)
			check_end(control, cpu, fire, snapshot, set.count > 1);
	}
	close(control);
}
