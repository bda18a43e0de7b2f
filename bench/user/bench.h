/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What both benchmarks do alike. */
#ifndef FT_BENCH_H
#define FT_BENCH_H

#include <pthread.h>
#include <sched.h>
#include <stdint.h>

#ifndef __x86_64__
#error "the numbers are those of the x86 time stamp counter"
#endif

#define NOINLINE	__attribute__((noipa, aligned(64)))

static inline uint64_t clock_read(void)
{
	return __builtin_ia32_rdtsc();
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

#endif /* FT_BENCH_H */
