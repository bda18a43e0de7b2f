/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Conditions of a flight recorder, as they are written:
 *
 *	[NAME:] WHAT [&& TEST]...
 *
 * WHAT:	EVENT				it happens
 *		EVENT.FIELD OPERATOR VALUE	and this holds
 *		hold(FAMILY) > TIME		a lock was held for longer
 *		wait(FAMILY) > TIME		a task waited for longer
 *		time(EVENT, EVENT) > TIME	from one to the other, of one first word
 *		SENSOR > TIME			a sensor of the module has measured so much
 *		SENSOR > VALUE			... that is no time
 * TEST:	EVENT.FIELD OPERATOR VALUE
 *		tid OPERATOR VALUE, cpu OPERATOR VALUE, comm == TEXT, comm != TEXT
 *		count == N			at every N-th time
 *
 * OPERATOR is one of == != < <= > >=; VALUE is decimal or 0x hexadecimal, or with == and !=
 * what ft dump prints for a field that has names for its values: D, FIFO, TIMER. A value with a
 * sign makes the comparison one of signed numbers. TIME is a number with ns, us, ms or s.
 * SENSOR is NAME or NAME#INSTANCE.
 */
#ifndef FT_CONTROL_CONDITION_H
#define FT_CONTROL_CONDITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/feather_trace.h>

#include "base/options.h"

/* A name of a field's value. */
#define CONDITION_LABEL_LEN	16

/* A sensor's name, '#' and the number of an instance. */
#define CONDITION_SENSOR_LEN	(FT_NAME_LEN + 12)

/**
 * struct condition_test - a comparison
 * @of:		the event whose field is compared; empty: @field is "tid", "cpu" or "comm"
 * @mask:	bits that count; 0: all
 * @comm:	the value, if it is a task's name
 * @label:	the value, if it has a name; empty: it is @value
 */
struct condition_test {
	char			of[FT_NAME_LEN];
	char			field[FT_FIELD_LEN];
	enum ft_test_op		op;
	bool			is_signed;
	uint64_t		mask;
	uint64_t		value;
	char			comm[16];
	char			label[CONDITION_LABEL_LEN];
};

/**
 * struct condition - one of them
 * @name:	or all of the text
 * @sensor:	it is evaluated where this has measured a value; empty: at @event
 * @event:	it is evaluated at each of these
 * @begin:	what it measures the time from; empty: nothing
 * @longer_ns:	and that must be longer
 * @is_number:	of a sensor, whose value is no time: @longer_ns is as it is
 * @count:	at every so-many-th time; 0: at each
 */
struct condition {
	char			name[64];
	char			sensor[CONDITION_SENSOR_LEN];
	char			event[FT_NAME_LEN];
	char			begin[FT_NAME_LEN];
	uint64_t		longer_ns;
	bool			is_number;
	uint64_t		count;
	struct condition_test	test[FT_TESTS_MAX];
	unsigned int		tests;
};

/**
 * struct conditions - what --when, --after and --times say
 * @after:	seconds until the snapshot
 * @times:	how many snapshots are left
 */
struct conditions {
	struct condition	list[FT_CONDITIONS_MAX];
	unsigned int		n;
	double			after;
	size_t			times;
};

/** conditions_take - an option --when, for OPTION_CALL(); its target is a struct conditions */
int conditions_take(void *to, const struct option_given *given);

/**
 * conditions_check - do --when, --after and --times fit each other and --flight?
 * @command: who asks
 *
 * Return: -1, or the exit status after a message.
 */
int conditions_check(const struct conditions *conditions, const char *command, bool flight);

/**
 * condition_parse - take a condition apart
 * @at:	where in @text it is wrong
 *
 * Return: NULL, or what is wrong there.
 */
const char *condition_parse(const char *text, struct condition *c, const char **at);

/** condition_kernel_is_rt - has the running kernel PREEMPT_RT? */
bool condition_kernel_is_rt(void);

/**
 * condition_wait - by which flags contention_begin tells that a lock of @family is waited for
 *
 * Return: false if there is no such family in the kernel.
 */
bool condition_wait(const char *family, uint64_t *mask, uint64_t *value);

/** condition_is_of_one_record - an event, and at most one comparison of its own words */
bool condition_is_of_one_record(const struct condition *c);

/** condition_holds - for an event whose field is @word; of one record */
bool condition_holds(const struct condition *c, uint64_t word);

#endif /* FT_CONTROL_CONDITION_H */
