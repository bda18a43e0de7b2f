// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * Call stacks: of long waits and sections, of one in N acquisitions, of sleeps.
 *
 * A pair of events is timed here as a condition times it (condition.c): one that is too short
 * costs two clock readings and a comparison. For a long one, the kernel's own unwinder reads the
 * stack, without waiting and without a fault. A record has the id of the stack; a table has each
 * different stack once.
 *
 * The unwinder may enter a section of RCU, and so is not asked where RCU does not watch; nor in an
 * NMI, which may have come while the stack was being changed. What it calls may take a
 * lock, whose event ends here again: FT_CALLERS_NESTED limits that on each CPU.
 *
 * Sleeps have a probe of their own, which the kernel calls before those that write the record of
 * the switch: after that record, what the CPU records belongs to the next task.
 */
#include <linux/bitops.h>
#include <linux/build_bug.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/stacktrace.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <linux/uaccess.h>

#include <trace/events/sched.h>

#include "clock.h"
#include "compat.h"
#if FT_HAVE_ATTACH
#include <asm/text-patching.h>
#endif
#include "probe.h"
#include "trace/trace.h"
#include "watch/callers.h"
#include "watch/callers_table.h"
#include "watch/pairs.h"
#include "watch/watch.h"

static_assert(sizeof(struct ft_stacks) == 40 && sizeof(struct ft_stacks_read) == 64);

#define FT_CALLERS_PAIRS	(FT_LOCK_FAMILIES + 1)	/* the last one is of waits */
#define FT_CALLERS_ABOVE	16	/* frames of ours and of the lock functions */
#define FT_CALLERS_NESTED	3

/* 36 years: in ticks, it fits into 64 bits up to 16 GHz. */
#define FT_CALLERS_LONGEST_NS	BIT_ULL(60)

/**
 * struct ft_callers_pair - two events of locks
 * @begin:	watches @id[0]
 * @end:	watches @id[1]
 * @acquired:	watches @id[0], too: for FT_STACKS_ACQUISITIONS
 * @all:	that it is one of
 * @pairs:	open ones; NULL: it is not timed
 * @longer:	ticks: shorter ones have no stack
 * @of:		enum ft_stack_of
 * @id:		of both events
 */
struct ft_callers_pair {
	struct ft_watch		begin;
	struct ft_watch		end;
	struct ft_watch		acquired;
	struct ft_callers	*all;
	struct ft_pairs		*pairs;
	u64			longer;
	enum ft_stack_of	of;
	u32			id[2];
};

/**
 * struct ft_callers_cpu - of a CPU
 * @left:	acquisitions until the next that has a stack
 * @taken:	stacks that were recorded
 * @full:	that found no room
 * @failed:	that could not be taken
 */
struct ft_callers_cpu {
	u32	left;
	u64	taken;
	u64	full;
	u64	failed;
};

/**
 * struct ft_callers_tracepoint - one that has probes
 * @tp:		NULL: there is no such tracepoint
 * @iterator:	__traceiter_contention_end(), say, which calls the probes if there are several
 * @iterator_len: its bytes; 0: not known
 */
struct ft_callers_tracepoint {
	struct tracepoint	*tp;
	unsigned long		iterator;
	unsigned long		iterator_len;
};

enum ft_callers_which { FT_CALLERS_WAIT, FT_CALLERS_SWITCH, FT_CALLERS_TRACEPOINTS };

static const char * const ft_callers_names[FT_CALLERS_TRACEPOINTS] = {
	[FT_CALLERS_WAIT] = "contention_end", [FT_CALLERS_SWITCH] = "sched_switch",
};

/**
 * struct ft_callers - of a session
 * @session:	this one
 * @from:	tracepoints from whose probes stacks are taken
 * @sleeps:	the probe of FT_CALLERS_SWITCH is registered
 * @bit:	of the session
 * @trace:	its number
 * @one_in:	acquisitions; 0: none has a stack
 * @clock:	of the trace
 * @cpus:	what each counts
 * @table:	of all different stacks
 * @pair:	of each family of locks, and of waits
 */
struct ft_callers {
	struct ft_session		*session;
	struct ft_callers_tracepoint	from[FT_CALLERS_TRACEPOINTS];
	bool				sleeps;
	u8				bit;
	u32				trace;
	u32				one_in;
	struct ft_clock			clock;
	struct ft_callers_cpu __percpu	*cpus;
	struct ft_callers_table		*table;
	struct ft_callers_pair		pair[FT_CALLERS_PAIRS];
};

/* Guarded by ft_trace_mutex. */
static struct ft_callers *ft_callers[FT_SESSIONS];

/* Unwinding, on each CPU. */
static DEFINE_PER_CPU(u32, ft_callers_inside);

static struct ft_callers **ft_callers_slot(const struct ft_session *session)
{
	lockdep_assert_held(&ft_trace_mutex);
	return &ft_callers[ft_session_number(session)];
}

/* --- a stack -------------------------------------------------------------- */

#if FT_HAVE_STACKS
static u32 ft_callers_unwind(unsigned long *addr, u32 max)
{
	return stack_trace_save(addr, max, 0);
}
#else
static u32 ft_callers_unwind(unsigned long *addr, u32 max)
{
	return 0;
}
#endif

/*
 * Does a wrapped function go on there, behind a call of our hook? Such an address is on the stack
 * beside that of the function's caller, and would show the function twice. If the unwinder
 * guessed it, the text may be gone by now, with its module: reading it must not fault.
 */
static bool ft_callers_is_wrapped(unsigned long addr)
{
#if FT_HAVE_ATTACH
	u8 *call = (u8 *)addr - CALL_INSN_SIZE, opcode;
	s32 distance;

	__get_kernel_nofault(&opcode, call, u8, failed);
	if (opcode != CALL_INSN_OPCODE)
		return false;
	__get_kernel_nofault(&distance, call + 1, s32, failed);
	return within_module(addr + distance, THIS_MODULE);
failed:
#endif
	return false;
}

/* Is it in what calls the probes of a tracepoint? */
static bool ft_callers_is_iterator(const struct ft_callers *c, unsigned long addr)
{
	const struct ft_callers_tracepoint *from;

	for (from = c->from; from < c->from + FT_CALLERS_TRACEPOINTS; from++)
		if (addr - from->iterator < from->iterator_len)
			return true;
	return false;
}

/*
 * Drops what is above the call of the lock function, if it is known where that was; else what is
 * ours. Return: how many addresses are left.
 */
static u32 ft_callers_trim(const struct ft_callers *c, unsigned long *addr, u32 depth, u64 site)
{
	u32 i, kept = 0;

	for (i = 0; i < depth && addr[i] != site; i++)
		;
	if (i == depth)
		i = 0;
	for (; i < depth && kept < FT_STACKS_DEPTH; i++)
		if (!within_module(addr[i], THIS_MODULE) && !ft_callers_is_wrapped(addr[i]) &&
		    !ft_callers_is_iterator(c, addr[i]))
			addr[kept++] = addr[i];
	return kept;
}

static u32 ft_callers_save(struct ft_callers *c, u64 site)
{
	unsigned long addr[FT_STACKS_DEPTH + FT_CALLERS_ABOVE];
	u32 depth, id;

	depth = ft_callers_unwind(addr, ARRAY_SIZE(addr));
	depth = ft_callers_trim(c, addr, depth, site);
	if (!depth) {
		this_cpu_inc(c->cpus->failed);
		return 0;
	}
	id = ft_callers_table_id(c->table, addr, depth);
	if (!id)
		this_cpu_inc(c->cpus->full);
	return id;
}

/* Records a stack. Preemption is disabled. */
static noinline void ft_callers_take(struct ft_callers *c, enum ft_stack_of of, u64 lock, u64 site)
{
	u32 id = 0;

	if (in_nmi() || !rcu_is_watching() ||
	    this_cpu_read(ft_callers_inside) >= FT_CALLERS_NESTED) {
		this_cpu_inc(c->cpus->failed);
	} else {
		this_cpu_inc(ft_callers_inside);
		id = ft_callers_save(c, site);
		this_cpu_dec(ft_callers_inside);
	}
	this_cpu_inc(c->cpus->taken);
	ft_probe_record(c->bit, READ_ONCE(c->session->way))(FT_ID_STACK, FT_STACKS_WORD(id, of),
							    lock);
}

/* --- events --------------------------------------------------------------- */

static __always_inline bool ft_callers_is_live(const struct ft_callers *c, u8 sessions)
{
	return ft_watch_is_live(c, sessions);
}

static void ft_callers_at_begin(struct ft_watch *watch, u8 sessions, u64 a, u64 b)
{
	struct ft_callers_pair *pair = container_of(watch, struct ft_callers_pair, begin);
	struct ft_callers *c = pair->all;

	if (ft_callers_is_live(c, sessions))
		ft_pairs_begin(pair->pairs, a, ft_clock_now(&c->clock),
			       READ_ONCE(c->session->opened), b);
}

static void ft_callers_at_end(struct ft_watch *watch, u8 sessions, u64 a, u64 b)
{
	struct ft_callers_pair *pair = container_of(watch, struct ft_callers_pair, end);
	struct ft_callers *c = pair->all;
	struct ft_pair took;

	if (!ft_callers_is_live(c, sessions))
		return;
	/* What began before the rings were last opened may have ended unseen. */
	took = ft_pairs_end(pair->pairs, a, ft_clock_now(&c->clock), READ_ONCE(c->session->opened));
	if (unlikely(took.time != FT_PAIRS_NONE && took.time > pair->longer))
		/* The second word of the end of a wait is its result. */
		ft_callers_take(c, pair->of, a, pair->of == FT_STACK_OF_SECTION ? b : 0);
}

static void ft_callers_at_acquired(struct ft_watch *watch, u8 sessions, u64 a, u64 b)
{
	struct ft_callers_pair *pair = container_of(watch, struct ft_callers_pair, acquired);
	struct ft_callers *c = pair->all;

	if (!ft_callers_is_live(c, sessions) || likely(this_cpu_dec_return(c->cpus->left)))
		return;
	this_cpu_write(c->cpus->left, c->one_in);
	ft_callers_take(c, FT_STACK_OF_ACQUISITION, a, b);
}

static void ft_callers_at_switch(void *own, bool preempt, struct task_struct *prev,
				 struct task_struct *next, unsigned int state)
{
	struct ft_callers *c = own;

	if (!preempt && state && !(state & TASK_DEAD) && ft_callers_is_live(c, c->bit))
		ft_callers_take(c, FT_STACK_OF_SLEEP, 0, 0);
}

static void __maybe_unused ft_callers_check_switch(void)
{
	check_trace_callback_type_sched_switch(ft_callers_at_switch);
}

/* --- their life ----------------------------------------------------------- */

int ft_callers_check(const struct ft_stacks *stacks)
{
	const u32 all = FT_STACKS_ACQUISITIONS | FT_STACKS_SECTIONS | FT_STACKS_WAITS |
			FT_STACKS_SLEEPS;

	if (!stacks->what || stacks->what & ~all || !is_power_of_2(stacks->room) ||
	    stacks->room < FT_STACKS_ROOM_MIN || stacks->room > FT_STACKS_ROOM_MAX ||
	    stacks->sections_ns > (stacks->what & FT_STACKS_SECTIONS ? FT_CALLERS_LONGEST_NS : 0) ||
	    stacks->waits_ns > (stacks->what & FT_STACKS_WAITS ? FT_CALLERS_LONGEST_NS : 0) ||
	    !stacks->one_in != !(stacks->what & FT_STACKS_ACQUISITIONS) ||
	    memchr_inv(stacks->reserved, 0, sizeof(stacks->reserved)))
		return -EINVAL;
	return FT_HAVE_STACKS ? 0 : -EOPNOTSUPP;
}

static void ft_callers_free(struct ft_callers *c)
{
	unsigned int i;

	for (i = 0; i < FT_CALLERS_PAIRS; i++)
		ft_pairs_free(c->pair[i].pairs);
	ft_callers_table_free(c->table);
	free_percpu(c->cpus);
	kfree(c);
}

static bool ft_callers_prepare(struct ft_callers *c, u32 room)
{
	unsigned int cpu;

	c->cpus = alloc_percpu(struct ft_callers_cpu);
	c->table = ft_callers_table_new(room);
	if (!c->cpus || !c->table)
		return false;
	for_each_possible_cpu(cpu)
		per_cpu_ptr(c->cpus, cpu)->left = c->one_in;
	return true;
}

static int ft_callers_watch(struct ft_callers_pair *pair, struct ft_watch *watch, u32 id,
			    void (*look)(struct ft_watch *watch, u8 sessions, u64 a, u64 b))
{
	int err;

	/* Those that see it in the list see this. */
	watch->look = look;
	err = ft_watch_add(watch, id);
	if (err)
		watch->look = NULL;
	return err;
}

/* Adds those events of a pair that are on. Return: 0 or an error. */
static int ft_callers_add(struct ft_callers *c, struct ft_callers_pair *pair, u32 wanted,
			  u64 longer_ns, u32 on, u32 *what)
{
	const u32 timed = pair->of == FT_STACK_OF_WAIT ? FT_STACKS_WAITS : FT_STACKS_SECTIONS;
	int err = 0;

	pair->all = c;
	if (wanted & timed && on & BIT(pair->id[0]) && on & BIT(pair->id[1])) {
		pair->longer = mul_u64_u64_div_u64(longer_ns, c->clock.hz, NSEC_PER_SEC);
		pair->pairs = ft_pairs_new(ft_pairs_kind_of(pair->id[0], pair->id[1]));
		if (!pair->pairs)
			return -ENOMEM;
		*what |= timed;
		err = ft_callers_watch(pair, &pair->begin, pair->id[0], ft_callers_at_begin) ?:
		      ft_callers_watch(pair, &pair->end, pair->id[1], ft_callers_at_end);
	}
	if (!err && wanted & FT_STACKS_ACQUISITIONS && pair->of == FT_STACK_OF_SECTION &&
	    on & BIT(pair->id[0])) {
		*what |= FT_STACKS_ACQUISITIONS;
		err = ft_callers_watch(pair, &pair->acquired, pair->id[0], ft_callers_at_acquired);
	}
	return err;
}

static void ft_callers_find(struct tracepoint *tp, void *arg)
{
	struct ft_callers *c = arg;
	struct ft_callers_tracepoint *from;
	char name[KSYM_SYMBOL_LEN], *len;
	unsigned int i;

	for (i = 0; i < FT_CALLERS_TRACEPOINTS && strcmp(ft_callers_names[i], tp->name); i++)
		;
	if (i == FT_CALLERS_TRACEPOINTS)
		return;
	from = &c->from[i];
	/* "__traceiter_contention_end+0x0/0x4d" */
	sprint_symbol(name, (unsigned long)tp->iterator);
	len = strrchr(name, '/');
	if (!len || kstrtoul(len + 1, 16, &from->iterator_len))
		from->iterator_len = 0;
	from->iterator = (unsigned long)tp->iterator;
	from->tp = tp;
}

static void ft_callers_unwatch(struct ft_callers *c)
{
	struct ft_callers_pair *pair;

	if (c->sleeps) {
		/* It is registered, and the kernel needs no memory for this: it cannot fail. */
		tracepoint_probe_unregister(c->from[FT_CALLERS_SWITCH].tp, ft_callers_at_switch, c);
		/* Wait until no CPU is in it. */
		tracepoint_synchronize_unregister();
		c->sleeps = false;
	}
	for (pair = c->pair; pair < c->pair + FT_CALLERS_PAIRS; pair++) {
		if (pair->begin.look)
			ft_watch_remove(&pair->begin, pair->id[0]);
		if (pair->end.look)
			ft_watch_remove(&pair->end, pair->id[1]);
		if (pair->acquired.look)
			ft_watch_remove(&pair->acquired, pair->id[0]);
	}
}

static int ft_callers_add_sleeps(struct ft_callers *c, u32 *what)
{
	struct tracepoint *tp = c->from[FT_CALLERS_SWITCH].tp;
	int err;

	if (!tp)
		return 0;
	/* Before those that write the record. */
	err = tracepoint_probe_register_prio(tp, ft_callers_at_switch, c,
					     TRACEPOINT_DEFAULT_PRIO + 1);
	if (!err) {
		c->sleeps = true;
		*what |= FT_STACKS_SLEEPS;
	}
	return err;
}

static int ft_callers_add_all(struct ft_callers *c, const struct ft_stacks *stacks, u32 on,
			      bool switches, u32 *what)
{
	struct ft_callers_pair *waits = &c->pair[FT_LOCK_FAMILIES];
	unsigned int i;
	int err = 0;

	for (i = 0; i < FT_LOCK_FAMILIES && !err; i++) {
		c->pair[i].of = FT_STACK_OF_SECTION;
		c->pair[i].id[0] = FT_ID_ACQUIRE(i);
		c->pair[i].id[1] = FT_ID_RELEASE(i);
		err = ft_callers_add(c, &c->pair[i], stacks->what, stacks->sections_ns, on, what);
	}
	if (err)
		return err;
	waits->of = FT_STACK_OF_WAIT;
	waits->id[0] = FT_ID_CONTENTION_BEGIN;
	waits->id[1] = FT_ID_CONTENTION_END;
	err = ft_callers_add(c, waits, stacks->what, stacks->waits_ns, on, what);
	if (!err && stacks->what & FT_STACKS_SLEEPS && switches)
		err = ft_callers_add_sleeps(c, what);
	return err ?: *what ? 0 : -ENOENT;
}

int ft_callers_new(struct ft_session *session, struct ft_stacks *stacks, u32 on, bool switches)
{
	struct ft_callers **slot = ft_callers_slot(session), *c;
	u32 what = 0;
	int err;

	static_assert(FT_ID_RELEASE(FT_LOCK_FAMILIES - 1) < 32);
	if (*slot)
		return -EBUSY;
	c = kzalloc(sizeof(*c), GFP_KERNEL);
	if (!c)
		return -ENOMEM;
	c->session = session;
	c->bit = BIT(ft_session_number(session));
	c->trace = session->trace.number;
	c->clock = session->trace.clock;
	c->one_in = stacks->one_in;
	if (stacks->what & (FT_STACKS_WAITS | FT_STACKS_SLEEPS))
		for_each_kernel_tracepoint(ft_callers_find, c);
	err = ft_callers_prepare(c, stacks->room) ?
	      ft_callers_add_all(c, stacks, on, switches, &what) : -ENOMEM;
	if (err) {
		ft_callers_unwatch(c);
		/* A trigger may have reached one, if others watch its event. */
		ft_trace_sync();
		ft_callers_free(c);
		return err;
	}
	stacks->what = what;
	*slot = c;
	return 0;
}

void ft_callers_mute(struct ft_session *session)
{
	ft_callers_unwatch(*ft_callers_slot(session));
}

void ft_callers_end(struct ft_session *session)
{
	struct ft_callers **slot = ft_callers_slot(session);

	ft_callers_free(*slot);
	*slot = NULL;
}

int ft_callers_get(const struct ft_session *session, u32 *from,
		   struct ft_callers_reading *reading)
{
	const struct ft_callers *c = *ft_callers_slot(session);
	u32 depth;

	if (!c)
		return -ENODATA;
	depth = ft_callers_table_get(c->table, from, reading->addr + 1);
	reading->addr[0] = *from | (u64)depth << 32;
	reading->words = *from ? depth + 1 : 0;
	return 0;
}

int ft_callers_look(const struct ft_session *session, struct ft_stacks_read *read)
{
	const struct ft_callers *c = *ft_callers_slot(session);
	const struct ft_callers_cpu *of;
	unsigned int cpu;

	if (!c)
		return -ENODATA;
	read->taken = 0;
	read->full = 0;
	read->failed = 0;
	for_each_possible_cpu(cpu) {
		of = per_cpu_ptr(c->cpus, cpu);
		read->taken += READ_ONCE(of->taken);
		read->full += READ_ONCE(of->full);
		read->failed += READ_ONCE(of->failed);
	}
	return 0;
}
