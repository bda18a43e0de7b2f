// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * What an event of LTTng-UST costs, measured as library_bench.c measures ours:
 *
 *	lttng_bench [ROUNDS]
 *
 *	peer.lttng.disabled	a loop around a tracepoint that is off
 *	peer.lttng.event	around one that is on: two words
 *	peer.lttng.event.<N>threads
 *	peer.lttng.pair		pthread_mutex_lock() and _unlock(), under its wrapper
 *	peer.lttng.pair.2threads
 *
 * bench/user/peers runs it, with a session of LTTng that keeps the last records in
 * memory, so that no consumer runs meanwhile.
 */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "lttng_events.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "bench.h"

#define EVENTS	2000u
#define THREADS	4u

enum what { DISABLED, EVENT, PAIR };

static const struct kind {
	const char	*name;
	enum what	what;
	unsigned int	threads;
} kinds[] = {
	{ "peer.lttng.disabled", DISABLED, 1 },
	{ "peer.lttng.event", EVENT, 1 },
	{ "peer.lttng.event.2threads", EVENT, 2 },
	{ "peer.lttng.event.4threads", EVENT, 4 },
	{ "peer.lttng.pair", PAIR, 1 },
	{ "peer.lttng.pair.2threads", PAIR, 2 },
};

#define KINDS	(sizeof(kinds) / sizeof(kinds[0]))

static struct worker {
	pthread_mutex_t	lock;
	double		cycles;
} __attribute__((aligned(128))) workers[THREADS];

static pthread_barrier_t begin, end;
static const struct kind *volatile job;

static NOINLINE void loop_disabled(void)
{
	for (unsigned int i = 0; i < EVENTS; i++)
		lttng_ust_tracepoint(ft_bench, off, i, 3);
}

static NOINLINE void loop_event(void)
{
	for (unsigned int i = 0; i < EVENTS; i++)
		lttng_ust_tracepoint(ft_bench, on, i, 3);
}

static NOINLINE void loop_pairs(pthread_mutex_t *m)
{
	for (unsigned int i = 0; i < EVENTS; i++) {
		pthread_mutex_lock(m);
		pthread_mutex_unlock(m);
	}
}

static void round_of(struct worker *w, enum what what)
{
	uint64_t t = clock_read();

	switch (what) {
	case DISABLED:
		loop_disabled();
		break;
	case EVENT:
		loop_event();
		break;
	case PAIR:
		loop_pairs(&w->lock);
		break;
	}
	w->cycles = (double)(clock_read() - t) / EVENTS;
}

static void *worker_main(void *arg)
{
	unsigned int number = (unsigned int)(uintptr_t)arg;

	settle(number);
	for (;;) {
		pthread_barrier_wait(&begin);
		if (!job)
			return NULL;
		if (number < job->threads)
			round_of(&workers[number], job->what);
		pthread_barrier_wait(&end);
	}
}

static double run_round(unsigned int k)
{
	const struct kind *kind = &kinds[k];
	double sum = 0;

	if (kind->threads == 1) {
		round_of(&workers[0], kind->what);
		return workers[0].cycles;
	}
	job = kind;
	pthread_barrier_wait(&begin);
	round_of(&workers[0], kind->what);
	pthread_barrier_wait(&end);
	for (unsigned int i = 0; i < kind->threads; i++)
		sum += workers[i].cycles;
	return sum / kind->threads;
}

static const char *kind_name(unsigned int k)
{
	return kinds[k].name;
}

int main(int argc, char **argv)
{
	unsigned int rounds = argc > 1 ? (unsigned int)atoi(argv[1]) : 1000;
	pthread_t threads[THREADS];

	if (argc > 2 || rounds < 4) {
		fputs("usage: lttng_bench [ROUNDS], 4 or more\n", stderr);
		return 2;
	}
	pthread_barrier_init(&begin, NULL, THREADS);
	pthread_barrier_init(&end, NULL, THREADS);
	for (uintptr_t i = 0; i < THREADS; i++)
		pthread_mutex_init(&workers[i].lock, NULL);
	for (uintptr_t i = 1; i < THREADS; i++) {
		if (pthread_create(&threads[i], NULL, worker_main, (void *)i)) {
			fputs("lttng_bench: no thread\n", stderr);
			return 1;
		}
	}
	settle(0);
	measure_kinds(KINDS, rounds, run_round, kind_name);
	job = NULL;
	pthread_barrier_wait(&begin);
	for (unsigned int i = 1; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
