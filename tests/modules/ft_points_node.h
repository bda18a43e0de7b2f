/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What an argument of the tracepoint ft_points_words points to; the tests have it, too. */
#ifndef _FT_POINTS_NODE_H
#define _FT_POINTS_NODE_H

#include <linux/types.h>

struct ft_points_node {
	__s32	number;
	__u16	bits;
	__s8	small;
	__u8	reserved;
	__u64	wide;
	__u64	next;	/* a pointer to another one */
};

/* Three of them: of the first, and each is greater by one. */
#define FT_POINTS_NUMBER	-5
#define FT_POINTS_BITS		0xa5f0
#define FT_POINTS_SMALL		-100
#define FT_POINTS_WIDE		0x123456789abcdef0ull

/* The arguments behind the first one; those of 32 bits have something else above them. */
#define FT_POINTS_C		0x89abcdefu
#define FT_POINTS_D		-7ll
#define FT_POINTS_E		-8
#define FT_POINTS_F		0xfedcba9876543210ull
#define FT_POINTS_G		-9

#endif /* _FT_POINTS_NODE_H */
