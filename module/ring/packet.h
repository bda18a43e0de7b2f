/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Records as CTF packets. */
#ifndef _FT_PACKET_H
#define _FT_PACKET_H

#include <linux/types.h>
#include <uapi/linux/feather_trace.h>

struct ft_cpu;
struct ft_ring;

/**
 * ft_packet_records() - how many records a read may take
 * @c:		the ring
 * @max:	no more than this
 *
 * Records that are ready, up to the mark of a snapshot, with timestamps that never
 * decrease. What makes them so even when the clock itself runs backwards is counted in
 * @c->backsteps. The caller holds @c->mutex.
 */
u32 ft_packet_records(struct ft_cpu *c, u32 max);

/**
 * struct ft_packet - a packet on its way to user space
 * @header:	its beginning
 * @pos:	where in the ring its records are
 * @count:	how many
 *
 * It is prepared while no other trace can begin, and copied while one may. Then the
 * records may be those of the other trace: the caller checks that, and drops the packet.
 */
struct ft_packet {
	struct ft_packet_header	header;
	u64			pos;
	u32			count;
};

/**
 * ft_packet_prepare() - begin a packet at the ring's read position
 * @packet:	the packet
 * @c:		the ring
 * @count:	how many records, all ready; 0 for a packet of losses alone
 * @seq:	number of the packet
 * @lost:	number of losses to report
 *
 * The caller holds @c->mutex.
 */
void ft_packet_prepare(struct ft_packet *packet, const struct ft_cpu *c,
		       u32 count, u64 seq, u64 lost);

/**
 * ft_packet_copy() - copy a packet
 * @packet:	the packet
 * @ring:	where its records are; it keeps its memory, as a reader has it open
 * @buf:	user memory, large enough
 *
 * Needs no lock. Return: bytes copied or -EFAULT.
 */
ssize_t ft_packet_copy(const struct ft_packet *packet, const struct ft_ring *ring,
		       void __user *buf);

/**
 * ft_packet_copy_records() - the same for records alone
 * @ring:	where they are
 * @buf:	user memory
 * @pos:	the position of the first
 * @count:	how many
 *
 * Needs no lock. Return: 0 or -EFAULT.
 */
int ft_packet_copy_records(const struct ft_ring *ring, void __user *buf, u64 pos,
			   u32 count);

#endif /* _FT_PACKET_H */
