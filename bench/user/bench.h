/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What both benchmarks do alike. */
#ifndef FT_BENCH_H
#define FT_BENCH_H

#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <linux/feather_trace.h>

#ifndef __x86_64__
#error "the numbers are those of the x86 time stamp counter"
#endif

#define NOINLINE	__attribute__((noipa, aligned(64)))

static inline uint64_t clock_read(void)
{
	return __builtin_ia32_rdtsc();
}

/* The least that an event can be: a clock, and a record without a ring around it. */
static inline void store_record(struct ft_record *slot, uint16_t id, int tid,
				uint64_t a, uint64_t b)
{
	slot->ts = clock_read();
	slot->id = id;
	slot->ctx = 0;
	slot->gap = 0;
	slot->tid = tid;
	slot->a = a;
	slot->b = b;
}

/* This thread stays on one of the CPUs that we may use, which are taken in turn. */
static inline void settle(unsigned int cpu)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set))
		return;
	cpu %= (unsigned int)CPU_COUNT(&set);
	for (int i = 0; i < CPU_SETSIZE; i++) {
		if (CPU_ISSET(i, &set) && cpu-- == 0) {
			CPU_ZERO(&set);
			CPU_SET(i, &set);
			pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
			return;
		}
	}
}

/* For qsort(): doubles. */
static inline int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/*
 * Rounds of all kinds, in turn; prints the lower quartile of each.
 * @round: cycles of one event in a round of kind k
 */
static inline void measure_kinds(unsigned int kinds, unsigned int rounds,
				 double (*round)(unsigned int k),
				 const char *(*name)(unsigned int k))
{
	double *cycles = calloc((size_t)kinds * rounds, sizeof(*cycles));

	if (!cycles)
		abort();
	for (unsigned int i = 0; i < rounds; i++)
		for (unsigned int k = 0; k < kinds; k++)
			cycles[k * rounds + i] = round(k);
	for (unsigned int k = 0; k < kinds; k++) {
		qsort(cycles + k * rounds, rounds, sizeof(*cycles), compare);
		printf("%s\t%.2f\tcycles\n", name(k),
		       cycles[k * rounds + rounds / 4]);
	}
	free(cycles);
}

#endif /* FT_BENCH_H */
