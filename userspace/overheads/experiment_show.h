/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The overheads of an experiment, and the ways to show them. Times are nanoseconds but in CSV. */
#ifndef FT_OVERHEADS_EXPERIMENT_SHOW_H
#define FT_OVERHEADS_EXPERIMENT_SHOW_H

#include "overheads/experiment.h"

/** experiment_reason - why a kind has no samples: "the trace has no event 'sched_switch'" */
const char *experiment_reason(const struct experiment *r, enum overhead kind, char *buf,
			      size_t size);

/** experiment_ns - a summary in nanoseconds */
struct samples_summary experiment_ns(const struct experiment *r, enum overhead kind);

void experiment_text(const struct experiment *r);
void experiment_tsv(const struct experiment *r);
void experiment_json(const struct experiment *r);

/**
 * experiment_csv - as the ft-compute-stats of LITMUS^RT prints it
 *
 * A head that begins with '#', and a line for each kind with samples, in microseconds: Plugin,
 * #cores, Overhead, Unit, #tasks, #samples, max, 99.9th perc., 99th perc., 95th perc., avg, med,
 * min, std, var, file.
 */
void experiment_csv(const struct experiment *r);

#endif /* FT_OVERHEADS_EXPERIMENT_SHOW_H */
