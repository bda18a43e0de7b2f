// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The clock: the TSC if the kernel trusts it, that is, if it offers it as a clock source.
 * The kernel publishes the TSC's frequency in the page that a perf event maps. Where perf
 * events are forbidden, the frequency is measured while the command runs, so nobody waits.
 * A trace shorter than MEASURE is measured over its own length; the error, of two readings
 * of two clocks, then scales all its times alike.
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <linux/feather_trace.h>

#include "record/program/clock.h"

#define SOURCES	"/sys/devices/system/clocksource/clocksource0/available_clocksource"
#define NSEC	1000000000ull
#define MEASURE		(50 * 1000000ull)	/* ns */
#define MEASURE_LEAST	1000000ull
#define READ_TRIES	64

static uint64_t now_ns(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * NSEC + (uint64_t)t.tv_nsec;
}

#ifdef __x86_64__
static bool tsc_is_trusted(void)
{
	char text[256] = "";
	int fd = open(SOURCES, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return false;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	return n > 0 && strstr(text, "tsc");
}

static uint64_t tsc_read(void)
{
	return __builtin_ia32_rdtsc();
}

/*
 * Prefers an event of a CPU, where that is allowed, to one of a task: for the first event
 * of a task, the kernel waits for an RCU grace period.
 */
static int open_any_event(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY, .exclude_kernel = 1,
		.exclude_hv = 1,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, -1, sched_getcpu(), -1,
			      PERF_FLAG_FD_CLOEXEC);

	return fd >= 0 ? fd : (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1,
					   PERF_FLAG_FD_CLOEXEC);
}

/* ns = ticks * mult >> shift; the kernel computed mult from a frequency in kHz. */
static uint64_t tsc_hz_told(void)
{
	const struct perf_event_mmap_page *page;
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	uint64_t hz = 0;
	int fd = open_any_event();

	if (fd < 0)
		return 0;
	page = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	if (page == MAP_FAILED)
		return 0;
	if (page->cap_user_time && page->time_mult) {
		long double khz = (long double)(1ull << page->time_shift) *
				  1000000 / page->time_mult;

		hz = (uint64_t)(khz + 0.5L) * 1000;
	}
	munmap((void *)page, size);
	return hz;
}

#else
static bool tsc_is_trusted(void)
{
	return false;
}

static uint64_t tsc_read(void)
{
	return 0;
}

static uint64_t tsc_hz_told(void)
{
	return 0;
}
#endif

uint64_t run_clock_now(const struct run_clock *clock)
{
	return clock->source == FT_CLOCK_TSC ? tsc_read() :
					       now_ns(CLOCK_MONOTONIC);
}

uint64_t run_clock_latest(const struct run_clock *clock)
{
	/*
	 * CLOCK_MONOTONIC can be ahead in a program's time namespace: by as much as leaves
	 * it below half of what the kernel's ktime_t holds (proc_timens_set_offset()).
	 * Readers can add the time of the day to that without an overflow.
	 */
	return clock->source == FT_CLOCK_TSC ? tsc_read() + clock->hz : INT64_MAX / 2;
}

/* Reads the trace clock and clock @id together; keeps the closest pair of several tries. */
static void read_both(const struct run_clock *clock, clockid_t id, uint64_t *ticks,
		      uint64_t *ns)
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < READ_TRIES; i++) {
		uint64_t before = run_clock_now(clock), other = now_ns(id);
		uint64_t after = run_clock_now(clock);

		if (after - before >= best)
			continue;
		best = after - before;
		*ticks = before + best / 2;
		*ns = other;
	}
}

static void find_offset(struct run_clock *clock)
{
	uint64_t ticks = 0, wall = 0, whole, rest;

	read_both(clock, CLOCK_REALTIME, &ticks, &wall);
	whole = ticks / clock->hz;
	rest = ticks % clock->hz;
	clock->offset_s = (int64_t)(wall / NSEC) - (int64_t)whole;
	clock->offset = (uint64_t)((unsigned __int128)(wall % NSEC) *
				   clock->hz / NSEC);
	if (clock->offset < rest) {
		clock->offset_s--;
		clock->offset += clock->hz;
	}
	clock->offset -= rest;
}

bool run_clock_settle(struct run_clock *clock, bool now)
{
	uint64_t ticks = 0, ns = 0;

	if (clock->hz)
		return true;
	do {
		read_both(clock, CLOCK_MONOTONIC_RAW, &ticks, &ns);
		if (!now && ns - clock->ns < MEASURE)
			return false;
	} while (ns - clock->ns < MEASURE_LEAST);
	clock->hz = (uint64_t)((long double)(ticks - clock->ticks) * NSEC /
			       (ns - clock->ns));
	find_offset(clock);
	return true;
}

uint64_t run_clock_rate(const struct run_clock *clock)
{
	struct run_clock copy = *clock;

	run_clock_settle(&copy, true);
	return copy.hz;
}

void run_clock_find(struct run_clock *clock)
{
	clock->source = tsc_is_trusted() ? FT_CLOCK_TSC : FT_CLOCK_MONO;
	clock->hz = clock->source == FT_CLOCK_TSC ? tsc_hz_told() : NSEC;
	if (clock->hz)
		find_offset(clock);
	else
		read_both(clock, CLOCK_MONOTONIC_RAW, &clock->ticks, &clock->ns);
}
