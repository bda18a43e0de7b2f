/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Sends what waits in a spool, in a thread of its own: connects, tries again after a pause
 * that grows, ends when all was sent and no more comes.
 */
#ifndef FT_SEND_DELIVER_H
#define FT_SEND_DELIVER_H

#include <pthread.h>
#include <stdatomic.h>

#include "send/part.h"
#include "send/spool.h"
#include "wire/address.h"
#include "wire/tls.h"

struct delivery {
	/* set before */
	struct spool		*spool;
	struct wire_address	to;
	const char		*name;		/* of the receiver, for messages */
	struct tls		*tls;		/* NULL: plain */

	/* for whoever waits: bytes of a part that have arrived, the most of all tries */
	atomic_ullong		most;

	/* private */
	pthread_t		thread;
	atomic_bool		stop;
	pthread_mutex_t		lock;		/* of the connection that can be cut off */
	pthread_cond_t		news;
	struct wire		wire;
	bool			ended;
	struct sent_files	last;
	unsigned int		number;		/* of the part that is being sent */
	char			text[SEND_TEXT];
	char			said[SEND_TEXT];
	double			pause;
};

/** delivery_start - Return: false after a message */
bool delivery_start(struct delivery *d);

/** delivery_wait - wait for at most @seconds. Return: has it ended? */
bool delivery_wait(struct delivery *d, double seconds);

/** delivery_stop - without waiting for what is slow; the thread may go on until exit() */
void delivery_stop(struct delivery *d);

#endif /* FT_SEND_DELIVER_H */
