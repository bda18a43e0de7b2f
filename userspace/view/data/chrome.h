/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Chrome trace events: JSON that Perfetto and chrome://tracing open. What its parts share.
 *
 * A "process" is a kind of track, its "threads" are the tracks.
 */
#ifndef FT_VIEW_CHROME_H
#define FT_VIEW_CHROME_H

#include "view/data/export.h"

enum chrome_kind {
	/* of sections: each number of a track has such processes */
	CHROME_CPU,
	CHROME_TASK,
	CHROME_IDLE,
	CHROME_RING,
	CHROME_SECTIONS,
	/* of threads */
	CHROME_RUNS = CHROME_SECTIONS,
	CHROME_INTERRUPT,
	CHROME_THREAD,
	CHROME_CALL,
	CHROME_KINDS,
};

struct chrome_track {
	enum chrome_kind	kind;
	unsigned int		number;		/* of sections; 0: where all nests */
	int32_t			thread;		/* CPU or task */
};

/* chrome_tracks.c */

/** chrome_name - write the name of a track, and of its process, at their first use */
void chrome_name(struct export *x, const struct chrome_track *t);

/** chrome_since_start - ns */
uint64_t chrome_since_start(const struct export *x, uint64_t ts);

/** chrome_us - a time: @ns in microseconds, as viewers understand them */
void chrome_us(struct export *x, const char *key, uint64_t ns);

/** chrome_open - what each event begins with; @ns since the start */
void chrome_open(struct export *x, const char *phase, const struct chrome_track *t, uint64_t ns);

/** chrome_open_span - an event with a beginning and an end, in ticks; names its track */
void chrome_open_span(struct export *x, const struct chrome_track *t, uint64_t start,
		      uint64_t end);

/* What threads and CPUs do. The argument is the struct export. */
extern const struct threads_told chrome_threads;

#endif /* FT_VIEW_CHROME_H */
