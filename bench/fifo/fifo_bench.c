// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Cycles of a write of 24 bytes, without a clock, with 1, 2 and 4 threads:
 *
 *   fifo.write		feather_trace/fifo.h
 *   fifo.original	the original's buffer, after its paper: a count of free slots and an
 *			index are one atomic operation each; both are divided by; states of
 *			slots lie beside each other
 *   fifo.wfcqueue	liburcu's queue with many writers and one reader; it links nodes, which
 *			the caller has: here each thread takes the next of its own array
 *
 * Slots of both buffers are 64 bytes, so that two CPUs do not write to one line.
 *
 * In each round each thread writes BLOCKS blocks; all records find room, and are read after
 * the round. All three take turns. Printed is the lower quartile of all blocks: others on the
 * machine only add.
 */
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <urcu/wfcqueue.h>

#include <feather_trace/fifo.h>

#include "bench/user/bench.h"

#define MOST_THREADS	4u
#define BLOCKS		32u
#define BLOCK		128u
#define SLOTS		16384u		/* MOST_THREADS * BLOCKS * BLOCK */
#define ROUNDS		100u
#define KINDS		3u

struct payload {
	uint64_t a, b, c;
};

static void fill(struct payload *p, uint64_t value)
{
	p->a = value;
	p->b = value + 1;
	p->c = value + 2;
}

DEFINE_FT_FIFO(ours, 16384, 64);

NOINLINE static void write_ours(uint64_t value)
{
	struct payload *p = (struct payload *)ft_fifo_reserve(&ours);

	if (!p)
		return;
	fill(p, value);
	ft_fifo_commit(&ours, p, sizeof(*p));
}

static unsigned int drain_ours(void)
{
	struct ft_fifo_record rec;
	unsigned int n = 0;

	while (ft_fifo_next(&ours, &rec))
		n++;
	ft_fifo_release(&ours);
	return n;
}

/* The facts of the original's buffer; slots and their size are variables there, too. */
static struct {
	unsigned int slots, size;
	int free;
	unsigned int next_write, next_read;
	char *memory;
	volatile char *state;
} original;

NOINLINE static void write_original(uint64_t value)
{
	unsigned int slot;
	char *at;

	if (__atomic_fetch_sub(&original.free, 1, __ATOMIC_SEQ_CST) <= 0) {
		__atomic_fetch_add(&original.free, 1, __ATOMIC_SEQ_CST);
		return;
	}
	slot = __atomic_fetch_add(&original.next_write, 1, __ATOMIC_SEQ_CST) % original.slots;
	original.state[slot] = 1;
	at = original.memory + (size_t)slot * original.size;
	fill((struct payload *)(void *)at, value);
	original.state[(unsigned int)(at - original.memory) / original.size] = 2;
}

static unsigned int drain_original(void)
{
	unsigned int n = 0, slot;

	for (; n < SLOTS; n++) {
		slot = original.next_read % original.slots;
		if (original.state[slot] != 2)
			break;
		original.state[slot] = 0;
		original.next_read++;
		__atomic_fetch_add(&original.free, 1, __ATOMIC_SEQ_CST);
	}
	return n;
}

struct node {
	struct cds_wfcq_node link;
	struct payload payload;
};

static struct cds_wfcq_head head;
static struct cds_wfcq_tail tail;
static struct node nodes[MOST_THREADS][BLOCKS * BLOCK];
static __thread struct node *next_node;

NOINLINE static void write_wfcqueue(uint64_t value)
{
	struct node *node = next_node++;

	cds_wfcq_node_init(&node->link);
	fill(&node->payload, value);
	cds_wfcq_enqueue(&head, &tail, &node->link);
}

static unsigned int drain_wfcqueue(void)
{
	unsigned int n = 0;

	while (__cds_wfcq_dequeue_blocking(&head, &tail))
		n++;
	return n;
}

static const struct kind {
	const char *name;
	void (*write)(uint64_t value);
	unsigned int (*drain)(void);
} kinds[KINDS] = {
	{ "write", write_ours, drain_ours },
	{ "original", write_original, drain_original },
	{ "wfcqueue", write_wfcqueue, drain_wfcqueue },
};

static const struct kind *now;
static unsigned int wanted;
static int arrived;
static double *cycles[MOST_THREADS];	/* of this round */

static void *work(void *arg)
{
	unsigned int me = (unsigned int)(uintptr_t)arg;
	uint64_t begin;

	settle(me);
	next_node = nodes[me];
	__atomic_fetch_add(&arrived, 1, __ATOMIC_SEQ_CST);
	while ((unsigned int)__atomic_load_n(&arrived, __ATOMIC_ACQUIRE) < wanted)
		sched_yield();
	for (unsigned int b = 0; b < BLOCKS; b++) {
		begin = clock_read();
		for (unsigned int i = 0; i < BLOCK; i++)
			now->write(i);
		cycles[me][b] = (double)(clock_read() - begin) / BLOCK;
	}
	return NULL;
}

static void run(const struct kind *kind, unsigned int threads, double *to)
{
	pthread_t thread[MOST_THREADS];

	now = kind;
	wanted = threads;
	arrived = 0;
	for (uintptr_t i = 0; i < threads; i++) {
		cycles[i] = to + i * BLOCKS;
		if (pthread_create(&thread[i], NULL, work, (void *)i))
			abort();
	}
	for (unsigned int i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	if (kind->drain() != threads * BLOCKS * BLOCK) {
		fprintf(stderr, "fifo_bench: %s: records are missing\n", kind->name);
		exit(1);
	}
}

static void measure(unsigned int threads)
{
	const size_t each = (size_t)threads * BLOCKS;
	double *all[KINDS];

	for (unsigned int k = 0; k < KINDS; k++) {
		all[k] = calloc(each * ROUNDS, sizeof(double));
		if (!all[k])
			abort();
	}
	for (unsigned int i = 0; i < ROUNDS; i++) {
		for (unsigned int k = 0; k < KINDS; k++)
			run(&kinds[k], threads, all[k] + i * each);
	}
	for (unsigned int k = 0; k < KINDS; k++) {
		qsort(all[k], each * ROUNDS, sizeof(double), compare);
		printf("fifo.%s", kinds[k].name);
		if (threads > 1)
			printf(".%uthreads", threads);
		printf("\t%.2f\tcycles\n", all[k][each * ROUNDS / 4]);
		free(all[k]);
	}
}

int main(void)
{
	original.slots = SLOTS;
	original.size = 64;
	original.free = SLOTS;
	original.memory = aligned_alloc(64, (size_t)SLOTS * 64);
	original.state = calloc(SLOTS, 1);
	if (!original.memory || !original.state)
		return 1;
	cds_wfcq_init(&head, &tail);
	for (unsigned int threads = 1; threads <= MOST_THREADS; threads *= 2)
		measure(threads);
	return 0;
}
