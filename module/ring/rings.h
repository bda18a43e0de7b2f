/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The rings of all CPUs: their memory, and which trace they are in. */
#ifndef _FT_RINGS_H
#define _FT_RINGS_H

#include <linux/atomic.h>
#include <linux/hrtimer.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/uuid.h>
#include <linux/wait.h>
#include <uapi/linux/feather_trace.h>

#include "probe.h"

struct ft_rings;

/* &ft_cpu.reader: who may read the ring, and release what is in it. */
enum ft_reader_is {
	FT_READER_NONE,
	FT_READER_FILE,		/* an open descriptor */
	FT_READER_TRIMMER,	/* for a moment, in a hard interrupt: flight.c */
};

/**
 * struct ft_cpu - a CPU's ring as its reader sees it
 * @list:	all of them
 * @rings:	to which it belongs
 * @cpu:	which
 * @ring:	the ring; a per-CPU variable, so that writers find it at once
 * @mutex:	readers against each other, and against start and end of a trace
 * @slots:	records the ring holds; 0: no memory yet
 * @reader:	enum ft_reader_is
 * @wait:	readers that sleep
 * @tick:	the reader's timer has seen records that it has not taken since
 * @trace:	number of the trace whose records are in the ring
 * @uuid:	and its name
 * @clock_hz:	and its clock's frequency
 * @start:	position where it starts
 * @lost_start:	count of losses then
 * @read:	records read of it
 * @backsteps:	records whose clock had run backwards
 * @floor:	timestamp of the last record read or overwritten
 * @trimmer:	releases the oldest records in FT_MODE_OVERWRITE; see flight.c
 * @trimming:	it runs
 * @pace:	nanoseconds to its next tick
 * @keep:	records that it leaves in the ring
 * @overwritten: records that it released
 * @lost_passed: losses from before @floor, or that a snapshot has told
 * @mark:	position where a snapshot ends; 0: there is none
 * @mark_lost:	losses up to there
 */
struct ft_cpu {
	struct list_head	list;
	struct ft_rings		*rings;
	unsigned int		cpu;
	struct ft_ring		*ring;
	struct mutex		mutex;	/* guards what follows, and @ring's end */
	u32			slots;
	atomic_t		reader;

	wait_queue_head_t	wait;
	bool			tick;

	u32			trace;
	uuid_t			uuid;
	u64			clock_hz;
	u64			start;
	u64			lost_start;
	u64			read;
	u64			backsteps;
	u64			floor;

	struct hrtimer		trimmer;
	bool			trimming;
	u64			pace;
	u32			keep;
	u64			overwritten;
	u64			lost_passed;
	u64			mark;
	u64			mark_lost;
};

/**
 * struct ft_rings - the rings of a session
 * @list:	of all of these
 * @session:	its number
 * @cpus:	by number; entries are never removed
 * @known:	the same, those there are
 * @config:	of all of them
 * @wanted:	rings have memory from now on
 * @open:	records are let in
 * @stopped:	not any more, until the next trace: ft_rings_stop()
 * @trace:	the last trace: as in struct ft_cpu
 * @uuid:	and its name
 * @clock_hz:	and its clock's frequency
 * @trimmed:	trimmers run
 * @hotplug:	so that they run on CPUs that come
 * @marker:	descriptor with a snapshot, or NULL
 *
 * Private to rings.c; the last three to flight.c, guarded by ft_trace_mutex.
 */
struct ft_rings {
	struct list_head	list;
	unsigned int		session;
	struct ft_cpu		**cpus;
	struct list_head	known;
	struct ft_config	config;
	bool			wanted;
	bool			open;
	bool			stopped;
	u32			trace;
	uuid_t			uuid;
	u64			clock_hz;

	bool			trimmed;
	struct hlist_node	hotplug;
	const void		*marker;
};

/**
 * ft_rings_init() - prepare for rings
 * @rings:	of a session
 * @session:	its number
 * @config:	as for ft_rings_configure()
 *
 * Return: 0; -EINVAL a value is not allowed; -ENOMEM and others.
 */
int ft_rings_init(struct ft_rings *rings, unsigned int session,
		  const struct ft_config *config);
void ft_rings_exit(struct ft_rings *rings);

/**
 * ft_rings_add() - a CPU is about to come up, for the first time or again
 *
 * It runs no probe yet. It gets a ring of each session as the others have it at this
 * moment: with memory or without, of the same trace, open or closed. Where memory is
 * short, its events will be lost, and counted, which the log says.
 */
void ft_rings_add(unsigned int cpu);

/* The CPU's ring, or NULL if that CPU was never there. */
struct ft_cpu *ft_rings_get(struct ft_rings *rings, unsigned int cpu);

/* Memory for all CPUs there are. Return: 0 or -ENOMEM. */
int ft_rings_alloc(struct ft_rings *rings);

/**
 * ft_rings_reset() - a trace starts: empty the rings
 * @rings:	of its session
 * @trace:	its number
 * @uuid:	its name
 * @clock_hz:	the frequency of its clock
 *
 * They stay closed. A ring that is added later belongs to it, too.
 */
void ft_rings_reset(struct ft_rings *rings, u32 trace, const uuid_t *uuid,
		    u64 clock_hz);

/* Let records in: on all CPUs at, as nearly as can be, the same moment. */
void ft_rings_open(struct ft_rings *rings);

/* Let none in, and count none as lost. */
void ft_rings_close(struct ft_rings *rings);

/**
 * ft_rings_stop() - close the rings of all CPUs until the next trace begins
 *
 * Context: any, also a probe. Wait-free: a few stores for each CPU. A writer that has a
 * slot finishes its record; others come too late.
 */
void ft_rings_stop(struct ft_rings *rings);

/* Has that been called in this trace? */
static inline bool ft_rings_is_stopped(const struct ft_rings *rings)
{
	return READ_ONCE(rings->stopped);
}

/**
 * ft_rings_opened() - the ring was opened, or its limit was moved
 *
 * Call this right after doing that: ft_rings_stop() may have been called meanwhile, and does not
 * wait.
 */
void ft_rings_opened(struct ft_cpu *c);

/* Let readers that sleep look again. */
void ft_rings_wake(struct ft_rings *rings);

/* Records lost on the CPU since the trace began. */
u64 ft_rings_lost(const struct ft_cpu *c);

/* The same, up to the mark of a snapshot if there is one. */
u64 ft_rings_lost_before_mark(const struct ft_cpu *c);

/*
 * Records were released, which a descriptor has @read or nobody has: notes losses that a
 * snapshot from here on need not tell.
 */
void ft_rings_pass_losses(struct ft_cpu *c, bool read);

/* A snapshot of the ring ends here. Waits for nothing. */
void ft_rings_mark(struct ft_cpu *c);

/*
 * Records between the ring's read position and the mark of a snapshot; U64_MAX: there is
 * no mark.
 */
u64 ft_rings_before_mark(const struct ft_cpu *c);

/**
 * ft_rings_claim() - become the one reader of a ring
 *
 * The trimmer stands off until ft_rings_unclaim().
 *
 * Return: 0; -EBUSY another descriptor reads it.
 */
int ft_rings_claim(struct ft_cpu *c);
void ft_rings_unclaim(struct ft_cpu *c);

/* Microseconds between two looks for records. */
u32 ft_rings_wake_us(const struct ft_rings *rings);

/* Records of @c's ring that FT_MODE_OVERWRITE keeps free. */
u32 ft_rings_headroom(const struct ft_cpu *c);

/**
 * ft_rings_configure() - as FT_IOC_SET_CONFIG
 * @rings:	of a session
 * @config:	what is wanted
 *
 * The caller holds ft_trace_mutex, and the session has no trace.
 *
 * Return: 0; -EINVAL; -EBUSY a ring is open; -ENOMEM and the old rings stay.
 */
int ft_rings_configure(struct ft_rings *rings, const struct ft_config *config);
void ft_rings_get_config(const struct ft_rings *rings,
			 struct ft_config *config);

#endif /* _FT_RINGS_H */
