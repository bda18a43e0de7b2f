// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The kinds of overheads: see kinds.h. */
#include "overheads/kinds.h"

const struct overhead_kind overhead_kinds[OVERHEADS] = {
	[OVERHEAD_SCHEDULE] = {
		.name = "schedule", .title = "scheduling decision", .field = "SCHED",
		.begin = "__schedule", .end = "sched_switch",
	},
	[OVERHEAD_SWITCH] = {
		.name = "switch", .title = "context switch", .field = "CXS",
		.begin = "sched_switch", .end = "finish_task_switch",
	},
	[OVERHEAD_TICK] = {
		.name = "tick", .title = "tick", .field = "TICK",
		.begin = "hrtimer_expire_entry", .end = "hrtimer_expire_exit",
	},
	[OVERHEAD_RELEASE] = {
		.name = "release", .title = "release by a timer", .field = "RELEASE",
		.begin = "hrtimer_expire_entry", .end = "hrtimer_expire_exit",
	},
	[OVERHEAD_WAKEUP] = {
		.name = "wakeup", .title = "wake-up latency", .field = "WAKEUP-LATENCY",
		.begin = "sched_waking", .end = "sched_switch", .latency = true,
	},
	[OVERHEAD_WAKEUP_RT] = {
		.name = "wakeup_rt", .title = "  of real-time tasks",
		.field = "RT-WAKEUP-LATENCY",
		.begin = "sched_waking", .end = "sched_switch", .latency = true,
	},
	[OVERHEAD_RESCHEDULE] = {
		.name = "reschedule", .title = "IPI: reschedule", .field = "SEND-RESCHED",
		.begin = "ipi_send_cpu", .end = "reschedule_entry", .latency = true,
	},
	[OVERHEAD_CALL] = {
		.name = "call", .title = "IPI: function call", .field = "SEND-XCALL",
		.begin = "ipi_send_cpu", .end = "call_function_single_entry", .latency = true,
	},
	[OVERHEAD_SYSCALL] = {
		.name = "syscall", .title = "system call entry", .field = "SYSCALL-IN",
		.begin = "the program's clock", .end = "getppid",
	},
};
