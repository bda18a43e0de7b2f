/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* ft study: the workloads. */
#ifndef FT_FT_STUDY_WORKLOAD_H
#define FT_FT_STUDY_WORKLOAD_H

#include "ft/study.h"

#define PATH_LEN	4096

/* One run: the directories, and the programs' arguments. */
struct study_run {
	const struct study	*study;
	char			work[PATH_LEN];
	char			sources[PATH_LEN];	/* a copy */
	char			out[PATH_LEN + 8];	/* "O=..." */
	char			video[PATH_LEN];	/* for the players */
	char			jobs[16];
	uint32_t		slots;
	bool			tool;		/* compile the tool itself */
	bool			keep;		/* there is a log to be read */
};

static inline bool study_wants(const struct study *s, enum study_workload w)
{
	return s->workloads >> w & 1;
}

/** study_workloads_can - are all programs there that they need? A message, if not */
bool study_workloads_can(const struct study *s);

/** study_copy_sources - compiling writes into the sources: so it gets a copy */
bool study_copy_sources(struct study_run *run);

/** study_make_video - half a minute of pictures that move, played again and again */
bool study_make_video(struct study_run *run);

/** study_workload_start - Return: pid, 0 where there is nothing to run, -1 with a message */
int study_workload_start(struct study_run *run, enum study_workload w, const char *log);

/** study_workload_runs - it has to run until it is told not to; a message, if not */
bool study_workload_runs(struct study_run *run, enum study_workload w, int pid,
			 const char *log);

#endif /* FT_FT_STUDY_WORKLOAD_H */
