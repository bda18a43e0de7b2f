/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR MIT */
/*
 * Call stacks of long waits, long sections, of acquisitions and of sleeps: FT_IOC_STACKS and
 * FT_IOC_STACKS_READ. <linux/feather_trace.h> includes this.
 */
#ifndef _UAPI_LINUX_FEATHER_TRACE_STACK_H
#define _UAPI_LINUX_FEATHER_TRACE_STACK_H

#include <linux/types.h>

/* Bits of ft_stacks.what. */
#define FT_STACKS_ACQUISITIONS	0x1	/* one of &ft_stacks.one_in acquisitions, on each CPU */
#define FT_STACKS_SECTIONS	0x2	/* longer than &ft_stacks.sections_ns */
#define FT_STACKS_WAITS		0x4	/* longer than &ft_stacks.waits_ns */
#define FT_STACKS_SLEEPS	0x8	/* each, where it begins: of sched_switch */

#define FT_STACKS_DEPTH		32	/* addresses of a stack, innermost first */
#define FT_STACKS_ROOM_MIN	16u
#define FT_STACKS_ROOM_MAX	65536u

/**
 * enum ft_stack_of - what a stack is of
 * @FT_STACK_OF_ACQUISITION:	the acquisition in the record before
 * @FT_STACK_OF_SECTION:	the section that the release in the record before has ended
 * @FT_STACK_OF_WAIT:		the wait that ended in the record before
 * @FT_STACK_OF_ALLOCATION:	the allocation in the record before, of programs
 * @FT_STACK_OF_SLEEP:		the sleep that begins with the next sched_switch of the CPU
 */
enum ft_stack_of {
	FT_STACK_OF_ACQUISITION,
	FT_STACK_OF_SECTION,
	FT_STACK_OF_WAIT,
	FT_STACK_OF_ALLOCATION,
	FT_STACK_OF_SLEEP,
};

/*
 * The words of a record FT_ID_STACK: its first word has a stack's id, 0 if there is none, and
 * enum ft_stack_of; the second one is the lock, or the block. It belongs to the last event of
 * that kind and lock that the same task has on the same CPU before it. A sleep has no lock, and
 * its event comes after it.
 */
#define FT_STACKS_ID(a)		((__u32)(a))
#define FT_STACKS_OF(a)		((__u8)((__u64)(a) >> 32))
#define FT_STACKS_WORD(id, of)	((__u64)(of) << 32 | (__u32)(id))

/**
 * struct ft_stacks - FT_IOC_STACKS: record stacks in the running trace of the session
 * @what:	in: FT_STACKS_*; out: of which there are events on in the session
 * @room:	how many different stacks are kept: a power of two from FT_STACKS_ROOM_MIN to
 *		FT_STACKS_ROOM_MAX
 * @sections_ns: FT_STACKS_SECTIONS: at most 2^60; else 0
 * @waits_ns:	FT_STACKS_WAITS: the same
 * @one_in:	FT_STACKS_ACQUISITIONS: at least 1; else 0
 * @reserved:	0
 *
 * A stack is taken by the task itself, right after the record that earned it: of a section at
 * its end, and before the lock is given up; of a wait when it is over. Of a sleep it comes before
 * the record of the switch, so that what a task records is never behind that. Nothing is measured
 * from before the rings were opened, or a pause ended. No stack is taken in an NMI, nor where
 * RCU does not watch, as in the idle loop: the record has the id 0 there.
 *
 * Stacks end with the descriptor that asked for them; what was recorded can be read until then.
 *
 * Errors: -EINVAL; -EOPNOTSUPP the kernel has no stacks to tell (CONFIG_STACKTRACE); -ENODATA
 * no trace is running; -ENOENT no event of @what is on; -EBUSY the session has stacks already;
 * -ENOSPC 255 events have been watched since the module was loaded; -ENOMEM.
 */
struct ft_stacks {
	__u32	what;
	__u32	room;
	__u64	sections_ns;
	__u64	waits_ns;
	__u32	one_in;
	__u32	reserved[3];
};

/**
 * struct ft_stacks_read - FT_IOC_STACKS_READ: the different stacks of the session, and the books
 * @buf:	in: address of an array of __u64; each stack is its id and, shifted by 32, its
 *		depth, then as many addresses
 * @max:	in: length of the array in words: at least FT_STACKS_DEPTH + 1
 * @from:	in: the least id that is wanted; out: where to go on from; 0: these were all
 * @count:	out: words stored
 * @reserved0:	0
 * @taken:	out: stacks that were recorded, in all
 * @full:	out: those that found no room, and have the id 0
 * @failed:	out: those that could not be taken, and have the id 0
 * @reserved:	0
 *
 * Any descriptor of the session may read them. Errors: -EINVAL; -ENODATA the session has no
 * stacks; -EFAULT.
 */
struct ft_stacks_read {
	__u64	buf;
	__u32	max;
	__u32	from;
	__u32	count;
	__u32	reserved0;
	__u64	taken;
	__u64	full;
	__u64	failed;
	__u64	reserved[2];
};

#endif /* _UAPI_LINUX_FEATHER_TRACE_STACK_H */
