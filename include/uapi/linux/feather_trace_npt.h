/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR MIT */
/*
 * /dev/ft_npt, of the module feather_trace_npt: the non-preempt test in the kernel. A loop
 * reads the TSC with interrupts off, so that what makes a turn longer is an NMI, the
 * firmware or a hypervisor.
 */
#ifndef _UAPI_LINUX_FEATHER_TRACE_NPT_H
#define _UAPI_LINUX_FEATHER_TRACE_NPT_H

#include <linux/ioctl.h>
#include <linux/types.h>

/*
 * Turns by length, in ticks of the TSC. Bins are log-linear: lengths below 2^(BITS + 1) have
 * one each; above, each power of two is cut into 2^BITS equal ones.
 */
#define FT_NPT_BITS		6
#define FT_NPT_BINS		((65 - FT_NPT_BITS) << FT_NPT_BITS)

/* Interrupts are off for as long as that, at most. */
#define FT_NPT_NS_MAX		10000000

/* @begin, @end: the TSC */
struct ft_npt_turn {
	__u64	begin;
	__u64	end;
};

/**
 * struct ft_npt - FT_IOC_NPT: run the loop on this CPU
 * @ns:		in: for so long, 1 to FT_NPT_NS_MAX
 * @turns:	in: at most so many, 1 or more; out: how many there were
 * @limit:	in: a turn of so many ticks or more is long
 * @longs:	in: where to put long ones, an array of struct ft_npt_turn
 * @room:	in: of so many; at most FT_NPT_ROOM_MAX
 * @n_long:	out: how many there were; the first @room are in @longs
 * @long_sum:	out: what all of these took, in ticks
 * @bins:	in: where to put numbers of turns, an array of __u64[FT_NPT_BINS]
 * @begin:	out: when it began, by the TSC
 * @sum:	out: of all lengths, in ticks: it ended at @begin + @sum
 * @min:	out: the shortest
 * @max:	out: the longest, and
 * @max_begin:	out: when it began
 * @squares:	out: the sum of the squares of all lengths, the lower word first
 *
 * The caller chooses the CPU by its affinity. Needs CAP_SYS_ADMIN to open the device.
 * Errors: -EINVAL a number that is out of bounds; -EFAULT; -ENOMEM.
 */
struct ft_npt {
	__u64	ns;
	__u64	turns;
	__u64	limit;
	__u64	longs;
	__u32	room;
	__u32	n_long;
	__u64	long_sum;
	__u64	bins;
	__u64	begin;
	__u64	sum;
	__u64	min;
	__u64	max;
	__u64	max_begin;
	__u64	squares[2];
};

#define FT_NPT_ROOM_MAX		4096

#define FT_IOC_NPT		_IOWR('N', 0x80, struct ft_npt)

#endif /* _UAPI_LINUX_FEATHER_TRACE_NPT_H */
