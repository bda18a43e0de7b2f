/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What an event costs in user space.
 *
 *	user_bench [ROUNDS]
 *
 * Prints lines of name, value, unit, with tabs between. The unit is a cycle of
 * the time stamp counter.
 *
 *	user.clock		reading the clock
 *	user.floor		reading the clock and storing 32 bytes, in order, in
 *				memory like a ring's: no tracer can do less
 *	user.ring		an event: ft_ring_reserve() to ft_ring_commit(),
 *				through a function, into a ring of the thread's own
 *	user.event.noclock	the same, with a constant for the time
 *	user.full		an event that finds the ring full
 *	user.floor.2threads	user.floor and user.ring with two threads, each
 *	user.ring.2threads	on a CPU and with a ring of its own
 *	user.ring.reader	user.ring while another CPU reads the ring
 *	user.ring.reader.lost	the share of these that found the ring full
 *
 * A round is EVENTS calls of one kind; the kinds take turns, so that what else
 * happens on the machine meets all alike. The ring holds a whole round and is
 * emptied between rounds (but for user.ring.reader). The value is the lower
 * quartile over all rounds of a round's mean: rounds in which the thread was
 * preempted, or the host was busy, are in the upper part. With two threads a
 * round's mean is that of both.
 */
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <feather_trace/ring.h>

#include "bench.h"

#define EVENTS		10000u
#define SLOTS		16384u		/* 512 KiB: less than the L2 cache */
#define CPUS		2

enum kind {
	CLOCK, FLOOR, EVENT, NOCLOCK, FULL,
	FLOOR_2, EVENT_2, EVENT_READER, READER_LOST, KINDS
};

static const char *const names[KINDS] = {
	[CLOCK]		= "user.clock",
	[FLOOR]		= "user.floor",
	[EVENT]		= "user.ring",
	[NOCLOCK]	= "user.event.noclock",
	[FULL]		= "user.full",
	[FLOOR_2]	= "user.floor.2threads",
	[EVENT_2]	= "user.ring.2threads",
	[EVENT_READER]	= "user.ring.reader",
	[READER_LOST]	= "user.ring.reader.lost",
};

/* What a thread writes to. */
struct place {
	struct ft_ring ring;		/* events */
	struct ft_record *next, *end;	/* the floor: where to store */
	struct ft_record *slots;
} __attribute__((aligned(128)));

static struct place places[CPUS];
static pthread_barrier_t begin, end;
static volatile enum kind job;		/* for the second thread */
static bool writing;			/* atomic: it reads until this ends */
static double second_cycles;

static _Thread_local struct place *own;
static _Thread_local int tid;

/* --- the calls ------------------------------------------------------------ */

static NOINLINE void call_clock(uint16_t id, uint64_t a, uint64_t b)
{
	uint64_t ts = clock_read();

	__asm__ volatile("" : : "r" (ts), "r" (id), "r" (a), "r" (b));
}

static NOINLINE void call_floor(uint16_t id, uint64_t a, uint64_t b)
{
	struct ft_record *slot = own->next;

	own->next = slot + 1;
	store_record(slot, id, tid, a, b);
}

static inline void event(uint64_t ts, bool clock, uint16_t id, uint64_t a, uint64_t b)
{
	__u32 word = FT_RING_ID(id);
	struct ft_record *slot = ft_ring_reserve(&own->ring, &word);

	if (!slot)
		return;
	slot->ts = clock ? clock_read() : ts;
	slot->tid = tid;
	slot->a = a;
	slot->b = b;
	ft_ring_commit(slot, word);
}

static NOINLINE void call_event(uint16_t id, uint64_t a, uint64_t b)
{
	event(0, true, id, a, b);
}

static NOINLINE void call_noclock(uint16_t id, uint64_t a, uint64_t b)
{
	event(1, false, id, a, b);
}

/* --- rounds --------------------------------------------------------------- */

/* The same loop for each kind. */
#define TIME(call)							\
({									\
	uint64_t t_ = clock_read();					\
	unsigned int i_;						\
									\
	for (i_ = 0; i_ < EVENTS; i_++)					\
		call(7, i_, 3);						\
	(double)(clock_read() - t_) / EVENTS;				\
})

static void empty(struct place *p)
{
	uint32_t count;

	while ((count = ft_ring_ready(&p->ring, SLOTS)) != 0)
		ft_ring_release(&p->ring, count);
	if (p->end - p->next < (long)EVENTS)
		p->next = p->slots;
}

static double round_of(enum kind kind)
{
	double cycles;

	switch (kind) {
	case CLOCK:
		return TIME(call_clock);
	case FLOOR:
	case FLOOR_2:
		return TIME(call_floor);
	case EVENT:
	case EVENT_2:
	case EVENT_READER:
		return TIME(call_event);
	case NOCLOCK:
		return TIME(call_noclock);
	default:
		ft_ring_close(&own->ring);
		cycles = TIME(call_event);
		ft_ring_open(&own->ring);
		return cycles;
	}
}

static void place_init(struct place *p, int number)
{
	size_t size = SLOTS * sizeof(*p->slots);
	void *ring = aligned_alloc(4096, size), *plain = aligned_alloc(4096, size);

	if (!ring || !plain) {
		fprintf(stderr, "user_bench: out of memory\n");
		exit(1);
	}
	memset(ring, 0, size);
	memset(plain, 0, size);
	p->slots = p->next = plain;
	p->end = p->slots + SLOTS;
	ft_ring_init(&p->ring, ring, SLOTS);
	ft_ring_restart(&p->ring);
	own = p;
	tid = 1000 + number;
}

static void read_along(struct place *p)
{
	uint32_t count;

	while (__atomic_load_n(&writing, __ATOMIC_ACQUIRE)) {
		count = ft_ring_ready(&p->ring, 1024);
		if (count)
			ft_ring_release(&p->ring, count);
	}
}

static void *second_thread(void *arg)
{
	(void)arg;
	settle(1);
	place_init(&places[1], 1);
	pthread_barrier_wait(&end);
	for (;;) {
		pthread_barrier_wait(&begin);
		if (job == KINDS)
			return NULL;
		if (job == EVENT_READER)
			read_along(&places[0]);
		else
			second_cycles = round_of(job);
		empty(own);
		pthread_barrier_wait(&end);
	}
}

static double round_of_two(enum kind kind)
{
	double cycles;

	job = kind;
	__atomic_store_n(&writing, true, __ATOMIC_RELEASE);
	pthread_barrier_wait(&begin);
	cycles = round_of(kind);
	__atomic_store_n(&writing, false, __ATOMIC_RELEASE);
	pthread_barrier_wait(&end);
	return kind == EVENT_READER ? cycles : (cycles + second_cycles) / 2;
}

int main(int argc, char **argv)
{
	unsigned int rounds = 2000, i, kind;
	double *cycles[KINDS];
	pthread_t thread;
	char *rest = NULL;
	uint64_t lost;
	int error;

	if (argc > 1)
		rounds = (unsigned int)strtoul(argv[1], &rest, 10);
	if (argc > 2 || (rest && *rest) || rounds < 4) {
		fprintf(stderr, "usage: user_bench [ROUNDS], 4 or more\n");
		return 2;
	}
	for (kind = 0; kind < KINDS; kind++) {
		cycles[kind] = calloc(rounds, sizeof(double));
		if (!cycles[kind]) {
			fprintf(stderr, "user_bench: out of memory\n");
			return 1;
		}
	}

	pthread_barrier_init(&begin, NULL, CPUS);
	pthread_barrier_init(&end, NULL, CPUS);
	error = pthread_create(&thread, NULL, second_thread, NULL);
	if (error) {
		fprintf(stderr, "user_bench: no second thread: %s\n", strerror(error));
		return 1;
	}
	settle(0);
	place_init(&places[0], 0);
	pthread_barrier_wait(&end);

	for (i = 0; i < rounds; i++) {
		for (kind = CLOCK; kind <= FULL; kind++) {
			cycles[kind][i] = round_of(kind);
			empty(own);
		}
		for (kind = FLOOR_2; kind <= EVENT_READER; kind++) {
			lost = own->ring.lost;
			cycles[kind][i] = round_of_two(kind);
			cycles[READER_LOST][i] = (double)(own->ring.lost - lost) / EVENTS;
			empty(own);
		}
	}
	job = KINDS;
	pthread_barrier_wait(&begin);
	pthread_join(thread, NULL);

	for (kind = 0; kind < KINDS; kind++) {
		qsort(cycles[kind], rounds, sizeof(double), compare);
		printf("%s\t%.2f\t%s\n", names[kind], cycles[kind][rounds / 4],
		       kind == READER_LOST ? "share" : "cycles");
		free(cycles[kind]);
	}
	return 0;
}
