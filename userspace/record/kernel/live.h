/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The records of the running trace as they come, in the order of time.
 *
 * Each round reads all rings (FT_IOC_READ_SLOTS). A ring hands out few records only after
 * &ft_config.wake_us, so one CPU's records may be later than those that another still
 * holds: records are held back for twice that time.
 */
#ifndef FT_RECORD_LIVE_H
#define FT_RECORD_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/feather_trace.h>

/**
 * struct live_record - what live_next() finds
 * @cpu:	whose ring had it
 * @gap:	records are missing before it on this CPU; or, at the end of the trace,
 *		after the last one, and @record is unused
 * @lost:	losses of this CPU since live_open(), as known when it was read
 */
struct live_record {
	struct ft_record	record;
	unsigned int		cpu;
	bool			gap;
	uint64_t		lost;
	uint64_t		number;		/* private: the order of reading */
};

struct live_ring {
	int		fd;
	unsigned int	cpu;
	bool		any, ended;
	uint8_t		gap;		/* of the previous record */
	uint64_t	ts;		/* of the previous record, at least */
	uint64_t	lost_before, lost, told;
};

/* No record that was read before @at (seconds) is later than @ts. */
struct live_mark {
	double		at;
	uint64_t	ts;
};

struct live {
	struct live_ring	*ring;
	size_t			n;
	bool			*absent;	/* CPUs that are absent so far */
	unsigned int		cpus;
	double			delay;		/* seconds to hold records back */
	struct ft_record	*batch;
	struct live_record	*held;		/* sorted up to .ready */
	size_t			n_held, room, next, ready;
	struct live_mark	*marks;
	size_t			n_marks;
	uint64_t		latest, number;
};

/**
 * live_open - open the rings
 * @cpus:	all CPUs have a number below this
 * @only:	which to read; NULL: all
 * @wake_us:	of &struct ft_config
 *
 * Return: 0, or -1 after a message.
 */
int live_open(struct live *l, unsigned int cpus, const bool *only, uint32_t wake_us);

/**
 * live_read - read all rings once; then call live_next() until it returns NULL
 * @all:	hold nothing back
 *
 * Return: 1; 0 if all rings have reached the end of the trace; -1 after a message.
 */
int live_read(struct live *l, bool all);

/** live_next - the next record, or NULL; valid until the next live_read() */
const struct live_record *live_next(struct live *l);

/** live_lost - records that were lost, on all CPUs, since live_open() */
uint64_t live_lost(const struct live *l);

void live_close(struct live *l);

#endif /* FT_RECORD_LIVE_H */
