/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* ft record --flight: the latest records stay in the rings until a snapshot is taken. */
#ifndef FT_RECORD_KERNEL_FLIGHT_H
#define FT_RECORD_KERNEL_FLIGHT_H

struct record;

/**
 * flight_record - record until COMMAND's end, a signal, or the time is over
 * @rec:	what was asked for; nothing is open yet
 *
 * A snapshot goes to DIR/1, DIR/2 and so on: at each SIGUSR1, and at the end. Return: exit
 * status, after messages.
 */
int flight_record(struct record *rec);

#endif /* FT_RECORD_KERNEL_FLIGHT_H */
