// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A program that looks at the wall clock before and after each event, and says how
 * fast the TSC runs by the kernel's clock. Prints lines "event BEFORE AFTER", ns since
 * 1970, and a line "hz LEAST MOST".
 */
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include <feather_trace/trigger.h>

#define EVENTS	100
#define SECONDS	3

DEFINE_FT_EVENT(looked, number);

static int64_t now_ns(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* What the kernel's clock said, and the TSC before and after that. */
struct look {
	int64_t		ns;
	uint64_t	before, after;
};

/* The best of many: what comes in between makes them worse. */
static struct look look(void)
{
	struct look best = { .after = UINT64_MAX };

	for (int i = 0; i < 10000; i++) {
		struct look this = { .before = __builtin_ia32_rdtsc() };

		/* steps with the TSC, without what NTP makes of it */
		this.ns = now_ns(CLOCK_MONOTONIC_RAW);
		this.after = __builtin_ia32_rdtsc();
		if (this.after - this.before < best.after - best.before)
			best = this;
	}
	return best;
}

int main(void)
{
	struct look from = look(), to;

	for (int i = 0; i < EVENTS; i++) {
		int64_t before = now_ns(CLOCK_REALTIME);

		ft_event(looked, i);
		printf("event %lld %lld\n", (long long)before,
		       (long long)now_ns(CLOCK_REALTIME));
		usleep(1000);
	}
	sleep(SECONDS);
	to = look();
	printf("hz %.0f %.0f\n",
	       (double)(to.before - from.after) * 1e9 / (double)(to.ns - from.ns),
	       (double)(to.after - from.before) * 1e9 / (double)(to.ns - from.ns));
	return 0;
}
