// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Steps of <feather_trace/fifo.h> one after the other, with writers that stand still between
 * them. C11 and C++17, without a C library: for each CPU that we have a compiler for.
 */
#include <feather_trace/fifo.h>

#include "fifo_steps.h"

#define __STRING_OF(x)	#x
#define STRING_OF(x)	__STRING_OF(x)
#define HOLDS(x) \
do { \
	if (!(x)) \
		return "line " STRING_OF(__LINE__) ": " #x; \
} while (0)

DEFINE_FT_FIFO(four, 4, 16);
DEFINE_FT_FIFO(two, 2, 8);

static uint32_t word_of(const struct ft_fifo_record *rec)
{
	uint32_t value;

	__builtin_memcpy(&value, rec->data, sizeof(value));
	return value;
}

static int put(struct ft_fifo *fifo, uint32_t value)
{
	return ft_fifo_write(fifo, &value, sizeof(value));
}

/* The next record is this one, with such a gap before it. */
static int is_next(struct ft_fifo *fifo, uint32_t value, uint32_t gap)
{
	struct ft_fifo_record rec;

	return ft_fifo_next(fifo, &rec) && rec.len == 4 && word_of(&rec) == value && rec.gap == gap;
}

static int is_empty(struct ft_fifo *fifo)
{
	struct ft_fifo_record rec;

	return !ft_fifo_next(fifo, &rec);
}

/* As it is defined, and of records of all lengths. */
static const char *lengths(void)
{
	unsigned char bytes[16] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 };
	struct ft_fifo_record rec;

	HOLDS(ft_fifo_capacity(&four) == 12);
	HOLDS(is_empty(&four));
	for (uint32_t len = 0; len <= 12; len++) {
		HOLDS(ft_fifo_write(&four, bytes, len) == 1);
		HOLDS(ft_fifo_next(&four, &rec));
		HOLDS(rec.len == len && !rec.gap);
		HOLDS(!((uintptr_t)rec.data & 15));
		HOLDS(!len || ((unsigned char *)rec.data)[len - 1] == len);
		ft_fifo_release(&four);
	}
	HOLDS(ft_fifo_write(&four, bytes, 13) == -1);
	HOLDS(is_empty(&four) && !ft_fifo_lost(&four));
	return NULL;
}

/* What is lost is counted, and seen in its place. */
static const char *full(void)
{
	for (uint32_t i = 0; i < 4; i++)
		HOLDS(put(&four, i) == 1);
	for (uint32_t i = 0; i < 5; i++)
		HOLDS(!put(&four, 100));
	HOLDS(ft_fifo_lost(&four) == 5);
	HOLDS(is_next(&four, 0, 0) && is_next(&four, 1, 0) && is_next(&four, 2, 0));
	ft_fifo_release(&four);
	HOLDS(ft_fifo_lost(&four) == 5);
	/* One position was dropped, so there is room for two. */
	HOLDS(put(&four, 4) == 1 && put(&four, 5) == 1);
	HOLDS(is_next(&four, 3, 0) && is_next(&four, 4, 1) && is_next(&four, 5, 0));
	HOLDS(is_empty(&four));
	ft_fifo_release(&four);
	HOLDS(ft_fifo_lost(&four) == 5);

	/* All is read when limit moves: no note. */
	for (uint32_t i = 0; i < 4; i++)
		HOLDS(put(&four, i) == 1);
	HOLDS(!put(&four, 100));
	for (uint32_t i = 0; i < 4; i++)
		HOLDS(is_next(&four, i, 0));
	HOLDS(is_empty(&four));
	ft_fifo_release(&four);
	ft_fifo_release(&four);
	for (uint32_t i = 0; i < 4; i++)
		HOLDS(put(&four, i) == 1);
	for (uint32_t i = 0; i < 4; i++)
		HOLDS(is_next(&four, i, !i));
	ft_fifo_release(&four);
	HOLDS(ft_fifo_lost(&four) == 6);
	return NULL;
}

/* One record given back at a time, from a full FIFO: it is emptied, then filled again. */
static const char *singly(void)
{
	uint32_t put_in = 0, got = 0, lost = 0, gaps = 0, next = 0;
	uint64_t before = ft_fifo_lost(&four);
	struct ft_fifo_record rec;

	for (uint32_t i = 0; i < 1000; i++) {
		for (int k = 0; k < 2; k++) {
			if (put(&four, put_in++) != 1)
				lost++;
		}
		if (ft_fifo_next(&four, &rec)) {
			HOLDS(word_of(&rec) == next || rec.gap);
			HOLDS(word_of(&rec) >= next);
			HOLDS(!rec.gap || word_of(&rec) > next);
			next = word_of(&rec) + 1;
			gaps += !!rec.gap;
			got++;
		}
		ft_fifo_release(&four);
	}
	while (ft_fifo_next(&four, &rec))
		got++;
	ft_fifo_release(&four);
	HOLDS(gaps && got > 500);
	HOLDS(ft_fifo_lost(&four) - before == lost);
	HOLDS(got + lost == put_in);
	return NULL;
}

/* A writer stands still: those after it are not seen, nobody takes its slot. */
static const char *delayed(void)
{
	struct ft_fifo_record rec;
	uint32_t value = 7;
	void *slot;

	/* A gap at the end, if there is one, is that of this record. */
	HOLDS(put(&four, 0) == 1 && ft_fifo_next(&four, &rec));
	ft_fifo_release(&four);
	slot = ft_fifo_reserve(&four);
	HOLDS(slot);
	for (uint32_t i = 0; i < 3; i++)
		HOLDS(put(&four, i) == 1);
	HOLDS(!put(&four, 100) && !put(&four, 100));
	HOLDS(is_empty(&four));
	ft_fifo_release(&four);
	HOLDS(!put(&four, 100));
	__builtin_memcpy(slot, &value, sizeof(value));
	ft_fifo_commit(&four, slot, sizeof(value));
	HOLDS(is_next(&four, 7, 0));
	for (uint32_t i = 0; i < 3; i++)
		HOLDS(is_next(&four, i, 0));
	HOLDS(is_empty(&four));
	ft_fifo_release(&four);
	HOLDS(put(&four, 8) == 1 && is_next(&four, 8, 1));
	ft_fifo_release(&four);
	return NULL;
}

/*
 * Contexts that looked while there was room, and add when there is none any more: w goes
 * past limit by more than there are slots. What they do is done here by hand.
 */
static const char *overshoot(void)
{
	ft_fifo_word before = (ft_fifo_word)ft_fifo_lost(&two);

	HOLDS(put(&two, 1) == 1 && put(&two, 2) == 1);
	for (int i = 0; i < 5; i++)
		(void)__atomic_fetch_add(&two.word, FT_FIFO_ONE, __ATOMIC_RELAXED);
	HOLDS(!put(&two, 100));
	HOLDS(ft_fifo_lost(&two) - before == 6);
	HOLDS(is_next(&two, 1, 0));
	ft_fifo_release(&two);
	HOLDS(!put(&two, 100));
	/* Two more that were late, between two moves of limit. */
	for (int i = 0; i < 2; i++)
		(void)__atomic_fetch_add(&two.word, FT_FIFO_ONE, __ATOMIC_RELAXED);
	HOLDS(ft_fifo_lost(&two) - before == 9);
	HOLDS(is_next(&two, 2, 0));
	ft_fifo_release(&two);
	HOLDS(ft_fifo_lost(&two) - before == 9);
	/* It stands at the gap, and gives back what the gap has left. */
	HOLDS(is_empty(&two));
	ft_fifo_release(&two);
	HOLDS(is_empty(&two));
	ft_fifo_release(&two);
	HOLDS(put(&two, 3) == 1 && put(&two, 4) == 1);
	HOLDS(is_next(&two, 3, 7) && is_next(&two, 4, 0));
	ft_fifo_release(&two);
	HOLDS(ft_fifo_lost(&two) - before == 9);
	return NULL;
}

/* Once round the halves of 16 bits, with losses; @start brings those of 32 bits there, too. */
static const char *wraps(ft_fifo_pos start)
{
	uint32_t got = 0, lost = 0, tries = 0;
	uint64_t before;
	struct ft_fifo_record rec;

	HOLDS(!ft_fifo_init(&four, four.memory, 4, 16));
	four.word = (ft_fifo_word)start << FT_FIFO_HALF | (ft_fifo_pos)(start + 4);
	four.next = start;
	four.given = start;
	four.seen = start;
	before = ft_fifo_lost(&four);
	HOLDS(!before);
	for (uint32_t i = 0; i < 70000; i++) {
		uint32_t n = i % 7;

		for (uint32_t k = 0; k < n; k++, tries++)
			lost += put(&four, tries) != 1;
		while (ft_fifo_next(&four, &rec)) {
			HOLDS(rec.len == 4);
			got++;
		}
		ft_fifo_release(&four);
	}
	HOLDS(got + lost == tries && lost);
	HOLDS(ft_fifo_lost(&four) == lost);
	return NULL;
}

static const char *refuses(void)
{
	static unsigned char memory[256] __attribute__((aligned(64)));
	struct ft_fifo fifo;

	HOLDS(ft_fifo_init(&fifo, memory, 3, 16) == -1);
	HOLDS(ft_fifo_init(&fifo, memory, 1, 16) == -1);
	HOLDS(ft_fifo_init(&fifo, memory, 0, 16) == -1);
	HOLDS(ft_fifo_init(&fifo, memory, 4, 12) == -1);
	HOLDS(ft_fifo_init(&fifo, memory, 4, 4) == -1);
	HOLDS(ft_fifo_init(&fifo, memory, 4, 0) == -1);
	HOLDS(ft_fifo_init(&fifo, memory, 0x80000000u, 16) == -1);
	HOLDS(ft_fifo_init(&fifo, memory + 8, 4, 16) == -1);
	HOLDS(!ft_fifo_init(&fifo, memory, 4, 64));
	HOLDS(put(&fifo, 1) == 1 && is_next(&fifo, 1, 0));
	return NULL;
}

const char *fifo_steps(void)
{
	const char *why = NULL;

	if (!why)
		why = lengths();
	if (!why)
		why = full();
	if (!why)
		why = singly();
	if (!why)
		why = delayed();
	if (!why)
		why = overshoot();
	if (!why)
		why = wraps((ft_fifo_pos)-1000);
	if (!why)
		why = wraps((ft_fifo_pos)((ft_fifo_pos)-1 / 2 - 1000));
	if (!why)
		why = refuses();
	return why;
}

/* --- interrupts write while the program does, and reads ------------------- */

DEFINE_FT_FIFO(shared, 16, 8);
static uint32_t interrupts;

void fifo_interrupt(void)
{
	(void)put(&shared, 0x80000000u | interrupts);
	interrupts++;
}

const char *fifo_check_interrupts(uint32_t wanted)
{
	uint32_t attempts = 0, got = 0, seen[2] = { 0, 0 }, value;
	struct ft_fifo_record rec;

	while (__atomic_load_n(&interrupts, __ATOMIC_RELAXED) < wanted && attempts < 100000000) {
		for (int i = 0; i < 5; i++)
			(void)put(&shared, attempts++);
		while (ft_fifo_next(&shared, &rec)) {
			value = word_of(&rec);
			/* Each context's records come in order. */
			HOLDS((value & 0x7fffffff) >= seen[value >> 31]);
			seen[value >> 31] = (value & 0x7fffffff) + 1;
			got++;
		}
		ft_fifo_release(&shared);
	}
	HOLDS(interrupts >= wanted);
	HOLDS(seen[1]);
	/* Another interrupt may come between any two of these. */
	for (int i = 0; i < 1000; i++) {
		uint32_t before = __atomic_load_n(&interrupts, __ATOMIC_RELAXED);

		while (ft_fifo_next(&shared, &rec))
			got++;
		ft_fifo_release(&shared);
		if (got + ft_fifo_lost(&shared) == (uint64_t)attempts + before &&
		    before == __atomic_load_n(&interrupts, __ATOMIC_RELAXED))
			return NULL;
	}
	return "attempts are not records and lost ones";
}
