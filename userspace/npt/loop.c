// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The loop that is measured: see loop.h. */
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/end_signals.h"
#include "npt/loop.h"

#ifdef NPT_EVENT_HEADER		/* of another tracer: bench/npt */
#include NPT_EVENT_HEADER
#else
#include <feather_trace/trigger.h>

DEFINE_FT_EVENT(npt_turn, number, length);
#define npt_event(number, length)	ft_event(npt_turn, number, length)
#define npt_event_at(time, number, length) ft_event_at(npt_turn, time, number, length)
#endif

#define SIGNAL_TURNS	1024	/* turns between two looks at signals */

const char *loop_work_name(unsigned int work)
{
	static const char *const names[LOOP_WORKS + 1] = { "nothing", "event", "event-at", "call" };

	return names[work];
}

const char *loop_work_about(enum loop_work work)
{
	static const char *const about[LOOP_WORKS] = {
		"nothing but the clock", "an event, npt_turn",
		"an event, npt_turn, with the time that the turn has read",
		"a system call, getppid()",
	};

	return about[work];
}

static inline __attribute__((always_inline))
uint64_t now(enum loop_clock clock)
{
	struct timespec t;

#ifdef __x86_64__
	if (clock == LOOP_TSC)
		return __builtin_ia32_rdtsc();
#endif
	(void)clock;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* A copy for each @work and @clock: none decides in a turn. */
static inline __attribute__((always_inline))
uint64_t turn(const struct loop *l, struct turns *t, enum loop_work work, enum loop_clock clock)
{
	uint64_t begin, before, last, next;

	/* The first record of a thread makes its ring. */
	if (work == LOOP_EVENT || work == LOOP_EVENT_AT)
		npt_event(0, 0);
	begin = now(clock);
	before = begin;
	last = begin;
	while (t->count < l->turns && last - begin < l->ticks) {
		if (!(t->count % SIGNAL_TURNS) && end_signals_came())
			break;
		if (work == LOOP_EVENT)
			npt_event(t->count + 1, last - before);
		else if (work == LOOP_EVENT_AT)
			npt_event_at(last, t->count + 1, last - before);
		else if (work == LOOP_CALL)
			syscall(SYS_getppid);
		next = now(clock);
		turns_add(t, last, next);
		before = last;
		last = next;
	}
	return begin;
}

static uint64_t loop_tsc(const struct loop *l, struct turns *t)
{
	switch (l->work) {
	case LOOP_EVENT:
		return turn(l, t, LOOP_EVENT, LOOP_TSC);
	case LOOP_EVENT_AT:
		return turn(l, t, LOOP_EVENT_AT, LOOP_TSC);
	case LOOP_CALL:
		return turn(l, t, LOOP_CALL, LOOP_TSC);
	default:
		return turn(l, t, LOOP_NOTHING, LOOP_TSC);
	}
}

static uint64_t loop_monotonic(const struct loop *l, struct turns *t)
{
	switch (l->work) {
	case LOOP_EVENT:
		return turn(l, t, LOOP_EVENT, LOOP_MONOTONIC);
	case LOOP_EVENT_AT:
		return turn(l, t, LOOP_EVENT_AT, LOOP_MONOTONIC);
	case LOOP_CALL:
		return turn(l, t, LOOP_CALL, LOOP_MONOTONIC);
	default:
		return turn(l, t, LOOP_NOTHING, LOOP_MONOTONIC);
	}
}

uint64_t loop_run(const struct loop *l, struct turns *t)
{
	return l->clock == LOOP_TSC ? loop_tsc(l, t) : loop_monotonic(l, t);
}
