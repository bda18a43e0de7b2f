/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Sensors of programs: the second file in memory that traced processes and the reader
 * share. Monitors map it as they map the module's device; its layout is that of
 * <linux/feather_trace_sensor.h>, whose directory is at its beginning.
 *
 *	+-----------+--------+--------------------------+----------------------------+
 *	| directory | stacks | sensors of pthread locks | sensors that programs make |
 *	+-----------+--------+--------------------------+----------------------------+
 *
 * A sensor is a page with its header, and a copy for each thread. A thread counts in the
 * copy with the number of the first ring that it has taken: nobody else has that number at
 * the time. It is not used for records unless they are wanted, too.
 *
 * The file is sparse: there is memory for what was touched. A monitor must not touch copies
 * in which nothing was counted, as reading them allocates them: &ft_sensor_header.used.
 *
 * Where something lies is computed from constants, or kept by each process for itself.
 * Nothing that another process may have overwritten leads a write astray.
 */
#ifndef FT_LIBFEATHERTRACE_SENSORS_H
#define FT_LIBFEATHERTRACE_SENSORS_H

#include <stdbool.h>

#include <linux/feather_trace_sensor.h>

#include "libfeathertrace/session.h"

#define FT_SENSED_MEMORY	"feather-trace-sensors"
#define FT_SENSED_COPIES	1024u	/* threads that count at a time */
#define FT_SENSED_MARKS		2u	/* of a row: see sense.c */
#define FT_SENSED_OPEN		30u	/* locks that a thread holds, and waits */

/**
 * struct ft_sensed_open - what a thread has begun
 * @lock:	0: nothing; all bits: it is being filled
 * @ts:		when
 * @site:	call site, marked with the process
 * @family:	enum ft_user_family
 * @waits:	it waits for the lock; else it holds it
 */
struct ft_sensed_open {
	__u64	lock;
	__u64	ts;
	__u64	site;
	__u32	family;
	__u32	waits;
};

/**
 * struct ft_sensed_stack - what a thread has begun, in this order but for what fills holes
 * @top:	entries from here on are free
 */
struct ft_sensed_stack {
	__u64			top;
	__u64			reserved[7];
	struct ft_sensed_open	open[FT_SENSED_OPEN];
};

/**
 * struct ft_sensed - the beginning of the file
 * @directory:	for monitors; ->entries is 0 until the clock is known
 * @entry:	the same; ->serial is stored last
 * @state:	enum ft_entry_state of each sensor
 * @clock_hz:	of the session's clock; 0: not known yet
 * @free:	from here on there is room for further sensors
 * @names:	absolute path of the directory with the names of addresses, as in a trace
 */
struct ft_sensed {
	struct ft_sensor_directory	directory;
	struct ft_sensor_entry		entry[FT_SENSORS_MAX];
	__u32				state[FT_SENSORS_MAX + 1];
	__u64				clock_hz;
	__u64				free;
	char				names[4096];
};

/**
 * struct ft_sensed_row - a row of a copy; see &ft_sensor_header
 * @high:	greater values are not marked yet
 * @low:	nor are smaller ones
 */
struct ft_sensed_row {
	__u64			key;
	__u64			count;
	__u64			sum;
	__u64			under;
	__u64			over;
	__u64			high;
	__u64			low;
	__u64			reserved;
	struct ft_sensor_mark	mark[FT_SENSED_MARKS];
	__u64			bin[];
};

/**
 * struct ft_sensed_copy - the beginning of a copy
 * @used:	something was counted here
 */
struct ft_sensed_copy {
	struct ft_sensor_copy	head;
	__u64			used;
	__u64			reserved[7];
};

/**
 * struct ft_sense - where the numbers of a sensor are, and how it counts
 * @at:		its header, in the file
 * @copy_bytes:	from one copy to the next
 * @row_bytes:	from one row to the next
 * @rows:	of the table, a power of two; 0: it has no table
 * @kind:	enum ft_sensor_kind
 * @bins:	log-linear ones, FT_SENSED_BITS
 */
struct ft_sense {
	__u64	at;
	__u32	copy_bytes;
	__u32	row_bytes;
	__u32	rows;
	__u32	kind;
	__u32	bins;
};

#define FT_SENSED_PAGE(n)	(((n) + 4095ull) & ~4095ull)
#define FT_SENSED_LINE(n)	(((n) + 63u) & ~63u)

#define FT_SENSED_AT_STACKS	FT_SENSED_PAGE(sizeof(struct ft_sensed))
#define FT_SENSED_AT_SENSORS \
	(FT_SENSED_AT_STACKS + \
	 FT_SENSED_PAGE(FT_SENSED_COPIES * sizeof(struct ft_sensed_stack)))

#define FT_SENSED_BITS		3u
#define FT_SENSED_TIMES		304u	/* bins: up to 2^40 ticks */
#define FT_SENSED_WORDS		496u	/* bins: all values of 64 bits */

/* Sensors that programs make: histograms of words without a table need most. */
#define FT_SENSED_ROOM		(1ull << 30)

/* Are there hold times? Not of semaphores: who posts one has not waited for it. */
static inline bool ft_sensed_is_held(enum ft_user_family family)
{
	return family != FT_USER_SEM && family != FT_USER_COND;
}

/* Call sites of their own, locks, or tasks: mutexes have most. */
static inline __u32 ft_sensed_rows(enum ft_user_family family)
{
	return family == FT_USER_MUTEX ? 64 : 16;
}

static inline void ft_sense_init(struct ft_sense *sense, __u64 at, enum ft_sensor_kind kind,
				 __u32 rows, __u32 bins)
{
	*sense = (struct ft_sense){ .at = at, .rows = rows, .kind = kind, .bins = bins };
	sense->row_bytes = FT_SENSED_LINE(sizeof(struct ft_sensed_row) + bins * sizeof(__u64));
	sense->copy_bytes = sizeof(struct ft_sensed_copy) + (rows + 1) * sense->row_bytes;
}

/* Bytes of a sensor, with its header. */
static inline __u64 ft_sense_size(const struct ft_sense *sense)
{
	return 4096 + FT_SENSED_PAGE((__u64)sense->copy_bytes * FT_SENSED_COPIES);
}

/* Hold times and waits of each family, one after the other. */
#define FT_SENSED_LOCKS		(2 * FT_USER_FAMILIES)
#define FT_SENSED_LOCK(family, waits)	(2 * (family) + !!(waits))

/** ft_sensed_locks - the sensors of locks. Return: the end of the last one */
static inline __u64 ft_sensed_locks(struct ft_sense senses[FT_SENSED_LOCKS])
{
	__u64 at = FT_SENSED_AT_SENSORS;

	for (unsigned int i = 0; i < FT_SENSED_LOCKS; i++) {
		ft_sense_init(&senses[i], at, FT_SENSOR_HISTOGRAM,
			      ft_sensed_rows((enum ft_user_family)(i / 2)), FT_SENSED_TIMES);
		if (i % 2 || ft_sensed_is_held((enum ft_user_family)(i / 2)))
			at += ft_sense_size(&senses[i]);
	}
	return at;
}

static inline struct ft_sensor_header *
ft_sensed_header(const struct ft_sensed *sensed, const struct ft_sense *sense)
{
	return (struct ft_sensor_header *)((char *)sensed + sense->at);
}

static inline struct ft_sensed_copy *
ft_sensed_copy(const struct ft_sensed *sensed, const struct ft_sense *sense, __u32 copy)
{
	return (struct ft_sensed_copy *)((char *)sensed + sense->at + 4096 +
					 (__u64)sense->copy_bytes * copy);
}

static inline struct ft_sensed_stack *
ft_sensed_stack(const struct ft_sensed *sensed, __u32 copy)
{
	return (struct ft_sensed_stack *)((char *)sensed + FT_SENSED_AT_STACKS) + copy;
}

/** ft_sensed - of the session that this process is in; NULL: it has no sensors */
extern struct ft_sensed *ft_sensed;

/**
 * struct ft_sensing - what this process found when it joined the session
 * @on:		there are sensors
 * @recorded:	enum ft_session_recorded: what is recorded as well
 * @by:		enum ft_sensor_split: what has a row in the sensors of locks
 */
extern struct ft_sensing {
	bool	on;
	__u32	recorded;
	__u32	by;
} ft_sensing;

/**
 * ft_sensors_join - map the sensors of a session
 * @path:	of the session's memory, which the same process has open
 *
 * Return: 0, also if it has none; or an errno.
 */
int ft_sensors_join(const char *path, const struct ft_session *session);

/**
 * ft_sensors_leave - count nothing any more, and have no memory of them
 *
 * Waits for threads that are counting.
 */
void ft_sensors_leave(void);

/** ft_sensors_forget - the process is in another session, which has no sensors */
void ft_sensors_forget(void);

#endif /* FT_LIBFEATHERTRACE_SENSORS_H */
