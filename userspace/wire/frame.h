/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * How traces go from ft send to ft receive, in frames over a connection. Both use this:
 * it is the only place that knows what is on the wire. All numbers are little-endian.
 *
 *	sender				receiver
 *	HELLO				GO, or REFUSED
 *	for each part:
 *	  PART				GO; HAVE: it is there already; or REFUSED
 *	  for each file: FILE, DATA...
 *	  END				HAVE: it is on the disk; or REFUSED
 *
 * Between PART and END the receiver says nothing: what it cannot keep it reads all the same,
 * and refuses at END, so that the answer arrives.
 */
#ifndef FT_WIRE_FRAME_H
#define FT_WIRE_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define WIRE_VERSION	1
#define WIRE_DATA_MAX	(64u << 10)	/* of a frame, without its head */
#define WIRE_HOST_LEN	64
#define WIRE_NAME_LEN	32
#define WIRE_ID_LEN	24
#define WIRE_TEXT_LEN	200

/*
 * Both ends give up where the other one takes longer for a frame, or its head: silent or not.
 * They look at least so often.
 */
#define WIRE_SECONDS		20
#define WIRE_LOOK_SECONDS	2

enum wire_type {
	WIRE_HELLO = 1,
	WIRE_PART,
	WIRE_FILE,
	WIRE_DATA,
	WIRE_END,
	WIRE_GO = 16,
	WIRE_HAVE,
	WIRE_REFUSED,
};

/* In front of each frame. */
struct wire_head {
	uint8_t		magic[4];
	uint32_t	type;
	uint32_t	len;		/* of what follows */
	uint32_t	reserved;
	uint64_t	sum;		/* packed_sum() of what follows */
};

struct wire_hello {
	uint32_t	version;
	uint32_t	reserved;
};

/* Texts end with zeros, all of them. */
struct wire_part {
	char		host[WIRE_HOST_LEN];
	char		recording[WIRE_ID_LEN];
	uint32_t	number;
	uint32_t	files;
	uint64_t	bytes;		/* of those that are sent */
};

struct wire_file {
	char		name[WIRE_NAME_LEN];
	uint64_t	size;
	uint32_t	same;		/* no data: it is that of this part; 0: data follows */
	uint32_t	reserved;
};

enum wire_refusal {
	WIRE_BAD = 1,		/* it makes no sense here */
	WIRE_FULL,		/* no room: try again later */
	WIRE_WHOLE,		/* send all files with their data */
};

struct wire_refused {
	uint32_t	code;
	uint32_t	reserved;
	char		text[WIRE_TEXT_LEN];
};

/* What encrypts, or nothing. */
struct wire;
struct wire_layer {
	/* as read() and write(), but -errno */
	ssize_t	(*read)(struct wire *w, void *buf, size_t len);
	ssize_t	(*write)(struct wire *w, const void *buf, size_t len);
	void	(*close)(struct wire *w);
};

struct wire {
	int			fd;		/* -1: closed */
	const struct wire_layer	*layer;		/* NULL: plain */
	void			*state;		/* of the layer */
	double			end;		/* monotonic_now(): of what is read or written */
};

struct wire_frame {
	enum wire_type	type;
	size_t		len;
	uint8_t		data[WIRE_DATA_MAX];
};

/** wire_send - Return: 0 or -errno */
int wire_send(struct wire *w, enum wire_type type, const void *data, size_t len);

/**
 * wire_receive - the next frame, complete and with the right sum
 *
 * Return: 0; -EPROTO what came is no frame; -ENOTCONN the other end has closed the
 * connection between two frames; else -errno.
 */
int wire_receive(struct wire *w, struct wire_frame *frame);

/** wire_waits - bytes that were sent, but that the other machine does not have yet */
uint64_t wire_waits(const struct wire *w);

/** wire_take - the content of a frame that has just this size; false: it has another one */
bool wire_take(const struct wire_frame *frame, void *to, size_t size);

/**
 * wire_end - the last frame was sent, and the other end may still be sending
 *
 * Reads for a bounded time what it sends: where something is unread when a connection is
 * closed, the last frame may not arrive.
 */
void wire_end(struct wire *w);

/** wire_close - may be called for one that is closed */
void wire_close(struct wire *w);

#endif /* FT_WIRE_FRAME_H */
