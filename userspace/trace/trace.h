/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * A trace directory and its streams, one a CPU and one a ring of programs, read from
 * beginning to end.
 *
 * Everything in a packet is checked before use. Memory does not grow with the trace: each
 * stream has a buffer of at most TRACE_BUFFER bytes, and a smaller one if there are many
 * streams (of a program with many threads).
 */
#ifndef FT_TRACE_TRACE_H
#define FT_TRACE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <linux/feather_trace.h>

#include "packed/file.h"
#include "trace/metadata.h"
#include "trace/parts.h"

#define TRACE_BUFFER	(128u << 10)
#define TRACE_BUFFERS	(1u << 20)	/* all together */
#define TRACE_BUFFER_LEAST (8u << 10)
#define TRACE_MAX_PACKET (16u << 20)	/* a larger size is damage */

/*
 * Streams are numbered: those of CPUs, in files cpu<N>, by the CPU; those of threads
 * of programs, in files thread<N>, from TRACE_THREADS on.
 */
#define TRACE_THREADS	(1u << 20)
#define TRACE_NAME_LEN	24

/**
 * enum stream_item - what stream_next() finds
 * @STREAM_RECORD:	a record
 * @STREAM_GAP:		records were lost from here on: after the record before
 *			this and before the one after it
 * @STREAM_RESUME:	the first record after a gap comes next; nothing is
 *			missing between here and it. None after a last gap.
 */
enum stream_item {
	STREAM_RECORD,
	STREAM_GAP,
	STREAM_RESUME,
};

struct stream {
	/* What stream_next() found. */
	uint64_t		ts;	/* ticks; never falls; see stream_raise() */
	const struct ft_record	*rec;	/* STREAM_RECORD: until the next call */
	enum stream_item	item;
	unsigned int		cpu;
	unsigned int		index;	/* in the trace's streams */
	uint8_t			class;	/* of its events' ids, when it has begun */

	/* Private: all that most records need is in one cache line. */
	uint8_t			gap_mask;	/* 0xff if records have a gap */
	uint8_t			gap;	/* of the record before */
	bool			fresh;	/* no record of the packet was read yet */
	bool			skipped;	/* by the caller: merge leaves it out */
	bool			at_hand;	/* merge: its item was not given yet */
	uint64_t		ts_end;	/* of the packet */
	uint64_t		batch;	/* records of the packet in the buffer */
	uint64_t		records;	/* read, and those of the batch */

	/* Books. */
	uint64_t		packets;
	uint64_t		lost;	/* records, as counted in the last packet */
	uint64_t		gaps;	/* places where some were */
	uint64_t		torn;	/* bytes at the end that are no whole packet */
	bool			broken;	/* from some place on it cannot be read */

	/* How far the file is read: private. */
	uint64_t		left;	/* records of the packet after the batch */
	uint64_t		ts_begin;	/* of the packet */
	uint64_t		floor;	/* of ts: stream_raise() was called */
	uint64_t		stamp;	/* as long as ts is there: what the record says */
	uint64_t		padding;	/* bytes after its last record */
	uint64_t		seq;	/* the packet's number */
	uint64_t		missing;	/* records: the end of the packet is torn off */
	bool			in_gap;		/* STREAM_GAP was found */
	bool			late;	/* an empty packet counts more losses */
	bool			ended;
	struct trace		*trace;
	char			*path;
	int			fd;
	struct packed_file	*packed; /* the file is compressed: pos, size and what
					  * errors say are of the plain stream; or NULL
					  */
	unsigned int		part;	/* whose file it is: of trace->parts */
	bool			begun;	/* a packet of this file was read */
	bool			dropped;	/* parts are missing in front of this file */
	uint64_t		dropped_gaps;	/* of gaps: such places */
	uint64_t		lost_before;	/* in the files before this one */
	uint64_t		size_before;	/* of these, as they lie there */
	off_t			size;	/* of the file when it was opened */
	off_t			packet;	/* where the current packet begins */
	off_t			pos;	/* in the file, of what follows in buf */
	uint8_t			*buf;
	size_t			room;		/* of buf */
	size_t			head, tail;	/* what is in buf */
} __attribute__((aligned(64)));

struct trace {
	char		*title;		/* for people: as it was named */
	const char	*dir;		/* its facts are there: the last of its parts */
	struct parts	parts;		/* one, unless it was rotated */
	uint64_t	size;		/* of all files when it was opened */
	struct metadata	meta;
	struct stream	*streams;	/* by CPU */
	unsigned int	n_streams;
	struct unpacker	*unpacker;	/* NULL: nothing is compressed */
	struct ahead	*ahead;		/* or NULL: trace_read_ahead() */
	uint8_t		*buffers;	/* of all of them */
	size_t		buffer_size;
	uint64_t	start;		/* the first timestamp in any stream */
	bool		is_partial;	/* trace_only(): this time */
	uint64_t	first, end;
};

/**
 * trace_open - open a trace, read its metadata, find its streams
 * @dirs:	of it, or of its parts, or of all of them; see parts_find()
 *
 * Return: 0, or -1 with a message that says what to do.
 */
int trace_open(struct trace *t, char *const *dirs);
void trace_close(struct trace *t);

/**
 * trace_read_ahead - let a crew decode compressed streams ahead of their reader
 * @crew: outlives the open trace; NULL: nobody decodes ahead
 *
 * Blocks that are skipped by now are not decoded. The records read, and the messages, are the
 * same.
 */
void trace_read_ahead(struct trace *t, struct crew *crew);

/**
 * trace_only - no record before @first, and none from @end on, is of interest
 *
 * Some of them are not read then, but all losses are counted. See window.c.
 */
void trace_only(struct trace *t, uint64_t first, uint64_t end);

/** Private: stream_pass - where no packet is under way: go on behind what is not of interest */
void stream_pass(struct stream *s);

/**
 * trace_allow_files - allow this process so many open files and some more
 *
 * All streams are open at once, so trace_open() calls it; but not in a call of the library,
 * which leaves the program's limits alone.
 */
void trace_allow_files(unsigned int n);

/** stream_is_program - of a program, not of a CPU */
static inline bool stream_is_program(const struct stream *s)
{
	return s->cpu >= TRACE_THREADS;
}

/** trace_size_ok - can this be the size of a packet and of its content? */
static inline bool trace_size_ok(const struct ft_packet_header *h)
{
	uint64_t content = h->content_bits / 8, packet = h->packet_bits / 8;

	return !(h->content_bits % 64) && !(h->packet_bits % 64) && content >= sizeof(*h) &&
	       !((content - sizeof(*h)) % sizeof(struct ft_record)) && packet >= content &&
	       packet <= TRACE_MAX_PACKET;
}

/** stream_event - what the record at hand is, or NULL */
static inline const struct event_type *
stream_event(const struct trace *t, const struct stream *s)
{
	return metadata_event(&t->meta, s->class, s->rec->id);
}

/** trace_stream_name - "cpu3", "thread0": of the file of a stream */
const char *trace_stream_name(char name[TRACE_NAME_LEN], unsigned int number);

/** trace_stream_number - the opposite; false if it is not the name of a stream */
bool trace_stream_number(const char *name, unsigned int *number);

/** trace_stream_title - "CPU 3", "stream 0": for people */
const char *trace_stream_title(char title[TRACE_NAME_LEN], unsigned int number);

/** trace_stream_label - "3", "thread0": for programs */
const char *trace_stream_label(char label[TRACE_NAME_LEN], unsigned int number);

#define TRACE_STREAMS_LEN	64

/** trace_streams_text - "2 CPUs", "2 CPUs and 3 streams of programs" */
const char *trace_streams_text(char text[TRACE_STREAMS_LEN], const struct trace *t);

/** trace_cpu_streams - how many of the streams are of CPUs: they come first */
unsigned int trace_cpu_streams(const struct trace *t);

/** trace_stream_index - N in the file's name */
static inline unsigned int trace_stream_index(unsigned int number)
{
	return number % TRACE_THREADS;
}

/**
 * trace_cpus - which files cpu<N> and thread<N> there are
 * @cpus: by number; the caller's to free, also on failure
 *
 * Return: how many, or -1 with a message.
 */
int trace_cpus(const char *dir, unsigned int **cpus);

/**
 * trace_unite - numbers that are in order, and others, without those that come twice
 * @cpus:	resized
 *
 * Return: how many they are then.
 */
int trace_unite(unsigned int **cpus, int n, const unsigned int *more, int n_more);

/**
 * stream_lost - records lost in what was read so far; at least one a gap
 *
 * Those of parts that were dropped are known of all streams together: trace->parts has them.
 */
static inline uint64_t stream_lost(const struct stream *s)
{
	uint64_t gaps = s->gaps - s->dropped_gaps;

	return s->lost > gaps ? s->lost : gaps;
}

/** trace_lost - the same for all streams, and what was in parts that were dropped */
uint64_t trace_lost(const struct trace *t);

/**
 * trace_status - the exit status after the trace was read (enum ft_exit)
 *
 * An error if a stream could not be read to its end; what came before that was used.
 */
int trace_status(const struct trace *t);

/** struct trace_books - what was read of a trace, to compare with another reading */
struct trace_books {
	uint8_t		uuid[16];
	uint64_t	records;
	unsigned int	broken;		/* streams */
};

/** trace_books - all was read */
struct trace_books trace_books(const struct trace *t);

/**
 * trace_compare_books - @t was read once more: is all that there was @before still there?
 *
 * A trace that is being recorded may have more. Return: 0, or -1 with a message.
 */
int trace_compare_books(const struct trace *t, const struct trace_books *before);

/** trace_ns - a span of ticks in nanoseconds, rounded down */
uint64_t trace_ns(const struct trace *t, uint64_t ticks);

/** trace_has_wall - is the wall clock known? */
static inline bool trace_has_wall(const struct trace *t)
{
	return t->meta.offset_s || t->meta.offset;
}

/**
 * trace_wall - the wall clock at a time, in seconds since 1970
 * @ns: the nanoseconds of the second
 */
int64_t trace_wall(const struct trace *t, uint64_t ts, uint32_t *ns);

/**
 * stream_raise - the record at hand came at @ts, not before; so did those behind it
 * which say that they were earlier
 */
static inline void stream_raise(struct stream *s, uint64_t ts)
{
	if (s->ts != s->floor)
		s->stamp = s->ts;
	s->ts = s->floor = ts;
}

/** trace_part - the directory whose file of @s is read just now */
static inline const char *trace_part(const struct stream *s)
{
	return s->trace->parts.dir[s->part];
}

/** stream_done - how far its files were read, in bytes as they lie there */
static inline uint64_t stream_done(const struct stream *s)
{
	return s->size_before + (s->packed ? s->packed->done : (uint64_t)s->pos);
}

/**
 * Private: stream_read - some bytes of the plain stream, from @at on
 *
 * Return: how many, 0 at the end, or -errno; -EBADMSG: a block is damaged.
 */
ssize_t stream_read(const struct stream *s, void *buf, size_t len, off_t at);

/** Private: stream_reach - of a compressed stream, make known whether it has @len bytes at pos */
static inline void stream_reach(struct stream *s, uint64_t len)
{
	while (s->packed && s->packed->end < (uint64_t)s->pos + len && packed_more(s->packed))
		;
	if (s->packed)
		s->size = (off_t)s->packed->end;
}

/**
 * Private: stream_open_file - that of the next part from @part on which has one
 *
 * Return: 1, 0 there is none, -1 with a message.
 */
int stream_open_file(struct stream *s, unsigned int part);

/* Private: what is rare in stream_next(). */
int stream_next_slow(struct stream *s);
int stream_next_odd(struct stream *s);

/** stream_ahead - the record that stream_next() will find if it is an ordinary one, or NULL */
static inline const struct ft_record *stream_ahead(const struct stream *s)
{
	const struct ft_record *rec;

	if (!s->batch)
		return NULL;
	rec = s->rec + 1;
	if (__builtin_expect(rec->ts < s->ts || rec->ts > s->ts_end ||
			     ((rec->gap ^ s->gap) & s->gap_mask), 0))
		return NULL;
	return rec;
}

/** stream_take - go on to what stream_ahead() gave */
static inline void stream_take(struct stream *s, const struct ft_record *rec)
{
	__builtin_prefetch(rec + 4);	/* others' records come in between */
	s->batch--;
	s->rec = rec;
	s->ts = rec->ts;
	s->item = STREAM_RECORD;
}

/**
 * stream_next - go on to the next item of a stream
 *
 * If the rest of a stream cannot be read it ends there, with a message, a gap and
 * s->broken; what came before is good. Return: 1, and s->item is the item's kind; 0 at the
 * end; never less.
 */
static inline int stream_next(struct stream *s)
{
	const struct ft_record *rec = stream_ahead(s);

	if (!rec)
		return s->batch ? stream_next_odd(s) : stream_next_slow(s);
	stream_take(s, rec);
	return 1;
}

#endif /* FT_TRACE_TRACE_H */
