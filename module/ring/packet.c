// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Records as CTF 1.8 packets, in the layout that the metadata (meta.c) describes.
 *
 * Records are copied from the ring directly to user space. Slots that are ready belong
 * to the reader, so it corrects their timestamps in place.
 */
#include <linux/uaccess.h>

#include "ring/packet.h"
#include "ring/rings.h"

u32 ft_packet_records(struct ft_cpu *c, u32 max)
{
	u64 floor = c->floor, pos = c->ring->r;
	u32 i, count = ft_ring_ready(c->ring, min_t(u64, max, ft_rings_before_mark(c)));
	struct ft_record *slot;

	/* The ring corrects nesting; this corrects clocks that step back. */
	for (i = 0; i < count; i++, pos += sizeof(*slot)) {
		slot = ft_ring_slot(c->ring, pos);
		if (slot->ts < floor) {
			slot->ts = floor;
			c->backsteps++;
		}
		floor = slot->ts;
	}
	return count;
}

void ft_packet_prepare(struct ft_packet *packet, const struct ft_cpu *c,
		       u32 count, u64 seq, u64 lost)
{
	const u64 bits = 8 * (sizeof(struct ft_packet_header) +
			      count * sizeof(struct ft_record));
	const struct ft_ring *ring = c->ring;

	BUILD_BUG_ON(sizeof(struct ft_packet_header) != 96);
	BUILD_BUG_ON(sizeof(struct ft_record) != 32);

	packet->pos = ring->r;
	packet->count = count;
	packet->header = (struct ft_packet_header){
		.magic		 = FT_PACKET_MAGIC,
		.stream_instance = c->cpu,
		.ts_begin	 = c->floor,
		.ts_end		 = c->floor,
		.content_bits	 = bits,
		.packet_bits	 = bits,
		.seq		 = seq,
		.discarded	 = lost,
		.cpu		 = c->cpu,
		.clock_hz	 = c->clock_hz,
	};
	export_uuid(packet->header.uuid, &c->uuid);
	if (count) {
		packet->header.ts_begin = ft_ring_slot(ring, packet->pos)->ts;
		packet->header.ts_end =
			ft_ring_slot(ring, packet->pos + (count - 1) *
				     sizeof(struct ft_record))->ts;
	}
}

int ft_packet_copy_records(const struct ft_ring *ring, void __user *buf, u64 pos,
			   u32 count)
{
	size_t bytes = count * sizeof(struct ft_record);
	size_t first = min_t(size_t, bytes, ring->mask + 1 - (pos & ring->mask));

	if (copy_to_user(buf, ft_ring_slot(ring, pos), first) ||
	    copy_to_user(buf + first, ring->slots, bytes - first))
		return -EFAULT;
	return 0;
}

ssize_t ft_packet_copy(const struct ft_packet *packet, const struct ft_ring *ring,
		       void __user *buf)
{
	const size_t size = sizeof(packet->header);

	if (copy_to_user(buf, &packet->header, size) ||
	    ft_packet_copy_records(ring, buf + size, packet->pos, packet->count))
		return -EFAULT;
	return size + packet->count * sizeof(struct ft_record);
}
