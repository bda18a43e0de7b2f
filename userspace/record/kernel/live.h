/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The running trace's records as they come, in the order of time.
 *
 * Each round takes what the rings hand out (FT_IOC_READ_SLOTS). A ring hands out a few
 * records only after &ft_config.wake_us, so what one CPU gave may be later than what
 * another still has: records are held back until two such times have passed.
 */
#ifndef FT_RECORD_LIVE_H
#define FT_RECORD_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/feather_trace.h>

/**
 * struct live_record - what live_next() finds
 * @cpu:	whose ring it was in
 * @gap:	records are missing before it on this CPU; or, where the trace has ended,
 *		at the end, and @record is no record
 * @lost:	of this CPU, since live_open(), as known when it was read
 */
struct live_record {
	struct ft_record	record;
	unsigned int		cpu;
	bool			gap;
	uint64_t		lost;
	uint64_t		number;		/* private: in the order of reading */
};

struct live_ring {
	int		fd;
	unsigned int	cpu;
	bool		any, ended;
	uint8_t		gap;		/* of the record before */
	uint64_t	ts;		/* of that, at least */
	uint64_t	lost_before, lost, told;
};

/* No record from before @at, in seconds, is later than @ts. */
struct live_mark {
	double		at;
	uint64_t	ts;
};

struct live {
	struct live_ring	*ring;
	size_t			n;
	bool			*absent;	/* CPUs that are not there yet */
	unsigned int		cpus;
	double			delay;		/* seconds: how long to hold back */
	struct ft_record	*batch;
	struct live_record	*held;		/* sorted up to .ready */
	size_t			n_held, room, next, ready;
	struct live_mark	*marks;
	size_t			n_marks;
	uint64_t		latest, number;
};

/**
 * live_open - open the rings
 * @cpus:	there may be such CPUs below this number
 * @only:	which of them; NULL: all
 * @wake_us:	of &struct ft_config
 *
 * Return: 0, or -1 after a message.
 */
int live_open(struct live *l, unsigned int cpus, const bool *only, uint32_t wake_us);

/**
 * live_read - one round: what there is; then live_next() until there is none
 * @all:	hold nothing back
 *
 * Return: 1; 0 all rings have come to the end of the trace; -1 after a message.
 */
int live_read(struct live *l, bool all);

/** live_next - the next record, or NULL; until the next live_read() */
const struct live_record *live_next(struct live *l);

/** live_lost - records that were lost, on all CPUs, since live_open() */
uint64_t live_lost(const struct live *l);

void live_close(struct live *l);

#endif /* FT_RECORD_LIVE_H */
