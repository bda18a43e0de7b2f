/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The numbers of the paper: Brandenburg and Anderson, Feather-Trace: A Light-Weight
 * Event Tracing Toolkit, OSPERT 2007. Two CPUs, 60 seconds for each workload.
 */
#ifndef FT_FT_STUDY_PAPER_H
#define FT_FT_STUDY_PAPER_H

#include "ft/study.h"
#include "locks/locks.h"

#define PAPER_SECONDS	60
#define PAPER_CPUS	2

/** struct paper_group - what the paper says of a kind of lock */
struct paper_group {
	const char	*name;			/* in the paper */
	uint64_t	acquisitions[STUDY_PAPER];
	double		mean_us[STUDY_PAPER];
	unsigned int	limit_us;		/* most sections are shorter */
	double		share;			/* more than so many percent are */
	bool		under_load;		/* the share is told of load only */
	enum locks_scope scope;			/* of nesting */
	unsigned int	non_nested;		/* percent, more than; under load; 0: not told */
	unsigned int	deepest[STUDY_PAPER];	/* locks held already */
	unsigned int	deepest_ever;		/* in whatever it traced */
};

enum paper_kind { PAPER_SPIN, PAPER_SEMAPHORE, PAPER_KINDS };

static const struct paper_group paper[PAPER_KINDS] = {
	[PAPER_SPIN] = {
		"spinlocks", { 2366122, 25002249, 70807495 },
		{ 0.67, 0.81, 1.24 }, 5, 96, false,
		LOCKS_SPINNING, 85, { 3, 4, 4 }, 6,
	},
	[PAPER_SEMAPHORE] = {
		"semaphores", { 51360, 4880570, 18998386 },
		{ 14.9, 6.4, 6.3 }, 13, 93, true,
		LOCKS_SLEEPING, 0, { 2, 2, 2 }, 2,
	},
};

#endif /* FT_FT_STUDY_PAPER_H */
