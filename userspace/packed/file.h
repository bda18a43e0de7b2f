/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A file of blocks, read as if it were the plain stream.
 *
 * Headers are found as reading gets there, or as far as is asked for; 16 bytes of memory a
 * block remain of them. The block that was read last is in memory, plain.
 */
#ifndef FT_PACKED_FILE_H
#define FT_PACKED_FILE_H

#include <sys/types.h>

#include "packed/ahead.h"
#include "packed/unpack.h"

/* Where a piece of the stream is. */
struct packed_place {
	uint64_t	at;		/* in the plain stream */
	uint64_t	pos;		/* in the file; PACKED_HOLE: it is lost */
};

#define PACKED_HOLE	UINT64_MAX

/**
 * struct packed_file - zeroed, no file is open
 * @end:	how much of the plain stream is known to be there
 * @done:	up to here the file was read
 * @torn:	the file ends within a block: how many bytes of it are there
 * @torn_size:	of how many
 * @torn_records: records of the block; 1 where that is not known
 * @bad:	there is no good header at @bad_at in the file: nothing behind it is read
 */
struct packed_file {
	uint64_t		end, done;
	uint64_t		torn, torn_size, torn_records;
	bool			bad;
	uint64_t		bad_at;

	/* Private. */
	int			fd;
	bool			mend;
	uint64_t		size;		/* of the file */
	uint64_t		next;		/* where the next header is */
	struct packed_place	*place;
	size_t			n_places, room;
	size_t			at_hand;	/* the place that is in raw, or none */
	const uint8_t		*plain;		/* of that place: raw, or what ahead has */
	uint8_t			*raw;
	size_t			raw_room;
	struct unpacker		*unpacker;
	struct ahead_file	*ahead;		/* or NULL */
};

/** packed_is - does the file begin with a block? */
bool packed_is(int fd);

/**
 * packed_open - begin to read a file for which packed_is() holds
 * @fd:	stays the caller's, and open
 * @size:	of the file
 * @u:		may serve other files, too
 * @mend:	headers and blocks that are damaged become bytes of zero, as many as are missing
 */
void packed_open(struct packed_file *f, int fd, uint64_t size, struct unpacker *u, bool mend);
void packed_close(struct packed_file *f);

/** packed_ahead - from now on blocks are decoded ahead; not of a file that is mended */
void packed_ahead(struct packed_file *f, struct ahead *a);

/** packed_more - find the next block. Return: false if there is none, @end stays */
bool packed_more(struct packed_file *f);

/**
 * packed_block - the header of the block that begins at @at in the plain stream
 *
 * Return: false: none begins there, or it is the last one.
 */
bool packed_block(struct packed_file *f, uint64_t at, struct packed_header *header);

/** packed_pass - that block is not read */
void packed_pass(struct packed_file *f, const struct packed_header *header);

/**
 * packed_read - read some of the plain stream
 * @at: before @end
 *
 * Return: how many bytes, at least 1 of @len; 0 at the end; -EBADMSG: the block is
 * damaged; else -errno.
 */
ssize_t packed_read(struct packed_file *f, void *buf, size_t len, uint64_t at);

/** packed_read_full - the same until all is read, or the stream ends */
ssize_t packed_read_full(struct packed_file *f, void *buf, size_t len, uint64_t at);

#endif /* FT_PACKED_FILE_H */
