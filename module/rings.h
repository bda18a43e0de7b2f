/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The rings of all CPUs: their memory, and which trace they are in. */
#ifndef _FT_RINGS_H
#define _FT_RINGS_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/uuid.h>
#include <linux/wait.h>
#include <uapi/linux/feather_trace.h>

#include "probe.h"

struct ft_rings;

/**
 * struct ft_cpu - a CPU's ring as its reader sees it
 * @list:	all of them
 * @rings:	to which it belongs
 * @cpu:	which
 * @ring:	the ring; a per-CPU variable, so that writers find it at once
 * @mutex:	readers against each other, and against start and end of a trace
 * @slots:	records the ring holds; 0: no memory yet
 * @reader:	the device is open for reading
 * @wait:	readers that sleep
 * @tick:	the reader's timer has seen records that it has not taken since
 * @trace:	number of the trace whose records are in the ring
 * @uuid:	and its name
 * @clock_hz:	and its clock's frequency
 * @start:	position where it starts
 * @lost_start:	count of losses then
 * @read:	records read of it
 * @backsteps:	records whose clock had run backwards
 * @floor:	timestamp of the last record read
 */
struct ft_cpu {
	struct list_head	list;
	struct ft_rings		*rings;
	unsigned int		cpu;
	struct ft_ring		*ring;
	struct mutex		mutex;	/* guards what follows, and @ring's end */
	u32			slots;
	bool			reader;

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
 * @trace:	the last trace: as in struct ft_cpu
 * @uuid:	and its name
 * @clock_hz:	and its clock's frequency
 *
 * Private to rings.c.
 */
struct ft_rings {
	struct list_head	list;
	unsigned int		session;
	struct ft_cpu		**cpus;
	struct list_head	known;
	struct ft_config	config;
	bool			wanted;
	bool			open;
	u32			trace;
	uuid_t			uuid;
	u64			clock_hz;
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

/* Let readers that sleep look again. */
void ft_rings_wake(struct ft_rings *rings);

/* Records lost on the CPU since the trace began. */
u64 ft_rings_lost(const struct ft_cpu *c);

/**
 * ft_rings_claim() - become the one reader of a ring
 * Return: 0 or -EBUSY.
 */
int ft_rings_claim(struct ft_cpu *c);
void ft_rings_unclaim(struct ft_cpu *c);

/* Microseconds between two looks for records. */
u32 ft_rings_wake_us(const struct ft_rings *rings);

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
