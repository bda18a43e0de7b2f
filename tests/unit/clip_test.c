// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* What is left of a ring in a snapshot: userspace/record/kernel/clip.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <linux/feather_trace.h>

#include "record/kernel/clip.h"

#define HEADER	sizeof(struct ft_packet_header)
#define RECORD	sizeof(struct ft_record)

/* A stream: on the heap, as large as it is, so that the sanitizers watch its ends. */
struct stream {
	char	*p;
	size_t	len;
};

/* One more packet, of @count records at @ts, @ts + 10, ...; each has its time in @a. */
static void add_packet(struct stream *s, uint64_t ts, unsigned int count, uint64_t lost)
{
	size_t size = HEADER + count * RECORD;
	struct ft_packet_header h = {
		.magic = FT_PACKET_MAGIC, .seq = 40 + s->len, .discarded = lost,
		.ts_begin = ts, .ts_end = ts + 10 * count,
		.content_bits = 8 * size, .packet_bits = 8 * size,
	};
	struct ft_record record = { .id = 1 };

	s->p = realloc(s->p, s->len + size);
	assert_non_null(s->p);
	memcpy(s->p + s->len, &h, HEADER);
	for (unsigned int i = 0; i < count; i++) {
		record.ts = record.a = ts + 10 * i;
		memcpy(s->p + s->len + HEADER + i * RECORD, &record, RECORD);
	}
	s->len += size;
}

/* At @at, packet @seq has @lost, and @count records from @ts on. Return: where it ends. */
static size_t expect_packet(const struct stream *s, size_t at, uint64_t seq, uint64_t ts,
			    unsigned int count, uint64_t lost)
{
	struct ft_packet_header h;
	struct ft_record record;

	assert_true(at + HEADER <= s->len);
	memcpy(&h, s->p + at, HEADER);
	assert_int_equal(h.magic, FT_PACKET_MAGIC);
	assert_int_equal(h.seq, seq);
	assert_int_equal(h.discarded, lost);
	assert_int_equal(h.ts_begin, ts);
	assert_true(h.ts_end >= h.ts_begin);
	assert_int_equal(h.packet_bits, 8 * (HEADER + count * RECORD));
	assert_int_equal(h.content_bits, h.packet_bits);
	assert_true(at + h.packet_bits / 8 <= s->len);
	for (unsigned int i = 0; i < count; i++) {
		memcpy(&record, s->p + at + HEADER + i * RECORD, RECORD);
		assert_int_equal(record.ts, ts + 10 * i);
		assert_int_equal(record.a, record.ts);
	}
	return at + h.packet_bits / 8;
}

static void clip_stream(struct clip *clip, struct stream *s)
{
	s->len = clip_packets(clip, s->p, s->len);
	assert_int_not_equal(s->len, SIZE_MAX);
}

/* All since the start: nothing is left out, and packets count from 0. */
static void clip_leaves_all(void **state)
{
	struct clip clip = { 0 };
	struct stream s = { 0 };
	size_t at;

	(void)state;
	add_packet(&s, 100, 3, 0);
	add_packet(&s, 200, 2, 5);
	clip_stream(&clip, &s);
	at = expect_packet(&s, 0, 0, 100, 3, 0);
	at = expect_packet(&s, at, 1, 200, 2, 5);
	assert_int_equal(at, s.len);
	assert_int_equal(clip.records, 5);
	assert_int_equal(clip.cut, 0);
	assert_int_equal(clip.first, 100);
	assert_int_equal(clip.lost, 5);
	free(s.p);
}

/* The window may begin within a packet, at a record or between two. */
static void clip_within_a_packet(void **state)
{
	static const uint64_t begins[] = { 211, 215, 220 };

	(void)state;
	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++) {
		struct clip clip = { .begin = begins[i] };
		struct stream s = { 0 };
		size_t at;

		add_packet(&s, 100, 4, 0);
		add_packet(&s, 200, 5, 0);
		add_packet(&s, 300, 2, 0);
		clip_stream(&clip, &s);
		at = expect_packet(&s, 0, 0, 220, 3, 0);
		at = expect_packet(&s, at, 1, 300, 2, 0);
		assert_int_equal(at, s.len);
		assert_int_equal(clip.records, 5);
		assert_int_equal(clip.cut, 6);
		assert_int_equal(clip.first, 220);
		free(s.p);
	}
}

/* Records move by less than there are of them. */
static void clip_one_record(void **state)
{
	struct clip clip = { .begin = 105 };
	struct stream s = { 0 };

	(void)state;
	add_packet(&s, 100, 6, 0);
	clip_stream(&clip, &s);
	assert_int_equal(expect_packet(&s, 0, 0, 110, 5, 0), s.len);
	assert_int_equal(clip.cut, 1);
	free(s.p);
}

/* A CPU that was idle in the window has nothing in the snapshot. */
static void clip_leaves_nothing(void **state)
{
	struct clip clip = { .begin = 1000 };
	struct stream s = { 0 };

	(void)state;
	add_packet(&s, 100, 4, 0);
	add_packet(&s, 200, 5, 0);
	clip_stream(&clip, &s);
	assert_int_equal(s.len, 0);
	assert_int_equal(clip.records, 0);
	assert_int_equal(clip.cut, 9);
	assert_int_equal(clip.lost, 0);
	free(s.p);
}

/* Losses from before the first record of the ring are not the snapshot's. */
static void clip_losses_before(void **state)
{
	struct clip clip = { .lost_before = 7 };
	struct stream s = { 0 };
	size_t at;

	(void)state;
	add_packet(&s, 100, 2, 7);
	add_packet(&s, 200, 2, 9);
	clip_stream(&clip, &s);
	at = expect_packet(&s, 0, 0, 100, 2, 0);
	at = expect_packet(&s, at, 1, 200, 2, 2);
	assert_int_equal(at, s.len);
	assert_int_equal(clip.lost, 2);
	free(s.p);
}

/* A packet of which only its losses are left tells them, at the window's beginning. */
static void clip_losses_alone(void **state)
{
	struct clip clip = { .begin = 115 };
	struct stream s = { 0 };

	(void)state;
	add_packet(&s, 100, 2, 3);
	clip_stream(&clip, &s);
	assert_int_equal(expect_packet(&s, 0, 0, 115, 0, 3), s.len);
	assert_int_equal(clip.records, 0);
	free(s.p);
}

/* They are told once, however many packets there were. */
static void clip_losses_once(void **state)
{
	struct clip clip = { .begin = 200 };
	struct stream s = { 0 };
	size_t at;

	(void)state;
	add_packet(&s, 100, 2, 3);
	add_packet(&s, 150, 2, 3);
	add_packet(&s, 300, 1, 3);
	clip_stream(&clip, &s);
	at = expect_packet(&s, 0, 0, 200, 0, 3);
	at = expect_packet(&s, at, 1, 300, 1, 3);
	assert_int_equal(at, s.len);
	assert_int_equal(clip.lost, 3);
	assert_int_equal(clip.first, 300);
	free(s.p);
}

/* What are no whole packets is refused. */
static void clip_no_packets(void **state)
{
	struct ft_packet_header h;
	size_t whole;

	(void)state;
	for (unsigned int what = 0; what < 6; what++) {
		struct clip clip = { 0 };
		struct stream s = { 0 };

		add_packet(&s, 100, 1, 0);
		whole = s.len;
		add_packet(&s, 200, 2, 0);
		memcpy(&h, s.p + whole, HEADER);
		h.magic ^= what == 0;
		h.content_bits -= what == 1 ? 8 * RECORD : 0;
		h.packet_bits += what == 2;
		h.packet_bits = what == 3 ? 8 * (HEADER - RECORD) : h.packet_bits;
		h.packet_bits -= what == 4 ? 64 : 0;
		h.content_bits = what == 1 ? h.content_bits : h.packet_bits;
		memcpy(s.p + whole, &h, HEADER);
		s.len -= what == 5;
		assert_int_equal(clip_packets(&clip, s.p, s.len), SIZE_MAX);
		s.len = whole + HEADER - 1;
		assert_int_equal(clip_packets(&clip, s.p, s.len), SIZE_MAX);
		free(s.p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(clip_leaves_all),
		cmocka_unit_test(clip_within_a_packet),
		cmocka_unit_test(clip_one_record),
		cmocka_unit_test(clip_leaves_nothing),
		cmocka_unit_test(clip_losses_before),
		cmocka_unit_test(clip_losses_alone),
		cmocka_unit_test(clip_losses_once),
		cmocka_unit_test(clip_no_packets),
	};

	return cmocka_run_group_tests_name("clip", tests, NULL, NULL);
}
