/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Samples from a trace: pairs of events that belong together.
 *
 * A cost is a pair on one CPU. An interrupt that left a record between the two, of a level
 * above that of the first, makes it a disturbed one. Across a place where records were lost,
 * nothing is paired.
 */
#ifndef FT_OVERHEADS_PAIRING_H
#define FT_OVERHEADS_PAIRING_H

#include <stdbool.h>
#include <stdint.h>

#include "overheads/calls.h"
#include "overheads/kinds.h"
#include "overheads/samples.h"

/**
 * struct pairing - what came of it
 * @kind:	the samples
 * @missing:	of a kind: an event that the trace does not have, or NULL
 * @no_calls:	the trace has another clock than programs
 * @lost:	records, in the whole trace
 * @hz:		ticks a second
 */
struct pairing {
	struct samples	kind[OVERHEADS];
	const char	*missing[OVERHEADS];
	bool		no_calls;
	uint64_t	lost, hz;
};

/**
 * pairing_find - read the trace in @dir
 * @calls:	times before system calls; NULL: none that the trace's clock could tell
 *
 * Return: false after a message; @p is to be freed in any case.
 */
bool pairing_find(struct pairing *p, const char *dir, struct calls *calls);
void pairing_free(struct pairing *p);

#endif /* FT_OVERHEADS_PAIRING_H */
