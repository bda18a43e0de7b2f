// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The kinds of overheads: see kinds.h. */
#include "overheads/kinds.h"

const struct overhead_kind overhead_kinds[OVERHEADS] = {
	[OVERHEAD_SCHEDULE] = {
		.name = "schedule", .title = "scheduling decision", .field = "SCHED",
		.begin = IS_SCHEDULE, .end = IS_SWITCH,
	},
	[OVERHEAD_SWITCH] = {
		.name = "switch", .title = "context switch", .field = "CXS",
		.begin = IS_SWITCH, .end = IS_SWITCHED,
	},
	[OVERHEAD_TICK] = {
		.name = "tick", .title = "tick", .field = "TICK",
		.begin = IS_TIMER, .end = IS_TIMER_END,
	},
	[OVERHEAD_RELEASE] = {
		.name = "release", .title = "release by a timer", .field = "RELEASE",
		.begin = IS_TIMER, .end = IS_TIMER_END,
	},
	[OVERHEAD_WAKEUP] = {
		.name = "wakeup", .title = "wake-up latency", .field = "WAKEUP-LATENCY",
		.begin = IS_WAKING, .end = IS_SWITCH, .latency = true,
	},
	[OVERHEAD_WAKEUP_RT] = {
		.name = "wakeup_rt", .title = "of real-time tasks", .part = true,
		.field = "RT-WAKEUP-LATENCY",
		.begin = IS_WAKING, .end = IS_SWITCH, .latency = true,
	},
	[OVERHEAD_RESCHEDULE] = {
		.name = "reschedule", .title = "IPI: reschedule", .field = "SEND-RESCHED",
		.begin = IS_SEND_RESCHEDULE, .end = IS_RESCHEDULE, .latency = true,
	},
	[OVERHEAD_CALL] = {
		.name = "call", .title = "IPI: function call", .field = "SEND-XCALL",
		.begin = IS_SEND_CALL, .end = IS_CALL, .latency = true,
	},
	[OVERHEAD_SYSCALL] = {
		.name = "syscall", .title = "system call entry", .field = "SYSCALL-IN",
		.end = IS_SYSCALL,
	},
};
