/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What the parts of ring_stress share. See ring_stress.c. */
#ifndef RING_STRESS_H
#define RING_STRESS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include <feather_trace/ring.h>

#if defined(__SANITIZE_THREAD__)
#define HAVE_TSAN	1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define HAVE_TSAN	1
#endif
#endif

#if defined(__x86_64__) && !defined(HAVE_TSAN)
#define HAVE_STEPS	1
#endif

#define LEVELS		6	/* at most; fewer than RESERVE */
#define WRITERS		2
#define WINDOW		16	/* later records that can change a time */
#define MAX_SLOTS	256

/* What the reader does with a ring; it goes round. */
enum phase {
	OPEN,			/* a miss is a loss */
	CLOSING,		/* it may be one */
	CLOSED,			/* it is none */
	OPENING,
	PHASES
};

/* One ring: who writes it, and what its reader knows. */
struct stream {
	struct ft_ring ring;
	struct ft_record slots[MAX_SLOTS] __attribute__((aligned(64)));
	unsigned int number;
	unsigned int count;		/* slots in use */

	/* Writers. Each level counts for itself, so no count is interrupted. */
	uint32_t attempts[LEVELS];
	uint32_t missed[PHASES][LEVELS];
	uint64_t rng;
	pthread_t thread;
	timer_t timer[3];
	bool quiet;			/* atomic: the writer waits at level 0 */

	/* The reader. */
	uint32_t phase;			/* atomic */
	bool quieten;			/* atomic: it asks the writer to wait */
	uint64_t read;
	uint64_t forgotten;
	uint64_t last_ts;
	int64_t last_seq[LEVELS];
	bool shown[LEVELS];		/* a gap since the level's last record */
	bool any;
	uint8_t gap;
	uint64_t gaps;
	uint64_t mended;
	struct {
		uint64_t ts, earliest;
	} window[WINDOW];
	unsigned int in_window;
};

extern struct stream streams[WRITERS];
extern uint64_t first_seed, seed;
extern bool stop;			/* atomic */

/* The stream and the nesting level of the thread. */
extern _Thread_local struct stream *own;
extern _Thread_local volatile unsigned int level;

static inline uint64_t random_next(uint64_t *state)
{
	uint64_t x = *state += 0x9e3779b97f4a7c15ull;

	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
	return x ^ (x >> 31);
}

static inline unsigned int random_below(uint64_t *state, unsigned int n)
{
	return (unsigned int)((random_next(state) >> 32) * n >> 32);
}

static inline uint64_t clock_read(void)
{
#ifdef __x86_64__
	return __builtin_ia32_rdtsc();
#else
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
#endif
}

/* stream.c: one ring, its writers and its reader */

/* Says what did not hold, and ends the program. */
void __attribute__((noreturn, format(printf, 2, 3)))
fail(const struct stream *s, const char *format, ...);

/* One attempt, at this nesting level. */
void write_one(struct stream *s, unsigned int at);

/* A record as the reader meets it: all that can be wrong with it is looked for. */
void check_one(struct stream *s, const struct ft_record *slot);

/* One batch of at most @max; returns how many there were. */
unsigned int read_some(struct stream *s, unsigned int max);

/* A restart has thrown records away: what is known of those before is void. */
void forget(struct stream *s);

void stream_open(struct stream *s, unsigned int number, unsigned int count);

/* Reads what is left and closes the books; no writer is under way any more. */
void stream_finish(struct stream *s);

/* steps.c: interruptions after single instructions */

/* What happens when a write of a level has made so many steps. */
extern _Thread_local volatile unsigned int step_at[LEVELS];

void catch_traps(void);
void write_stepped(struct stream *s, unsigned int at);
void run_steps(void);

/* threads.c: returns how many attempts were made */
uint64_t run_threads(double seconds);

#endif /* RING_STRESS_H */
