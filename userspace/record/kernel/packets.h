/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The packets of a CPU, from the device into files. A rotated recording has several files
 * for a CPU, and each counts packets and losses from 0.
 */
#ifndef FT_RECORD_KERNEL_PACKETS_H
#define FT_RECORD_KERNEL_PACKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct packets - position in a stream and in its file
 * @next:	number of the next packet in the stream
 * @lost:	losses that the last packet counts
 * @from:	number of the file's first packet in the stream
 * @before:	losses that earlier files count
 */
struct packets {
	uint64_t	next, lost;
	uint64_t	from, before;
};

/** PACKETS_SPLIT_ROOM - bytes that packets_split() can add */
#define PACKETS_SPLIT_ROOM	96u

/**
 * packets_walk - count the whole packets in @len bytes
 *
 * Adds the number of their records to @records. Return: bytes of whole packets.
 */
size_t packets_walk(const char *p, size_t len, uint64_t *records);

/**
 * packets_first - the first packet, if it is whole within @len bytes
 * @records:	out: its records, @n of them
 *
 * Return: its bytes; 0: there is none.
 */
size_t packets_first(const char *p, size_t len, const char **records, size_t *n);

/**
 * packets_number - number the whole packets in @len bytes for their file
 *
 * Call it once for each packet, in order.
 */
void packets_number(struct packets *packets, char *p, size_t len);

/** packets_next_file - the next packets go to a new file */
void packets_next_file(struct packets *packets);

/**
 * packets_split - find the first record that is not before @at
 * @len:	in, out: bytes of whole packets at @p, which has PACKETS_SPLIT_ROOM more
 * @at:		in ticks
 *
 * Call it before packets_number(). Splits a packet with records from before and after
 * @at; both halves keep the number. Return: bytes of packets before that record; @len if
 * there is none.
 */
size_t packets_split(char *p, size_t *len, uint64_t at);

#endif /* FT_RECORD_KERNEL_PACKETS_H */
