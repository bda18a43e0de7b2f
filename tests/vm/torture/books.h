/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What was read of the event "fire" (tests/modules/ft_fire.c), and is it all? */
#ifndef FT_TORTURE_BOOKS_H
#define FT_TORTURE_BOOKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/feather_trace.h>

#define NESTING	4	/* contexts of a CPU, each of which interrupts those before it */

/** struct books - what was read of a CPU */
struct books {
	uint32_t	fire;		/* id of the event that is counted; 0: all are it */
	uint8_t		*seen;		/* a bit for each of its numbers */
	uint64_t	bits;		/* that there are */
	uint64_t	lowest;		/* of these numbers */
	uint64_t	highest;
	uint64_t	records;	/* of fire */
	uint64_t	others;
	uint64_t	lost;
	uint64_t	overwritten;	/* in the ring, before they were read */
	uint64_t	gaps;
	uint64_t	last_ts;
	uint64_t	seq;		/* of the next packet */
	uint64_t	contexts[NESTING];	/* task, softirq, hardirq, NMI */
	uint8_t		last_gap;
};

/* These end the process where something is wrong, having said what. */

/** books_record - one more: whole, not seen before, not earlier than the last */
void books_record(struct books *b, const struct ft_record *record);

/** books_packets - takes whole packets from @buf; Return: the bytes of these */
size_t books_packets(struct books *b, const void *buf, size_t bytes);

/** books_file - all packets of a file; the last may be @torn, or all @missing */
void books_file(struct books *b, const char *path, bool torn, bool missing);

/** books_tell - a line with the numbers */
void books_tell(const struct books *b, uint64_t attempts);

/**
 * books_balance - compares with what was attempted
 * @exact:	nobody else lost records, and the ring was always open; then gaps are
 *		where something is missing, too
 * Return: NULL if they balance, or what is wrong
 */
const char *books_balance(const struct books *b, uint64_t attempts, bool exact);

#endif /* FT_TORTURE_BOOKS_H */
