/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The ring as its reader sees it: time, batches, gaps. See ring_test.c. */
#include "ring_fixture.h"

/* --- time ----------------------------------------------------------------- */

/*
 * @depth contexts, each interrupted between its reservation and its clock: the
 * innermost has the earliest time. Then @after more records.
 */
static void write_nested(struct fixture *f, unsigned int depth,
			 unsigned int after, uint64_t *clock)
{
	struct ft_record *slot = reserve(f);
	uint64_t a = f->next++;

	assert_non_null(slot);
	if (depth > 1)
		write_nested(f, depth - 1, 0, clock);
	fill(slot, (*clock)++, a);
	commit(f, slot, 1);
	while (after--) {
		slot = reserve(f);
		assert_non_null(slot);
		fill(slot, (*clock)++, f->next++);
		commit(f, slot, 1);
	}
}

static void mend_nested(void **state)
{
	struct fixture *f = *state;
	uint64_t clock = 100;

	write_nested(f, 3, 2, &clock);	/* 102 101 100 103 104 */
	assert_int_equal(ft_ring_ready(&f->ring, SLOTS), 5);
	assert_int_equal(ts_at(f, 0), 100);
	assert_int_equal(ts_at(f, 1), 100);
	assert_int_equal(ts_at(f, 2), 100);
	assert_int_equal(ts_at(f, 3), 103);
	assert_int_equal(ts_at(f, 4), 104);
}

static void mend_nothing(void **state)
{
	struct fixture *f = *state;
	unsigned int i;

	write_some(f, ROOM);
	ft_ring_ready(&f->ring, SLOTS);
	for (i = 0; i < ROOM; i++)
		assert_int_equal(ts_at(f, i), 1000 + i);
}

/* Two inner ones in a row: the outer gets the time of the first. */
static void mend_takes_first_inner(void **state)
{
	struct fixture *f = *state;
	struct ft_record *slot = reserve(f);

	f->next = 1;
	write_some(f, 2);
	fill(slot, 9999, 0);
	commit(f, slot, 1);
	assert_int_equal(ft_ring_ready(&f->ring, 1), 1);
	assert_int_equal(ts_at(f, 0), 1001);
	assert_int_equal(ts_at(f, 1), 1001);
	assert_int_equal(ts_at(f, 2), 1002);
}

/* Batches of every size, nesting of every depth, at every place in the ring. */
static void mend_across_batches(void **state)
{
	const unsigned int deepest = FT_RING_LOOKAHEAD + 1;
	struct fixture *f = *state;
	uint64_t clock = 100;
	unsigned int depth, max, skew;

	for (depth = 1; depth <= deepest; depth++)
		for (max = 1; max <= deepest; max++)
			for (skew = 0; skew < SLOTS; skew++) {
				uint64_t first = clock;

				write_nested(f, depth, 3, &clock);
				assert_int_equal(ft_ring_ready(&f->ring, 1), 1);
				assert_int_equal(ts_at(f, 0), first);
				/* check_some() compares with the batch before */
				assert_int_equal(read_all(f, max), depth + 3);
				assert_int_equal(f->last_ts, clock - 1);
			}
}

/* A time before it is complete is not looked at. */
static void mend_ignores_unfinished(void **state)
{
	struct fixture *f = *state;
	struct ft_record *slot;

	write_some(f, 2);
	slot = reserve(f);
	slot->ts = 5;
	assert_int_equal(ft_ring_ready(&f->ring, SLOTS), 2);
	assert_int_equal(ts_at(f, 0), 1000);
	assert_int_equal(ts_at(f, 1), 1001);
}

/* --- reading -------------------------------------------------------------- */

static void ready_of_nothing(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(ft_ring_ready(&f->ring, 0), 0);
	assert_int_equal(ft_ring_ready(&f->ring, SLOTS), 0);
	assert_int_equal(ft_ring_ready(&f->ring, UINT32_MAX), 0);
	ft_ring_release(&f->ring, 0);
	assert_int_equal(f->ring.r, SLOTS * sizeof(struct ft_record));
	assert_int_equal(write_some(f, SLOTS), ROOM);
}

static void ready_respects_max(void **state)
{
	struct fixture *f = *state;
	unsigned int max;

	write_some(f, ROOM);
	for (max = 0; max < 3 * SLOTS; max++)
		assert_int_equal(ft_ring_ready(&f->ring, max),
				 max < ROOM ? max : ROOM);
	assert_int_equal(ft_ring_ready(&f->ring, UINT32_MAX), ROOM);
	assert_int_equal(read_all(f, UINT32_MAX), ROOM);
}

static void ready_twice(void **state)
{
	struct fixture *f = *state;
	unsigned int i;

	for (i = 1; i <= ROOM; i++) {
		assert_true(write_one(f));
		assert_int_equal(ft_ring_ready(&f->ring, SLOTS), i);
		assert_int_equal(ft_ring_ready(&f->ring, SLOTS), i);
		assert_int_equal(ts_at(f, 0), 1000);
	}
	assert_int_equal(read_all(f, SLOTS), ROOM);
}

/* Less than what was ready is given back: the rest stays as it is. */
static void release_a_part(void **state)
{
	struct fixture *f = *state;

	write_some(f, 10);
	assert_int_equal(ft_ring_ready(&f->ring, SLOTS), 10);
	check_some(f, 4);
	ft_ring_release(&f->ring, 4);
	assert_int_equal(f->ring.r, (SLOTS + 4) * sizeof(struct ft_record));
	assert_int_equal(ft_ring_used(&f->ring), 6);
	assert_int_equal(ft_ring_ready(&f->ring, SLOTS), 6);
	assert_int_equal(read_all(f, SLOTS), 6);
}

/* A slot is free, for the reader too, before a writer can get it. */
static void release_clears(void **state)
{
	struct fixture *f = *state;
	unsigned int i;

	write_some(f, 3);
	ft_ring_ready(&f->ring, SLOTS);
	ft_ring_release(&f->ring, 2);
	assert_int_equal(f->slots[0].id, 0);
	assert_int_equal(f->slots[1].id, 0);
	assert_int_not_equal(f->slots[2].id, 0);
	ft_ring_release(&f->ring, 1);
	for (i = 0; i < SLOTS; i++)
		assert_int_equal(f->slots[i].id, 0);
}

static void ids_of_16_bits(void **state)
{
	static const uint16_t ids[] = { 1, 0xff, 0x100, 0x8000, 0xff00, 0xffff };
	struct fixture *f = *state;
	struct ft_record *slot;
	unsigned int i;

	for (i = 0; i < sizeof(ids) / sizeof(*ids); i++) {
		slot = reserve(f);
		fill(slot, 1000 + i, i);
		commit(f, slot, ids[i]);
		assert_int_equal(ft_ring_ready(&f->ring, 1), 1);
		assert_int_equal(ft_ring_slot(&f->ring, f->ring.r)->id, ids[i]);
		assert_int_equal(read_all(f, 1), 1);
	}
}

static void used_counts_reserved(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(ft_ring_used(&f->ring), 0);
	write_some(f, 3);
	assert_int_equal(ft_ring_used(&f->ring), 3);
	assert_non_null(reserve(f));
	assert_int_equal(ft_ring_used(&f->ring), 4);
	ft_ring_ready(&f->ring, 2);
	assert_int_equal(ft_ring_used(&f->ring), 4);
	ft_ring_release(&f->ring, 2);
	assert_int_equal(ft_ring_used(&f->ring), 2);
}

/* --- trimming ------------------------------------------------------------- */

static void trim_nothing(void **state)
{
	struct fixture *f = *state;
	__u64 ts = 5;

	assert_int_equal(ft_ring_trim(&f->ring, 0, SLOTS, &ts), 0);
	write_some(f, 10);
	assert_int_equal(ft_ring_trim(&f->ring, 10, SLOTS, &ts), 0);
	assert_int_equal(ft_ring_trim(&f->ring, UINT64_MAX, SLOTS, &ts), 0);
	assert_int_equal(ft_ring_trim(&f->ring, 3, 0, &ts), 0);
	assert_int_equal(ts, 5);
	assert_int_equal(read_all(f, SLOTS), 10);
}

/* The oldest go, as many as are too many; the latest are whole. */
static void trim_keeps_latest(void **state)
{
	struct fixture *f = *state;
	__u64 ts;
	unsigned int round;

	for (round = 0; round < 100; round++) {
		assert_int_equal(write_some(f, 10), 10);
		if (f->next == 10)
			continue;
		f->expect += ft_ring_trim(&f->ring, 12, SLOTS, &ts);
		assert_int_equal(ft_ring_used(&f->ring), 12);
		assert_int_equal(ts, 1000 + f->expect - 1);
		assert_int_equal(ts_at(f, 0), 1000 + f->expect);
	}
	assert_int_equal(f->ring.lost, 0);
	assert_int_equal(read_all(f, SLOTS), 12);
}

static void trim_respects_max(void **state)
{
	struct fixture *f = *state;
	__u64 ts;

	write_some(f, 20);
	assert_int_equal(ft_ring_trim(&f->ring, 4, 5, &ts), 5);
	assert_int_equal(ft_ring_used(&f->ring), 15);
	f->expect = 5;
	assert_int_equal(read_all(f, SLOTS), 15);
}

/* A record that is being written stays, and so do those behind it. */
static void trim_stops_at_unfinished(void **state)
{
	struct fixture *f = *state;
	struct ft_record *slot;
	__u64 ts;

	write_some(f, 3);
	slot = reserve(f);
	write_some(f, 5);
	assert_int_equal(ft_ring_trim(&f->ring, 2, SLOTS, &ts), 3);
	assert_int_equal(ft_ring_trim(&f->ring, 2, SLOTS, &ts), 0);
	fill(slot, 9999, 3);
	commit(f, slot, 1);
	assert_int_equal(ft_ring_trim(&f->ring, 2, SLOTS, &ts), 4);
	assert_int_equal(ft_ring_used(&f->ring), 2);
}

/* What was trimmed last has a time that is not later than that of the next. */
static void trim_mends(void **state)
{
	struct fixture *f = *state;
	uint64_t clock = 100;
	__u64 ts;

	write_nested(f, 3, 2, &clock);	/* 102 101 100 103 104 */
	assert_int_equal(ft_ring_trim(&f->ring, 4, SLOTS, &ts), 1);
	assert_int_equal(ts, 100);
}

/* --- gaps ----------------------------------------------------------------- */

static void no_gap_without_loss(void **state)
{
	struct fixture *f = *state;
	unsigned int i, round;

	for (round = 0; round < 30; round++) {
		write_some(f, ROOM);
		assert_int_equal(ft_ring_ready(&f->ring, SLOTS), ROOM);
		for (i = 0; i < ROOM; i++)
			assert_int_equal(gap_at(f, i), 0);
		read_all(f, SLOTS);
	}
}

/* However many are lost in one place, it is one gap. */
static void gap_where_lost(void **state)
{
	struct fixture *f = *state;
	unsigned int i, round;

	for (round = 0; round < 600; round++) {
		uint8_t before = (uint8_t)round;

		assert_int_equal(write_some(f, ROOM), ROOM);
		for (i = 0; i < 1 + round % 3; i++)
			assert_null(reserve(f));
		assert_int_equal(ft_ring_ready(&f->ring, SLOTS), ROOM);
		for (i = 0; i < ROOM; i++)
			assert_int_equal(gap_at(f, i), before);
		read_all(f, SLOTS);
	}
}

/* Closing makes a gap only if something was refused. */
static void gap_while_closed(void **state)
{
	struct fixture *f = *state;

	write_some(f, 1);
	ft_ring_close(&f->ring);
	ft_ring_restart(&f->ring);
	write_some(f, 1);
	assert_int_equal(gap_at(f, 0), 0);
	ft_ring_close(&f->ring);
	assert_null(reserve(f));
	ft_ring_restart(&f->ring);
	write_some(f, 1);
	assert_int_equal(gap_at(f, 0), 1);
}

/* One that was interrupted after its look at @w comes to note it when others have later. */
static void gap_w_never_goes_back(void **state)
{
	struct fixture *f = *state;
	uint64_t before;
	uint32_t gaps;

	assert_int_equal(write_some(f, SLOTS), ROOM);
	before = f->ring.gap_w;
	assert_int_equal(before, f->ring.w);
	read_all(f, 1);
	assert_int_equal(write_some(f, SLOTS), ROOM);
	assert_int_equal(f->ring.gap_w, f->ring.w);
	gaps = f->ring.gaps;
	ft_ring_note_gap(&f->ring, before);
	assert_int_equal(f->ring.gap_w, f->ring.w);
	assert_int_equal(f->ring.gaps, gaps);
}

/* The note is exchanged for another one only if it is what it was. */
static void own_cmpxchg(void **state)
{
	uint64_t field = 1ull << 40;

	(void)state;
	ft_own_cmpxchg(field, 1ull << 41, 7u);
	assert_int_equal(field, 1ull << 40);
	ft_own_cmpxchg(field, 1ull << 40, 1ull << 42);
	assert_int_equal(field, 1ull << 42);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(mend_nested),
		T(mend_nothing),
		T(mend_takes_first_inner),
		T(mend_across_batches),
		T(mend_ignores_unfinished),
		T(ready_of_nothing),
		T(ready_respects_max),
		T(ready_twice),
		T(release_a_part),
		T(release_clears),
		T(ids_of_16_bits),
		T(used_counts_reserved),
		T(trim_nothing),
		T(trim_keeps_latest),
		T(trim_respects_max),
		T(trim_stops_at_unfinished),
		T(trim_mends),
		T(no_gap_without_loss),
		T(gap_where_lost),
		T(gap_while_closed),
		T(gap_w_never_goes_back),
		cmocka_unit_test(own_cmpxchg),
	};

	return cmocka_run_group_tests_name("ring_reader", tests, NULL, NULL);
}
