/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Threads of ring_stress: signals that nest, a reader that does as it likes. */
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "stress.h"

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id	_sigev_un._tid
#endif

static const int signals[3] = { SIGUSR1, SIGUSR2, SIGALRM };

static void arm(struct stream *s, int which, unsigned int ns)
{
	struct itimerspec t = { .it_value.tv_nsec = ns };

	timer_settime(s->timer[which], 0, &t, NULL);
}

static void on_signal(int sig)
{
	struct stream *s = own;
	unsigned int at = level, i, n;
	int saved = errno;

	if (!s || at + 1 >= LEVELS)
		return;
	level = at + 1;
	/* @rng is the thread's; a nested draw in the midst of one does no harm. */
	n = 1 + random_below(&s->rng, 3);
	for (i = 0; i < n; i++)
		write_one(s, at + 1);
	level = at;
	if (!__atomic_load_n(&stop, __ATOMIC_RELAXED))
		for (i = 0; i < 3; i++)
			if (signals[i] == sig)
				arm(s, (int)i, 2000 + random_below(&s->rng, 200000));
	errno = saved;
}

static void *writer_main(void *arg)
{
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID };
	struct stream *s = arg;
	unsigned int i, n;

	own = s;
	for (i = 0; i < 3; i++) {
		event.sigev_signo = signals[i];
		event.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
		if (timer_create(CLOCK_MONOTONIC, &event, &s->timer[i]))
			fail(s, "timer_create: %s", strerror(errno));
		arm(s, (int)i, 1000);
	}
	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		if (__atomic_load_n(&s->quieten, __ATOMIC_ACQUIRE)) {
			__atomic_store_n(&s->quiet, true, __ATOMIC_RELEASE);
			while (__atomic_load_n(&s->quieten, __ATOMIC_ACQUIRE) &&
			       !__atomic_load_n(&stop, __ATOMIC_RELAXED))
				sched_yield();
			__atomic_store_n(&s->quiet, false, __ATOMIC_RELEASE);
		}
		n = 1 + random_below(&s->rng, 2 * s->count);
		for (i = 0; i < n; i++)
			write_one(s, 0);
#ifdef HAVE_STEPS
		for (i = 0; i < 3; i++)
			step_at[i] = random_below(&s->rng, 50);
		write_stepped(s, 0);
#endif
		n = random_below(&s->rng, 400);
		for (i = 0; i < n; i++)
			__asm__ volatile("");
		if (random_below(&s->rng, 2) == 0)
			sched_yield();	/* where ThreadSanitizer delivers */
	}
	for (i = 0; i < 3; i++)
		timer_delete(s->timer[i]);
	/* No signal may come between this and the end of the thread's life. */
	own = NULL;
	return NULL;
}

static void next_phase(struct stream *s, enum phase phase)
{
	uint32_t now = s->phase;

	do
		now++;
	while (now % PHASES != phase);
	__atomic_store_n(&s->phase, now, __ATOMIC_SEQ_CST);
}

/* Close, let the writer come to rest, read or not, and start again. */
static void restart(struct stream *s, uint64_t *rng)
{
	next_phase(s, CLOSING);
	ft_ring_close(&s->ring);
	next_phase(s, CLOSED);
	__atomic_store_n(&s->quieten, true, __ATOMIC_RELEASE);
	while (!__atomic_load_n(&s->quiet, __ATOMIC_ACQUIRE)) {
		if (__atomic_load_n(&stop, __ATOMIC_RELAXED))
			return;
		if (random_below(rng, 2))
			read_some(s, 1 + random_below(rng, s->count));
		sched_yield();
	}
	s->forgotten += ft_ring_used(&s->ring);
	forget(s);
	next_phase(s, OPENING);
	ft_ring_restart(&s->ring);
	next_phase(s, OPEN);
	__atomic_store_n(&s->quieten, false, __ATOMIC_RELEASE);
	while (__atomic_load_n(&s->quiet, __ATOMIC_ACQUIRE) &&
	       !__atomic_load_n(&stop, __ATOMIC_RELAXED))
		sched_yield();
}

static void *reader_main(void *arg)
{
	uint64_t rng = *(uint64_t *)arg;
	unsigned int i, n;

	while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
		for (i = 0; i < WRITERS; i++) {
			read_some(&streams[i], random_below(&rng, streams[i].count + 4));
			if (random_below(&rng, 500) == 0)
				restart(&streams[i], &rng);
		}
		n = random_below(&rng, 3) ? 0 : random_below(&rng, 4000);
		for (i = 0; i < n; i++)
			__asm__ volatile("");
		if (n == 0 && random_below(&rng, 20) == 0)
			sched_yield();
	}
	return NULL;
}

/* Returns how many attempts were made. */
uint64_t run_threads(double seconds)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };
	struct timespec start, now, pause = { .tv_nsec = 50000 };
	uint64_t rng = random_next(&seed), reader_seed = rng, attempts = 0, lost = 0;
	uint64_t read = 0, mended = 0, forgotten = 0, nested = 0;
	pthread_t reader;
	sigset_t blocked;
	unsigned int i, at;

	catch_traps();
	/* USR2 interrupts USR1's handler, ALRM both. */
	sigemptyset(&action.sa_mask);
	sigemptyset(&blocked);
	for (i = 0; i < 3; i++) {
		sigaddset(&action.sa_mask, signals[i]);
		sigaddset(&blocked, signals[i]);
		sigaction(signals[i], &action, NULL);
	}
	__atomic_store_n(&stop, false, __ATOMIC_RELAXED);
	for (i = 0; i < WRITERS; i++)
		stream_open(&streams[i], i, 16u << random_below(&rng, 5));
	for (i = 0; i < WRITERS; i++)
		if (pthread_create(&streams[i].thread, NULL, writer_main, &streams[i]))
			fail(&streams[i], "pthread_create");
	/* Timers name their thread; but no signal is to reach the others. */
	pthread_sigmask(SIG_BLOCK, &blocked, NULL);
	if (pthread_create(&reader, NULL, reader_main, &reader_seed))
		fail(&streams[0], "pthread_create");

	clock_gettime(CLOCK_MONOTONIC, &start);
	do {
		for (i = 0; i < WRITERS; i++) {
			uint64_t used = ft_ring_used(&streams[i].ring);

			/* Old r, new w: more than a ring, but not without bound. */
			if (used > 1u << 30)
				fail(&streams[i], "%" PRIu64 " records in use", used);
		}
		if (random_below(&rng, 64) == 0)
			nanosleep(&pause, NULL);
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while ((double)(now.tv_sec - start.tv_sec) +
		 (double)(now.tv_nsec - start.tv_nsec) * 1e-9 < seconds);

	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	for (i = 0; i < WRITERS; i++)
		pthread_join(streams[i].thread, NULL);
	pthread_join(reader, NULL);
	pthread_sigmask(SIG_UNBLOCK, &blocked, NULL);
	for (i = 0; i < WRITERS; i++) {
		struct stream *s = &streams[i];

		stream_finish(s);
		for (at = 0; at < LEVELS; at++) {
			attempts += s->attempts[at];
			nested += at ? s->attempts[at] : 0;
		}
		lost += s->ring.lost;
		read += s->read;
		mended += s->mended;
		forgotten += s->forgotten;
	}
	printf("threads: slots %u and %u, attempts %" PRIu64 " (nested %" PRIu64
	       "), read %" PRIu64 " (mended %" PRIu64 "), lost %" PRIu64
	       ", forgotten %" PRIu64 "\n", streams[0].count, streams[1].count,
	       attempts, nested, read, mended, lost, forgotten);
	return attempts;
}
