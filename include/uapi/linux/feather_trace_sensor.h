/* SPDX-License-Identifier: (GPL-2.0-only WITH Linux-syscall-note) OR MIT */
/*
 * Feather-Trace: sensors, which count and measure events where they happen, and monitors,
 * which map what they have counted.
 *
 *	/dev/ft_trace_sensors	mmap at offset 0, read-only: the directory of sensors
 *				mmap at &ft_sensor_entry.offset, read-only: a sensor
 *				FT_IOC_SENSOR_NEW ... FT_IOC_SENSOR_NEXT
 *
 * A monitor needs nothing but mmap(). What is mapped describes itself: a header says where
 * everything is, so a program of this version reads later ones with the same magic and
 * version. All numbers have the byte order of the machine; the magic shows it. Each 64-bit
 * number is written by one instruction, so that it is always read whole. Nothing that a
 * monitor does, or ceases to do, has any effect on those who write.
 *
 * A sensor has a copy of all it counts for each CPU; the monitor adds them up. Numbers only
 * grow: a monitor takes differences between two moments. See ft_trace_sensors(4) and
 * Documentation/sensors.md.
 */
#ifndef _UAPI_LINUX_FEATHER_TRACE_SENSOR_H
#define _UAPI_LINUX_FEATHER_TRACE_SENSOR_H

#include <linux/ioctl.h>
#include <linux/types.h>

#include "feather_trace.h"	/* beside this one, wherever that is installed */

/* "FTsensor" and "FTsensdr", as little-endian bytes */
#define FT_SENSOR_MAGIC			0x726f736e65735446ull
#define FT_SENSOR_DIRECTORY_MAGIC	0x7264736e65735446ull
#define FT_SENSOR_VERSION		1

#define FT_SENSORS_MAX			255	/* at a time */
#define FT_SENSOR_BINS_MAX		8192	/* of a row; of two axes, their product */
#define FT_SENSOR_ROWS_MAX		4096
#define FT_SENSOR_BYTES_MAX		(1u << 20)	/* of a copy */
#define FT_SENSOR_RANGES_MAX		512
#define FT_SENSOR_TESTS			2
#define FT_SENSOR_CONTEXTS		4	/* task, softirq, hardirq, NMI */

/* ft_sensor.kind */
enum ft_sensor_kind {
	FT_SENSOR_COUNTER,	/* how often; has no axis */
	FT_SENSOR_SCALAR,	/* last, least, greatest, sum and number of axis[0] */
	FT_SENSOR_HISTOGRAM,	/* of axis[0] */
	FT_SENSOR_HISTOGRAM2,	/* of axis[0] by axis[1] */
};

/* ft_sensor_axis.value */
enum ft_sensor_value {
	FT_VALUE_NONE,		/* there is no such axis */
	FT_VALUE_A,		/* the first word of the event */
	FT_VALUE_B,		/* the second word */
	FT_VALUE_TIME,		/* from @begin to @event, in ticks */
	FT_VALUE_DEPTH,		/* spinning locks held already in this context when a lock
				 * was acquired, of families with a sensor of pairs: 0 is
				 * the outermost. FT_KEY_CPU only
				 */
};

/* ft_sensor_axis.flags */
#define FT_AXIS_LINEAR		0x1	/* bins of one width, 2^shift; else log-linear */
#define FT_AXIS_SIGNED		0x2	/* the value, and @low, are signed numbers */

/**
 * struct ft_sensor_axis - a value and its bins
 * @value:	enum ft_sensor_value
 * @flags:	FT_AXIS_*
 * @shift:	so many low bits of (value - @low) are dropped; below 64
 * @bits:	log-linear: each power of two is cut into 2^bits equal bins; at most 6
 * @bins:	how many there are; of a scalar 0
 * @low:	the least value that has a bin
 *
 * The bin of a value v:
 *
 *	v < low					counted in &ft_sensor_row.under
 *	x = (v - low) >> shift
 *	linear					bin = x
 *	log-linear, x < 2^bits			bin = x
 *	log-linear, otherwise			e = floor(log2(x)) - bits
 *						bin = (e << bits) + (x >> e)
 *	bin >= bins				counted in &ft_sensor_row.over
 *
 * The middle of a log-linear bin is at most 1 / 2^(bits + 1) of a value away from it (and at
 * most 2^shift / 2). With 64 bins of 2^bits = 8 there is room up to 2^10, with 8 * (n - 2)
 * up to 2^n.
 */
struct ft_sensor_axis {
	__u8	value;
	__u8	flags;
	__u8	shift;
	__u8	bits;
	__u32	bins;
	__u64	low;
};

/* ft_sensor.key: which @event belongs to a @begin */
enum ft_sensor_key {
	FT_KEY_AUTO,		/* as the events need it: replaced by one of the others */
	FT_KEY_CPU,		/* the same first word on the same CPU: spinning locks */
	FT_KEY_TASK_WORD,	/* the same first word and task, on any CPU: sleeping locks */
	FT_KEY_WAIT,		/* the same, and the first of several @begin counts: waits */
	FT_KEY_WORD,		/* the same first word, anywhere: semaphores, requests */
	FT_KEY_TASK,		/* the same task, or the same that interrupts it: enter and exit */
};

/* ft_sensor.split: what has a row of its own */
enum ft_sensor_split {
	FT_SPLIT_NONE,
	FT_SPLIT_SITE,		/* the second word; of a pair that of @begin: the call site */
	FT_SPLIT_WORD,		/* the first word: the lock */
	FT_SPLIT_TASK,		/* the number of the task at @event */
	FT_SPLIT_CONTEXT,	/* 1 task, 2 softirq, 3 hardirq, 4 NMI; @rows is 4 */
};

/* ft_sensor.flags */
#define FT_SENSOR_PERSIST	0x1	/* stays when the descriptor is closed */
#define FT_SENSOR_OUTSIDE	0x2	/* sites outside of @ranges count, not those inside */

/**
 * struct ft_sensor_range - call sites: addresses from @first to @last
 */
struct ft_sensor_range {
	__u64	first;
	__u64	last;
};

/**
 * struct ft_sensor - FT_IOC_SENSOR_NEW: make a sensor
 * @number:	out: of the sensor, 1 to FT_SENSORS_MAX, free again when it has gone
 * @instance:	out: 1, or the number of a further sensor of the same name: NAME#2
 * @kind:	enum ft_sensor_kind
 * @flags:	FT_SENSOR_*
 * @event:	what is counted; of a pair, its end
 * @begin:	the beginning of a pair; 0: there is none
 * @key:	enum ft_sensor_key, if there is one
 * @split:	enum ft_sensor_split
 * @rows:	of the table of a split: a power of two, 4 to FT_SENSOR_ROWS_MAX; else 0
 * @n_ranges:	0 to FT_SENSOR_RANGES_MAX
 * @ranges:	address of an array of &struct ft_sensor_range, in order, none overlaps;
 *		sites in them count, or (FT_SENSOR_OUTSIDE) those outside
 * @axis:	what is measured; all zeroes where there is no axis
 * @test:	all of these must hold, those with FT_TEST_AT_BEGIN of @begin; see &ft_when.
 *		FT_TEST_COMM is not allowed, nor FT_TEST_A of @begin with FT_KEY_TASK, where
 *		the first words of the two differ
 * @name:	letters, digits, '_', '-', '.' and single '/': "lock/spin/hold"
 * @unit:	of axis[0]; empty for FT_VALUE_TIME, which gets "ticks"
 * @reserved:	0
 *
 * It counts from when the call returns until FT_IOC_SENSOR_END, or until the last copy of the
 * descriptor is closed and the last mapping made through it is gone. It needs no trace, and
 * does not care whether there is one: its events are on for it alone. If a module with its
 * events is unloaded, it counts nothing until that is back: a tracepoint until it is asked for
 * again (FT_IOC_TRACEPOINT), a point in a function until somebody turns it on again.
 *
 * Errors: -EINVAL; -ENOENT no such event; -ENOSPC there are FT_SENSORS_MAX, an event has too
 * many, or 255 other events have had a sensor since the module was loaded; -E2BIG a copy is
 * larger than FT_SENSOR_BYTES_MAX; -ENOMEM; -EFAULT; -EBADF the descriptor is not open for
 * writing; and those of FT_IOC_ENABLE.
 */
struct ft_sensor {
	__u32			number;
	__u32			instance;
	__u32			kind;
	__u32			flags;
	__u32			event;
	__u32			begin;
	__u32			key;
	__u32			split;
	__u32			rows;
	__u32			n_ranges;
	__u64			ranges;
	struct ft_sensor_axis	axis[2];
	struct ft_test		test[FT_SENSOR_TESTS];
	char			name[FT_NAME_LEN];
	char			unit[16];
	__u64			reserved[4];
};

/**
 * struct ft_sensor_info - FT_IOC_SENSOR_NEXT: the first sensor with a number >= that
 * @sensor:	in: ->number, the rest 0; out: as it was made; ->ranges is 0
 * @serial:	out: no other sensor since the module was loaded has it
 * @offset:	out: where it is mapped
 * @size:	out: bytes that can be mapped there
 * @reserved:	0
 *
 * -ENOENT: there are no more.
 */
struct ft_sensor_info {
	struct ft_sensor	sensor;
	__u64			serial;
	__u64			offset;
	__u64			size;
	__u64			reserved[5];
};

/**
 * struct ft_sensor_end - FT_IOC_SENSOR_END: remove a sensor
 * @number:	which
 * @reserved:	0
 * @serial:	its own, so that no other one with this number is removed
 *
 * It must be persistent, or of this descriptor. A process that has it mapped keeps what it has
 * counted, with &ft_sensor_header.state FT_SENSOR_GONE.
 *
 * Errors: -ENOENT; -EPERM it is of another descriptor; -EBADF; -EINVAL.
 */
struct ft_sensor_end {
	__u32	number;
	__u32	reserved;
	__u64	serial;
};

#define FT_IOC_SENSOR_NEW	_IOWR(FT_IOC_TYPE, 0x30, struct ft_sensor)
#define FT_IOC_SENSOR_END	_IOW(FT_IOC_TYPE, 0x31, struct ft_sensor_end)
#define FT_IOC_SENSOR_NEXT	_IOWR(FT_IOC_TYPE, 0x32, struct ft_sensor_info)

/* --- what is mapped ------------------------------------------------------- */

/**
 * struct ft_sensor_directory - at offset 0 of the device
 * @magic:		FT_SENSOR_DIRECTORY_MAGIC
 * @version:		FT_SENSOR_VERSION
 * @header_bytes:	here is the first entry
 * @entry_bytes:	from one to the next
 * @entries:		how many there are; that of sensor n is entry n - 1
 * @generation:		odd while entries change; read it before and after them
 * @size:		bytes that can be mapped
 */
struct ft_sensor_directory {
	__u64	magic;
	__u32	version;
	__u32	header_bytes;
	__u32	entry_bytes;
	__u32	entries;
	__u64	generation;
	__u64	size;
	__u64	reserved[3];
};

/**
 * struct ft_sensor_entry - a sensor in the directory
 * @serial:	as in &ft_sensor_info; 0: there is none
 * @offset:	where it is mapped
 * @size:	bytes that can be mapped there
 * @kind:	enum ft_sensor_kind
 * @instance:	1, or NAME#instance
 * @name:	its name
 */
struct ft_sensor_entry {
	__u64	serial;
	__u64	offset;
	__u64	size;
	__u32	kind;
	__u32	instance;
	char	name[FT_NAME_LEN];
	__u64	reserved[4];
};

/* ft_sensor_header.state */
enum ft_sensor_state {
	FT_SENSOR_LIVE,		/* it counts */
	FT_SENSOR_GONE,		/* it was removed: the directory does not show it */
};

/**
 * struct ft_sensor_header - at the beginning of a sensor
 * @magic:		FT_SENSOR_MAGIC
 * @version:		FT_SENSOR_VERSION
 * @header_bytes:	of this structure
 * @serial:		as in &ft_sensor_info
 * @size:		bytes that are mapped
 * @state:		enum ft_sensor_state
 * @clock:		enum ft_clock_source
 * @clock_hz:		ticks a second, of all times in it
 * @since_ticks:	when it was made
 * @since_ns:		the same, in nanoseconds of the wall clock since 1970
 * @copies:		how many, one for each possible CPU, by its number; of programs, for
 *			each thread, and more while it is read
 * @copies_offset:	of the first, from the beginning of the header
 * @copy_bytes:		from one to the next
 * @rows_offset:	of the first row, from the beginning of a copy
 * @row_bytes:		from one to the next
 * @rows:		how many there are in a copy. The first is for all that have no row
 *			of their own: everything, if there is no split
 * @key:		offset in a row of what it is the row of, if there is a split; 0 there: of
 *			nothing
 * @count:		how many values; else it is the sum of @under, @over and all @bins
 * @sum:		of the values, modulo 2^64
 * @under:		how many were below the bins
 * @over:		how many were above them
 * @marks:		&struct ft_sensor_mark for each context
 * @bins:		of the histogram: bin i of axis[0] and j of axis[1] is the number
 *			j * axis[0].bins + i
 * @n_marks:		FT_SENSOR_CONTEXTS, or 0
 * @mark_bytes:		from one to the next
 * @n_bins:		how many bins there are in a row
 * @used:		offset in a copy of a number that is 0 as long as nothing was counted
 *			there: then a monitor need not read it. 0: there is none
 * @sensor:		as it was made; @ranges is 0
 *
 * A pair that began before the sensor was made may count, if another sensor saw it begin.
 */
struct ft_sensor_header {
	__u64			magic;
	__u32			version;
	__u32			header_bytes;
	__u64			serial;
	__u64			size;
	__u32			state;
	__u32			clock;
	__u64			clock_hz;
	__u64			since_ticks;
	__u64			since_ns;
	__u32			copies;
	__u32			copies_offset;
	__u32			copy_bytes;
	__u32			rows_offset;
	__u32			row_bytes;
	__u32			rows;
	__u32			key;
	__u32			count;
	__u32			sum;
	__u32			under;
	__u32			over;
	__u32			marks;
	__u32			bins;
	__u32			n_marks;
	__u32			mark_bytes;
	__u32			n_bins;
	__u32			used;
	__u32			reserved0;
	__u64			reserved[5];
	struct ft_sensor	sensor;
};

/**
 * struct ft_sensor_copy - what one CPU has counted; at the beginning of each copy
 * @moves:	odd while a row is being emptied: read it before and after all the rest
 * @alone:	events without a beginning
 * @forgotten:	beginnings that had to make room for others, or for the next one of their key
 * @crowded:	values of a split that found no room in the table: they are in the first row
 * @emptied:	rows that were added to the first one, as nothing was counted in them any more
 *		while others found no room
 */
struct ft_sensor_copy {
	__u64	moves;
	__u64	alone;
	__u64	forgotten;
	__u64	crowded;
	__u64	emptied;
	__u64	reserved[3];
};

/**
 * struct ft_sensor_mark - least and greatest value, noted by a context
 * @seq:	odd while the rest changes; 0: nothing was noted. Read it before and after
 * @least:	the least of all marks, and copies, is that of the sensor
 * @most:	and the greatest
 * @ts:		when @most was seen, in ticks
 * @a:		then: the first word of the event: the lock
 * @b:		then: the second word; of a pair that of its beginning: the call site
 * @tid:	then: the task; of a spinning lock that which acquired it, where several sensors,
 *		or one that is split by task, look at the lock
 * @cpu:	then: the CPU
 * @last:	of scalars: the last value
 * @last_ts:	when it was seen; the latest of all marks is the last of the sensor
 */
struct ft_sensor_mark {
	__u64	seq;
	__u64	least;
	__u64	most;
	__u64	ts;
	__u64	a;
	__u64	b;
	__s32	tid;
	__u32	cpu;
	__u64	last;
	__u64	last_ts;
	__u64	reserved;
};

/* A context need not note a value between two that another one of its CPU has noted. */

#endif /* _UAPI_LINUX_FEATHER_TRACE_SENSOR_H */
