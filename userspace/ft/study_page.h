/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The page of ft study: what it is made of. */
#ifndef FT_FT_STUDY_PAGE_H
#define FT_FT_STUDY_PAGE_H

#include <stdio.h>

#include "analysis/report.h"
#include "ft/study.h"

#define STUDY_CELL	40

/* A line of the table: the paper's numbers, and ours. "" where there is none. */
struct study_row {
	char	name[64];
	char	paper[STUDY_WORKLOADS][STUDY_CELL];
	char	here[STUDY_WORKLOADS][STUDY_CELL];
	bool	time;		/* means nothing in an emulator */
	bool	claim;		/* holds or not: see @holds */
	int	holds[STUDY_WORKLOADS];	/* 1, 0; -1: not asked */
};

#define STUDY_ROWS	24

struct study_results {
	const char		*dir;
	struct report		report[STUDY_WORKLOADS];
	bool			have[STUDY_WORKLOADS];
	struct study_row	row[STUDY_ROWS];
	unsigned int		n_rows;
	char			emulator[128];	/* "": none */
	bool			lost;
	bool			broken;	/* a trace could not be read to its end */
};

/** study_has_programs - is there a program that the paper has no numbers of? */
static inline bool study_has_programs(const struct study_results *s)
{
	unsigned int w;

	for (w = STUDY_PAPER; w < STUDY_WORKLOADS; w++) {
		if (s->have[w])
			return true;
	}
	return false;
}

/** study_rows - fills in the table */
void study_rows(struct study_results *s);

/**
 * study_verdict - "5 of 7": how many of the paper's claims hold for a workload
 *
 * In an emulator those of times are no part of it. Return: @buf.
 */
const char *study_verdict(const struct study_results *s, unsigned int workload,
			  char *buf, size_t len);

/** study_first - the name of the first workload that was recorded; there is one */
const char *study_first(const struct study_results *s);

void study_text(FILE *f, const struct study_results *s);
void study_html(FILE *f, const struct study_results *s);

/** study_fact - from the session file of the study, or of any of its traces */
bool study_fact(const struct study_results *s, const char *key, char *buf,
		size_t len);

#endif /* FT_FT_STUDY_PAGE_H */
