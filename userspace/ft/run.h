/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * ft run: a recording of programs, by the library that is in them.
 *
 *	run.c		options
 *	run_main.c	what happens when
 *	run_session.c	the memory that is shared with the programs
 *	run_reader.c	from their rings to files
 *	run_process.c	which of them are alive; rings of those that are not
 *	run_command.c	what can be known of the command before it runs
 *	run_attach.c	instead of a command: a process that runs (ft attach)
 *	run_clock.c	the clock
 *	run_meta.c	the metadata
 *	run_objects.c	what is kept for names of addresses
 *	run_tell.c	the session file, the summary
 */
#ifndef FT_RUN_H
#define FT_RUN_H

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>

#include <linux/feather_trace.h>

#include "record_child.h"
#include "record_dir.h"
#include "report_map.h"
#include "run_clock.h"
#include "session.h"
#include "target.h"
#include "../lib/session.h"

/* A stream, made of what came through one ring. */
struct run_stream {
	struct ft_ring	ring;		/* the reader's side: its own pointers */
	int		fd;		/* -1: no record yet */
	__u64		floor;		/* timestamp that none may be below */
	__u64		packets;
	__u64		records;
	__u64		holes;		/* slots that were never published */
	__u64		told;		/* losses that packets have told of */
	__s32		tid;		/* of the last record */
	bool		reported;	/* that it could not be written */
	__u8		gap;		/* added to that of the records */
};

struct run {
	/* what was asked for */
	const char		*path;
	char			default_path[32];
	char			patterns[4032];
	bool			locks;
	bool			force;
	__u32			slots;
	pid_t			pid;		/* ft attach: of which process */
	double			seconds;	/* ft attach: how long, or 0 */

	/* what it is done with */
	struct ft_session	*session;
	int			memory;		/* the session's descriptor */
	char			name[64];	/* by which programs find it */
	struct run_stream	*streams;	/* by ring */
	__u32			n_streams;	/* rings that were used */
	char			*packets;	/* to be written */
	struct run_clock	clock;
	__u8			uuid[16];
	struct record_dir	dir;
	int			session_file;
	struct record_child	child;
	struct target		target;		/* ft attach */
	pid_t			holder;		/* ft attach: see run_attach.c */
	int			holder_line;
	int			target_fd;	/* readable when it has ended */
	sigset_t		signals, old_signals;
	int			signal_fd;
	struct map		tasks;		/* names by tid */
	struct map		mappings;	/* of processes that were looked at */
	__u32			told_events;	/* in the metadata */

	/* how it goes */
	time_t			start;
	double			began, seconds_done;
	const char		*end;		/* why, for the session file */
	double			stop;		/* a signal came: wait until then */
	bool			failed;
	bool			left_told;
	bool			childless;	/* all have ended */
	__u32			looked_streams;
	__u64			records, lost, unwritten, bytes;
	__u32			alive;		/* processes */
};

/* run_session.c */
bool run_session_make(struct run *run);
void run_session_free(struct run *run);

/* run_reader.c */

/**
 * run_read - take what is in the rings
 * @all: also what does not fill a packet
 *
 * Return: how many records were taken.
 */
__u64 run_read(struct run *run, bool all);

/** run_read_end - the rings are closed: the rest, and what was never finished */
void run_read_end(struct run *run);

/* run_process.c */

/** run_look - who is alive; gives back the rings of who is not */
void run_look(struct run *run);

/* run_command.c */

/** run_command_check - tell what stands in the way. Return: may it be traced? */
bool run_command_check(const struct run *run, const char *command);

/** run_library - path of the library to preload; false with a message */
bool run_library(char *path, size_t len);

/* run_attach.c */

/** run_attach_open - may we? Is nobody else there? With a message if not. */
bool run_attach_open(struct run *run);

/** run_attach_begin - let it join, turn its events on */
bool run_attach_begin(struct run *run);

/** run_attach_look - why the recording is over, or NULL */
const char *run_attach_look(struct run *run, double now);

/** run_attach_end - turn its events off, as long as it lives */
void run_attach_end(struct run *run);
void run_attach_free(struct run *run);

/* run_meta.c */

/** run_meta_save - the metadata, if there is an event that it does not have */
bool run_meta_save(struct run *run);

/* run_objects.c */

/** run_objects_look - what process @i has mapped since it was entered */
void run_objects_look(struct run *run, __u32 i);

/** run_objects_save - processes, their files, and the symbols of these */
bool run_objects_save(struct run *run);

/** run_tasks_save - the names of threads */
bool run_tasks_save(struct run *run);

/* run_tell.c */
int run_tell_session(const struct run *run);
void run_tell_summary(const struct run *run);

/* run_main.c */

/** run_run - record a command, or the process run->pid. Return: exit status. */
int run_run(struct run *run);

/* run.c */

/**
 * run_option - what ft run and ft attach take alike: -e, -o, -s, --force ('f')
 * @c:	what getopt_long() gave
 *
 * Return: exit status, or -1 to go on.
 */
int run_option(struct run *run, int c, char **argv);

/** run_begin - what options change; the name of the directory, if none is given */
void run_begin(struct run *run);

#endif /* FT_RUN_H */
