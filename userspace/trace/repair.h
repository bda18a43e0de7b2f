/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Mending a trace: what its parts share.
 *
 *	repair.c	files and directories
 *	repair_survey.c	what is known of the trace before its streams are read
 *	repair_stream.c	walks over a file from packet to packet
 *	repair_packet.c	judges headers and records
 *	repair_write.c	writes the packets of the mended stream
 *	repair_metadata.c	writes metadata where it is missing
 */
#ifndef FT_TRACE_REPAIR_H
#define FT_TRACE_REPAIR_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include <linux/feather_trace.h>

#include "trace/directory.h"
#include "trace/metadata.h"

#define FIX_HEADER	sizeof(struct ft_packet_header)
#define FIX_RECORD	sizeof(struct ft_record)
#define FIX_WINDOW	(256u << 10)
#define FIX_NO_TIME	UINT64_MAX

/** struct fix_input - a file, seen through a window that moves forward */
struct fix_input {
	const char	*path;
	int		fd;
	uint64_t	size;
	uint8_t		*buf;
	uint64_t	start;		/* of what is in buf */
	size_t		len, room;
	bool		failed;		/* reading did; said */
};

/** struct fix - the trace, and how it is to be mended */
struct fix {
	const char	*dir;
	unsigned int	*cpus;		/* the files cpu<N>, thread<N> */
	int		n_cpus;

	struct metadata	meta;		/* as much of it as could be read */
	bool		meta_whole;	/* nothing is missing in it */
	char		*meta_text;
	size_t		meta_len;
	uint8_t		uuid[16];
	uint64_t	freq;
	uint64_t	ts_max;		/* later ones do not fit readers' clocks */
	bool		has_gap;	/* records say where some were lost */
	unsigned int	of_threads;	/* the class of streams of programs */
	bool		counting;	/* a first walk, only for this: */
	uint32_t	seen[METADATA_CLASSES][FT_ID_MAX + 1];	/* records by id */

	uint64_t	saved, lost;	/* records */
	uint64_t	mended;		/* packets, and the metadata */
};

/** struct fix_stream - one file on its way */
struct fix_stream {
	struct fix		*fix;
	struct fix_input	in;
	FILE			*out;	/* NULL: only say what would be done */
	unsigned int		cpu;
	unsigned int		class;	/* that it is of */
	bool			failed;	/* the output did; said */

	/* Books. */
	uint64_t	saved, lost, mended, packets;
	unsigned int	told;		/* findings */

	/* Of the packet before. */
	bool		any;		/* there was one */
	uint64_t	seq;
	uint64_t	discarded;	/* as it said */
	uint64_t	ts;		/* of the last record that was saved */

	/* What was written. */
	bool		any_out;
	uint64_t	seq_out;
	uint64_t	discarded_out;
	uint64_t	cut;		/* lost records that no packet tells of yet */
	uint64_t	cut_all;	/* lost records that packets tell of */
	bool		any_record;
	uint8_t		gap_out;	/* of the last record */
	uint8_t		shift;		/* what gaps of this file rise by */
};

/** struct fix_target - where the mended trace goes */
struct fix_target {
	struct record_dir	dir;	/* private */
	bool			in_place, dry;
};

/* repair.c */

/**
 * fix_trace - mend the trace in @dir, say what was done
 * @output:	where to, unless t->in_place or t->dry
 *
 * Return: exit status.
 */
int fix_trace(const char *dir, struct fix_target *t, const char *output);

/* repair_survey.c */

/**
 * fix_survey - read the metadata, find out the trace's uuid and clock
 *
 * Return: 0, or -1 with a message: nothing to mend it by.
 */
int fix_survey(struct fix *fix);

/** fix_class - the class of streams that this one is of */
unsigned int fix_class(const struct fix *fix, unsigned int cpu);

/** fix_open - open the stream of a CPU. Return: 0, or -1 with a message */
int fix_open(struct fix_input *in, const char *path);
void fix_close(struct fix_input *in);

/**
 * fix_window - see so many bytes of the file
 *
 * Return: NULL where there are not so many, or they cannot be read.
 */
const uint8_t *fix_window(struct fix_input *in, uint64_t pos, size_t len);

/* repair_stream.c */

/** fix_stream - mend s->in into s->out. Return: 0, or -1 with a message */
int fix_stream(struct fix_stream *s);

/** fix_tell - print what was found at an offset of the file */
__attribute__((format(printf, 3, 4)))
void fix_tell(struct fix_stream *s, uint64_t pos, const char *fmt, ...);

/* repair_packet.c */

/**
 * fix_judge - is this the header of one of our packets? A few wrong fields are
 * corrected.
 * @wrong: names of the fields that were corrected
 * @len: of @wrong
 */
bool fix_judge(const struct fix_stream *s, struct ft_packet_header *h,
	       char *wrong, size_t len);

/** fix_sizes_good - can these sizes be? */
bool fix_sizes_good(const struct ft_packet_header *h);

/**
 * fix_choose - which of the records to keep: as many as are possible
 * @next: the time that the packet behind begins with, or FIX_NO_TIME
 * @keep: out: for each
 *
 * Return: how many.
 */
size_t fix_choose(const struct fix_stream *s, const struct ft_packet_header *h,
		  const struct ft_record *rec, size_t n, uint64_t next, bool *keep);

/* repair_write.c */

/** fix_lose - so many records are missing at this place */
void fix_lose(struct fix_stream *s, uint64_t n);

/** fix_write - a packet of these records; none: it tells of losses only */
void fix_write(struct fix_stream *s, const struct ft_packet_header *h,
	       struct ft_record *rec, size_t n);

/* repair_metadata.c */

/**
 * fix_event_known - can a record have this id?
 *
 * If the metadata has it, or if it is a mark or of a lock. Others that occur in a trace
 * may be events that the metadata lacks; but if that is whole and the id occurs once,
 * it is a wrong one.
 */
bool fix_event_known(const struct fix *fix, unsigned int class, uint32_t id);

/** fix_meta_write - metadata from what is known */
void fix_meta_write(const struct fix *fix, FILE *f);

#endif /* FT_TRACE_REPAIR_H */
