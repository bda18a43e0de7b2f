// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Blocks of packets, compressed beside the recording: see compress.h. */
#include <err.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <linux/feather_trace.h>

#include "base/clock.h"
#include "packed/pack.h"
#include "record/compress/compress.h"

#define HEADER		sizeof(struct packed_header)

/* Plain bytes that wait, in all streams together, and blocks of each. */
#define WAITING		(64u << 20)
#define BLOCKS_LEAST	4u
#define BLOCKS_MOST	32u

/* A thread compresses what eight busy CPUs record; two, so that one CPU has no limit. */
#define STREAMS_OF_THREAD	8u
#define THREADS_LEAST		2u
#define THREADS_MOST		16u

/*
 * The thread of the ring owns a buffer, but while it is QUEUED, when any of the two may
 * take it, PACKING, or GIVEN_UP, when the thread of the ring still reads it.
 */
enum buffer_state {
	OWNED,
	QUEUED,
	PACKING,
	PACKED,
	STORED,		/* taken back while QUEUED */
	GIVEN_UP,	/* taken back while PACKING */
};

/* The pages of @out are there only as far as they were needed once. */
struct buffer {
	_Atomic int	state;
	size_t		len, packed;
	uint64_t	at;
	uint8_t		raw[PACKED_BLOCK_MAX];	/* room for a header, plain bytes */
	uint8_t		out[PACKED_BLOCK_MAX];
};

struct slot {
	struct buffer *_Atomic buffer;
	struct buffer	*instead;	/* of a buffer that was given up, later */
	uint64_t	records, lost;
	bool		last;
};

struct compress_stream {
	struct compress	*compress;
	struct worker	*worker;
	_Atomic uint64_t pushed;	/* blocks: slots are used in turn */
	uint64_t	written;
	struct buffer	*buffers;	/* one more than slots */
	struct buffer *_Atomic spare;	/* NULL: the worker has one that was given up */
	uint64_t	looked;		/* by the worker, at which blocks */

	/* the block that has begun, in the slot of number @pushed */
	size_t		len;
	uint64_t	at;		/* in the plain file */
	double		began;

	struct slot	slot[];
};

/* Each stream has one of them, so that no two have blocks of it. */
struct worker {
	struct compress	*compress;
	struct packer	*packer;
	pthread_t	thread;
	sem_t		work;		/* a post for each block */
};

struct compress {
	size_t		block;
	unsigned int	slots;		/* of each stream */
	unsigned int	streams, workers;
	unsigned int	opened;
	_Atomic bool	stop;
	struct compress_stream *_Atomic *stream;
	struct worker	worker[THREADS_MOST];
};

/* The compressing threads. */

/* Return: a block of @s that waited and is PACKING now; or NULL */
static struct buffer *worker_take(struct compress_stream *s)
{
	while (s->looked < atomic_load_explicit(&s->pushed, memory_order_acquire)) {
		struct slot *slot = &s->slot[s->looked % s->compress->slots];
		struct buffer *b = atomic_load_explicit(&slot->buffer, memory_order_acquire);
		int state = QUEUED;

		/* if the slot has been used again since, this may be a later block */
		s->looked++;
		if (atomic_compare_exchange_strong(&b->state, &state, PACKING))
			return b;
	}
	return NULL;
}

static void worker_pack(struct worker *w, struct compress_stream *s, struct buffer *b)
{
	int state = PACKING;

	b->packed = packer_block(w->packer, b->raw + HEADER, b->len, b->at, b->out);
	if (!atomic_compare_exchange_strong(&b->state, &state, PACKED))
		atomic_store(&s->spare, b);
}

/* Packs one block of each stream in turn, until there are no more. */
static void worker_round(struct worker *w)
{
	const struct compress *c = w->compress;
	bool any;

	do {
		any = false;
		for (unsigned int i = 0; i < c->streams; i++) {
			struct compress_stream *s = atomic_load(&c->stream[i]);
			struct buffer *b = s && s->worker == w ? worker_take(s) : NULL;

			if (!b)
				continue;
			worker_pack(w, s, b);
			any = true;
		}
	} while (any && !atomic_load(&c->stop));
}

/*
 * Nice 19 takes what others leave, but gets its small share of busy CPUs: SCHED_IDLE would
 * get none there, and all would be stored. SCHED_BATCH: that a block is there never
 * interrupts who runs. Where one is refused, it is slower for others, not wrong.
 */
static void lower_priority(void)
{
	const struct sched_param none = { 0 };

	pthread_setschedparam(pthread_self(), SCHED_BATCH, &none);
	setpriority(PRIO_PROCESS, (id_t)gettid(), 19);
}

static void *worker_thread(void *arg)
{
	struct worker *w = arg;

	lower_priority();
	while (!atomic_load(&w->compress->stop)) {
		while (sem_wait(&w->work) && errno == EINTR)
			;
		worker_round(w);
	}
	return NULL;
}

/* Return: 0 or errno */
static int worker_start(struct compress *c, int level)
{
	struct worker *w = &c->worker[c->workers];
	int ret;

	w->compress = c;
	w->packer = packer_new(level);
	if (!w->packer)
		return ENOMEM;
	sem_init(&w->work, 0, 0);
	ret = pthread_create(&w->thread, NULL, worker_thread, w);
	if (ret) {
		packer_free(w->packer);
		return ret;
	}
	pthread_setname_np(w->thread, "ft-compress");
	c->workers++;
	return 0;
}

static unsigned int between(unsigned int least, unsigned int n, unsigned int most)
{
	return n < least ? least : n > most ? most : n;
}

struct compress *compress_start(int level, unsigned int streams, unsigned int usual)
{
	struct compress *c = calloc(1, sizeof(*c));
	unsigned int threads;
	int error = ENOMEM;

	usual = between(1, usual, streams);
	threads = between(THREADS_LEAST, usual / STREAMS_OF_THREAD, THREADS_MOST);
	threads = between(1, threads, usual);
	if (c)
		c->stream = calloc(streams, sizeof(*c->stream));
	if (c && c->stream) {
		c->streams = streams;
		c->block = packed_block_size(usual);
		c->slots = between(BLOCKS_LEAST, (unsigned int)(WAITING / usual / c->block),
				   BLOCKS_MOST);
		for (error = 0; !error && c->workers < threads;)
			error = worker_start(c, level);
	}
	if (!error)
		return c;
	warnx("cannot prepare to compress: %s", strerror(error));
	compress_stop(c);
	return NULL;
}

static void stream_free(struct compress_stream *s)
{
	if (s)
		free(s->buffers);
	free(s);
}

void compress_stop(struct compress *c)
{
	if (!c)
		return;
	atomic_store(&c->stop, true);
	for (unsigned int i = 0; i < c->workers; i++) {
		sem_post(&c->worker[i].work);
		pthread_join(c->worker[i].thread, NULL);
		sem_destroy(&c->worker[i].work);
		packer_free(c->worker[i].packer);
	}
	for (unsigned int i = 0; i < c->streams; i++)
		stream_free(c->stream[i]);
	free(c->stream);
	free(c);
}

/* The thread of a ring. */

static struct slot *slot_of(struct compress_stream *s, uint64_t number)
{
	return &s->slot[number % s->compress->slots];
}

struct compress_stream *compress_open(struct compress *c, unsigned int number)
{
	struct compress_stream *s = calloc(1, sizeof(*s) + c->slots * sizeof(*s->slot));

	if (s)
		s->buffers = calloc(c->slots + 1, sizeof(*s->buffers));
	if (!s || !s->buffers) {
		stream_free(s);
		return NULL;
	}
	for (unsigned int i = 0; i < c->slots; i++)
		s->slot[i].buffer = &s->buffers[i];
	s->spare = &s->buffers[c->slots];
	s->compress = c;
	/* not by its number: on some machines all are even */
	s->worker = &c->worker[c->opened++ % c->workers];
	atomic_store(&c->stream[number], s);
	return s;
}

void *compress_room(struct compress_stream *s, size_t *room)
{
	*room = s->compress->block - s->len;
	return slot_of(s, s->pushed)->buffer->raw + HEADER + s->len;
}

void compress_add(struct compress_stream *s, size_t len, uint64_t records, uint64_t lost)
{
	struct slot *slot = slot_of(s, s->pushed);

	if (!s->len) {
		s->began = monotonic_now();
		slot->records = 0;
		slot->last = false;
	}
	s->len += len;
	slot->records += records;
	slot->lost = lost;
	if (s->compress->block - s->len < FT_PACKET_MAX)
		compress_push(s);
}

void compress_push(struct compress_stream *s)
{
	struct buffer *b = slot_of(s, s->pushed)->buffer;

	if (!s->len)
		return;
	b->len = s->len;
	b->at = s->at;
	s->at += s->len;
	s->len = 0;
	atomic_store(&b->state, QUEUED);
	/* Pairs with the acquire of @pushed in worker_take(): the block, then its number. */
	atomic_store_explicit(&s->pushed, s->pushed + 1, memory_order_release);
	sem_post(&s->worker->work);
}

double compress_began(const struct compress_stream *s)
{
	return s->len ? s->began : 0;
}

bool compress_end_file(struct compress_stream *s)
{
	compress_push(s);
	s->at = 0;
	if (!compress_waits(s))
		return false;
	slot_of(s, s->pushed - 1)->last = true;
	return true;
}

bool compress_next(struct compress_stream *s, struct compress_block *block)
{
	struct slot *slot = slot_of(s, s->written);
	struct buffer *b = slot->buffer;
	int state = atomic_load(&b->state);

	if (!compress_waits(s) || state == QUEUED || state == PACKING)
		return false;
	*block = (struct compress_block){
		.records = slot->records, .lost = slot->lost, .last = slot->last,
	};
	if (state == PACKED) {
		block->bytes = b->out;
		block->len = b->packed;
		return true;
	}
	/* who packs does not look at the room for the header */
	packed_stored((struct packed_header *)(void *)b->raw, b->raw + HEADER, b->len, b->at);
	block->bytes = b->raw;
	block->len = HEADER + b->len;
	block->stored = b->len;
	return true;
}

void compress_done(struct compress_stream *s)
{
	struct slot *slot = slot_of(s, s->written++);

	if (slot->instead) {
		/* Pairs with the acquire of @buffer in worker_take(). */
		atomic_store_explicit(&slot->buffer, slot->instead, memory_order_release);
		slot->instead = NULL;
	}
}

bool compress_waits(const struct compress_stream *s)
{
	return s->written < s->pushed;
}

bool compress_is_full(const struct compress_stream *s)
{
	return s->pushed - s->written == s->compress->slots;
}

/*
 * There is a spare when something is PACKING: the worker returns what was given up before
 * it takes another one.
 */
static void take_back(struct compress_stream *s, struct slot *slot)
{
	struct buffer *b = slot->buffer, *spare;
	int state = QUEUED;

	if (atomic_compare_exchange_strong(&b->state, &state, STORED) || state != PACKING)
		return;
	spare = atomic_exchange(&s->spare, NULL);
	if (atomic_compare_exchange_strong(&b->state, &state, GIVEN_UP))
		slot->instead = spare;
	else
		atomic_store(&s->spare, spare);		/* it was just done */
}

void compress_behind(struct compress_stream *s)
{
	uint64_t n = (s->pushed - s->written + 1) / 2;

	for (uint64_t i = 0; i < n; i++)
		take_back(s, slot_of(s, s->written + i));
}

uint64_t compress_left(const struct compress_stream *s, uint64_t *next)
{
	uint64_t left[2] = { 0 }, end = s->pushed + !!s->len;
	bool is_next = false;

	for (uint64_t i = s->written; i < end; i++) {
		const struct slot *slot = &s->slot[i % s->compress->slots];

		left[is_next] += slot->records;
		is_next |= slot->last;
	}
	*next = left[1];
	return left[0];
}
