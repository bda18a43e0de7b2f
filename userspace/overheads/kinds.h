/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What the scheduler's operations cost, and how late they come: the kinds that
 * Feather-Trace was made to measure in LITMUS^RT (B. Brandenburg and J. Anderson,
 * Feather-Trace: a light-weight event tracing toolkit, OSPERT 2007), by events of a stock
 * kernel.
 */
#ifndef FT_OVERHEADS_KINDS_H
#define FT_OVERHEADS_KINDS_H

#include <stdbool.h>

#include "overheads/marks.h"

enum overhead {
	OVERHEAD_SCHEDULE,
	OVERHEAD_SWITCH,
	OVERHEAD_TICK,
	OVERHEAD_RELEASE,
	OVERHEAD_WAKEUP,
	OVERHEAD_WAKEUP_RT,
	OVERHEAD_RESCHEDULE,
	OVERHEAD_CALL,
	OVERHEAD_SYSCALL,
	OVERHEADS
};

/**
 * struct overhead_kind - a kind
 * @name:	for programs
 * @title:	for people
 * @field:	what LITMUS^RT's tools call it, or would: latencies end in -LATENCY, for which
 *		these tools take samples for nanoseconds
 * @part:	part of the kind before it
 * @begin:	what happens where a sample begins; of a system call, the program reads the clock
 * @end:	and where it ends
 * @latency:	a time until something happens, interrupts and all; else a cost, and samples
 *		with an interrupt in them do not count
 */
struct overhead_kind {
	const char	*name, *title, *field;
	enum mark	begin, end;
	bool		latency, part;
};

extern const struct overhead_kind overhead_kinds[OVERHEADS];

#endif /* FT_OVERHEADS_KINDS_H */
