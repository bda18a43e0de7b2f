/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Copies rings to files. Each ring has a thread, because a single one cannot copy what a
 * large machine writes. It writes records from where they lie, the mapped ring.
 *
 * A recorder that traces locks records its own locks, too. So the threads make few system
 * calls with large pieces: they sleep instead of waiting for the first record (their own
 * next call would cause it), and write once a second or when the ring holds a lot.
 */
#ifndef FT_RECORD_KERNEL_RINGS_H
#define FT_RECORD_KERNEL_RINGS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <linux/feather_trace.h>

#include "record/locks/seen.h"
#include "record/kernel/packets.h"
#include "trace/directory.h"

/* What the threads are to do; it only ever rises. */
enum rings_stop {
	RINGS_RUN,		/* until further notice */
	RINGS_DRAIN,		/* read to the end of the ended trace */
	RINGS_DRAIN_ACTIVE,	/* others keep the trace running: read what is there now */
	RINGS_ABORT,		/* at once */
};

struct compress;	/* compress.h */
struct compress_stream;
struct rings;
struct reader_batch;	/* reader.c */

/* Counts of one file of a ring, or of all its files. */
struct ring_books {
	uint64_t	records;	/* in the file */
	uint64_t	bytes;		/* in the file */
	uint64_t	lost;		/* in the kernel's ring, since we started */
	uint64_t	unwritten;	/* taken from the ring, but not in the file */
	uint64_t	stored;		/* plain bytes for which there was no time to compress */
};

/*
 * The change from one file of each ring to the next (seam.h). The main thread writes it
 * before announcing it, and only after all threads have crossed the previous one.
 */
struct seam {
	struct record_dir *old_dir;	/* directory of the old files; NULL: they are closed */
	uint64_t	at;		/* ticks: records from then on go to the new files */
	double		silent;		/* monotonic_now(): an idle ring crosses then */
	int		*file;		/* by CPU */
	_Atomic unsigned int left;	/* threads that have not crossed yet */
};

struct ring {
	struct rings	*rings;
	unsigned int	cpu;
	bool		open;		/* otherwise the rest is unused */
	bool		started;
	int		fd;		/* the device */
	int		file;
	struct record_dir *dir;		/* of the file */
	pthread_t	thread;

	/* owned by the thread */
	struct reader_batch *batch;
	const char	*map;		/* the ring's memory, or NULL */
	struct packets	packets;
	struct locks_seen *locks;	/* or NULL */
	uint64_t	ring_bytes;	/* size of the ring in the kernel */
	uint64_t	lost_before;	/* losses before we started */
	uint64_t	wait_ns;	/* between two reads */
	double		flushed;	/* when */
	uint64_t	drained;	/* bytes since told to drain */

	unsigned int	seams;		/* how many it has crossed (seam.h) */
	struct ring_books begun;	/* counts at the beginning of its current file */
	struct compress_stream *stream;	/* where packets are compressed, or NULL (blocks.h) */
	bool		changing;	/* the last blocks of the file are not written yet */
	double		change_until;	/* monotonic_now(): those that wait then are stored */
	bool		torn;		/* a block could not be written */
	uint64_t	unwritten_next;	/* as the books' one, of the file behind the seam */

	/* written by the thread, read by all: struct ring_books of all files */
	_Atomic uint64_t records;
	_Atomic uint64_t bytes;
	_Atomic uint64_t lost;
	_Atomic uint64_t unwritten;
	_Atomic uint64_t stored;

	/* the previous file; valid after the thread has crossed a seam */
	int		old_file;
	struct ring_books old;

	/* valid after the thread has ended */
	int		error;		/* errno; 0: none */
	const char	*doing;		/* what failed: "reading", "writing" */
	char		*where;		/* in which directory: it may be closed since */
};

struct rings {
	struct ring	*ring;		/* by CPU */
	unsigned int	n;
	uint32_t	wake_us;	/* longest sleep */
	uint32_t	slots;		/* of rings that come later */
	bool		joined;		/* the trace ran before we started */
	bool		replaced;	/* by another, before all was read, perhaps */
	struct lock_names *names;	/* of locks; NULL: nobody asks for them */
	const uint8_t	*family;	/* as in struct locks_seen */
	struct compress	*compress;	/* NULL: files are plain; rings_exit() stops it */
	int		session;	/* as for device_open_ring() */
	const struct ft_info *info;	/* of the trace, from rings_start() on */
	struct record_dir *dir;	/* of new files */
	struct seam	seam;		/* the latest one, if any: see seam.h */
	_Atomic unsigned int seams;	/* announced so far */
	_Atomic uint64_t bytes;		/* in all files */
	_Atomic uint64_t enough;	/* event_fd becomes readable at this many */
	int		stop_fd;	/* readable when stop has changed */
	int		event_fd;	/* readable when a thread reports something */
	_Atomic int	stop;		/* enum rings_stop */
	double		patience;	/* monotonic_now(): silent rings are drained; since .stop */
	_Atomic unsigned int running;	/* threads */
};

struct rings_total {
	unsigned int	cpus;		/* rings that were read */
	uint64_t	records, bytes, lost, lost_before, unwritten, stored;
};

/* For reader.c, blocks.c and seam.c. */

/** ring_create_file - create its file in @dir. Return: a descriptor, or -1 after a message */
int ring_create_file(const struct ring *ring, const struct record_dir *dir);
void ring_remove_file(const struct ring *ring, const struct record_dir *dir);

/** ring_begin_file - start the counts of a new file */
void ring_begin_file(struct ring *ring);

/** ring_books - the counts of the current file */
struct ring_books ring_books(const struct ring *ring);

/** ring_fail - note why its thread ends. Return: false */
bool ring_fail(struct ring *ring, const char *doing, int error);

/** ring_cut - make the file end where the books say */
void ring_cut(struct ring *ring);

/** ring_count - so much is in the file now; @lost: what its last packet says */
void ring_count(struct ring *ring, size_t records, size_t bytes, uint64_t lost);

/** rings_tell - wake the main thread by event_fd */
void rings_tell(struct rings *rings);

/** rings_written - count @bytes, and wake the main thread when they are enough */
void rings_written(struct rings *rings, size_t bytes);

/** rings_init - for CPUs below @n; false after a message */
bool rings_init(struct rings *rings, unsigned int n);

/** rings_raise_files - raise the limit: three files for each CPU can exceed 1024 */
void rings_raise_files(unsigned int cpus);

/** rings_open - open the device of every CPU that exists */
bool rings_open(struct rings *rings);

/** rings_create - make a file for every open ring */
bool rings_create(struct rings *rings, struct record_dir *dir);

/**
 * rings_start - start the threads of the rings that have none
 * @info:	of the trace; it stays
 */
bool rings_start(struct rings *rings, const struct ft_config *config,
		 const struct ft_info *info);

/** rings_adopt - open, create and start the rings of new CPUs */
bool rings_adopt(struct rings *rings);

/** rings_failed - has a thread ended on its own? */
bool rings_failed(const struct rings *rings);

/** rings_stop - tell the threads what to do; does not wait */
void rings_stop(struct rings *rings, enum rings_stop how);

/**
 * rings_finish - join the threads, close the files, remove the empty ones
 * @control:	tells whether the rings still have the trace of rings_start()
 *
 * Call it when no thread runs any more. Return: false if rings failed, after a message
 * for each.
 */
bool rings_finish(struct rings *rings, int control);

/** rings_exit - close and free all; after rings_start(), call rings_finish() first */
void rings_exit(struct rings *rings);

/** rings_sum - sum up all files */
void rings_sum(const struct rings *rings, struct rings_total *total);

/**
 * rings_sum_file - sum up the current files; or the previous ones, before the last seam
 *
 * Call it after the threads have ended, or have crossed the seam.
 */
void rings_sum_file(const struct rings *rings, bool old, struct rings_total *total);

#endif /* FT_RECORD_KERNEL_RINGS_H */
