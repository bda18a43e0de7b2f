/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The ring under real interruptions and a real reader.
 *
 *	ring_stress [--seconds S] [--events N] [--seed X] [--mode steps|threads]
 *
 * Steps. The CPU's trap flag stops a write after each of its instructions. In
 * the trap handler another write begins (stepped itself, with a third one
 * inside) or the reader runs. All pairs of instructions are tried, with the
 * ring nearly full, just full and empty. In the same way the reader is stopped
 * after each of its instructions, and writers fill the ring; and a closed ring is
 * opened after each instruction of a write. (With sanitizers
 * there are hundreds of instructions; then some are drawn at random.)
 *
 * Threads. Writers with a ring each; timers interrupt them with signals that
 * nest three deep, and the trap flag at random instructions. One reader takes
 * batches of random size from all rings, pauses, closes and restarts them; the
 * main thread looks at how full they are. Rings are small: they are full often.
 *
 * ThreadSanitizer's runtime delivers signals at calls into it and does not take
 * being stepped; there writes nest by calling each other at the points marked
 * nest_here(), and the check is that of reader against writers.
 *
 * What must hold, for every stream of records:
 *   - attempts = read + lost (+ refused while closed, + forgotten by a restart),
 *     and nothing is left;
 *   - each record is whole (a checksum over its fields);
 *   - records of one nesting level come in the order they were written;
 *   - times never decrease, and each is exactly the earliest of the times that
 *     were taken for the record and those after it;
 *   - between two records of a level that lost something in between, a gap
 *     shows; where nothing was lost, none does.
 *
 * Exit status: 0 all held, 1 something did not (and what), 2 usage.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stress.h"

static int usage(void)
{
	fputs("usage: ring_stress [--seconds S] [--events N] [--seed X] [--mode steps|threads]\n",
	      stderr);
	return 2;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "seconds", required_argument, NULL, 's' },
		{ "events", required_argument, NULL, 'e' },
		{ "seed", required_argument, NULL, 'x' },
		{ "mode", required_argument, NULL, 'm' },
		{ }
	};
	double seconds = 2, part = 0.25;
	uint64_t events = UINT64_MAX, done = 0;
	const char *mode = NULL;
	struct timespec now;
	int c;

	clock_gettime(CLOCK_REALTIME, &now);
	seed = (uint64_t)now.tv_nsec ^ ((uint64_t)now.tv_sec << 20);
	while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
		char *end = NULL;

		switch (c) {
		case 's':
			seconds = strtod(optarg, &end);
			break;
		case 'e':
			events = strtoull(optarg, &end, 0);
			seconds = 1e9;
			break;
		case 'x':
			seed = strtoull(optarg, &end, 0);
			break;
		case 'm':
			mode = optarg;
			if (strcmp(mode, "steps") && strcmp(mode, "threads"))
				return usage();
			break;
		default:
			return usage();
		}
		if (end && (*end || end == optarg))
			return usage();
	}
	if (optind != argc)
		return usage();

	setvbuf(stdout, NULL, _IOLBF, 0);
	first_seed = seed;
	printf("ring_stress: --seed %" PRIu64 "\n", seed);
	if (!mode || !strcmp(mode, "steps"))
		run_steps();
	if (!mode || !strcmp(mode, "threads"))
		for (; seconds > 0 && done < events; seconds -= part)
			done += run_threads(part);
	printf("ok\n");
	return 0;
}
