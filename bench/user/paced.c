// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * A paced writer of events: EVENTS events each 100 microseconds, TIMES times. For bench/rate.
 *
 *	paced EVENTS TIMES
 *
 * The event is ours, "paced", or LTTng-UST's (-DPACED_LTTNG). Exit status: 3 if it took a tenth
 * longer than it should: this machine cannot write as many.
 */
#ifdef PACED_LTTNG
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "lttng_events.h"
#define paced_event(a, b)	lttng_ust_tracepoint(ft_bench, on, a, b)
#else
#include <feather_trace/trigger.h>

DEFINE_FT_EVENT(paced, number, events);
#define paced_event(a, b)	ft_event(paced, a, b)
#endif

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define PERIOD		100000	/* ns */
#define TOO_LATE	3

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

int main(int argc, char **argv)
{
	uint64_t events = argc > 2 ? strtoull(argv[1], NULL, 10) : 0;
	uint64_t times = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
	uint64_t begin, number = 0;

	if (!events || !times) {
		fputs("usage: paced EVENTS TIMES\n", stderr);
		return 2;
	}
	begin = now();
	for (uint64_t i = 1; i <= times; i++) {
		for (uint64_t k = 0; k < events; k++)
			paced_event(number++, events);
		while (now() - begin < i * PERIOD)
			;
	}
	return (now() - begin) > times * PERIOD / 10 * 11 ? TOO_LATE : 0;
}
