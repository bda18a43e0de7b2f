/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* One ring of ring_stress: writing to it, and checking what is read. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "stress.h"

struct stream streams[WRITERS];
uint64_t first_seed, seed;
bool stop;			/* atomic */

_Thread_local struct stream *own;
_Thread_local volatile unsigned int level;

void __attribute__((noreturn, format(printf, 2, 3)))
fail(const struct stream *s, const char *format, ...)
{
	va_list args;

	fflush(stdout);
	fprintf(stderr, "ring_stress: FAIL (--seed %" PRIu64 ", %u slots): ",
		first_seed, s->count);
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	_exit(1);
}

/* --- writing -------------------------------------------------------------- */

static inline uint64_t checksum(uint64_t ts, uint32_t seq, unsigned int id)
{
	return (ts ^ ((uint64_t)id << 48)) * 0x9e3779b97f4a7c15ull + seq;
}

/* Where a nested write comes by call, for want of signals. */
static inline void nest_here(struct stream *s, unsigned int at)
{
#ifdef HAVE_TSAN
	if (at + 1 < 4 && random_below(&s->rng, 16) == 0) {
		level = at + 1;
		write_one(s, at + 1);
		level = at;
	}
#else
	(void)s;
	(void)at;
#endif
}

void __attribute__((noinline)) write_one(struct stream *s, unsigned int at)
{
	uint32_t seq = s->attempts[at]++;
	uint16_t id = (uint16_t)(1 + at + s->number * 256);
	struct ft_record *slot;
	uint32_t word = FT_RING_ID(id), before, after;
	uint64_t ts;

	before = __atomic_load_n(&s->phase, __ATOMIC_ACQUIRE);
	slot = ft_ring_reserve(&s->ring, &word);
	if (!slot) {
		after = __atomic_load_n(&s->phase, __ATOMIC_ACQUIRE);
		s->missed[before == after ? before % PHASES : CLOSING][at]++;
		return;
	}
	nest_here(s, at);
	ts = clock_read();
	nest_here(s, at);
	slot->ts = ts;
	slot->tid = (int32_t)seq;
	slot->a = ts;
	slot->b = checksum(ts, seq, id);
	nest_here(s, at);
	ft_ring_commit(slot, word | FT_RING_CTX((uint8_t)(seq * 7 + at)));
	nest_here(s, at);
}

/* --- reading -------------------------------------------------------------- */

static void window_pop(struct stream *s)
{
	if (s->window[0].ts != s->window[0].earliest)
		fail(s, "time %" PRIu64 " is not the earliest of it and those after it, %" PRIu64,
		     s->window[0].ts, s->window[0].earliest);
	memmove(s->window, s->window + 1, sizeof(s->window) - sizeof(s->window[0]));
	s->in_window--;
}

void check_one(struct stream *s, const struct ft_record *slot)
{
	unsigned int at = (slot->id - 1u) % 256, i;
	uint32_t seq = (uint32_t)slot->tid;

	if (at >= LEVELS || (slot->id - 1u) / 256 != s->number)
		fail(s, "record of unknown id %u", slot->id);
	if (slot->b != checksum(slot->a, seq, slot->id) ||
	    slot->ctx != (uint8_t)(seq * 7 + at))
		fail(s, "torn record: level %u, number %u", at, seq);
	if (slot->ts > slot->a)
		fail(s, "torn record: time %" PRIu64 " is later than %" PRIu64,
		     (uint64_t)slot->ts, (uint64_t)slot->a);
	if (slot->ts < s->last_ts)
		fail(s, "time goes back: %" PRIu64 " after %" PRIu64,
		     (uint64_t)slot->ts, s->last_ts);
	s->last_ts = slot->ts;
	s->mended += slot->ts != slot->a;

	if (s->in_window == WINDOW)
		window_pop(s);
	for (i = 0; i < s->in_window; i++)
		if (slot->a < s->window[i].earliest)
			s->window[i].earliest = slot->a;
	s->window[s->in_window].ts = slot->ts;
	s->window[s->in_window++].earliest = slot->a;

	if (s->any && slot->gap != s->gap) {
		s->gaps++;
		for (i = 0; i < LEVELS; i++)
			s->shown[i] = true;
	}
	s->gap = slot->gap;
	s->any = true;

	if ((int64_t)seq <= s->last_seq[at])
		fail(s, "level %u: number %u after %" PRId64, at, seq, s->last_seq[at]);
	if (s->last_seq[at] >= 0 && seq != s->last_seq[at] + 1 && !s->shown[at])
		fail(s, "level %u lost %" PRId64 " before number %u and no gap shows",
		     at, (int64_t)seq - s->last_seq[at] - 1, seq);
	s->last_seq[at] = seq;
	s->shown[at] = false;
	s->read++;
}

/* One batch of at most @max. */
unsigned int read_some(struct stream *s, unsigned int max)
{
	unsigned int count = ft_ring_ready(&s->ring, max), i;

	if (count > max)
		fail(s, "%u records ready of at most %u", count, max);
	for (i = 0; i < count; i++)
		check_one(s, ft_ring_slot(&s->ring, s->ring.r + i * sizeof(struct ft_record)));
	ft_ring_release(&s->ring, count);
	return count;
}

/*
 * Order and gaps cannot be followed over what a restart forgot, nor can times:
 * records that were forgotten have mended some that were read.
 */
void forget(struct stream *s)
{
	unsigned int i;

	for (i = 0; i < LEVELS; i++)
		s->last_seq[i] = -1;
	s->any = false;
	s->in_window = 0;
}

void stream_open(struct stream *s, unsigned int number, unsigned int count)
{
	memset(s, 0, sizeof(*s));
	s->number = number;
	s->count = count;
	s->rng = random_next(&seed) ^ number;
	forget(s);
	ft_ring_init(&s->ring, s->slots, count);
	ft_ring_restart(&s->ring);
}

/* No writer is under way any more. */
void stream_finish(struct stream *s)
{
	uint64_t attempts = 0, missed = 0, lost = 0, unclear = 0;
	unsigned int i;

	while (read_some(s, 5))
		;
	while (s->in_window)
		window_pop(s);
	for (i = 0; i < LEVELS; i++) {
		attempts += s->attempts[i];
		lost += s->missed[OPEN][i];
		unclear += s->missed[CLOSING][i] + s->missed[OPENING][i];
		missed += s->missed[CLOSED][i];
	}
	missed += lost + unclear;
	if (s->ring.r != s->ring.w)
		fail(s, "%" PRId64 " records can never be read",
		     (int64_t)(s->ring.w - s->ring.r) / (int64_t)sizeof(struct ft_record));
	if (s->ring.lost < lost || s->ring.lost > lost + unclear)
		fail(s, "the ring counts %" PRIu64 " lost, its writers %" PRIu64
		     " and at most %" PRIu64 " more", (uint64_t)s->ring.lost, lost, unclear);
	if (attempts != s->read + missed + s->forgotten)
		fail(s, "%" PRIu64 " attempts, but %" PRIu64 " read, %" PRIu64
		     " missed, %" PRIu64 " forgotten", attempts, s->read, missed, s->forgotten);
	if (s->gaps && !missed)
		fail(s, "%" PRIu64 " gaps, but nothing was lost", s->gaps);
}
