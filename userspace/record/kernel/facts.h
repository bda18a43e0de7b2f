/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What the session files of recordings and of snapshots both say of the kernel's trace. */
#ifndef FT_RECORD_KERNEL_FACTS_H
#define FT_RECORD_KERNEL_FACTS_H

#include <stdint.h>
#include <stdio.h>

#include <linux/feather_trace.h>

#include "control/events.h"

/** record_facts_trace - the events that were chosen, the trace's UUID and its clock */
void record_facts_trace(FILE *f, const struct events *events, const struct ft_info *info,
			int64_t early);

/** record_facts_lost - how many records of a CPU were lost */
void record_facts_lost(FILE *f, unsigned int cpu, uint64_t lost);

#endif /* FT_RECORD_KERNEL_FACTS_H */
