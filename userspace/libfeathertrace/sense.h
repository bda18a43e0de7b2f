/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Counting in sensors: from any context of a thread, without waiting. */
#ifndef FT_LIBFEATHERTRACE_SENSE_H
#define FT_LIBFEATHERTRACE_SENSE_H

#include "libfeathertrace/sensors.h"

/**
 * struct ft_seen - a value and where it is from
 * @key:	of its row; 0: none
 * @a:		the lock; 0: it is a word
 * @b:		the call site, marked with the process
 * @tid:	the thread
 */
struct ft_seen {
	__u64	value;
	__u64	key;
	__u64	a;
	__u64	b;
	__u64	ts;
	__s32	tid;
};

/** ft_sense_value - count a value. @copy: of the calling thread */
void ft_sense_value(struct ft_sensed *sensed, const struct ft_sense *sense, __u32 copy,
		    const struct ft_seen *seen);

/**
 * ft_sense_lock - an event of a lock: pairs it, and counts how long that took
 * @a:	first word of the record, marked with the process
 * @b:	second word; a call site is marked as well, but not that inside of FT_WAIT_USER()
 * @tag: the mark
 */
void ft_sense_lock(struct ft_sensed *sensed, __u32 copy, __u32 id, __u64 ts, __u64 a, __u64 b,
		   __u64 tag, __s32 tid);

/** ft_sense_init_locks - find where the sensors of locks are, before any thread counts */
void ft_sense_init_locks(void);

/** ft_sense_begin - the copy has another thread, which has begun nothing */
void ft_sense_begin(struct ft_sensed *sensed, __u32 copy);

#endif /* FT_LIBFEATHERTRACE_SENSE_H */
