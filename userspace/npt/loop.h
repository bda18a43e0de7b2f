/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The non-preempt test: a loop that does nothing but read the clock. Whatever keeps
 * it from running shows as a turn that took longer; there is no time between two
 * turns. (R. Beamonte and M. R. Dagenais, Linux low-latency tracing for multicore hard
 * real-time systems, Advances in Computer Engineering, 2015.)
 */
#ifndef FT_NPT_LOOP_H
#define FT_NPT_LOOP_H

#include <stdbool.h>
#include <stdint.h>

#include "npt/turns.h"

/** enum loop_work - what a turn does besides */
enum loop_work {
	LOOP_NOTHING,
	LOOP_EVENT,		/* an event of a program; nothing while it is off */
	LOOP_EVENT_AT,		/* the same with the time that the loop has read */
	LOOP_CALL,		/* a system call that does nothing, getppid() */
	LOOP_WORKS
};

/** loop_work_name - "nothing", "event", "event-at", "call", NULL */
const char *loop_work_name(unsigned int work);

/** loop_work_about - the same for people: "an event, npt_turn" */
const char *loop_work_about(enum loop_work work);

/** enum loop_clock - what it reads: the clock of a trace */
enum loop_clock { LOOP_TSC, LOOP_MONOTONIC };

/**
 * struct loop - how long it goes on
 * @ticks:	so many; or
 * @turns:	as many as that, if they come first
 */
struct loop {
	enum loop_work	work;
	enum loop_clock	clock;
	uint64_t	ticks, turns;
};

/**
 * loop_run - until that is over, or a signal ends it (base/end_signals.h)
 *
 * Return: when it began, in ticks.
 */
uint64_t loop_run(const struct loop *l, struct turns *t);

#endif /* FT_NPT_LOOP_H */
