/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Reading traces from a program: libfttrace, pkg-config fttrace.
 *
 *	#include <feather_trace/reader.h>
 *	#include <inttypes.h>
 *	#include <stdio.h>
 *
 *	struct ft_reader *r = ft_reader_new();
 *	const struct ft_reader_item *item;
 *	int ret = ft_reader_open(r, "t", FT_READER_SECTIONS);
 *
 *	while (!ret && (ret = ft_reader_next(r, &item)) > 0) {
 *		printf("%s %" PRIu64 "\n", item->section.family, item->section.length);
 *		ret = 0;
 *	}
 *	if (ret)
 *		fprintf(stderr, "%s\n", ft_reader_error(r));
 *	ft_reader_free(r);
 *
 * Errors. Functions that return int return 0 or more, or a negative errno value, which
 * ft_reader_error() has in words; but that of ft_reader_wall() says it all. The library
 * prints nothing, never ends the program, and does not change limits or signals of the
 * process.
 *
 * Times are in ticks of the trace's clock, as it counted them: ft_reader_frequency()
 * of them are a second, ft_reader_start() is the first. ft_reader_wall() turns them into the
 * wall clock.
 *
 * Threads. Any number of readers may be used at a time; each by one thread at a time.
 *
 * Memory. What a function returns belongs to the reader; it says how long it stays.
 * Memory does not grow with the length of the trace.
 *
 * Versions. A later version of the library may add functions, bits, kinds of items, and
 * members at the end of structures, which only the library allocates. A program
 * skips items of kinds that it does not know.
 */
#ifndef FEATHER_TRACE_READER_H
#define FEATHER_TRACE_READER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of this header. */
#define FT_READER_VERSION	3

/** struct ft_reader - a trace that is read */
struct ft_reader;

/**
 * enum ft_reader_kind - kinds of items, one bit each: for ft_reader_open(), and in an item
 * @FT_READER_RECORDS:	events, as they were recorded
 * @FT_READER_SECTIONS:	critical sections, from the acquisition of a lock to its
 *			release, in the order of their ends
 * @FT_READER_WAITS:	waits for locks, some time after their ends
 * @FT_READER_GAPS:	places where records were lost
 */
enum ft_reader_kind {
	FT_READER_RECORDS	= 1,
	FT_READER_SECTIONS	= 2,
	FT_READER_WAITS		= 4,
	FT_READER_GAPS		= 8,
};

/** struct ft_reader_event - an event of the trace; stays as long as its reader */
struct ft_reader_event {
	const char	*name;		/* "mutex_acquire" */
	const char	*word[2];	/* names of record.a and .b; NULL: see ft_reader_field() */
	uint32_t	style[2];	/* enum ft_reader_style, how to print them */
};

enum ft_reader_style {
	FT_READER_HEX,		/* an address, or of an unknown type */
	FT_READER_UNSIGNED,
	FT_READER_SIGNED,
};

/**
 * struct ft_reader_field - a field of an event: one of its words, or a part of one
 * @name:	"next_prio"; stays as long as the reader
 * @style:	enum ft_reader_field_style: how to print it
 * @bits:	of the word that it takes, 1 to 64
 */
struct ft_reader_field {
	const char	*name;
	uint32_t	style;
	uint32_t	bits;
};

enum ft_reader_field_style {
	FT_READER_FIELD_HEX,		/* an address, or of an unknown type */
	FT_READER_FIELD_UNSIGNED,
	FT_READER_FIELD_SIGNED,
	FT_READER_FIELD_CODE,		/* a function's address, for ft_reader_name() */
	FT_READER_FIELD_PRIO,		/* a task's, signed: as the kernel counts */
	FT_READER_FIELD_LABEL,		/* a number with a name, for ft_reader_label() */
};

/* ft_reader_item.context: 0 is a task; else how deep in which kinds of interrupt. */
#define FT_READER_SOFTIRQ	0x01u
#define FT_READER_HARDIRQ	0x1eu
#define FT_READER_NMI		0xe0u

/** struct ft_reader_record - an event happened */
struct ft_reader_record {
	uint64_t	stamp;		/* ticks: as it was recorded; see item.time */
	uint64_t	a, b;
	const struct ft_reader_event *event;	/* NULL: the metadata has none */
	uint32_t	id;		/* of the event in its class of streams */
	uint32_t	stream_class;	/* 0: of CPUs, 1: of rings of programs */
};

/* ft_reader_section.flags */
#define FT_READER_SPINNING	1u	/* a lock that keeps its CPU */
#define FT_READER_PROGRAM	2u	/* a lock of a program, not of the kernel */
#define FT_READER_LATE		4u	/* that it ended was found out later */

/**
 * struct ft_reader_section - a lock was held
 * @start, @end:	ticks
 * @length:		@end - @start
 * @lock:		its address; data, for ft_reader_name()
 * @site:		where it was acquired; code, for ft_reader_name()
 * @family:		"spin", "rwlock_read", "mutex", ...; stays for ever
 * @depth_spinning:	spinning locks that were held on the CPU already
 * @depth_sleeping:	the kernel's sleeping locks that the task held already
 * @depth_both:		the sum
 * @depth_program:	locks of its program that the thread held already
 * @track:		sections of one CPU (spinning) or task (other) and track nest
 *			properly, except late ones
 */
struct ft_reader_section {
	uint64_t	start, end, length;
	uint64_t	lock, site;
	const char	*family;
	uint32_t	depth_spinning, depth_sleeping, depth_both, depth_program;
	uint32_t	track;
	uint32_t	flags;
};

/**
 * struct ft_reader_wait - a task waited for a lock
 * @begin, @end:	ticks
 * @length:		@end - @begin
 * @lock:		its address; data, for ft_reader_name()
 * @site:		where it is acquired; code; 0: not known
 * @holder:		where the holder at @begin acquired it; code; 0: not known
 * @family:		of the lock, as struct ft_reader_section has it
 * @holder_family:	of what the holder held; NULL: not known
 */
struct ft_reader_wait {
	uint64_t	begin, end, length;
	uint64_t	lock, site, holder;
	const char	*family, *holder_family;
};

/** struct ft_reader_gap - records were lost: from item.time to the stream's next record */
struct ft_reader_gap {
	uint64_t	lost;		/* in this stream so far, without dropped parts */
};

/**
 * struct ft_reader_item - what ft_reader_next() found
 * @kind:	enum ft_reader_kind: which of the members below has more
 * @context:	of a record; of a section or wait, where it began
 * @cpu:	where it happened; -1: a program does not know
 * @ring:	of a program, the N of its file thread<N>; -1: the kernel's
 * @tid:	the task; of a gap 0
 * @time:	ticks. Of a record, when: never before that of the record in front
 *		of it in the stream. Of a gap, from when on; of a section or wait, its end.
 *
 * With sections or waits, an acquisition that was stamped before the release it had
 * to wait for, as processors may, has the time of that release, and so have
 * those behind it in the stream that were stamped earlier. Without, records have the
 * time of their stamp, and never fall.
 */
struct ft_reader_item {
	uint32_t	kind;
	uint32_t	context;
	int32_t		cpu;
	int32_t		ring;
	int32_t		tid;
	uint32_t	reserved;
	uint64_t	time;
	union {
		struct ft_reader_record		record;
		struct ft_reader_section	section;
		struct ft_reader_wait		wait;
		struct ft_reader_gap		gap;
	};
};

/** ft_reader_version - FT_READER_VERSION of the library that is there */
unsigned int ft_reader_version(void);

/** ft_reader_new - a reader without a trace. Return: NULL without memory */
struct ft_reader *ft_reader_new(void);

/** ft_reader_free - close it, and free all that it returned; @r may be NULL */
void ft_reader_free(struct ft_reader *r);

/**
 * ft_reader_open - open the trace in the directory @dir
 * @kinds: enum ft_reader_kind, or-ed: the items that are wanted; 0 for none
 *
 * A reader opens one trace, once.
 *
 * Return: 0; -ENOENT and other errors of files; -EINVAL it is no trace that can be
 * read, its metadata is damaged, @kinds has an unknown bit, or @r was opened before;
 * -ENOMEM.
 */
int ft_reader_open(struct ft_reader *r, const char *dir, unsigned int kinds);

/**
 * ft_reader_next - the next item of the trace
 * @item: *@item is valid until the next call for @r
 *
 * What is damaged in a stream ends that stream, as a gap; the others go on. That a
 * stream was not read to its end is said behind the last item.
 *
 * Return: 1, and *@item; 0 at the end; -EBADMSG at the end of a damaged trace;
 * what ft_reader_open() returned where it failed; -EINVAL before it; -ENOMEM, from then
 * on always.
 */
int ft_reader_next(struct ft_reader *r, const struct ft_reader_item **item);

/**
 * ft_reader_error - why the last call that failed did so: a line or more, "" for none
 *
 * Valid until the next call for @r.
 */
const char *ft_reader_error(const struct ft_reader *r);

/**
 * ft_reader_notes - what was found odd so far, and is no error: torn or damaged packets,
 * missing symbols; a line each, "" for none
 *
 * Valid until the next call for @r.
 */
const char *ft_reader_notes(const struct ft_reader *r);

/** ft_reader_lost - records that were lost, in what was read so far; at least */
uint64_t ft_reader_lost(const struct ft_reader *r);

/** ft_reader_start - the first time of all streams, in ticks */
uint64_t ft_reader_start(const struct ft_reader *r);

/** ft_reader_frequency - ticks a second; 0 where no trace is open */
uint64_t ft_reader_frequency(const struct ft_reader *r);

/**
 * ft_reader_wall - the wall clock at a time
 * @ticks:	the time
 * @seconds:	since 1970
 * @ns:		and nanoseconds, rounded down
 *
 * Return: 0, or -ENODATA: the trace does not have it.
 */
int ft_reader_wall(const struct ft_reader *r, uint64_t ticks, int64_t *seconds,
		   uint32_t *ns);

/** enum ft_reader_address - what an address is of */
enum ft_reader_address {
	FT_READER_DATA,		/* a lock */
	FT_READER_CODE,		/* a call site: the address to which it returns */
};

/**
 * ft_reader_name - the name of an address, "name+0x1f [module]"
 * @what:	enum ft_reader_address
 * @buf:	@len bytes, takes as much as fits; 320 are enough
 *
 * The first call reads the trace's symbols.
 *
 * Return: the length of the name, as snprintf() does; 0, and "", where it has none;
 * -EINVAL, -ENOMEM.
 */
int ft_reader_name(struct ft_reader *r, uint64_t address, unsigned int what,
		   char *buf, size_t len);

/**
 * ft_reader_class - the class of a lock, "mm_struct.mmap_lock": the same for all locks that are
 * this member of their object, in each trace; "pipe_inode_info.mutex (probably)" where others
 * fit as well
 * @lock:	its address, from a section or a wait
 * @buf: @len bytes, takes as much as fits; 320 are enough
 *
 * Since version 3. The first call reads the trace's symbols.
 *
 * Return: the length, as snprintf() does; 0, and "", where the trace does not say it;
 * -EINVAL, -ENOMEM.
 */
int ft_reader_class(struct ft_reader *r, uint64_t lock, char *buf, size_t len);

/**
 * ft_reader_task - the name of a task; stays as long as the reader
 *
 * The first call reads the trace's names. Return: NULL if it is not known, or without
 * memory: ft_reader_next() then returns -ENOMEM.
 */
const char *ft_reader_task(struct ft_reader *r, int32_t tid);

/**
 * ft_reader_find_event - an event by its number; stays as long as the reader
 * @stream_class:	as in struct ft_reader_record
 * @id:		at most 65535
 *
 * Return: NULL if there is none.
 */
const struct ft_reader_event *ft_reader_find_event(const struct ft_reader *r,
						   unsigned int stream_class,
						   uint32_t id);

/**
 * ft_reader_field - a field of an event; stays as long as the reader
 * @event:	of this reader
 * @i:		0, 1, ...
 *
 * Since version 2. Return: NULL behind the last.
 */
const struct ft_reader_field *ft_reader_field(const struct ft_reader *r,
					      const struct ft_reader_event *event,
					      unsigned int i);

/**
 * ft_reader_value - what a field has in a record of its event
 * @field:	from ft_reader_field()
 * @a, @b:	the record's
 *
 * Since version 2. Return: a signed one with its sign in the upper bits.
 */
uint64_t ft_reader_value(const struct ft_reader_field *field, uint64_t a, uint64_t b);

/**
 * ft_reader_label - the name of a field's value, such as "R+"; stays as long as the reader
 * @field:	from ft_reader_field()
 *
 * Since version 2. Return: NULL where it has none.
 */
const char *ft_reader_label(const struct ft_reader_field *field, uint64_t value);

#ifdef __cplusplus
}
#endif

#endif /* FEATHER_TRACE_READER_H */
