// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * The clock. The TSC where the kernel trusts it: it offers it as a clock source
 * only then. How fast it runs, the kernel tells who maps a perf event; where that is
 * forbidden, it is measured.
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <linux/feather_trace.h>

#include "run_clock.h"

#define SOURCES	"/sys/devices/system/clocksource/clocksource0/available_clocksource"
#define NSEC	1000000000ull
#define MEASURE	(50 * 1000000ull)	/* ns */

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

/* ns = ticks * mult >> shift; the kernel computed mult from a frequency in kHz. */
static uint64_t tsc_hz_told(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY, .exclude_kernel = 1,
		.exclude_hv = 1,
	};
	const struct perf_event_mmap_page *page;
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	uint64_t hz = 0;
	int fd;

	fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1,
			  PERF_FLAG_FD_CLOEXEC);
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

static uint64_t tsc_hz_measured(void)
{
	uint64_t begin = now_ns(CLOCK_MONOTONIC_RAW), end, from, to;

	from = tsc_read();
	do {
		end = now_ns(CLOCK_MONOTONIC_RAW);
		to = tsc_read();
	} while (end - begin < MEASURE);
	return (uint64_t)((long double)(to - from) * NSEC / (end - begin));
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

static uint64_t tsc_hz_measured(void)
{
	return NSEC;
}
#endif

uint64_t run_clock_now(const struct run_clock *clock)
{
	return clock->source == FT_CLOCK_TSC ? tsc_read() :
					       now_ns(CLOCK_MONOTONIC);
}

uint64_t run_clock_latest(const struct run_clock *clock)
{
	/* a program can have set its CLOCK_MONOTONIC forward (time_namespaces(7)) */
	return clock->source == FT_CLOCK_TSC ? tsc_read() + clock->hz : UINT64_MAX;
}

/* Of several tries the one in which the two were read closest together. */
static void find_offset(struct run_clock *clock)
{
	uint64_t best = UINT64_MAX, ticks = 0, wall = 0, whole, rest;

	for (int i = 0; i < 16; i++) {
		uint64_t before = run_clock_now(clock), w = now_ns(CLOCK_REALTIME);
		uint64_t after = run_clock_now(clock);

		if (after - before >= best)
			continue;
		best = after - before;
		ticks = before + best / 2;
		wall = w;
	}
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

void run_clock_find(struct run_clock *clock)
{
	clock->source = tsc_is_trusted() ? FT_CLOCK_TSC : FT_CLOCK_MONO;
	clock->hz = NSEC;
	if (clock->source == FT_CLOCK_TSC) {
		clock->hz = tsc_hz_told();
		if (!clock->hz)
			clock->hz = tsc_hz_measured();
	}
	find_offset(clock);
}
