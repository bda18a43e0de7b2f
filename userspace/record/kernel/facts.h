/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Facts of the kernel's trace that session files of recordings and of snapshots share. */
#ifndef FT_RECORD_KERNEL_FACTS_H
#define FT_RECORD_KERNEL_FACTS_H

#include <stdint.h>
#include <stdio.h>

#include <linux/feather_trace.h>

#include "control/events.h"

/** record_facts_trace - write the chosen events, the trace's UUID and its clock */
void record_facts_trace(FILE *f, const struct events *events, const struct ft_info *info,
			int64_t early);

/** record_facts_lost - write how many records of a CPU were lost */
void record_facts_lost(FILE *f, unsigned int cpu, uint64_t lost);

#endif /* FT_RECORD_KERNEL_FACTS_H */
