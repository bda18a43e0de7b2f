/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The ring as writers see it, one thread, no signals: what writers that nest can
 * see, with the nesting written out. ring_reader_test.c has the reader's side;
 * tests/stress/ does the same with real interruptions, tests/model/ with all.
 */
#include "ring_fixture.h"

/* --- layout --------------------------------------------------------------- */

static void layout_record(void **state)
{
	(void)state;
	assert_int_equal(sizeof(struct ft_record), 32);
	assert_int_equal(offsetof(struct ft_record, ts), 0);
	assert_int_equal(offsetof(struct ft_record, id), 8);
	assert_int_equal(offsetof(struct ft_record, ctx), 10);
	assert_int_equal(offsetof(struct ft_record, gap), 11);
	assert_int_equal(offsetof(struct ft_record, tid), 12);
	assert_int_equal(offsetof(struct ft_record, a), 16);
	assert_int_equal(offsetof(struct ft_record, b), 24);
}

static void layout_packet(void **state)
{
	(void)state;
	assert_int_equal(sizeof(struct ft_packet_header), 96);
	assert_int_equal(FT_PACKET_RECORDS, 125);
}

/* What writers write shares no cache line with what the reader writes. */
static void layout_ring(void **state)
{
	const size_t line = FT_RING_CACHELINE;

	(void)state;
	assert_int_equal(_Alignof(struct ft_ring) % line, 0);
	assert_int_equal(sizeof(struct ft_ring) % line, 0);
	assert_int_equal(offsetof(struct ft_ring, limit) % line, 0);
	assert_int_equal(offsetof(struct ft_ring, w) / line,
			 offsetof(struct ft_ring, mask) / line);
	assert_int_not_equal(offsetof(struct ft_ring, w) / line,
			     offsetof(struct ft_ring, limit) / line);
	assert_int_not_equal(offsetof(struct ft_ring, lost) / line,
			     offsetof(struct ft_ring, r) / line);
	assert_int_equal(offsetof(struct ft_ring, limit) / line,
			 offsetof(struct ft_ring, r) / line);
}

/* The levels of a CPU (six) fit; a batch leaves room for what it holds back. */
static void layout_constants(void **state)
{
	(void)state;
	assert_in_range(FT_RING_RESERVE, 6 - 1, FT_RING_MIN_SLOTS - 1);
	assert_true(FT_RING_LOOKAHEAD >= 6 - 1);
	assert_int_equal(FT_RING_MIN_SLOTS & (FT_RING_MIN_SLOTS - 1), 0);
}

/* --- set-up --------------------------------------------------------------- */

static void init_is_closed(void **state)
{
	struct fixture f;

	(void)state;
	fixture_open(&f, SLOTS);
	assert_ptr_equal(f.ring.slots, f.slots);
	assert_int_equal(f.ring.mask, SLOTS * sizeof(struct ft_record) - 1);
	assert_int_equal(f.ring.lost, 0);
	assert_null(reserve(&f));
	assert_int_equal(f.ring.lost, 0);
	assert_int_equal(ft_ring_ready(&f.ring, SLOTS), 0);
	assert_int_equal(ft_ring_used(&f.ring), 0);
	ft_ring_restart(&f.ring);
	assert_int_equal(write_some(&f, SLOTS), ROOM);
	assert_int_equal(gap_at(&f, 0), 1);
	assert_int_equal(read_all(&f, SLOTS), ROOM);
	fixture_close(&f);
}

/* New memory of another size for a ring that was used. */
static void init_again(void **state)
{
	struct fixture *f = *state;
	struct ft_record *more;

	write_some(f, 5);
	ft_ring_close(&f->ring);
	assert_null(reserve(f));

	more = aligned_alloc(64, 64 * sizeof(*more));
	assert_non_null(more);
	memset(more, 0, 64 * sizeof(*more));
	ft_ring_init(&f->ring, more, 64);
	assert_null(reserve(f));
	ft_ring_restart(&f->ring);
	assert_int_equal(f->ring.lost, 0);
	assert_int_equal(ft_ring_ready(&f->ring, 64), 0);
	assert_int_equal(write_some(f, 100), 64 - FT_RING_RESERVE);
	assert_int_equal(ft_ring_ready(&f->ring, 100), 64 - FT_RING_RESERVE);
	assert_int_equal(more[0].a, 5);
	free(more);
}

/* --- writing -------------------------------------------------------------- */

static void fill_to_the_limit(void **state)
{
	struct fixture *f = *state;
	unsigned int i;

	for (i = 0; i < ROOM; i++) {
		assert_int_equal(ft_ring_used(&f->ring), i);
		assert_int_equal(f->ring.lost, 0);
		assert_true(write_one(f));
	}
	for (i = 1; i <= 300; i++) {
		assert_null(reserve(f));
		assert_int_equal(f->ring.lost, i);
		assert_int_equal(ft_ring_used(&f->ring), ROOM);
	}
	assert_int_equal(read_all(f, SLOTS), ROOM);
	assert_int_equal(f->expect, f->next);
}

/* What is given back, and only that, can be used again. */
static void release_makes_room(void **state)
{
	struct fixture *f = *state;
	unsigned int i, count;

	assert_int_equal(write_some(f, SLOTS), ROOM);
	for (i = 1; i <= ROOM; i++) {
		assert_int_equal(ft_ring_ready(&f->ring, i), i);
		count = ft_ring_ready(&f->ring, i);
		check_some(f, count);
		ft_ring_release(&f->ring, count);
		assert_int_equal(write_some(f, SLOTS), i);
	}
	ft_ring_release(&f->ring, 0);
	assert_int_equal(write_some(f, SLOTS), 0);
}

/* Rounds of every length, so that batches begin and end at every slot. */
static void wrap_many_rounds(void **state)
{
	struct fixture *f = *state;
	unsigned int i;

	for (i = 0; i < 600 * SLOTS; i++) {
		unsigned int count = 1 + i % ROOM;

		assert_int_equal(write_some(f, count), count);
		assert_int_equal(read_all(f, 1 + i % (SLOTS + 3)), count);
		assert_int_equal(f->ring.lost, 0);
	}
	assert_true(f->ring.w > 600 * SLOTS * sizeof(struct ft_record));
	assert_int_equal(f->ring.w, f->ring.r);
}

static void smallest_ring(void **state)
{
	const unsigned int room = FT_RING_MIN_SLOTS - FT_RING_RESERVE;
	struct fixture f;
	unsigned int i;

	(void)state;
	fixture_open(&f, FT_RING_MIN_SLOTS);
	ft_ring_restart(&f.ring);
	for (i = 0; i < 1000; i++) {
		assert_int_equal(write_some(&f, 100), room);
		assert_int_equal(f.ring.lost, i + 1);
		assert_int_equal(read_all(&f, 1 + i % 20), room);
	}
	fixture_close(&f);
}

/* Positions are 64 bits: nothing happens where 32 would end. */
static void positions_pass_4g(void **state)
{
	struct fixture *f = *state;
	unsigned int i;

	ft_ring_close(&f->ring);
	f->ring.w = f->ring.r = (1ull << 32) - 8 * sizeof(struct ft_record);
	ft_ring_restart(&f->ring);
	for (i = 0; i < 4; i++) {
		assert_int_equal(write_some(f, SLOTS), ROOM);
		assert_int_equal(read_all(f, 5), ROOM);
	}
	assert_true(f->ring.w > 1ull << 32);
}

/* --- nesting -------------------------------------------------------------- */

static void unfinished_stops_reader(void **state)
{
	struct fixture *f = *state;
	struct ft_record *slot;

	write_some(f, 2);
	slot = reserve(f);
	assert_non_null(slot);
	assert_int_equal(ft_ring_ready(&f->ring, SLOTS), 2);
	assert_int_equal(ft_ring_used(&f->ring), 3);

	fill(slot, 2000, 2);
	f->next = 3;
	write_some(f, 3);	/* inside it */
	assert_int_equal(ft_ring_ready(&f->ring, SLOTS), 2);
	assert_int_equal(ft_ring_used(&f->ring), 6);
	check_some(f, 2);
	ft_ring_release(&f->ring, 2);
	assert_int_equal(ft_ring_ready(&f->ring, SLOTS), 0);

	commit(f, slot, 7);
	assert_int_equal(ft_ring_ready(&f->ring, SLOTS), 4);
	assert_int_equal(ft_ring_slot(&f->ring, f->ring.r)->id, 7);
	assert_int_equal(read_all(f, SLOTS), 4);
}

/* The same in a slot that has been used before, at each place in the ring. */
static void unfinished_in_later_round(void **state)
{
	struct fixture *f = *state;
	struct ft_record *slot;
	unsigned int i;

	for (i = 0; i < 10 * SLOTS; i++) {
		slot = reserve(f);
		assert_non_null(slot);
		assert_int_equal(ft_ring_ready(&f->ring, 1), 0);
		fill(slot, 1000 + f->next, f->next);
		assert_int_equal(ft_ring_ready(&f->ring, 1), 0);
		f->next++;
		write_some(f, 2);
		assert_int_equal(ft_ring_ready(&f->ring, SLOTS), 0);
		commit(f, slot, 1);
		assert_int_equal(read_all(f, SLOTS), 3);
	}
}

static void commit_out_of_order(void **state)
{
	struct fixture *f = *state;
	struct ft_record *slot[4];
	int i;

	for (i = 0; i < 4; i++) {
		slot[i] = reserve(f);
		assert_non_null(slot[i]);
		fill(slot[i], 1000 + i, i);
	}
	for (i = 3; i > 0; i--) {
		commit(f, slot[i], 1);
		assert_int_equal(ft_ring_ready(&f->ring, SLOTS), 0);
	}
	commit(f, slot[0], 1);
	assert_int_equal(ft_ring_ready(&f->ring, SLOTS), 4);
	assert_int_equal(read_all(f, 1), 4);
}

/*
 * As many levels as RESERVE allows all see the last free slot: each was
 * interrupted between its look at limit and its addition. Their additions are
 * made here as the code makes them. Nothing unread may be overwritten.
 */
static void reserve_holds_all_levels(void **state)
{
	struct fixture *f = *state;
	struct ft_record *slot;
	uint64_t pos;
	unsigned int level;

	assert_int_equal(write_some(f, ROOM - 1), ROOM - 1);
	for (level = 0; level <= FT_RING_RESERVE; level++) {
		pos = ft_own_add(f->ring.w, sizeof(*slot));
		slot = ft_ring_slot(&f->ring, pos);
		assert_int_equal(slot->id, 0);	/* free */
		fill(slot, 1000 + f->next, f->next);
		commit(f, slot, 1);
		f->next++;
	}
	assert_int_equal(ft_ring_used(&f->ring), SLOTS);
	assert_null(reserve(f));

	/* All slots are taken, and the scan stops after one round. */
	assert_int_equal(ft_ring_ready(&f->ring, SLOTS), SLOTS);
	assert_int_equal(ft_ring_ready(&f->ring, 10 * SLOTS), SLOTS);
	assert_int_equal(ts_at(f, 0), 1000);
	assert_int_equal(ts_at(f, SLOTS - 1), 1000 + SLOTS - 1);

	/* Beyond the limit by RESERVE: as many must be read before it opens. */
	check_some(f, FT_RING_RESERVE);
	ft_ring_release(&f->ring, FT_RING_RESERVE);
	assert_null(reserve(f));
	check_some(f, 1);
	ft_ring_release(&f->ring, 1);
	assert_true(write_one(f));
	assert_null(reserve(f));
	assert_int_equal(read_all(f, 3), SLOTS - FT_RING_RESERVE);
}

/* --- closing -------------------------------------------------------------- */

static void close_lets_nobody_in(void **state)
{
	struct fixture *f = *state;

	write_some(f, 3);
	ft_ring_close(&f->ring);
	assert_null(reserve(f));
	assert_int_equal(f->ring.lost, 0);

	/* Reading does not open it again. */
	assert_int_equal(ft_ring_ready(&f->ring, SLOTS), 3);
	assert_int_equal(read_all(f, 2), 3);
	assert_null(reserve(f));
	assert_int_equal(f->ring.lost, 0);
	assert_int_equal(f->ring.w, f->ring.r);
}

/* Full and then closed, closed and then full: each counts as what it finds. */
static void close_counts_nothing(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(write_some(f, SLOTS), ROOM);
	assert_int_equal(f->ring.lost, 1);
	ft_ring_close(&f->ring);
	assert_null(reserve(f));
	assert_int_equal(f->ring.lost, 1);
	ft_ring_open(&f->ring);
	assert_null(reserve(f));
	assert_int_equal(f->ring.lost, 2);
	assert_int_equal(read_all(f, SLOTS), ROOM);
}

/* A ring that has no memory: refuses while closed, loses while open. */
static void no_memory(void **state)
{
	struct ft_record *memory;
	struct fixture f;

	(void)state;
	fixture_open(&f, SLOTS);
	memory = f.slots;
	ft_ring_init(&f.ring, NULL, 0);
	assert_null(reserve(&f));
	assert_int_equal(f.ring.lost, 0);
	ft_ring_open(&f.ring);
	assert_null(reserve(&f));
	assert_null(reserve(&f));
	assert_int_equal(f.ring.lost, 2);
	assert_int_equal(ft_ring_used(&f.ring), 0);
	ft_ring_close(&f.ring);
	assert_null(reserve(&f));
	assert_int_equal(f.ring.lost, 2);

	ft_ring_init(&f.ring, memory, SLOTS);
	ft_ring_restart(&f.ring);
	assert_int_equal(write_some(&f, SLOTS), ROOM);
	assert_int_equal(read_all(&f, SLOTS), ROOM);
	fixture_close(&f);
}

static void close_lets_others_finish(void **state)
{
	struct fixture *f = *state;
	struct ft_record *slot = reserve(f);

	ft_ring_close(&f->ring);
	assert_int_equal(ft_ring_ready(&f->ring, SLOTS), 0);
	assert_int_equal(ft_ring_used(&f->ring), 1);
	fill(slot, 1000, 0);
	commit(f, slot, 1);
	assert_int_equal(read_all(f, SLOTS), 1);
	assert_int_equal(f->ring.w, f->ring.r);
}

/* After a drained trace, and after one that nobody read; at every place. */
static void restart_forgets(void **state)
{
	struct fixture *f = *state;
	unsigned int i, unread;
	uint64_t lost;

	for (i = 0; i < 20 * SLOTS; i++) {
		unread = i % (ROOM + 1);
		assert_int_equal(write_some(f, unread), unread);
		ft_ring_close(&f->ring);
		lost = f->ring.lost;
		ft_ring_restart(&f->ring);
		assert_int_equal(f->ring.lost, lost);
		assert_int_equal(ft_ring_used(&f->ring), 0);
		assert_int_equal(ft_ring_ready(&f->ring, SLOTS), 0);
		f->expect = f->next;
		assert_int_equal(write_some(f, SLOTS), ROOM);
		assert_int_equal(f->ring.lost, lost + 1);
		assert_int_equal(read_all(f, 7), ROOM);
	}
}

static void open_keeps_records(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(write_some(f, 5), 5);
	ft_ring_close(&f->ring);
	assert_int_equal(write_some(f, 1), 0);
	ft_ring_open(&f->ring);
	assert_int_equal(write_some(f, SLOTS), ROOM - 5);
	assert_int_equal(read_all(f, SLOTS), ROOM);
}

static void clear_keeps_closed(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(write_some(f, 5), 5);
	ft_ring_close(&f->ring);
	ft_ring_clear(&f->ring);
	assert_int_equal(ft_ring_used(&f->ring), 0);
	assert_int_equal(ft_ring_ready(&f->ring, SLOTS), 0);
	assert_int_equal(write_some(f, 1), 0);
	ft_ring_open(&f->ring);
	f->expect = f->next;
	assert_int_equal(write_some(f, SLOTS), ROOM);
	assert_int_equal(read_all(f, SLOTS), ROOM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(layout_record),
		cmocka_unit_test(layout_packet),
		cmocka_unit_test(layout_ring),
		cmocka_unit_test(layout_constants),
		cmocka_unit_test(init_is_closed),
		T(init_again),
		T(fill_to_the_limit),
		T(release_makes_room),
		T(wrap_many_rounds),
		cmocka_unit_test(smallest_ring),
		T(positions_pass_4g),
		T(unfinished_stops_reader),
		T(unfinished_in_later_round),
		T(commit_out_of_order),
		T(reserve_holds_all_levels),
		T(close_lets_nobody_in),
		T(close_counts_nothing),
		cmocka_unit_test(no_memory),
		T(close_lets_others_finish),
		T(restart_forgets),
		T(open_keeps_records),
		T(clear_keeps_closed),
	};

	return cmocka_run_group_tests_name("ring", tests, NULL, NULL);
}
