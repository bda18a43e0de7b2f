/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Instructions that do nothing, and that who watches a virtual CPU knows again
 * (bench/kernel/anatomy.c): a NOP with a displacement that nobody else uses.
 */
#ifndef _FT_MARKS_H
#define _FT_MARKS_H

#define FT_MARKS	0x66740000	/* upper half of the displacement */
#define FT_MARK_RUN	1	/* another run begins, on whichever CPUs */
#define FT_MARK_BEGIN	2	/* here begins what is to be looked at */
#define FT_MARK_END	3

#ifdef __KERNEL__
#define ft_mark(which) \
	asm volatile("nopl %c0(%%rax)" : : "i" (FT_MARKS + (which)) : "memory")
#endif

#endif /* _FT_MARKS_H */
