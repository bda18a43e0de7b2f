/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * From the rings into files: one thread for each ring, because a single one
 * cannot copy what a large machine writes.
 *
 * A recorder that traces locks sees its own. So the threads do little, and that
 * in large pieces: they sleep for a while instead of waiting for the first
 * record (their own system call would be the next one), and they write only
 * when much has come together, or once a second.
 */
#ifndef FT_RECORD_KERNEL_RINGS_H
#define FT_RECORD_KERNEL_RINGS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <linux/feather_trace.h>

#include "record/kernel/packets.h"
#include "trace/directory.h"

/* How the threads are to go on; only ever rises. */
enum rings_stop {
	RINGS_RUN,		/* until told otherwise */
	RINGS_DRAIN,		/* to the end of the ended trace */
	RINGS_DRAIN_ACTIVE,	/* others keep the trace: what is there now */
	RINGS_ABORT,		/* at once */
};

struct rings;

/* What one file has of a ring, or all files together. */
struct ring_books {
	uint64_t	records;	/* read, less those in unwritten */
	uint64_t	bytes;		/* in the file */
	uint64_t	lost;		/* in the kernel's ring, since we began */
	uint64_t	unwritten;	/* read, but the file did not take them */
};

/*
 * Between two files of each ring (seam.h). Written by the main thread before it is
 * announced, and not before all threads have crossed the one before.
 */
struct seam {
	struct record_dir *old_dir;	/* of the old files; NULL: they are closed */
	uint64_t	at;		/* ticks: records from then on go there */
	double		silent;		/* monotonic_now(): an idle ring crosses then */
	int		*file;		/* by CPU */
	_Atomic unsigned int left;	/* threads that have yet to cross */
};

struct ring {
	struct rings	*rings;
	unsigned int	cpu;
	bool		open;		/* else all that follows is unused */
	bool		started;
	int		fd;		/* the device */
	int		file;
	struct record_dir *dir;		/* of that */
	pthread_t	thread;

	/* owned by the thread */
	char		*buf;
	size_t		used;		/* bytes in buf: whole packets */
	struct packets	packets;
	uint64_t	ring_bytes;	/* size of the ring in the kernel */
	uint64_t	lost_before;	/* in a trace that ran already */
	uint64_t	wait_ns;	/* between two reads */
	double		flushed;	/* when */
	uint64_t	drained;	/* bytes since told to drain */
	double		idle_since;	/* while draining: silent since when */

	unsigned int	seams;		/* that it has crossed (seam.h) */
	struct ring_books begun;	/* at the beginning of its present file */

	/* written by the thread, read by anybody: struct ring_books, of all files */
	_Atomic uint64_t records;
	_Atomic uint64_t bytes;
	_Atomic uint64_t lost;
	_Atomic uint64_t unwritten;

	/* of the file before, valid when the thread has crossed a seam */
	int		old_file;
	struct ring_books old;

	/* valid when the thread has ended */
	int		error;		/* errno, 0 when all is well */
	const char	*doing;		/* what failed: "reading", "writing" */
	struct record_dir *where;	/* and of which file */
};

struct rings {
	struct ring	*ring;		/* by CPU */
	unsigned int	n;
	uint32_t	wake_us;	/* longest sleep */
	uint32_t	slots;		/* of a ring that is yet to come */
	bool		joined;		/* the trace ran before we came */
	int		session;	/* as for device_open_ring() */
	struct record_dir *dir;	/* of new files */
	struct seam	seam;		/* the last one, if any: see seam.h */
	_Atomic unsigned int seams;	/* announced so far */
	_Atomic uint64_t bytes;		/* in all files */
	_Atomic uint64_t enough;	/* event_fd is to be readable at so many */
	int		stop_fd;	/* readable when stop changed */
	int		event_fd;	/* readable when a thread has something to tell */
	_Atomic int	stop;		/* enum rings_stop */
	_Atomic unsigned int running;	/* threads */
};

struct rings_total {
	unsigned int	cpus;		/* rings that were read */
	uint64_t	records, bytes, lost, lost_before, unwritten;
};

/* Of one ring, for reader.c and seam.c. */

/** ring_create_file - in @dir, for this CPU. Return: its descriptor, or -1 after a message */
int ring_create_file(const struct ring *ring, const struct record_dir *dir);
void ring_remove_file(const struct ring *ring, const struct record_dir *dir);

/** ring_begin_file - the file that the ring has now is new */
void ring_begin_file(struct ring *ring);

/** ring_books - what the present file has */
struct ring_books ring_books(const struct ring *ring);

/** rings_tell - the main thread that something has happened: event_fd */
void rings_tell(struct rings *rings);

/** rings_written - count @bytes, and tell the main thread when there are enough */
void rings_written(struct rings *rings, size_t bytes);

/** rings_init - for CPUs below @n; false after a message */
bool rings_init(struct rings *rings, unsigned int n);

/** rings_raise_files - three for each CPU, with perf.c, can be more than 1024 */
void rings_raise_files(unsigned int cpus);

/** rings_open - open the device of every CPU there is */
bool rings_open(struct rings *rings);

/** rings_create - make a file for every open ring */
bool rings_create(struct rings *rings, struct record_dir *dir);

/** rings_start - start the threads of the rings that have none */
bool rings_start(struct rings *rings, const struct ft_config *config);

/** rings_adopt - open, create and start for CPUs that have come since */
bool rings_adopt(struct rings *rings);

/** rings_failed - has a thread ended before it was told to? */
bool rings_failed(const struct rings *rings);

/** rings_stop - tell the threads; does not wait */
void rings_stop(struct rings *rings, enum rings_stop how);

/**
 * rings_finish - join the threads, close the files, remove the empty ones
 *
 * To be called when no thread is running any more. Return: false when a ring
 * failed, after a message for each.
 */
bool rings_finish(struct rings *rings);

/** rings_exit - close and free all; rings_finish() comes before, if started */
void rings_exit(struct rings *rings);

/** rings_sum - of all files */
void rings_sum(const struct rings *rings, struct rings_total *total);

/**
 * rings_sum_file - of the present files; or of those before, which the last seam has ended
 *
 * When the rings' threads have ended, or crossed the seam.
 */
void rings_sum_file(const struct rings *rings, bool old, struct rings_total *total);

#endif /* FT_RECORD_KERNEL_RINGS_H */
