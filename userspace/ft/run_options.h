/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Options that ft run and ft attach share. */
#ifndef FT_FT_RUN_OPTIONS_H
#define FT_FT_RUN_OPTIONS_H

#include "record/program/job.h"

/**
 * run_job_option - what ft run and ft attach take alike: -e, -o, -s, --force ('f')
 * @c:	what getopt_long() gave
 *
 * Return: exit status, or -1 to go on.
 */
int run_job_option(struct run_job *job, int c, char **argv);

#endif /* FT_FT_RUN_OPTIONS_H */
