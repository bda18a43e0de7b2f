/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The conversation with one sender: wire/frame.h. */
#ifndef FT_RECEIVE_PEER_H
#define FT_RECEIVE_PEER_H

#include "receive/store.h"
#include "wire/frame.h"

/**
 * peer_serve - until the sender has no more, or makes no sense
 * @name:	of the sender, for messages
 *
 * Leaves nothing half-made. Does not close the connection.
 */
void peer_serve(struct wire *w, struct store *s, const char *name);

#endif /* FT_RECEIVE_PEER_H */
