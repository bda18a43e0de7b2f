/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The load: what is measured has to happen. On each CPU a task calls the kernel each
 * millisecond, and writes down when. For a load of our own, these are real-time tasks that
 * a timer releases and that wake another one on the next CPU, which in turn preempts a
 * task that never sleeps.
 */
#ifndef FT_OVERHEADS_LOAD_H
#define FT_OVERHEADS_LOAD_H

#include <stdbool.h>
#include <stddef.h>

#include "overheads/calls.h"
#include "record/program/clock.h"

struct load;

/**
 * load_start - on all CPUs that this process may use
 * @clock:	what times are read from
 * @alone:	only the system calls, by ordinary tasks: something else is the load
 *
 * Return: NULL after a message: no right to real-time tasks, no memory.
 */
struct load *load_start(const struct run_clock *clock, bool alone);

/** load_stop - Return: the calls, to be freed; *@n of them */
struct call *load_stop(struct load *load, size_t *n);

#endif /* FT_OVERHEADS_LOAD_H */
