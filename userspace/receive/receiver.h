/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Listens, and serves each sender in a thread of its own. */
#ifndef FT_RECEIVE_RECEIVER_H
#define FT_RECEIVE_RECEIVER_H

#include <stdbool.h>
#include <stddef.h>

#include "receive/store.h"
#include "wire/address.h"
#include "wire/tls.h"

#define RECEIVER_MOST	4096

struct receiver {
	const char		*path, *listen;
	size_t			most;		/* senders at a time */
	struct tls_files	files;
	struct wire_address	address;
	struct store		store;
	struct tls		*tls;
};

/** receiver_run - until a signal. Return: false after a message */
bool receiver_run(struct receiver *s);

#endif /* FT_RECEIVE_RECEIVER_H */
