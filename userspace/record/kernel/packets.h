/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The packets of a CPU as its device hands them out, and as they stand in files: a
 * rotated recording has several files for a CPU, and each begins anew to count its
 * packets and its losses.
 */
#ifndef FT_RECORD_KERNEL_PACKETS_H
#define FT_RECORD_KERNEL_PACKETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct packets - where a stream and its file are
 * @next:	number of the next packet, as the device counts
 * @lost:	losses, as the last packet says
 * @from:	the number that is 0 in the file
 * @before:	losses that the files before this one have counted
 */
struct packets {
	uint64_t	next, lost;
	uint64_t	from, before;
};

/** PACKETS_SPLIT_ROOM - bytes that packets_split() can add */
#define PACKETS_SPLIT_ROOM	96u

/**
 * packets_walk - over the whole packets in @len bytes
 *
 * Adds their records to @records. Return: bytes that they take.
 */
size_t packets_walk(const char *p, size_t len, uint64_t *records);

/**
 * packets_number - whole packets in @len bytes get the numbers of their file
 *
 * Each is to be given once, in order.
 */
void packets_number(struct packets *packets, char *p, size_t len);

/** packets_next_file - the packets that follow are in another file */
void packets_next_file(struct packets *packets);

/**
 * packets_split - find the first record that is not before @at
 * @len:	of whole packets at @p, which has PACKETS_SPLIT_ROOM more; out: the same
 * @at:		in ticks
 *
 * To be called before packets_number(). A packet with records from before and from
 * after becomes two, which have the same number still.
 * Return: bytes before that record, whole packets; @len where there is none.
 */
size_t packets_split(char *p, size_t *len, uint64_t at);

#endif /* FT_RECORD_KERNEL_PACKETS_H */
