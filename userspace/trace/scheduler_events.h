/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The events that a trace needs to say what tasks, interrupts and locks did. */
#ifndef FT_TRACE_SCHEDULER_EVENTS_H
#define FT_TRACE_SCHEDULER_EVENTS_H

/** SCHEDULER_EVENTS - of ft record -e; the manual, README and the tests in the VM have the same */
#define SCHEDULER_EVENTS	"sched_*,irq_*,softirq_*,local_timer_*,reschedule_*,call_function_*"

/** SCHEDULER_RECORD - the command that records them, and locks */
#define SCHEDULER_RECORD	"ft record --locks -e '" SCHEDULER_EVENTS "'"

#endif /* FT_TRACE_SCHEDULER_EVENTS_H */
