/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Records as CTF packets. */
#ifndef _FT_PACKET_H
#define _FT_PACKET_H

#include <linux/types.h>

struct ft_cpu;

/**
 * ft_packet_records() - how many records a read may take
 * @c:		the ring
 * @max:	no more than this
 *
 * Records that are ready, with timestamps that never decrease. What makes them
 * so even when the clock itself runs backwards is counted in @c->backsteps. The
 * caller holds @c->mutex.
 */
u32 ft_packet_records(struct ft_cpu *c, u32 max);

/**
 * ft_packet_copy_records() - copy ready records
 * @c:		the ring
 * @buf:	user memory
 * @count:	how many
 *
 * The caller holds @c->mutex. Return: 0 or -EFAULT.
 */
int ft_packet_copy_records(const struct ft_cpu *c, void __user *buf, u32 count);

/**
 * ft_packet_copy() - copy a packet: header and ready records
 * @c:		the ring
 * @buf:	user memory, large enough
 * @count:	how many records; 0 for a packet that only tells of losses
 * @seq:	number of the packet
 * @lost:	losses to tell of
 *
 * The caller holds @c->mutex. Return: bytes copied or -EFAULT.
 */
ssize_t ft_packet_copy(const struct ft_cpu *c, void __user *buf, u32 count,
		       u64 seq, u64 lost);

#endif /* _FT_PACKET_H */
