/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The packets of a CPU, on their way into files. A rotated recording has several files
 * for a CPU, and each counts packets and losses from 0.
 */
#ifndef FT_RECORD_KERNEL_PACKETS_H
#define FT_RECORD_KERNEL_PACKETS_H

#include <stddef.h>
#include <stdint.h>

#include <linux/feather_trace.h>

/**
 * struct packets - position in a stream and in its file
 * @next:	number of the next packet in the stream
 * @lost:	losses that the last packet counts
 * @end:	time of the last record
 * @from:	number of the file's first packet in the stream
 * @before:	losses that earlier files count
 */
struct packets {
	uint64_t	next, lost, end;
	uint64_t	from, before;
};

/**
 * packets_walk - count the whole packets in @len bytes
 *
 * Adds the number of their records to @records. Return: bytes of whole packets.
 */
size_t packets_walk(const char *p, size_t len, uint64_t *records);

/** packets_first - Return: bytes of the first packet in @len, or 0; @n: its records */
size_t packets_first(const char *p, size_t len, size_t *n);

/**
 * packets_begin - fill in the header of the next packet
 * @header:	of @cpu, in the trace that @info describes
 * @records:	of the ring, @n of them; n may be 0
 * @lost:	losses in the stream up to there
 */
void packets_begin(struct packets *packets, struct ft_packet_header *header,
		   const struct ft_record *records, size_t n, uint64_t lost,
		   unsigned int cpu, const struct ft_info *info);

/** packets_next_file - the next packets go to a new file */
void packets_next_file(struct packets *packets);

#endif /* FT_RECORD_KERNEL_PACKETS_H */
