/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* ft record --flight: keeps the latest records in the rings until a snapshot is taken. */
#ifndef FT_RECORD_KERNEL_FLIGHT_H
#define FT_RECORD_KERNEL_FLIGHT_H

struct record;

/**
 * flight_record - record until the command ends, a signal comes or the time is up
 * @rec:	what to record; nothing is open yet
 *
 * Takes a snapshot to DIR/1, DIR/2 and so on at each SIGUSR1 and at the end. Prints
 * messages. Return: exit status.
 */
int flight_record(struct record *rec);

#endif /* FT_RECORD_KERNEL_FLIGHT_H */
