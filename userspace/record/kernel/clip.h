/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Clips the packets of a snapshot: drops records from before the time that all rings
 * cover, and counts packets and losses from 0 in each stream.
 */
#ifndef FT_RECORD_KERNEL_CLIP_H
#define FT_RECORD_KERNEL_CLIP_H

#include <stddef.h>
#include <stdint.h>

/**
 * struct clip - the clipping of a stream
 * @begin:	in: drop records before this time
 * @lost_before: in: losses before the first record
 * @records:	out: how many remain
 * @cut:	out: how many were dropped
 * @first:	out: time of the first that remains
 * @lost:	out: losses that the last packet counts
 */
struct clip {
	uint64_t	begin, lost_before;
	uint64_t	records, cut, first, lost;
};

/**
 * clip_packets - clip a whole stream in place
 * @p:		packets as read from the device
 * @len:	length of all packets
 *
 * Return: bytes that remain; SIZE_MAX if @p does not consist of whole packets.
 */
size_t clip_packets(struct clip *clip, char *p, size_t len);

#endif /* FT_RECORD_KERNEL_CLIP_H */
