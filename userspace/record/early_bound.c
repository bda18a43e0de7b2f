// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Measures how early an acquisition can be stamped: see early_bound.h. */
#include <linux/feather_trace.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>

#include "record/early_bound.h"
#include "trace/session_file.h"

#define TURNS		4000u
#define TURNS_MIN	200u	/* fewer prove nothing */
#define WAIT_NS		500000	/* how often to check for the end */
#define WAITS		4
#define WAITS_MAX	16	/* then give up: the CPUs are busy */

#ifdef __x86_64__
static uint64_t stamp(void)
{
	uint32_t low, high;

	__asm__ volatile("rdtsc" : "=a" (low), "=d" (high) : : "memory");
	return (uint64_t)high << 32 | low;
}

static uint64_t stamp_ordered(void)
{
	__asm__ volatile("lfence" : : : "memory");
	return stamp();
}

/*
 * @lock is 2 * n before turn n, and 2 * n + 1 while the lock is held. The holder owns
 * @released.
 */
struct turns {
	_Atomic uint64_t	lock __attribute__((aligned(64)));
	uint64_t		released;
	int64_t			early;
	atomic_bool		stop __attribute__((aligned(64)));
	bool			ordered;
};

struct player {
	struct turns		*turns;
	unsigned int		first;
	pthread_t		thread;
};

/* Return: false when time is up. */
static bool acquire(struct turns *t, uint64_t turn)
{
	uint64_t free = 2 * turn;

	while (!atomic_compare_exchange_strong_explicit(&t->lock, &free, 2 * turn + 1,
							memory_order_acquire,
							memory_order_relaxed)) {
		/* like a lock: do not write while another CPU holds it */
		while (atomic_load_explicit(&t->lock, memory_order_relaxed) !=
		       2 * turn) {
			if (atomic_load_explicit(&t->stop, memory_order_relaxed))
				return false;
		}
		free = 2 * turn;
	}
	return true;
}

static void *play(void *arg)
{
	const struct player *p = arg;
	struct turns *t = p->turns;

	for (uint64_t turn = p->first; turn < TURNS && acquire(t, turn); turn += 2) {
		uint64_t acquired = t->ordered ? stamp_ordered() : stamp();
		int64_t early = (int64_t)(t->released - acquired);

		if (turn && early > t->early)
			t->early = early;
		t->released = stamp();
		/* hand over like a lock: an instruction with LOCK */
		atomic_exchange_explicit(&t->lock, 2 * (turn + 1), memory_order_release);
	}
	return NULL;
}

static bool start(struct player *p, int cpu)
{
	pthread_attr_t attr;
	cpu_set_t set;
	bool ok;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (pthread_attr_init(&attr))
		return false;
	ok = !pthread_attr_setaffinity_np(&attr, sizeof(set), &set) &&
	     !pthread_create(&p->thread, &attr, play, p);
	pthread_attr_destroy(&attr);
	return ok;
}

/* Finds two CPUs that we may run on. */
static bool find_cpus(int cpu[2])
{
	unsigned int n = 0;
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set))
		return false;
	for (int i = 0; i < CPU_SETSIZE && n < 2; i++) {
		if (CPU_ISSET(i, &set))
			cpu[n++] = i;
	}
	return n == 2;
}

static uint64_t turns_done(const struct turns *t)
{
	return atomic_load(&t->lock) / 2;
}

static void wait_for_turns(const struct turns *t)
{
	const struct timespec while_ = { .tv_nsec = WAIT_NS };

	for (unsigned int i = 0; i < WAITS_MAX; i++) {
		if (turns_done(t) >= (i < WAITS ? TURNS : TURNS_MIN))
			return;
		nanosleep(&while_, NULL);
	}
}

int64_t record_early_measure(uint32_t clock, bool ordered)
{
	struct turns turns = { .ordered = ordered };
	struct player player[2] = { { &turns, 0, 0 }, { &turns, 1, 0 } };
	unsigned int n = 0;
	int cpu[2];

	/* the C library reads the other clocks in order */
	if (clock != FT_CLOCK_TSC)
		return 0;
	if (!find_cpus(cpu))
		return -1;
	while (n < 2 && start(&player[n], cpu[n]))
		n++;
	if (n == 2)
		wait_for_turns(&turns);
	atomic_store(&turns.stop, true);
	while (n--)
		pthread_join(player[n].thread, NULL);
	return turns_done(&turns) < TURNS_MIN ? -1 : turns.early;
}
#else
int64_t record_early_measure(uint32_t clock, bool ordered)
{
	(void)clock;
	(void)ordered;
	return 0;
}
#endif

uint64_t record_early_ns(int64_t ticks, uint64_t hz)
{
	return ((unsigned __int128)ticks * 1000000000u + hz - 1) / hz;
}

void record_early_put(FILE *f, int64_t ticks, uint64_t hz)
{
	if (ticks >= 0 && hz)
		session_put(f, "acquire_early_ns", "%llu",
			    (unsigned long long)record_early_ns(ticks, hz));
}
