/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The parts of a rotated recording that wait to be sent, the oldest first. One thread adds
 * parts, another one takes and sends them.
 *
 * While the recording goes on, their size is bounded: when it is exceeded, the oldest part is
 * dropped. The session file of the next one then says what is missing before it
 * (trace/parts.h), so that the facts about dropped parts stay with the rest.
 */
#ifndef FT_SEND_SPOOL_H
#define FT_SEND_SPOOL_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/directory.h"

struct spool_part {
	unsigned int	number;
	uint64_t	bytes;
	uint64_t	records;	/* and those that were lost there */
	uint64_t	dropped_parts, dropped_records;	/* in front of it */
	bool		taken;		/* it is being sent */
	bool		perhaps;	/* the receiver may have it: it must not be dropped */
	unsigned int	refused;	/* how often, for good */
	bool		lacks;		/* a fact, there */
};

struct spool {
	/* set before */
	struct record_dir	dir;		/* open */
	uint64_t		limit;		/* of bytes; 0: there is none */
	bool			remove;		/* what was sent */
	bool			drop;		/* what can never be sent */
	bool			last_stays;	/* until there is another one, which has
						 * files from there
						 */

	/* private */
	pthread_mutex_t		lock;
	pthread_cond_t		news;
	struct spool_part	*part;
	size_t			n;
	uint64_t		bytes;
	unsigned int		keeps;		/* was sent, but stays yet; 0: none */
	bool			complete;	/* no more are added */
	bool			full;		/* that was said */

	/* the books */
	unsigned int		sent, dropped;
	unsigned int		left;		/* stay there, as they can never be sent */
	unsigned int		lacking;	/* were sent without all of their facts */
	uint64_t		sent_bytes, dropped_records;
};

void spool_init(struct spool *s);

/** spool_add - this one is whole. Return: false after a message */
bool spool_add(struct spool *s, unsigned int number);

/** spool_complete - no more are added */
void spool_complete(struct spool *s);

/**
 * spool_take - wait for a part, and take the oldest
 *
 * Return: its number; 0: all were sent, and no more are added
 */
unsigned int spool_take(struct spool *s);

/** spool_is_empty - does no other part wait now? */
bool spool_is_empty(struct spool *s);

/** spool_sent - how many parts were sent by now */
unsigned int spool_sent(struct spool *s);

/** spool_keep - the part that was taken may have arrived: it is sent again until that is known */
void spool_keep(struct spool *s);

/** spool_refused - the part that was taken can never be sent: after a second try others go on */
void spool_refused(struct spool *s);

/**
 * spool_lacks - the part that was taken was sent without a fact that cannot be read
 *
 * It stays, unless that would fill the spool of a recording.
 */
void spool_lacks(struct spool *s);

/** spool_done - the part that was taken was sent, or not: then it waits again */
void spool_done(struct spool *s, bool sent);

/** spool_part_path - to be freed */
char *spool_part_path(const struct spool *s, unsigned int number);

#endif /* FT_SEND_SPOOL_H */
