/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Interruptions of ring_stress after single instructions, with the CPU's trap flag.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <ucontext.h>

#include "stress.h"

#ifdef HAVE_STEPS

_Thread_local volatile unsigned int step_at[LEVELS];
static _Thread_local volatile unsigned int step[LEVELS];
static _Thread_local volatile bool step_reads;	/* read between nested writes */
static _Thread_local volatile bool step_loses;	/* and lose one more, later */
static _Thread_local volatile bool step_opens;	/* open the ring, write nothing */
static _Thread_local volatile uint64_t noted;	/* gap_w after a nested write */

/* The same for the reader: then writers take all the room there is. */
static volatile bool reader_runs;
static volatile unsigned int reader_step_at, reader_step;

#define TRAP_FLAG_ON()							\
	__asm__ volatile("lea -128(%%rsp), %%rsp; pushfq;"		\
			 "orq $0x100, (%%rsp); popfq; lea 128(%%rsp), %%rsp" \
			 : : : "memory", "cc")
#define TRAP_FLAG_OFF()							\
	__asm__ volatile("lea -128(%%rsp), %%rsp; pushfq;"		\
			 "andq $~0x100, (%%rsp); popfq; lea 128(%%rsp), %%rsp" \
			 : : : "memory", "cc")

void write_stepped(struct stream *s, unsigned int at)
{
	step[at] = 0;
	if (step_at[at])
		TRAP_FLAG_ON();
	write_one(s, at);
	TRAP_FLAG_OFF();
}

/*
 * The flag is off in here (the kernel saves it) until a write sets it again.
 * After the one interruption it stays off for the rest of the write.
 */
static void on_trap(int sig, siginfo_t *info, void *context)
{
	ucontext_t *interrupted = context;
	unsigned int at = level;

	(void)sig;
	(void)info;
	if (reader_runs) {
		if (++reader_step == reader_step_at) {
			interrupted->uc_mcontext.gregs[REG_EFL] &= ~0x100;
			for (at = 0; at < own->count; at++)
				write_one(own, at % 3);
		}
		return;
	}
	if (++step[at] != step_at[at] || at + 1 >= LEVELS)
		return;
	interrupted->uc_mcontext.gregs[REG_EFL] &= ~0x100;
	if (step_opens) {
		ft_ring_open(&own->ring);
		return;
	}
	level = at + 1;
	write_stepped(own, at + 1);
	if (step_reads) {
		read_some(own, 1);
		write_one(own, at + 1);
	}
	if (step_loses)
		write_one(own, at + 1);
	noted = own->ring.gap_w;
	level = at;
}

void catch_traps(void)
{
	struct sigaction action = {
		.sa_sigaction = on_trap,
		.sa_flags = SA_NODEFER | SA_SIGINFO,
	};

	sigemptyset(&action.sa_mask);
	sigaction(SIGTRAP, &action, NULL);
}

/*
 * One pair of instructions: the outer write is interrupted after @first, the
 * inner after @second (0: not at all) of its own. @room slots are free at the
 * start.
 */
static void step_pair(struct stream *s, unsigned int room, unsigned int first,
		      unsigned int second, unsigned int max)
{
	unsigned int used = s->count - FT_RING_RESERVE - room, i;

	while (read_some(s, max))
		;
	for (i = 0; i < used; i++)
		write_one(s, i % 3);

	noted = 0;
	step_at[0] = first;
	step_at[1] = second;
	write_stepped(s, 0);
	step_at[0] = step_at[1] = 0;
	if (s->ring.gap_w < noted)
		fail(s, "the latest gap goes back when interrupted after %u and %u instructions",
		     first, second);

	/* Lost, or not; room; written. */
	write_one(s, 0);
	read_some(s, max);
	write_one(s, 0);
}

/* How many instructions a write has. */
static unsigned int count_steps(struct stream *s)
{
	stream_open(s, 0, FT_RING_MIN_SLOTS);
	step_at[0] = UINT32_MAX;
	write_stepped(s, 0);
	step_at[0] = 0;
	return step[0];
}

/*
 * A closed ring with room is opened after each instruction of an attempt: that
 * is a record or a refusal, never a loss.
 */
static void run_opening_steps(struct stream *s, unsigned int length)
{
	unsigned int at;

	stream_open(s, 0, FT_RING_MIN_SLOTS);
	step_opens = true;
	for (at = 1; at <= length; at++) {
		ft_ring_close(&s->ring);
		s->phase = CLOSED;
		step_at[0] = at;
		write_stepped(s, 0);
		if (s->ring.lost)
			fail(s, "refused, but counted as lost, when opened after %u instructions",
			     at);
		s->phase = OPEN;
		ft_ring_open(&s->ring);
		while (read_some(s, 3))
			;
	}
	step_at[0] = 0;
	step_opens = false;
	stream_finish(s);
}

static uint32_t ready_stepped(struct stream *s, uint32_t max)
{
	uint32_t count;

	reader_step = 0;
	reader_runs = true;
	TRAP_FLAG_ON();
	count = ft_ring_ready(&s->ring, max);
	TRAP_FLAG_OFF();
	reader_runs = false;
	return count;
}

static void release_stepped(struct stream *s, uint32_t count)
{
	reader_step = 0;
	reader_runs = true;
	TRAP_FLAG_ON();
	ft_ring_release(&s->ring, count);
	TRAP_FLAG_OFF();
	reader_runs = false;
}

/* Writers take all the room there is after each instruction of the reader. */
static unsigned int run_reader_steps(struct stream *s)
{
	unsigned int at, most = 0, i, count, done = 0;

	stream_open(s, 0, 2 * FT_RING_MIN_SLOTS);
	/* The first time undisturbed, to count the steps. */
	for (at = 0; at <= most; at += 1 + random_below(&s->rng, most / 300)) {
		for (i = 0; i < s->count - FT_RING_RESERVE - at % 2; i++)
			write_one(s, i % 3);
		reader_step_at = at;
		count = ready_stepped(s, s->count);
		if (reader_step > most)
			most = reader_step;
		for (i = 0; i < count; i++)
			check_one(s, ft_ring_slot(&s->ring,
				s->ring.r + i * sizeof(struct ft_record)));
		release_stepped(s, count);
		if (reader_step > most)
			most = reader_step;
		while (read_some(s, 3))
			;
		done++;
	}
	stream_finish(s);
	return done;
}

void run_steps(void)
{
	static const struct {
		unsigned int room;	/* free slots at the start */
		bool reads;
		bool all;		/* all pairs, or some */
		bool loses;
	} cases[] = {
		{ FT_RING_MIN_SLOTS - FT_RING_RESERVE, true, false, false },
		{ 0, false, false, false },
		{ 1, false, true, false },	/* three writes find the last slot */
		{ 2, false, false, false },
		{ 3, false, true, false },	/* three fit, each inside the other */
		{ 0, true, true, false },	/* interrupted on its way to count a loss */
		{ 0, true, true, true },	/* ... by one that loses at a later position */
		{ 1, true, false, false },
		{ 2, true, false, false },
	};
	struct stream *s = &streams[0];
	unsigned int first, second, length, firsts, seconds, i;
	uint64_t pairs = 0;

	catch_traps();
	own = s;
	length = count_steps(s);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		/* How far to go at most; 1: to the next instruction. */
		firsts = seconds = 1;
		if (!cases[i].all)
			seconds = 6;
		if (length > 100) {	/* sanitizers */
			firsts = length / 15;
			seconds = length / 6;
		}
		stream_open(s, 0, FT_RING_MIN_SLOTS);
		step_reads = cases[i].reads;
		step_loses = cases[i].loses;
		for (first = 1; first <= length;
		     first += 1 + random_below(&s->rng, firsts))
			for (second = 0; second <= length;
			     second += 1 + random_below(&s->rng, seconds)) {
				step_pair(s, cases[i].room, first, second,
					  1 + (first + second) % 3);
				pairs++;
			}
		stream_finish(s);
	}
	run_opening_steps(s, length);
	printf("steps: %u instructions, %" PRIu64 " interleavings", length, pairs);
	printf(", %u of the reader\n", run_reader_steps(s));
}

#else

void catch_traps(void)
{
}

void run_steps(void)
{
	printf("steps: not under ThreadSanitizer\n");
}

#endif /* HAVE_STEPS */
