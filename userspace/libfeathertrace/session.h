/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What traced processes and the reader outside (ft run) share: one file in
 * memory, mapped by all of them as a whole.
 *
 *	+---------+-------+--------+-----------+---------+-------+--------+------------------+
 *	| session | rings | events | processes | objects | locks | stacks | slots of ring 0, |
 *	|         |       |        |           |         |       |        | of ring 1, ...   |
 *	+---------+-------+--------+-----------+---------+-------+--------+------------------+
 *
 * It is sparse: memory is there for what was touched, or prepared by the reader. All of
 * it is mapped once, when a process joins, so that a thread can take a ring without a
 * system call: in a signal handler, after all descriptors were closed, after the process
 * gave up its rights, or has confined itself (seccomp).
 *
 * The reader makes it with memfd_create() and hands it on by name, as /proc/PID/fd/N in
 * FT_SESSION_ENV: it outlives exec() and a program that closes all descriptors, and
 * disappears with the reader and the last process.
 *
 * Rings. A thread takes a free ring at its first event (a compare-and-swap of its
 * owner), a small one, of which there are many. When that is full it takes a larger one,
 * and another, up to the number of slots that a thread may have; if the reader has
 * meanwhile emptied one of its rings, it continues there. It returns all of them when it
 * ends. The next owner starts at the position where the last one stopped: the reader
 * need not have read that far. Only rings that the reader has prepared are taken: a
 * write to them cannot fail where one to the program's own memory would not.
 *
 * The reader finds threads that could not return their rings (killed, replaced by exec),
 * and frees these.
 *
 * Pointers mean nothing to other processes. Only @ring.slots is a pointer: the owner's,
 * written when it takes the ring; the reader has its own.
 *
 * Holes. A thread that ends between reserving and publishing leaves a slot that is never
 * published. Up to @settled all owners have ended: an unpublished slot before it is
 * lost, a published one is valid.
 */
#ifndef FT_LIBFEATHERTRACE_SESSION_H
#define FT_LIBFEATHERTRACE_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <feather_trace/ring.h>

#define FT_SESSION_ENV		"FEATHER_TRACE_SESSION"
#define FT_SESSION_MEMORY	"feather-trace"
#define FT_SESSION_MAGIC	0x7473657472617466ull
#define FT_SESSION_VERSION	9u

#define FT_SESSION_EVENTS	4096u
#define FT_SESSION_PROCESSES	32768u
#define FT_SESSION_OBJECTS	32768u
#define FT_SESSION_LOCKS	16384u	/* a power of two */
#define FT_SESSION_STACKS	16384u	/* a power of two */

/* The two kinds of rings: a thread's first one, and its further ones. */
enum ft_session_kind {
	FT_RINGS_FIRST,
	FT_RINGS_MORE,
	FT_RINGS_KINDS
};

#define FT_SESSION_FIRST	4096u
#define FT_SESSION_MORE		256u
#define FT_SESSION_RINGS	(FT_SESSION_FIRST + FT_SESSION_MORE)

/**
 * struct ft_session_rings - the rings of one kind, which follow each other
 * @slots:	of each ring, a power of two
 * @rings:	how many there are
 * @prepared:	how many of them, from the first on, may be taken
 * @high:	no ring from this one on was ever taken
 */
struct ft_session_rings {
	__u32	slots;
	__u32	rings;
	__u32	prepared;
	__u32	high;
};

/*
 * Addresses of locks and call sites are marked with their process, in the bits that no
 * address of a program uses: the same address in two processes is two locks. Kernel
 * addresses have all of these bits set, so they stay distinct.
 */
#define FT_TAG_SHIFT		48
#define FT_TAG_MAX		0x7fffu

/* Events of the preloaded library; others get theirs from FT_ID_DYNAMIC up. */
enum ft_user_family {
	FT_USER_MUTEX,
	FT_USER_READ,
	FT_USER_WRITE,
	FT_USER_SPIN,
	FT_USER_SEM,
	FT_USER_COND,
	FT_USER_FAMILIES
};

#define FT_ID_USER_ACQUIRE(family)	(FT_ID_USER_LOCK + 2 * (family))
#define FT_ID_USER_RELEASE(family)	(FT_ID_USER_LOCK + 2 * (family) + 1)

/*
 * Second word of contention_begin for the lock of a program: the family, and the
 * call site without its mark, as not every wait ends in an acquisition.
 */
#define FT_WAIT_USER(family, site) \
	((__u64)(uintptr_t)(site) << 8 | 0x80u | (family))

/* Why events are lost before they reach a ring. */
enum ft_session_lost {
	FT_LOST_NO_RING,	/* the thread found no ring */
	FT_LOST_CLOCK,		/* it may not read the clock any more */
	FT_LOST_TWIN,		/* a child runs with its thread-local variables */
	FT_LOST_CHILD,		/* who it is only the kernel knows: see ft_process_is_unknown() */
	FT_LOST_KINDS
};

/* What is to be done with locks. */
enum ft_session_lock_use {
	FT_LOCKS_TRACED	= 1,
	FT_LOCKS_NAMED	= 2,	/* note where they are initialised */
};

/* What is recorded, whether or not sensors count it, too. */
enum ft_session_recorded {
	FT_RECORDED_EVENTS	= 1,
	FT_RECORDED_LOCKS	= 2,
	FT_RECORDED_HEAP	= 4,
	FT_RECORDED_MAPS	= 8,	/* and mappings; only with that */
};

/* How a thread finds its callers. */
enum ft_session_unwind {
	FT_UNWIND_FP,		/* with frame pointers */
	FT_UNWIND_DWARF,	/* with the unwind tables of its files */
};

/**
 * struct ft_session_stacks - what gets a stack
 * @what:	FT_STACKS_*; 0: nothing
 * @unwind:	enum ft_session_unwind
 * @one_in:	acquisitions, of each thread
 * @waits:	those of more than so many ticks
 * @sections:	those of more than so many ticks
 * @full:	stacks that found no room in the table
 * @failed:	those that could not be had
 */
struct ft_session_stacks {
	__u32	what, unwind, one_in, reserved;
	__u64	waits, sections;
	__u64	full, failed;
};

/**
 * struct ft_session - the beginning of the file
 * @magic:	FT_SESSION_MAGIC, stored last
 * @version:	FT_SESSION_VERSION: others are not understood
 * @clock:	enum ft_clock_source
 * @locks:	enum ft_session_lock_use: the preloaded library is to trace locks
 * @ordered:	acquisitions read the clock in order with what comes before
 * @more:	how many rings of FT_RINGS_MORE a thread may have
 * @closed:	the reader has gone, or stops: take no ring any more
 * @processes:	how many have joined
 * @objects:	how many entries were asked for; beyond FT_SESSION_OBJECTS no more
 * @lost:	events that were lost before they got to a ring
 * @size:	of the file
 * @wait:	a full ring makes its thread wait, for so many ticks at most; 0: it loses
 * @silence:	if @beat has not changed for so many ticks the reader is gone
 * @beat:	changes as long as the reader runs
 * @untraced:	a program has said itself that it is not traced, and why
 * @sensors:	number of the descriptor of their memory, in the process that has this one
 *		open; 0: there are none. See sensors.h
 * @recorded:	enum ft_session_recorded; without sensors all is
 * @sensors_by:	enum ft_sensor_split: what has a row in the sensors of locks
 * @events:	entries from this one on have nothing to be read yet
 * @rings:	of each kind
 * @stacks:	what gets one, and what became of them
 * @patterns:	names of events to enable, separated by commas
 */
struct ft_session {
	__u64	magic;
	__u32	version;
	__u32	clock;
	__u32	locks;
	__u32	ordered;
	__u32	more;
	__u32	closed;
	__u32	processes;
	__u32	objects;
	__u64	lost[FT_LOST_KINDS];
	__u64	size;
	__u64	wait;
	__u64	silence;
	__u64	beat;
	__u64	untraced;
	__u32	sensors;
	__u32	recorded;
	__u32	sensors_by;
	__u32	events;
	struct ft_session_rings rings[FT_RINGS_KINDS];
	struct ft_session_stacks stacks;
	char	patterns[4032];
};

/** ft_session_raise - entries or rings up to @i have been taken; ft run reads no further */
static inline void ft_session_raise(__u32 *high, __u32 i)
{
	__u32 now = __atomic_load_n(high, __ATOMIC_RELAXED);

	/* Pairs with the acquire in run_find_streams() and run_events(). */
	while (now <= i && !__atomic_compare_exchange_n(high, &now, i + 1, true,
							__ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
}

/*
 * The owner of a ring: one word, so that it is consistent at any time.
 */
#define FT_RING_FREE			0ull
#define FT_RING_READER			(~0ull)
#define FT_RING_OWNER(process, tid)	((__u64)(process) << 32 | (__u32)(tid))
#define FT_RING_KEPT(process)		FT_RING_OWNER(process, -1)	/* for its threads */
#define FT_RING_PROCESS(owner)		((__u32)((owner) >> 32))
#define FT_RING_TID(owner)		((__s32)(owner))

/**
 * struct ft_user_ring - a ring and its owner
 * @ring:	@ring.r and @ring.limit are written by the reader only
 * @owner:	FT_RING_FREE, FT_RING_OWNER(), or FT_RING_READER for a moment
 * @settled:	owners up to this position have ended
 * @next:	index + 1 of the ring that the owner took before; 0: none
 * @waits:	the position at which the owner last waited for room; see --block of ft run
 * @thread:	where the last owner has its descriptor (pthread_self()): the end of its stack
 * @frame:	an address on its stack
 * @tid:	of the thread that these are of; 0 while they are written
 */
struct ft_user_ring {
	struct ft_ring	ring;
	__u64		owner;
	__u64		settled;
	__u32		next;
	__u64		waits;
	__u64		thread;
	__u64		frame;
	__s32		tid;
} __attribute__((aligned(FT_RING_CACHELINE)));

/* For entries that are filled once: 0 free, 1 being filled, 2 to be read. */
enum ft_entry_state {
	FT_ENTRY_FREE,
	FT_ENTRY_BUSY,
	FT_ENTRY_READY,
};

/** struct ft_user_event - a kind of event, entered by the first process that has it */
struct ft_user_event {
	__u32	state;
	__u32	words;		/* field names that are used, 0 to 2 */
	char	name[FT_NAME_LEN];
	char	field[2][FT_FIELD_LEN];
};

/**
 * struct ft_user_process - a process, or its program before or after exec()
 * @state:	enum ft_entry_state
 * @pid:	in its own PID namespace
 * @pidns:	inode of its PID namespace: where @pid means something
 * @parent:	index + 1 of the process that this was forked from: what that one
 *		had loaded (before @inherited) is here, too; 0: none
 * @inherited:	ft_session.objects when it was forked
 * @gone:	it has ended, or was replaced by exec()
 * @comm:	its name, or its parent's
 *
 * Its tag is its index + 1, up to FT_TAG_MAX.
 */
struct ft_user_process {
	__u32	state;
	__s32	pid;
	__u64	pidns;
	__u32	parent;
	__u32	inherited;
	__u32	gone;
	char	comm[16];
};

/**
 * struct ft_user_object - an ELF file that a process has loaded, or unloaded
 * @unloaded:	since @time; else it was there by then
 * @time:	on the session's clock
 * @bias:	what is added to addresses in the file
 * @start:	first address
 * @end:	beyond the last address
 */
struct ft_user_object {
	__u32	state;
	__u32	process;
	__u64	bias, start, end, time;
	__u8	build_id[32];
	__u32	build_id_len;
	__u32	unloaded;
	char	path[400];
};

/**
 * struct ft_user_lock - a lock that a program has initialised
 * @turn:	odd while a thread writes it, which others then leave to it
 * @sites:	how often it was initialised at another site than before
 * @lock:	its address, with the tag of its process
 * @site:	the call that has initialised it last: its return address
 *
 * It lies where the hash of its address says. Of two with one place the later one stays: the
 * other has the name of where it was first taken.
 */
struct ft_user_lock {
	__u32	turn;
	__u32	sites;
	__u64	lock, site;
};

/**
 * struct ft_user_stack - a stack, which has each of its addresses behind a call
 * @state:	enum ft_entry_state; entered once, by the first thread that has it
 * @process:	whose it is
 * @hash:	of all that follows and @process
 * @n:		addresses
 * @addr:	innermost first, without the process's tag
 *
 * It lies where @hash says, or in one of the FT_STACK_PROBES entries from there on. Its id in
 * records is its index + 1.
 */
struct ft_user_stack {
	__u32	state;
	__u32	process;
	__u32	hash;
	__u32	n;
	__u64	addr[FT_STACKS_DEPTH];
};

#define FT_STACK_PROBES	64u

_Static_assert(sizeof(struct ft_user_stack) == 272, "ft_user_stack");
_Static_assert(sizeof(struct ft_user_lock) == 24, "ft_user_lock");
_Static_assert(sizeof(struct ft_session) == 4240, "ft_session");
_Static_assert(sizeof(struct ft_user_ring) == 192, "ft_user_ring");
_Static_assert(sizeof(struct ft_user_object) == 480, "ft_user_object");

/* --- where things are ----------------------------------------------------- */

#define FT_SESSION_PAGE(n)	(((n) + 4095ull) & ~4095ull)

#define FT_SESSION_AT_RINGS	FT_SESSION_PAGE(sizeof(struct ft_session))
#define FT_SESSION_AT_EVENTS \
	(FT_SESSION_AT_RINGS + \
	 FT_SESSION_PAGE(FT_SESSION_RINGS * sizeof(struct ft_user_ring)))
#define FT_SESSION_AT_PROCESSES \
	(FT_SESSION_AT_EVENTS + \
	 FT_SESSION_PAGE(FT_SESSION_EVENTS * sizeof(struct ft_user_event)))
#define FT_SESSION_AT_OBJECTS \
	(FT_SESSION_AT_PROCESSES + \
	 FT_SESSION_PAGE(FT_SESSION_PROCESSES * sizeof(struct ft_user_process)))
#define FT_SESSION_AT_LOCKS \
	(FT_SESSION_AT_OBJECTS + \
	 FT_SESSION_PAGE(FT_SESSION_OBJECTS * sizeof(struct ft_user_object)))
#define FT_SESSION_AT_STACKS \
	(FT_SESSION_AT_LOCKS + \
	 FT_SESSION_PAGE(FT_SESSION_LOCKS * sizeof(struct ft_user_lock)))
#define FT_SESSION_AT_SLOTS \
	(FT_SESSION_AT_STACKS + \
	 FT_SESSION_PAGE(FT_SESSION_STACKS * sizeof(struct ft_user_stack)))

/* @rings: the sizes, of each kind. What follows is of the memory of slots. */
static inline __u64 ft_session_slots_size(const struct ft_session_rings *rings)
{
	return (__u64)rings->rings * rings->slots * sizeof(struct ft_record);
}

static inline __u64 ft_session_slots_begin(const struct ft_session_rings rings[],
					   enum ft_session_kind kind)
{
	return FT_SESSION_AT_SLOTS +
	       (kind ? FT_SESSION_PAGE(ft_session_slots_size(&rings[0])) : 0);
}

static inline __u64 ft_session_size(const struct ft_session_rings rings[])
{
	return ft_session_slots_begin(rings, FT_RINGS_MORE) +
	       ft_session_slots_size(&rings[FT_RINGS_MORE]);
}

/* Rings are numbered in one sequence: those of FT_RINGS_MORE follow those of FT_RINGS_FIRST. */
static inline enum ft_session_kind
ft_session_kind(const struct ft_session_rings rings[], __u32 i)
{
	return i < rings[FT_RINGS_FIRST].rings ? FT_RINGS_FIRST : FT_RINGS_MORE;
}

static inline __u32 ft_session_first(const struct ft_session_rings rings[],
				     enum ft_session_kind kind)
{
	return kind == FT_RINGS_FIRST ? 0 : rings[FT_RINGS_FIRST].rings;
}

/* Where the slots of ring @i begin in the file. */
static inline __u64 ft_session_slots_at(const struct ft_session_rings rings[], __u32 i)
{
	enum ft_session_kind kind = ft_session_kind(rings, i);

	return ft_session_slots_begin(rings, kind) +
	       (__u64)(i - ft_session_first(rings, kind)) * rings[kind].slots *
	       sizeof(struct ft_record);
}

static inline void *ft_session_at(const struct ft_session *s, __u64 offset)
{
	return (char *)s + offset;
}

static inline struct ft_user_ring *
ft_session_ring(const struct ft_session *s, __u32 i)
{
	return (struct ft_user_ring *)ft_session_at(s, FT_SESSION_AT_RINGS) + i;
}

static inline struct ft_user_event *
ft_session_event(const struct ft_session *s, __u32 i)
{
	return (struct ft_user_event *)ft_session_at(s, FT_SESSION_AT_EVENTS) + i;
}

static inline struct ft_user_process *
ft_session_process(const struct ft_session *s, __u32 i)
{
	return (struct ft_user_process *)
	       ft_session_at(s, FT_SESSION_AT_PROCESSES) + i;
}

static inline struct ft_user_object *
ft_session_object(const struct ft_session *s, __u32 i)
{
	return (struct ft_user_object *)
	       ft_session_at(s, FT_SESSION_AT_OBJECTS) + i;
}

static inline struct ft_user_lock *
ft_session_lock(const struct ft_session *s, __u32 i)
{
	return (struct ft_user_lock *)ft_session_at(s, FT_SESSION_AT_LOCKS) + i;
}

static inline struct ft_user_stack *
ft_session_stack(const struct ft_session *s, __u32 i)
{
	return (struct ft_user_stack *)ft_session_at(s, FT_SESSION_AT_STACKS) + i;
}

/* Where the entry of @lock, with its tag, is. */
static inline __u32 ft_session_lock_place(__u64 lock)
{
	return (__u32)(lock * 0x9e3779b97f4a7c15ull >> 40) & (FT_SESSION_LOCKS - 1);
}

#endif /* FT_LIBFEATHERTRACE_SESSION_H */
