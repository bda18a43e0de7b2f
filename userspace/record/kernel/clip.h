/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The packets of a snapshot: what a ring has from before the time that all rings cover
 * is left out, and each stream begins anew to count its packets and its losses.
 */
#ifndef FT_RECORD_KERNEL_CLIP_H
#define FT_RECORD_KERNEL_CLIP_H

#include <stddef.h>
#include <stdint.h>

/**
 * struct clip - of a stream
 * @begin:	in: records before this time are left out
 * @lost_before: in: losses from before the first record
 * @records:	out: how many are left
 * @cut:	out: how many were left out
 * @first:	out: time of the first that is left
 * @lost:	out: losses that the last packet tells
 */
struct clip {
	uint64_t	begin, lost_before;
	uint64_t	records, cut, first, lost;
};

/**
 * clip_packets - clip a whole stream in place
 * @p:		packets as the device hands them out
 * @len:	of them all
 *
 * Return: bytes that are left; SIZE_MAX where these are no whole packets.
 */
size_t clip_packets(struct clip *clip, char *p, size_t len);

#endif /* FT_RECORD_KERNEL_CLIP_H */
