/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR MIT */
/*
 * Which events there are, and what their records consist of: FT_IOC_EVENT, FT_IOC_FIELDS,
 * FT_IOC_TRACEPOINT, FT_IOC_FUNCTION, FT_IOC_KPROBE. <linux/feather_trace.h> includes this.
 */
#ifndef _UAPI_LINUX_FEATHER_TRACE_EVENT_H
#define _UAPI_LINUX_FEATHER_TRACE_EVENT_H

#include <linux/types.h>

#define FT_NAME_LEN		64
#define FT_FIELD_LEN		32

/**
 * struct ft_event_info - FT_IOC_EVENT: describes the first event with id >= @id
 * @id:		in: where to look from; out: the event's id
 * @enabled:	how often it is enabled at present
 * @triggers:	places in the code that announce it
 * @persistent:	how many of @enabled outlive the descriptor that asked for it
 * @name:	unique, a C identifier
 * @field:	what the two words of its records are called
 * @owner:	the module that declared it, or "vmlinux"
 * @counts:	0, or what it is there for: enum ft_sensor_kind + 1, of its first word
 * @unit:	of the word that @counts is of
 * @unread:	in: 0; out: how many of its words could not be read, and are 0: in the session's
 *		trace, or if it was not on in that, for sensors and conditions; at most 2^32 - 1
 * @missed:	how often it has happened where it cannot be recorded, at least: a point that is
 *		reached while the CPU handles another kprobe
 *
 * -ENOENT when no event has such an id: the end of the list.
 */
struct ft_event_info {
	__u32	id;
	__u32	enabled;
	__u32	triggers;
	__u32	persistent;
	char	name[FT_NAME_LEN];
	char	field[2][FT_FIELD_LEN];
	char	owner[FT_NAME_LEN];
	__u32	counts;
	__u32	unread;
	char	unit[16];
	__u64	missed;
};

#define FT_FIELDS		8

enum ft_field_kind {
	FT_FIELD_HEX,		/* an address of data, or of unknown meaning */
	FT_FIELD_UNSIGNED,
	FT_FIELD_SIGNED,
	FT_FIELD_CODE,		/* an address of a function */
	FT_FIELD_TID,		/* a task or a process */
	FT_FIELD_PRIO,		/* signed: the kernel's; -1 deadline, then 99 ... 0, then nice */
	FT_FIELD_POLICY,	/* SCHED_FIFO ... */
	FT_FIELD_STATE,		/* why a task leaves its CPU: enum ft_state */
	FT_FIELD_SOFTIRQ,	/* which vector */
};

/* Of them, the kernel's own bits except the last. */
enum ft_state {
	FT_STATE_RUNNING	= 0,		/* it yields, or was preempted in user mode */
	FT_STATE_SLEEPING	= 0x1,
	FT_STATE_WAITING	= 0x2,		/* not for signals */
	FT_STATE_STOPPED	= 0x4,
	FT_STATE_TRACED		= 0x8,
	FT_STATE_PARKED		= 0x40,
	FT_STATE_DEAD		= 0x80,
	FT_STATE_IDLE		= 0x402,	/* a kernel thread that waits for work */
	FT_STATE_WAITING_LOCK	= 0x1000,	/* PREEMPT_RT: for a lock that spins elsewhere */
	FT_STATE_FROZEN		= 0x8000,
	FT_STATE_PREEMPTED	= 0x100,
};

/**
 * struct ft_field - part of a record's two words
 * @name:	a C identifier; empty: these bits mean nothing
 * @bits:	how many; 8, 16, 32 or 64
 * @kind:	enum ft_field_kind
 * @reserved:	0
 */
struct ft_field {
	char	name[FT_FIELD_LEN];
	__u8	bits;
	__u8	kind;
	__u8	reserved[6];
};

/**
 * struct ft_fields - FT_IOC_FIELDS: what the words of an event's records consist of
 * @id:		in: the event
 * @count:	out: how many fields
 * @field:	out: from the lowest bit of the first word to the highest of the second
 *
 * Of most events each word is one field. Errors: -ENOENT no such event.
 */
struct ft_fields {
	__u32		id;
	__u32		count;
	struct ft_field	field[FT_FIELDS];
};

#define FT_WORD_LOADS		4	/* through at most this many pointers */
#define FT_WORD_ARGS		12	/* the most arguments of a tracepoint */
#define FT_WORD_NONE		0x7f	/* ft_word.arg, ft_function.word: there is no such thing */

/**
 * struct ft_word - where a word of a tracepoint's records comes from
 * @arg:	an argument, from 1 on; %FT_WORD_NONE: the word is 0, and all else here is 0, too
 * @bits:	how many bits of what was read are its value: 1 to 64
 * @shift:	how many others are below them
 * @kind:	FT_FIELD_HEX, FT_FIELD_CODE or FT_FIELD_UNSIGNED: zeroes are above them;
 *		FT_FIELD_SIGNED: their sign
 * @loads:	how often memory is read: at the argument and an offset, then at what was read
 *		there and an offset, and so on; 0: the word is the argument itself
 * @size:	how many bytes are read the last time: 1, 2, 4 or 8; 0: none, the word is that
 *		address. The other times 8 are read
 * @reserved:	0
 * @offset:	of each time
 * @field:	what it is called: a C identifier
 *
 * Of what cannot be read, the word is 0.
 */
struct ft_word {
	__u8	arg;
	__u8	bits;
	__u8	shift;
	__u8	kind;
	__u8	loads;
	__u8	size;
	__u8	reserved[2];
	__u32	offset[FT_WORD_LOADS];
	char	field[FT_FIELD_LEN];
};

/**
 * struct ft_tracepoint - FT_IOC_TRACEPOINT: make an event of a tracepoint
 * @id:		out: the event's id
 * @reserved:	0
 * @name:	in: the tracepoint, such as "sched_process_wait"
 * @event:	in: the event's name; empty: it is called as the tracepoint
 * @word:	in: what the two words are, or zeroes; out: what they are
 *
 * Without @word, the words are the first two arguments as the tracepoint's probes get them:
 * pointers and numbers. The kernel passes arguments in registers of 64 bits, and the upper ones
 * of a shorter argument are undefined: records and conditions have whatever is there. BTF
 * has the types: those of the function "__traceiter_NAME", whose first argument is not one of
 * the tracepoint's. "ft" looks there.
 *
 * An event that is there is found again, and keeps its words; so are the tracepoints with
 * fields (&struct ft_fields), which are events from the start. One of a module leaves with it,
 * and has the same id when it is back.
 *
 * Errors: -ENOENT there is none of that name; -EEXIST an event of another kind is called
 * so, or @event has other words; -EINVAL; -ENOSPC no id is left; -ENOMEM.
 */
struct ft_tracepoint {
	__u32	id;
	__u32	reserved;
	char	name[FT_NAME_LEN];
	char	event[FT_NAME_LEN];
	struct ft_word word[2];
};

/* ft_function.word: 0: a pointer, or not known; else the bits that it has, and: */
#define FT_WORD_BITS		0x7f	/* 8, 16, 32 or 64 */
#define FT_WORD_SIGNED		0x80	/* it is a signed number */

/**
 * struct ft_function - FT_IOC_FUNCTION: make events of a function's entry and exit
 * @id:		out: the ids of NAME_entry and NAME_exit; of a module's function, where another one
 *		has that name, of MODULE_NAME_entry and MODULE_NAME_exit
 * @address:	in: where the function begins, as /proc/kallsyms has it
 * @word:	in: what its first argument and its result are: FT_WORD_BITS, FT_WORD_SIGNED,
 *		FT_WORD_NONE; 0: a pointer, or not known
 * @reserved:	0
 * @name:	in: the function; a dot becomes an underscore in the events' names
 * @arg:	in: what its first argument is called: a C identifier
 *
 * The words of NAME_entry are the first argument and the caller, those of NAME_exit the result
 * and the first argument. The function is wrapped while one of them is on, as lock functions
 * are: &struct ft_detach, &struct ft_hook. One that is known is found again, and keeps its
 * words. One whose events are off may give its place up to another one when nothing is
 * wrapped; its events are then gone until it is chosen again, with the same ids. So are those of
 * a function whose module is unloaded, which is possible while it is not wrapped.
 *
 * The caller knows that no argument lies on the stack, and no result of more than 16 bytes,
 * or the function would not find its arguments: BTF has the types ("ft" looks there).
 *
 * Errors: -ENOENT no function begins there that ftrace can wrap; -EPERM a task may end in it,
 * it reads the clock, or it belongs to this module; -EBUSY the events of locks wrap it; -EEXIST
 * another event, or another function, has that name, or it had other words before; -ENOSPC as
 * many functions are in use as there are places; -ENODEV ftrace has disabled itself;
 * -EOPNOTSUPP this kernel's functions cannot be wrapped; -EINVAL; -ENOMEM.
 */
struct ft_function {
	__u32	id[2];
	__u64	address;
	__u8	word[2];
	__u8	reserved[6];
	char	name[FT_NAME_LEN];
	char	arg[FT_FIELD_LEN];
};

/**
 * struct ft_kprobe - FT_IOC_KPROBE: make an event of a point inside of a function
 * @id:		out: the event's id
 * @offset:	in: of an instruction, from where the function begins
 * @reg:	in: which registers are the words: numbers of words in struct pt_regs
 * @reserved:	0
 * @name:	in: the function, as /proc/kallsyms has it; MODULE:NAME: the one of that module
 * @field:	in: what the words are called: C identifiers
 *
 * The event is called NAME_0xOFFSET, with an underscore for a dot or colon. It happens just
 * before the instruction. The point is watched by a kprobe while the event is on. Asking again
 * for the same registers returns the same event.
 *
 * The kernel reaches a point by a jump where it can, and by a breakpoint elsewhere: then the
 * record's context is that of an NMI.
 *
 * Errors: -ENOENT no such function; -EILSEQ no instruction begins there; -EINVAL; -EADDRINUSE,
 * -EOPNOTSUPP and other errors of register_kprobe(): no kprobe can be there; -EBUSY the kernel
 * did not let go of one; -EEXIST an event of other registers, or of another kind, has that
 * name; -ENOSPC; -ENOMEM.
 */
struct ft_kprobe {
	__u32	id;
	__u32	offset;
	__u8	reg[2];
	__u8	reserved[6];
	char	name[FT_NAME_LEN];
	char	field[2][FT_FIELD_LEN];
};

#endif /* _UAPI_LINUX_FEATHER_TRACE_EVENT_H */
