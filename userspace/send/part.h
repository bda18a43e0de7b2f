/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* One part of a recording, over a connection. */
#ifndef FT_SEND_PART_H
#define FT_SEND_PART_H

#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

#include "wire/frame.h"

enum sent {
	SENT,
	SENT_NOT,	/* the text says what failed: the connection cannot be used again */
	SENT_PERHAPS,	/* the same, but all had been sent: the receiver may have it */
	SENT_REFUSED,	/* the receiver's reason is in the text */
	SENT_NEVER,	/* the same, but it would be refused again; or it cannot be read, and the
			 * connection may be of no use any more
			 */
};

#define SEND_TEXT	(WIRE_TEXT_LEN + 40)

/** send_hello - the first thing on a connection */
enum sent send_hello(struct wire *w, char text[SEND_TEXT]);

/* Files of the part that was sent last: the next one may have the same ones, by links. */
struct sent_files {
	unsigned int	number;		/* of that part; 0: none */
	struct {
		dev_t		dev;
		ino_t		ino;
		off_t		size;
	} of[16];			/* as SESSION_FILES has them; size -1: there is none */
	unsigned int	missing;	/* are there, but cannot be read */
	const char	*first_missing;
	int		why;		/* errno of the first */
	bool		lacked;		/* the receiver has it of a try when some were missing */
	struct wire_part tried;		/* as the part was called that was tried last */
};

/**
 * send_part - and wait until the receiver has it
 * @path:	of the part
 * @number:	of the part
 * @last:	what the receiver has already; then it is this part
 * @mark:	leave a mark in a part that goes without facts, so that a later try knows
 * @most:	bytes of this part that have arrived in any try: it only grows
 *
 * A trace can be read without facts, so the part goes without those that cannot be read; @last
 * says which. If the receiver lacks what it should have, @last is empty, and the next try sends
 * all.
 */
enum sent send_part(struct wire *w, const char *path, unsigned int number,
		    struct sent_files *last, bool mark, atomic_ullong *most, char text[SEND_TEXT]);

#endif /* FT_SEND_PART_H */
