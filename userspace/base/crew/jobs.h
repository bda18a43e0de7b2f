/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* --jobs of commands that read a trace: how many threads do it. */
#ifndef FT_BASE_JOBS_H
#define FT_BASE_JOBS_H

#include <stdint.h>

#include "base/crew/crew.h"
#include "base/options.h"

#define JOBS_MAX	64u

/** struct jobs - zeroed: nothing was asked for */
struct jobs {
	unsigned int	n;
};

/* -j, of a struct jobs */
extern const struct option_row jobs_options[];

/**
 * jobs_crew - the threads beside this one
 * @bytes: of the files that will be read: where little is to do, one thread does it
 *
 * Return: NULL: none; else to be given to crew_free().
 */
struct crew *jobs_crew(const struct jobs *jobs, uint64_t bytes);

#endif /* FT_BASE_JOBS_H */
