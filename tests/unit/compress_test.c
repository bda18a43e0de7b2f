// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Blocks compressed beside the recording: userspace/record/compress/compress.h. The compressor
 * is the real one, but it waits where a test wants it to be slow.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include <linux/feather_trace.h>

#include "packed/pack.h"
#include "packed/unpack.h"
#include "record/compress/compress.h"

#define HEADER	sizeof(struct ft_packet_header)
#define RECORD	sizeof(struct ft_record)
#define LONG	60000		/* milliseconds, of which none passes unless it is broken */

/* So many streams have the smallest blocks, of four full packets, and four of each. */
#define STREAMS	1024u
#define PACKETS	4u
#define BLOCKS	4u

static _Atomic bool closed;		/* nothing is packed */
static _Atomic unsigned int slow;	/* it takes up to so many microseconds more */
static _Atomic unsigned int packing, packed, touched;

size_t __real_packer_block(struct packer *p, const void *raw, size_t len, uint64_t at, void *out);
size_t __wrap_packer_block(struct packer *p, const void *raw, size_t len, uint64_t at, void *out);

size_t __wrap_packer_block(struct packer *p, const void *raw, size_t len, uint64_t at, void *out)
{
	uint64_t before = packed_sum(raw, len);
	unsigned int us = slow;
	size_t n;

	packing++;
	for (int i = 0; closed && i < LONG; i++)
		usleep(1000);
	if (us)
		usleep((unsigned int)(before % us));
	n = __real_packer_block(p, raw, len, at, out);
	/* whoever took the block back must not fill it meanwhile */
	touched += packed_sum(raw, len) != before;
	packed++;
	return n;
}

/* One stream: what went in, and what came out. */
struct stream {
	struct compress_stream	*s;
	struct unpacker		*unpacker;
	uint64_t		records, lost, seq, at;
	uint64_t		stored, written, blocks, ends;
	uint64_t		next;	/* record that must come out */
	uint64_t		later;	/* records left that are for the next file */
	uint8_t			raw[PACKED_RAW_MAX];
};

static struct stream *stream_new(struct compress *c, unsigned int number)
{
	struct stream *s = calloc(1, sizeof(*s));

	assert_non_null(s);
	s->s = compress_open(c, number);
	s->unpacker = unpacker_new();
	assert_non_null(s->s);
	assert_non_null(s->unpacker);
	return s;
}

static void stream_free(struct stream *s)
{
	unpacker_free(s->unpacker);
	free(s);
}

static void add_packet(struct stream *s, unsigned int n)
{
	size_t size = HEADER + n * RECORD, room;
	struct ft_packet_header h = {
		.magic = FT_PACKET_MAGIC, .seq = s->seq++, .discarded = ++s->lost,
		.ts_begin = s->records + 1, .ts_end = s->records + n,
		.content_bits = 8 * size, .packet_bits = 8 * size,
	};
	char *to = compress_room(s->s, &room);

	assert_true(room >= FT_PACKET_MAX);
	memcpy(to, &h, HEADER);
	for (unsigned int i = 0; i < n; i++) {
		struct ft_record r = { .id = 7, .ts = s->records + i + 1, .a = s->records + i };

		memcpy(to + HEADER + i * RECORD, &r, RECORD);
	}
	s->records += n;
	compress_add(s->s, size, n, s->lost);
}

static void expect_records(struct stream *s, size_t len)
{
	struct ft_packet_header h;
	struct ft_record r;

	for (size_t at = 0; at < len; at += h.packet_bits / 8) {
		memcpy(&h, s->raw + at, HEADER);
		assert_int_equal(h.magic, FT_PACKET_MAGIC);
		assert_true(at + h.packet_bits / 8 <= len);
		for (size_t i = at + HEADER; i < at + h.packet_bits / 8; i += RECORD) {
			memcpy(&r, s->raw + i, RECORD);
			assert_int_equal(r.a, s->next++);
		}
	}
}

/* Takes what is ready. Each block follows the one before, and is what went in. */
static void take(struct stream *s)
{
	struct compress_block b;
	struct packed_header h;

	while (compress_next(s->s, &b)) {
		memcpy(&h, b.bytes, sizeof(h));
		assert_true(packed_header_ok(&h));
		assert_int_equal(b.len, sizeof(h) + h.packed);
		assert_int_equal(h.at, s->at);
		assert_int_equal(h.records, b.records);
		assert_int_equal(h.discarded, b.lost);
		assert_true(!b.stored || (b.stored == h.raw && h.kind == PACKED_STORED));
		memcpy(unpacker_data(s->unpacker), (const char *)b.bytes + sizeof(h), h.packed);
		assert_true(unpacker_block(s->unpacker, &h, s->raw));
		expect_records(s, h.raw);
		s->at = b.last ? 0 : s->at + h.raw;
		s->written += b.records;
		s->stored += b.stored;
		s->ends += b.last;
		s->blocks++;
		compress_done(s->s);
	}
}

/* As the thread of a ring does it. */
static void go_on(struct stream *s)
{
	take(s);
	if (!compress_is_full(s->s))
		return;
	compress_behind(s->s);
	take(s);
	assert_false(compress_is_full(s->s));
}

static void add(struct stream *s, unsigned int packets)
{
	while (packets--) {
		add_packet(s, FT_PACKET_RECORDS);
		go_on(s);
	}
}

/* Until all is written, or the compressor has begun so many. */
static void wait_for(struct stream *s, unsigned int begun)
{
	int i = 0;

	for (; begun ? packing < begun : compress_waits(s->s); i++) {
		assert_true(i < LONG);
		usleep(1000);
		take(s);
	}
}

static struct compress *start(void)
{
	struct compress *c;

	closed = false;
	slow = packing = packed = touched = 0;
	c = compress_start(1, STREAMS, STREAMS);
	assert_non_null(c);
	return c;
}

static void blocks_come_out_in_order(void **state)
{
	struct compress *c = start();
	struct stream *s = stream_new(c, 3);

	(void)state;
	for (unsigned int i = 0; i < 20; i++) {
		for (unsigned int n = 0; n < 3; n++)
			add_packet(s, i + n);
		assert_int_not_equal(compress_left(s->s, &s->later), 0);
		compress_push(s->s);
		compress_push(s->s);	/* there is none */
		wait_for(s, 0);
		assert_int_equal(compress_left(s->s, &s->later), 0);
		assert_int_equal(s->later, 0);
	}
	assert_int_equal(s->written, s->records);
	assert_int_equal(s->blocks, 20);
	assert_int_equal(s->stored, 0);
	compress_stop(c);
	stream_free(s);
}

/* A compressor that gets no time at all: nobody waits for it, nothing is lost or changed. */
static void what_is_too_slow_is_stored(void **state)
{
	struct compress *c = start();
	struct stream *s = stream_new(c, 0);
	uint64_t stored;

	(void)state;
	closed = true;
	add(s, PACKETS);
	wait_for(s, 1);
	add(s, 40 * BLOCKS * PACKETS);
	assert_int_equal(packing, 1);
	assert_int_equal(s->written + compress_left(s->s, &s->later), s->records);
	assert_true(s->stored >= 39ul * BLOCKS * PACKETS * FT_PACKET_MAX);
	stored = s->stored;
	/* and now it is fast again */
	closed = false;
	wait_for(s, 0);
	for (unsigned int i = 0; i < 3 * BLOCKS; i++) {
		add(s, PACKETS);
		wait_for(s, 0);
	}
	assert_int_equal(s->written, s->records);
	assert_int_equal(s->stored, stored);
	assert_int_equal(touched, 0);
	compress_stop(c);
	stream_free(s);
}

/* Only the older half is written as it is: what the compressor has begun last stays its own. */
static void the_newer_half_is_still_compressed(void **state)
{
	struct compress *c = start();
	struct stream *s = stream_new(c, 0);

	(void)state;
	closed = true;
	add(s, BLOCKS * PACKETS);
	assert_int_equal(s->blocks, BLOCKS / 2);
	closed = false;
	wait_for(s, 0);
	assert_int_equal(s->blocks, BLOCKS);
	assert_int_equal(s->stored, BLOCKS / 2 * PACKETS * FT_PACKET_MAX);
	compress_stop(c);
	stream_free(s);
}

/* Blocks of the next file begin at 0; the last one of the old file says so. */
static void a_file_ends_behind_its_last_block(void **state)
{
	struct compress *c = start();
	struct stream *s = stream_new(c, 0);

	(void)state;
	assert_false(compress_end_file(s->s));
	closed = true;
	add(s, PACKETS + 1);
	assert_true(compress_end_file(s->s));
	add(s, 1);
	assert_int_equal(compress_left(s->s, &s->later), (PACKETS + 1) * FT_PACKET_RECORDS);
	assert_int_equal(s->later, FT_PACKET_RECORDS);
	compress_push(s->s);
	take(s);
	assert_int_equal(s->ends, 0);
	closed = false;
	wait_for(s, 0);
	assert_int_equal(s->ends, 1);
	assert_int_equal(s->blocks, 3);
	assert_int_equal(s->at, FT_PACKET_MAX);
	/* nothing of it is left: the file ends at once */
	assert_false(compress_end_file(s->s));
	compress_stop(c);
	stream_free(s);
}

/* After an error nobody takes what was given up; memory is freed once all the same. */
static void what_is_left_is_counted_and_freed(void **state)
{
	struct compress *c = start();
	struct stream *s = stream_new(c, 0);

	(void)state;
	closed = true;
	add(s, PACKETS);
	wait_for(s, 1);
	add(s, 1);
	compress_behind(s->s);
	assert_int_equal(compress_left(s->s, &s->later), s->records);
	assert_int_equal(s->later, 0);
	closed = false;
	compress_stop(c);
	stream_free(s);
}

static void *write_many(void *arg)
{
	struct stream *s = arg;

	for (unsigned int i = 0; i < 400; i++) {
		add(s, 1 + i % 9);
		if (i % 5 == 0)
			compress_push(s->s);
		go_on(s);
		if (i % 7 == 0)
			usleep(i);
	}
	compress_push(s->s);
	for (unsigned int i = 0; compress_waits(s->s); i++) {
		if (i > 20)
			compress_behind(s->s);
		take(s);
		usleep(100);
	}
	return NULL;
}

/* Streams of one thread and of others, some faster than it and some not. */
static void streams_do_not_mix(void **state)
{
	static const unsigned int numbers[] = { 0, 16, 1023 };
	struct compress *c = start();
	struct stream *s[3];
	pthread_t thread[3];

	(void)state;
	slow = 2000;
	for (unsigned int i = 0; i < 3; i++) {
		s[i] = stream_new(c, numbers[i]);
		assert_int_equal(pthread_create(&thread[i], NULL, write_many, s[i]), 0);
	}
	for (unsigned int i = 0; i < 3; i++) {
		pthread_join(thread[i], NULL);
		assert_int_equal(s[i]->written, s[i]->records);
	}
	assert_int_equal(touched, 0);
	compress_stop(c);
	for (unsigned int i = 0; i < 3; i++)
		stream_free(s[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_come_out_in_order),
		cmocka_unit_test(what_is_too_slow_is_stored),
		cmocka_unit_test(the_newer_half_is_still_compressed),
		cmocka_unit_test(a_file_ends_behind_its_last_block),
		cmocka_unit_test(what_is_left_is_counted_and_freed),
		cmocka_unit_test(streams_do_not_mix),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
