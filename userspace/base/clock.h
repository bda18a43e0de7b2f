/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The clock for durations. */
#ifndef FT_BASE_CLOCK_H
#define FT_BASE_CLOCK_H

/** monotonic_now - CLOCK_MONOTONIC in seconds */
double monotonic_now(void);

/** thread_seconds - of a CPU, that the calling thread has used */
double thread_seconds(void);

#endif /* FT_BASE_CLOCK_H */
