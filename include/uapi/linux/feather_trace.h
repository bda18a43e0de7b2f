/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR MIT */
/*
 * Feather-Trace: what the kernel module and user space agree on.
 *
 * Three kinds of device:
 *
 *	/dev/ft_trace		control: FT_IOC_INFO ... FT_IOC_MARK
 *	/dev/ft_trace_meta	read: the CTF metadata text of the current trace
 *	/dev/ft_trace<cpu>	read: CTF packets; FT_IOC_STATS ... FT_IOC_GIVE_BACK
 *
 * These are of the default session. There are up to FT_SESSIONS_MAX sessions, each a
 * trace with its own events, rings, configuration and readers: FT_IOC_SESSION. A session
 * NAME has /dev/ft_trace_NAME_meta and /dev/ft_trace_NAME_<cpu>; one without a name is
 * read through FT_IOC_OPEN.
 *
 * A trace starts when the first event is enabled and ends when the last one is
 * disabled. Rings are emptied at the start, not at the end, so what was traced
 * can be read afterwards, until the next trace starts.
 *
 * Every structure has a fixed layout: fixed-width types, naturally aligned,
 * the same for 32- and 64-bit callers. Fields named reserved must be zero
 * (-EINVAL), so that they can get a meaning later. An unknown ioctl is -ENOTTY.
 * See Documentation/device.md.
 */
#ifndef _UAPI_LINUX_FEATHER_TRACE_H
#define _UAPI_LINUX_FEATHER_TRACE_H

#include <linux/ioctl.h>
#include <linux/types.h>
/* Beside this one, wherever that is installed. */
#include "feather_trace_event.h"
#include "feather_trace_stack.h"
#include "feather_trace_when.h"

/** FT_ABI_VERSION - ask FT_IOC_INFO first and compare with this */
#define FT_ABI_VERSION		1

/**
 * struct ft_record - one event, 32 bytes
 * @ts:		when: ticks of the trace's clock (&ft_info.clock_hz)
 * @id:		which event (&ft_event_info.id); never 0, that is a free slot
 * @ctx:	FT_CTX_*: what the CPU was doing
 * @gap:	differs from that of the record before on this CPU if records
 *		were lost, or refused in a pause, in between
 * @tid:	the task that ran (that was interrupted, if @ctx is not 0)
 * @a:		first word; the address of the lock for lock events
 * @b:		second word; the call site for lock events
 */
struct ft_record {
	__u64	ts;
	__u16	id;
	__u8	ctx;
	__u8	gap;
	__s32	tid;
	__u64	a;
	__u64	b;
};

/* ft_record.ctx: 0 is a task; else how deep in which kinds of interrupt. */
#define FT_CTX_SOFTIRQ		0x01	/* serving a softirq */
#define FT_CTX_HARDIRQ		0x1e	/* hardirq nesting, shifted by 1 */
#define FT_CTX_NMI		0xe0	/* NMI nesting, shifted by 5 */

#define FT_PACKET_MAGIC		0xc1fc1fc1u

/**
 * struct ft_packet_header - starts each packet that read() returns, 96 bytes
 * @magic:		FT_PACKET_MAGIC
 * @uuid:		of the trace, the same in all its packets and the metadata
 * @stream_id:		class of the stream, 0 for CPUs
 * @stream_instance:	which stream: the CPU
 * @ts_begin:		of the first record
 * @ts_end:		of the last record
 * @content_bits:	header and records
 * @packet_bits:	the same: packets have no padding
 * @seq:		0 for the first packet of a stream, then one more each
 * @discarded:		records lost on this CPU since the trace began, as known
 *			when the packet was read; &ft_record.gap tells where
 * @cpu:		the CPU
 * @clock_hz:		ticks of the clock a second
 *
 * A packet without records carries losses that happened after the last record.
 */
struct ft_packet_header {
	__u32	magic;
	__u8	uuid[16];
	__u32	stream_id;
	__u64	stream_instance;
	__u64	ts_begin;
	__u64	ts_end;
	__u64	content_bits;
	__u64	packet_bits;
	__u64	seq;
	__u64	discarded;
	__u64	cpu;
	__u64	clock_hz;
};

/** FT_PACKET_MAX - bytes of a full packet: one page of a file */
#define FT_PACKET_MAX		4096
#define FT_PACKET_RECORDS \
	((FT_PACKET_MAX - sizeof(struct ft_packet_header)) / \
	 sizeof(struct ft_record))

/*
 * Event ids. Those of the module itself and of the kernel's locks are fixed;
 * events of other modules get theirs from FT_ID_DYNAMIC upwards.
 */
#define FT_ID_MARK		1	/* FT_IOC_MARK */
#define FT_ID_CONTENTION_BEGIN	2	/* a task begins to wait for a lock */
#define FT_ID_CONTENTION_END	3	/* it has the lock, or gives up */
#define FT_ID_CONDITION		4	/* a condition was fulfilled: FT_IOC_WHEN */
#define FT_ID_STACK		5	/* of the event before it: FT_IOC_STACKS */
#define FT_ID_LOCK		16	/* + 2 * family, + 1 for release */
#define FT_ID_USER_LOCK		64	/* to 127: locks of programs; not the module's */
#define FT_ID_USER_HEAP		128	/* to 159: heaps of programs; nor are these */
#define FT_ID_DYNAMIC		256
#define FT_ID_MAX		65535

/** enum ft_lock_family - the kinds of lock, in the order of their ids */
enum ft_lock_family {
	FT_LOCK_SPIN,
	FT_LOCK_RWLOCK_READ,
	FT_LOCK_RWLOCK_WRITE,
	FT_LOCK_MUTEX,
	FT_LOCK_SEMAPHORE,
	FT_LOCK_RWSEM_READ,
	FT_LOCK_RWSEM_WRITE,
	FT_LOCK_RAW_SPIN,	/* raw_spinlock_t of PREEMPT_RT; elsewhere it is FT_LOCK_SPIN */
	FT_LOCK_FAMILIES
};

#define FT_ID_ACQUIRE(family)	(FT_ID_LOCK + 2 * (family))
#define FT_ID_RELEASE(family)	(FT_ID_LOCK + 2 * (family) + 1)
#define FT_ID_IS_LOCK(id)	((__u32)(id) - FT_ID_LOCK < 2 * FT_LOCK_FAMILIES)
#define FT_ID_IS_RELEASE(id)	((id) & 1)	/* of ids of lock events */

/* ft_info.clock */
enum ft_clock_source {
	FT_CLOCK_TSC,		/* the CPU's time stamp counter, raw */
	FT_CLOCK_MONO,		/* CLOCK_MONOTONIC, nanoseconds */
};

/**
 * struct ft_info - FT_IOC_INFO: the module and the current trace
 * @abi:		FT_ABI_VERSION of the module
 * @clock:		enum ft_clock_source
 * @clock_hz:		ticks of the clock a second
 * @uuid:		of the trace
 * @trace:		number of the trace, 0 before the first
 * @active:		1 while any event is enabled
 * @cpus:		devices /dev/ft_trace<n> have n below this
 * @lock_source:	enum ft_lock_source: where lock events come from
 * @flags:		FT_INFO_*, of the trace
 * @reserved:		0
 */
struct ft_info {
	__u32	abi;
	__u32	clock;
	__u64	clock_hz;
	__u8	uuid[16];
	__u32	trace;
	__u32	active;
	__u32	cpus;
	__u32	lock_source;
	__u64	flags;
	__u64	reserved[3];
};

/* ft_info.flags */
#define FT_INFO_ORDERED		0x1	/* acquisitions read the clock in order */
#define FT_INFO_CLOCK_UNSTABLE	0x2	/* the kernel stopped trusting the clock */
#define FT_INFO_CLOCK_RESTARTED	0x4	/* or stopped, in a suspend: the trace's end */
#define FT_INFO_STOPPED		0x8	/* a condition closed the rings: FT_WHEN_STOP */

enum ft_lock_source {
	FT_LOCKS_NONE,		/* this kernel has none */
	FT_LOCKS_PATCH,		/* triggers of the kernel patch */
	FT_LOCKS_ATTACH,	/* the lock functions are wrapped while traced */
};

/* ft_enable.flags */
#define FT_ENABLE_PERSIST	0x1	/* stays when the descriptor is closed */
#define FT_ENABLE_ORDERED	0x2	/* acquisitions read the clock in order */

/**
 * struct ft_enable - FT_IOC_ENABLE, FT_IOC_DISABLE
 * @id:		the event
 * @flags:	FT_ENABLE_*; FT_IOC_DISABLE knows FT_ENABLE_PERSIST only
 * @reserved:	0
 *
 * Enabling nests: an event is on until it was disabled as often as it was
 * enabled. A descriptor gives back what it enabled when it is closed, except
 * FT_ENABLE_PERSIST, which only FT_IOC_DISABLE with the same flag (from any
 * descriptor) or FT_IOC_DISABLE_ALL takes back.
 *
 * The caller that starts a trace decides for all of it how acquisitions of locks, and events that
 * are not of locks, read the clock. As it comes, the TSC may be read before the lock's own
 * instruction has finished, and an acquisition be stamped a cache line's transfer too early.
 * FT_ENABLE_ORDERED makes that impossible, and costs tens of cycles a record. Others may join
 * that trace without the flag; to ask for it in a trace that was started without it is -EALREADY.
 *
 * Errors: -EINVAL unknown id, flag, or nothing to disable; -ENOMEM no room for
 * the rings; -EOVERFLOW enabled too often; -EOPNOTSUPP the module was loaded
 * with clock=tsc, and the TSC has become unstable since; -ESHUTDOWN the session has ended.
 * Wrapping the functions of a lock
 * event may wait for every task that wants to run; a signal that kills the caller ends it.
 */
struct ft_enable {
	__u32	id;
	__u32	flags;
	__u64	reserved;
};

/**
 * struct ft_set - FT_IOC_START, FT_IOC_STOP: enable or disable events together
 * @ids:	address of an array of __u32, the events
 * @count:	its length, 1 to FT_SET_MAX
 * @flags:	as in &struct ft_enable
 * @failed:	out: if there is an error, which element of the array has it
 * @reserved:	0
 *
 * All of them begin at one moment, and end at one. A trace that has the first of them
 * before the last one is on would be lopsided: acquisitions without releases. If one
 * cannot be enabled, or disabled, none is. Where events are on in the session already,
 * its rings are closed meanwhile; those of other sessions are not.
 *
 * Errors: those of FT_IOC_ENABLE and FT_IOC_DISABLE.
 */
struct ft_set {
	__u64	ids;
	__u32	count;
	__u32	flags;
	__u32	failed;
	__u32	reserved;
};

#define FT_SET_MAX		65536u

/*
 * FT_IOC_PAUSE, FT_IOC_RESUME: let no record of the session in for a while; nothing is
 * lost either. To enable several events at one moment, use FT_IOC_START.
 *
 * A pause belongs to the descriptor and ends with it; a second one is -EBUSY, and
 * a RESUME without one is -EINVAL. Pauses of several descriptors add up.
 */

/* ft_config.mode */
enum ft_mode {
	FT_MODE_DISCARD,	/* a full ring drops new records and counts them */
	FT_MODE_OVERWRITE,	/* a ring keeps the latest records: flight recorder */
};

/**
 * struct ft_config - FT_IOC_GET_CONFIG, FT_IOC_SET_CONFIG
 * @slots:	records a ring can hold; a power of two, FT_SLOTS_MIN..MAX
 * @mode:	enum ft_mode
 * @wake_us:	a sleeping reader looks for records this often, in microseconds;
 *		FT_WAKE_MIN_US..FT_WAKE_MAX_US
 * @headroom:	FT_MODE_OVERWRITE: records that are kept free, at most half of @slots;
 *		0: a quarter. Else 0
 * @reserved:	0
 *
 * With FT_MODE_OVERWRITE a timer on each CPU releases the oldest records while nobody
 * reads the ring, at least every @wake_us. A burst of more than @headroom records before
 * it does so is lost.
 *
 * Setting needs a moment without trace and without open rings (-EBUSY). Without
 * memory for the new rings (-ENOMEM) the old ones and what they hold stay.
 */
struct ft_config {
	__u32	slots;
	__u32	mode;
	__u32	wake_us;
	__u32	headroom;
	__u32	reserved[4];
};

#define FT_SLOTS_MIN		128u
#define FT_SLOTS_MAX		(1u << 24)
#define FT_WAKE_MIN_US		100u
#define FT_WAKE_MAX_US		10000000u

/**
 * struct ft_mark - FT_IOC_MARK: announce the event "mark" from user space
 * @a:	first word of the record
 * @b:	second word
 */
struct ft_mark {
	__u64	a;
	__u64	b;
};

/**
 * struct ft_snapshot - FT_IOC_SNAPSHOT: mark where all rings end now
 * @ts:		out: when, in ticks of the trace's clock
 * @reserved:	out: 0
 *
 * A reader of a ring comes to the end of file at its mark, until the descriptor that
 * set it is closed, or sets another. Open the rings first, or some may be overwritten
 * between the marks and the reading.
 *
 * Errors: -EOPNOTSUPP the mode is not FT_MODE_OVERWRITE; -ENODATA there was no trace;
 * -EBUSY another descriptor has a snapshot.
 */
struct ft_snapshot {
	__u64	ts;
	__u64	reserved[3];
};

/**
 * struct ft_stats - FT_IOC_STATS: books of one ring since the trace began
 * @written:	records that found a slot
 * @read:	records taken by readers
 * @lost:	records that found the ring full
 * @backsteps:	records whose clock had run backwards (mended)
 * @slots:	size of the ring, 0 if the CPU has none
 * @online:	1 while the CPU is online
 * @overwritten: records that nobody read before FT_MODE_OVERWRITE released them
 * @reserved:	0
 *
 * Attempts = @written + @lost. What waits in the ring is @written - @read -
 * @overwritten; when the trace has stopped and the ring is drained, that is 0.
 */
struct ft_stats {
	__u64	written;
	__u64	read;
	__u64	lost;
	__u64	backsteps;
	__u32	slots;
	__u32	online;
	__u64	overwritten;
	__u64	reserved[2];
};

/**
 * struct ft_window - FT_IOC_WINDOW: from when on the ring has all records
 * @begin:	time of the last record that was read or overwritten; 0: none was, the
 *		ring has all since the trace began
 * @lost:	records that were lost before @begin, or that the last snapshot has told
 * @reserved:	0
 *
 * For a ring that this descriptor reads: otherwise it is soon over.
 */
struct ft_window {
	__u64	begin;
	__u64	lost;
	__u64	reserved[2];
};

/**
 * struct ft_slots - FT_IOC_READ_SLOTS: records without packets around them
 * @buf:	in: address of an array of &struct ft_record
 * @max:	in: its length in records, at least 1
 * @count:	out: how many records were stored, from 1 to @max
 * @lost:	out: records lost on this CPU since the trace began
 * @reserved:	0
 *
 * Blocks like read() and ends like it: @count is 0 at the end of the trace.
 * Errors: -EAGAIN nothing there and O_NONBLOCK; -EINTR; -EFAULT bad @buf, and
 * nothing is consumed.
 */
struct ft_slots {
	__u64	buf;
	__u32	max;
	__u32	count;
	__u64	lost;
	__u64	reserved;
};

/**
 * struct ft_range - FT_IOC_TAKE, FT_IOC_GIVE_BACK: records read where they lie
 * @offset:	out: of the first record, bytes into the mapped ring
 * @count:	TAKE: in: at most so many, out: how many, contiguous;
 *		GIVE_BACK: in: how many, from the oldest on
 * @reserved:	0
 *
 * The ring is mapped read-only with mmap() at offset 0, its whole size
 * (ft_stats.slots * 32 bytes). Taken records stay until they are given back;
 * taking again before that returns the same ones. TAKE never blocks: use poll()
 * and read @count.
 */
struct ft_range {
	__u64	offset;
	__u32	count;
	__u32	reserved;
};

/* ft_hook.state */
enum ft_hook_state {
	FT_HOOK_OFF,		/* not attached, as its event is off */
	FT_HOOK_DIRECT,		/* attached: the function calls us */
	FT_HOOK_REDIRECT,	/* attached, at a higher price: others are there */
	FT_HOOK_PART,		/* not needed: another function does its work */
	FT_HOOK_REFUSED,	/* could not be attached, see @error */
	FT_HOOK_STUCK,		/* attached: could not be detached, see @error */
};

/**
 * struct ft_hook - FT_IOC_HOOK: a function that is wrapped for a lock event
 * @index:	in: which, from 0 on
 * @event:	out: id of the event
 * @state:	out: enum ft_hook_state
 * @error:	out: FT_HOOK_REFUSED: errno: EBUSY another user (BPF, live patch) has
 *		it; ENOENT the function tracer does not know it; EAGAIN ftrace is
 *		turned off (sysctl kernel.ftrace_enabled). FT_HOOK_STUCK: what ftrace
 *		answers: ENODEV it has disabled itself; or EIO the function still calls
 *		us, whatever it answers
 * @name:	out: the function
 *
 * -ENOENT when there are no more.
 */
struct ft_hook {
	__u32	index;
	__u32	event;
	__u32	state;
	__u32	error;
	char	name[FT_NAME_LEN];
	__u64	reserved[2];
};

/**
 * struct ft_detach - FT_IOC_DETACH: unwrap the functions of events that are off
 * @timeout_ms:	in: how long to wait for tasks that sleep in one, and up to 10 s
 *		longer for others; 0: do not wait, and change nothing, only look
 * @inside:	out: how many tasks are in one that sleeps
 * @attached:	out: functions that are, and stay, wrapped
 * @stuck:	in: 0; out: those of them that could not be unwrapped
 *
 * Turning lock events off stops their records; unwrapping the functions, which takes a
 * second or so, follows in the background, and the module cannot be unloaded before.
 * This waits for it. A task that sleeps waiting for a mutex has the wrapper on its
 * stack until it gets the mutex.
 *
 * Return: 0, also where nothing was to be done, or lock events are on again; -EBUSY
 * functions are still wrapped, somebody may be in one that is not any more, one could
 * not be unwrapped, or (with a timeout) one is still being wrapped; -EINTR.
 */
struct ft_detach {
	__u32	timeout_ms;
	__u32	inside;
	__u32	attached;
	__u32	stuck;
};

#define FT_SESSIONS_MAX		8

/* ft_session_info.flags */
#define FT_SESSION_NEW		0x1	/* begin a session */
#define FT_SESSION_JOIN		0x2	/* join one that has a name */
#define FT_SESSION_OWN		0x4	/* NEW: it ends with this descriptor */

/**
 * struct ft_session_info - FT_IOC_SESSION: begin or join a session; FT_IOC_SESSIONS:
 *			describe the first one with a number >= @number
 * @number:	SESSIONS: in: where to look from; out: the session's; 0: the default one
 * @flags:	SESSION: in: FT_SESSION_NEW, the same with FT_SESSION_OWN, or FT_SESSION_JOIN;
 *		out: 0
 * @name:	SESSION: in: a C identifier; with FT_SESSION_NEW it may be empty; out
 * @trace:	out: number of its trace, 0 before the first
 * @events:	out: how many are on
 * @joined:	out: how many descriptors have joined it; not counted for the default one
 * @slots:	out: as in &struct ft_config
 * @mode:	out: the same
 * @reserved:	0
 *
 * From then on, requests of this descriptor are about that session. It must not have
 * joined another one, nor enabled anything (-EBUSY). A session without a name ends with
 * the last copy of its descriptor. One with a name stays until FT_IOC_SESSION_END, by a
 * descriptor that has joined it (-EINVAL: a session without a name; -ESHUTDOWN: it has ended),
 * or with FT_SESSION_OWN until the last copy of the descriptor that began it is closed.
 *
 * Errors: -EINVAL; -EEXIST, -ENOENT the name; -ENOSPC there are FT_SESSIONS_MAX sessions,
 * or records of one that has ended are still being read; -ENOMEM. SESSIONS: -ENOENT no
 * session has such a number: the end of the list.
 */
struct ft_session_info {
	__u32	number;
	__u32	flags;
	char	name[FT_NAME_LEN];
	__u32	trace;
	__u32	events;
	__u32	joined;
	__u32	slots;
	__u32	mode;
	__u32	reserved[5];
};

/* ft_open.cpu: the metadata, as /dev/ft_trace_meta */
#define FT_OPEN_META		0xffffffffu

/* ft_open.flags */
#define FT_OPEN_STATS		0x1	/* for statistics, as a device open write-only */
#define FT_OPEN_NONBLOCK	0x2	/* O_NONBLOCK */

/**
 * struct ft_open - FT_IOC_OPEN: open a ring of the session, or its metadata
 * @cpu:	which CPU's, or FT_OPEN_META
 * @flags:	FT_OPEN_*
 * @reserved:	0
 *
 * Return: a descriptor, with O_CLOEXEC, as if the device had been opened. Errors: those of
 * that; -EBADF this descriptor is not open for reading and writing; -ENXIO no such CPU.
 */
struct ft_open {
	__u32	cpu;
	__u32	flags;
	__u64	reserved;
};

#define FT_IOC_TYPE		0xf7

/*
 * Of the control device. ENABLE, DISABLE, DISABLE_ALL, SET_CONFIG, MARK, PAUSE, RESUME,
 * TRACEPOINT, FUNCTION, KPROBE, SNAPSHOT, SESSION, SESSION_END, START, STOP, WHEN, WHEN_STATE,
 * and DETACH with a timeout, change something: they need a descriptor that is open for writing
 * (-EBADF).
 */
#define FT_IOC_INFO		_IOR(FT_IOC_TYPE, 0x00, struct ft_info)
#define FT_IOC_EVENT		_IOWR(FT_IOC_TYPE, 0x01, struct ft_event_info)
#define FT_IOC_ENABLE		_IOW(FT_IOC_TYPE, 0x02, struct ft_enable)
#define FT_IOC_DISABLE		_IOW(FT_IOC_TYPE, 0x03, struct ft_enable)
#define FT_IOC_DISABLE_ALL	_IO(FT_IOC_TYPE, 0x04)
#define FT_IOC_GET_CONFIG	_IOR(FT_IOC_TYPE, 0x05, struct ft_config)
#define FT_IOC_SET_CONFIG	_IOW(FT_IOC_TYPE, 0x06, struct ft_config)
#define FT_IOC_MARK		_IOW(FT_IOC_TYPE, 0x07, struct ft_mark)
#define FT_IOC_PAUSE		_IO(FT_IOC_TYPE, 0x08)
#define FT_IOC_RESUME		_IO(FT_IOC_TYPE, 0x09)

#define FT_IOC_HOOK		_IOWR(FT_IOC_TYPE, 0x0a, struct ft_hook)
#define FT_IOC_DETACH		_IOWR(FT_IOC_TYPE, 0x0b, struct ft_detach)
#define FT_IOC_TRACEPOINT	_IOWR(FT_IOC_TYPE, 0x0c, struct ft_tracepoint)

#define FT_IOC_SESSION		_IOWR(FT_IOC_TYPE, 0x0d, struct ft_session_info)
#define FT_IOC_SESSIONS		_IOWR(FT_IOC_TYPE, 0x0e, struct ft_session_info)
#define FT_IOC_SESSION_END	_IO(FT_IOC_TYPE, 0x0f)
#define FT_IOC_SNAPSHOT		_IOR(FT_IOC_TYPE, 0x10, struct ft_snapshot)
#define FT_IOC_OPEN		_IOW(FT_IOC_TYPE, 0x11, struct ft_open)
#define FT_IOC_START		_IOWR(FT_IOC_TYPE, 0x12, struct ft_set)
#define FT_IOC_STOP		_IOWR(FT_IOC_TYPE, 0x13, struct ft_set)
#define FT_IOC_WHEN		_IOWR(FT_IOC_TYPE, 0x14, struct ft_when)
#define FT_IOC_WHEN_STATE	_IOWR(FT_IOC_TYPE, 0x15, struct ft_when_state)
#define FT_IOC_FIELDS		_IOWR(FT_IOC_TYPE, 0x16, struct ft_fields)
#define FT_IOC_FUNCTION		_IOWR(FT_IOC_TYPE, 0x17, struct ft_function)
#define FT_IOC_KPROBE		_IOWR(FT_IOC_TYPE, 0x18, struct ft_kprobe)
#define FT_IOC_STACKS		_IOWR(FT_IOC_TYPE, 0x19, struct ft_stacks)
#define FT_IOC_STACKS_READ	_IOWR(FT_IOC_TYPE, 0x1a, struct ft_stacks_read)

#define FT_IOC_STATS		_IOR(FT_IOC_TYPE, 0x20, struct ft_stats)
#define FT_IOC_READ_SLOTS	_IOWR(FT_IOC_TYPE, 0x21, struct ft_slots)
#define FT_IOC_TAKE		_IOWR(FT_IOC_TYPE, 0x22, struct ft_range)
#define FT_IOC_GIVE_BACK	_IOW(FT_IOC_TYPE, 0x23, struct ft_range)
#define FT_IOC_WINDOW		_IOR(FT_IOC_TYPE, 0x24, struct ft_window)

#endif /* _UAPI_LINUX_FEATHER_TRACE_H */
