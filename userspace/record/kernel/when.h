/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * ft record --flight --when CONDITION: the module evaluates the condition at the event,
 * and this checks every few milliseconds whether it was fulfilled.
 */
#ifndef FT_RECORD_KERNEL_WHEN_H
#define FT_RECORD_KERNEL_WHEN_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/options.h"
#include "record/kernel/when_sensor.h"

/** RECORD_WHEN_SECONDS - how long a fulfilled condition may stay unnoticed */
#define RECORD_WHEN_SECONDS	0.01

/**
 * struct record_when - the conditions of a recording
 * @all:	all conditions as given
 * @snapshot:	--then snapshot
 * @stop:	--then stop
 * @mark:	--then mark
 * @exec:	--then 'exec COMMAND': the command, or NULL
 * @control:	descriptor that owns them; -1: none is set
 * @number:	number of each in the module
 * @sensor:	that of each that has one
 * @fulfilled:	the first fulfilled one that is not answered yet; NULL: none
 * @state:	when and where it was fulfilled
 * @comm:	the task's name, when ft learnt of it; empty: unknown
 * @due:	when to answer, monotonic_now()
 */
struct record_when {
	struct conditions	all;
	bool			snapshot, stop, mark;
	const char		*exec;

	int			control;
	__u32			number[FT_CONDITIONS_MAX];
	struct ft_sensor_info	sensor[FT_CONDITIONS_MAX];
	const struct condition	*fulfilled;
	struct ft_when_state	state;
	char			comm[64];
	double			due;
};

#define RECORD_WHEN_INIT { .all.times = 1, .control = -1 }

/** record_when_word - the words that --then takes, for completion */
const char *record_when_word(unsigned int i);

/** record_when_take_then - take an option --then, for OPTION_CALL() */
int record_when_take_then(void *to, const struct option_given *given);

/**
 * record_when_check - check that the options fit together
 *
 * Return: -1, or the exit status after a message.
 */
int record_when_check(struct record_when *when, bool flight);

/** record_when_choose - also choose the events of conditions; false after a message */
bool record_when_choose(struct record_when *when, struct events *events,
			const struct ft_info *info);

/**
 * record_when_set - let the module evaluate the conditions
 * @control:	a descriptor of the session, whose events are on
 *
 * Return: false after a message.
 */
bool record_when_set(struct record_when *when, const struct events *events, int control);

/** record_when_look - check whether one was fulfilled. Return: false after a message */
bool record_when_look(struct record_when *when);

/** record_when_is_due - has one been fulfilled, and is it time to answer it? */
bool record_when_is_due(const struct record_when *when);

/** record_when_put_off - it could not be answered: try again later */
void record_when_put_off(struct record_when *when, double seconds);

/**
 * record_when_tell - report which condition was fulfilled, and by whom
 * @path:	the snapshot taken for it; NULL: none
 * @signals:	the signal mask for the command of --then exec, which this starts
 */
void record_when_tell(const struct record_when *when, const char *path,
		      const sigset_t *signals);

/**
 * record_when_answered - the fulfilled one was answered
 *
 * Return: may more follow?
 */
bool record_when_answered(struct record_when *when);

/** record_when_put - write them to the session file, and which was @fulfilled, if any */
void record_when_put(FILE *f, const struct record_when *when, bool fulfilled);

/** record_when_end - warn about times that could not be measured */
void record_when_end(const struct record_when *when);

#endif /* FT_RECORD_KERNEL_WHEN_H */
