/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* A ring with guards around it, and ways to write and read it, for its unit tests. */
#ifndef RING_FIXTURE_H
#define RING_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <feather_trace/ring.h>

#define SLOTS		32u
#define ROOM		(SLOTS - FT_RING_RESERVE)
#define GUARD		0xa5

struct fixture {
	struct ft_ring ring;
	struct ft_record *slots;
	unsigned int count;
	unsigned char *memory;
	uint64_t next;		/* what the next write() stores in @a */
	uint64_t expect;	/* what the next read() must find there */
	uint64_t last_ts;
	uint32_t word;		/* of the latest reserve() */
};

static inline void fixture_open(struct fixture *f, unsigned int count)
{
	memset(f, 0, sizeof(*f));
	/* A slot before and one after the memory must stay as they are. */
	f->count = count;
	f->memory = aligned_alloc(64, (count + 4) * sizeof(struct ft_record));
	assert_non_null(f->memory);
	memset(f->memory, GUARD, (count + 4) * sizeof(struct ft_record));
	f->slots = (struct ft_record *)f->memory + 2;
	memset(f->slots, 0, count * sizeof(struct ft_record));
	ft_ring_init(&f->ring, f->slots, count);
}

static inline void fixture_close(struct fixture *f)
{
	const unsigned char *after = (unsigned char *)(f->slots + f->count);
	unsigned int i;

	for (i = 0; i < 2 * sizeof(struct ft_record); i++) {
		assert_int_equal(f->memory[i], GUARD);
		assert_int_equal(after[i], GUARD);
	}
	free(f->memory);
}

static inline int set_up(void **state)
{
	struct fixture *f = aligned_alloc(_Alignof(struct fixture), sizeof(*f));

	assert_non_null(f);
	fixture_open(f, SLOTS);
	ft_ring_restart(&f->ring);
	*state = f;
	return 0;
}

static inline int tear_down(void **state)
{
	fixture_close(*state);
	free(*state);
	return 0;
}

static inline void fill(struct ft_record *slot, uint64_t ts, uint64_t a)
{
	slot->ts = ts;
	slot->tid = (int32_t)~a;
	slot->a = a;
	slot->b = ~a;
}

static inline struct ft_record *reserve(struct fixture *f)
{
	f->word = 0;
	return ft_ring_reserve(&f->ring, &f->word);
}

/* No test loses anything between a reservation and its commit. */
static inline void commit(struct fixture *f, struct ft_record *slot, uint16_t id)
{
	ft_ring_commit(slot, FT_RING_ID(id) | FT_RING_CTX((uint8_t)(slot->a * 3)) |
		       f->word);
}

/* One whole record; its time is its number. */
static inline int write_one(struct fixture *f)
{
	struct ft_record *slot = reserve(f);

	if (!slot)
		return 0;
	fill(slot, 1000 + f->next, f->next);
	commit(f, slot, (uint16_t)(1 + f->next % 65535));
	f->next++;
	return 1;
}

static inline unsigned int write_some(struct fixture *f, unsigned int count)
{
	unsigned int done = 0;

	while (done < count && write_one(f))
		done++;
	return done;
}

/* Look at the @count first records; they must be the next ones, whole. */
static inline void check_some(struct fixture *f, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		const struct ft_record *slot = ft_ring_slot(&f->ring,
			f->ring.r + i * sizeof(*slot));

		assert_in_range((uintptr_t)slot, (uintptr_t)f->slots,
				(uintptr_t)(f->slots + f->count - 1));
		assert_int_equal(slot->a, f->expect);
		assert_int_equal(slot->b, ~f->expect);
		assert_int_equal(slot->tid, (int32_t)~f->expect);
		assert_int_equal(slot->ctx, (uint8_t)(f->expect * 3));
		assert_true(slot->ts >= f->last_ts);
		f->last_ts = slot->ts;
		f->expect++;
	}
}

/* Take batches of at most @max until nothing is left. */
static inline unsigned int read_all(struct fixture *f, unsigned int max)
{
	unsigned int total = 0, count;

	while ((count = ft_ring_ready(&f->ring, max)) != 0) {
		assert_in_range(count, 1, max);
		check_some(f, count);
		ft_ring_release(&f->ring, count);
		total += count;
		assert_in_range(total, 1, f->count);
	}
	return total;
}

static inline uint64_t ts_at(struct fixture *f, unsigned int i)
{
	return ft_ring_slot(&f->ring, f->ring.r + i * sizeof(struct ft_record))->ts;
}

static inline uint8_t gap_at(struct fixture *f, unsigned int i)
{
	return ft_ring_slot(&f->ring, f->ring.r + i * sizeof(struct ft_record))->gap;
}

#define T(name)	cmocka_unit_test_setup_teardown(name, set_up, tear_down)

#endif /* RING_FIXTURE_H */
