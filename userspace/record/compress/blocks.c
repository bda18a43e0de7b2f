// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Packets on their way into blocks, and blocks into files: see blocks.h. */
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "record/compress/blocks.h"
#include "record/compress/compress.h"
#include "record/kernel/rings.h"
#include "record/kernel/seam.h"

/* Records are left to the compressor at most this long after they were copied. */
#define PUSH_SECONDS	1.0

/* At the end, what is not compressed after this time is stored. */
#define FINISH_SECONDS	2.0

size_t blocks_room(struct ring *ring)
{
	size_t room;

	compress_room(ring->stream, &room);
	return room / FT_PACKET_MAX * FT_PACKET_RECORDS;
}

void blocks_copy(struct ring *ring, const struct iovec *part, size_t bytes)
{
	size_t room;
	char *to = compress_room(ring->stream, &room);

	for (size_t i = 0; bytes; i++) {
		memcpy(to, part[i].iov_base, part[i].iov_len);
		to += part[i].iov_len;
		bytes -= part[i].iov_len;
	}
}

/* Return: false if that failed */
static bool block_write(struct ring *ring, const struct compress_block *block)
{
	int ret = write_full(ring->file, block->bytes, block->len, NULL);

	if (ret) {
		ring_cut(ring);
		ring->torn = true;
		return ring_fail(ring, "writing", -ret);
	}
	ring_count(ring, block->records, block->len, block->lost);
	ring->stored += block->stored;
	compress_done(ring->stream);
	if (block->last) {
		ring->changing = false;
		seam_change(ring);
	}
	return true;
}

/* Return: false if writing has failed. Where reading has, what waits is written all the same */
static bool blocks_write(struct ring *ring)
{
	struct compress_block block;

	while (!ring->torn && compress_next(ring->stream, &block)) {
		if (!block_write(ring, &block))
			return false;
	}
	return !ring->torn;
}

/* There is room for a packet again. Return: false if writing failed */
static bool blocks_go_on(struct ring *ring)
{
	if (!blocks_write(ring))
		return false;
	if (!compress_is_full(ring->stream))
		return true;
	compress_behind(ring->stream);
	return blocks_write(ring);
}

bool blocks_keep(struct ring *ring, size_t records, size_t bytes)
{
	compress_add(ring->stream, bytes, records, ring->packets.lost);
	return blocks_go_on(ring);
}

bool blocks_look(struct ring *ring)
{
	double began = compress_began(ring->stream);

	if (began && monotonic_now() - began > PUSH_SECONDS)
		compress_push(ring->stream);
	/* The others wait until the seam is crossed; a ring that is quiet is never full. */
	if (ring->changing && monotonic_now() > ring->change_until)
		compress_behind(ring->stream);
	return blocks_go_on(ring);
}

bool blocks_end_file(struct ring *ring)
{
	if (!compress_end_file(ring->stream))
		return false;
	ring->changing = true;
	ring->change_until = monotonic_now() + FINISH_SECONDS;
	blocks_go_on(ring);
	return true;
}

/* Return: is there time left to compress what waits? */
static bool is_patient(const struct ring *ring, double end)
{
	return monotonic_now() < end && atomic_load(&ring->rings->stop) != RINGS_ABORT;
}

void blocks_finish(struct ring *ring)
{
	double end = monotonic_now() + FINISH_SECONDS;
	uint64_t next;

	compress_push(ring->stream);
	while (blocks_write(ring) && compress_waits(ring->stream)) {
		if (is_patient(ring, end))
			usleep(1000);
		else
			compress_behind(ring->stream);
	}
	ring->unwritten += compress_left(ring->stream, &next);
	ring->unwritten_next += next;
	ring->stream = NULL;	/* compress_stop() frees it */
	if (ring->changing)
		seam_change(ring);
	ring->changing = false;
}
