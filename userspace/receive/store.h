/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The directory that ft receive writes to:
 *
 *	DIR/HOST/RECORDING/000001/...	a part: a whole trace (trace/parts.h)
 *	DIR/.incoming/N/...		one that arrives; removed if it does not
 *
 * A part is written aside, and appears under its name when all of it is on the disk.
 */
#ifndef FT_RECEIVE_STORE_H
#define FT_RECEIVE_STORE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "trace/directory.h"
#include "wire/frame.h"

struct store {
	/* set before */
	uint64_t		part_max;	/* bytes of one */
	uint64_t		room;		/* of all of them; 0: as the disk has */

	/* private */
	struct record_dir	dir, incoming;
	pthread_mutex_t		lock;
	pthread_mutex_t		counting;	/* taken before the other */
	uint64_t		bytes;		/* of what is there */
	uint64_t		arriving;	/* of what has a place there, but is not whole */
	unsigned int		next;

	/* the books */
	uint64_t		parts, received, refused;
};

/* A part that arrives. */
struct arrival {
	struct store		*store;
	struct wire_part	part;
	unsigned int		id;
	struct record_dir	dir;		/* .fd: -1 none arrives */
	unsigned int		files;		/* that are yet to come */
	uint64_t		bytes;		/* of them, too */
	int			file;		/* which is being written, or -1 */
	uint64_t		left;		/* of it */
	char			name[WIRE_NAME_LEN];
	bool			metadata, session; /* are they there? */
	bool			reserved;	/* counted in store->arriving */
	struct wire_refused	refused;	/* code 0: it is not */
};

#define ARRIVAL_INIT	{ .dir.fd = -1, .file = -1 }

/** store_open - Return: false after a message */
bool store_open(struct store *s, const char *path);
void store_close(struct store *s);

/** store_count - look what is there: somebody may have removed some of it. Without the lock. */
void store_count(struct store *s);

/**
 * arrival_begin - a part comes
 *
 * Return: WIRE_GO; WIRE_HAVE: it is there already; WIRE_REFUSED: see refused.
 */
enum wire_type arrival_begin(struct arrival *a, struct store *s, const struct wire_part *part);

/*
 * The next ones return false where the frame makes no sense. What cannot be kept is
 * refused only at the end.
 */
bool arrival_file(struct arrival *a, const struct wire_file *file);
bool arrival_data(struct arrival *a, const void *data, size_t len);

/** arrival_end - Return: as arrival_begin(), but WIRE_HAVE if it is on the disk */
enum wire_type arrival_end(struct arrival *a);

/** arrival_abort - remove what there is of it, if any */
void arrival_abort(struct arrival *a);

#endif /* FT_RECEIVE_STORE_H */
