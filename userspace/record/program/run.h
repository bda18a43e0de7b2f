/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What programs do, recorded by the library that is in them: all that ft run does,
 * and ft record --user beside the kernel's records.
 *
 *	session.c	the memory that is shared with the programs
 *	shared.c	what they have written into it: copied, then checked
 *	offer.c	where programs find it
 *	command.c	what can be known of the command before it runs
 *	process/executable.c	what a program's file says of that
 *	beat.c		programs that wait for us see that we run
 *	untraced.c	processes that are not traced, and why
 *	left.c	processes that go on when the command has ended
 *	step.c	what is done again and again, and at the end
 *	reader.c	from their rings to files
 *	flight.c	or the rings keep the latest records
 *	when.c		conditions that records fulfil
 *	freeze.c	what is in the rings at one moment
 *	process.c	which of them are alive; rings of those that are not
 *	meta.c	the metadata
 *	objects.c	what is kept for names of addresses
 *	moved.c	libraries that took the place of others
 *	tell.c	what is told of it
 *
 * ft run itself is in job.h.
 */
#ifndef FT_RECORD_PROGRAM_RUN_H
#define FT_RECORD_PROGRAM_RUN_H

#include <dirent.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

#include <linux/feather_trace.h>

#include "base/map.h"
#include "libfeathertrace/session.h"
#include "record/program/clock.h"
#include "trace/directory.h"
#include "trace/session_file.h"

#define RUN_SLOTS	65536u

/* The class of its streams: alone in a trace, or beside those of CPUs. */
#define RUN_CLASS_ALONE		0u
#define RUN_CLASS_BESIDE	1u

/* A stream, made of what came through one ring. */
struct run_stream {
	struct ft_ring	ring;		/* the reader's side: its own pointers */
	int		fd;		/* -1: no record yet */
	__u64		floor;		/* timestamp that none may be below */
	__u64		packets;
	__u64		bytes;		/* in the file */
	__u64		lost;		/* by its owners, as they say */
	__u64		holes;		/* slots that were never published, or damaged */
	__u64		told;		/* losses that packets have told of */
	__s32		tid;		/* of the last record */
	bool		broken;		/* it could not be written: no more */
	__u8		gap;		/* added to that of the records */

	/* of a flight recorder: see flight.c */
	__u64		met;		/* its owner, when it was looked last */
	__u64		met_lost;	/* lost before that was its owner */
	bool		starves;	/* that owner found no room, here or elsewhere */
	__u64		cut;		/* time of the latest record that was released */
	__s32		cut_tid;	/* and its thread */
	__u64		forgotten;	/* losses before all that is in the ring */
	__u64		next_forgotten;	/* will be, when records of this time are released: */
	__u64		next_time;
	__u32		larger;		/* index + 1 of the ring that its owner took then */
	bool		is_frozen;	/* a snapshot has what is in the ring */
	__u64		looked;		/* up to here, for conditions: see when.c */
};

/* What was in the rings at one moment: see freeze.c. */
struct run_frozen {
	struct ft_session	*session;
	struct run_stream	*streams;
	struct map		cuts;
	__u64			records;
	__u64			time;		/* when it was */
};

struct run {
	/* what was asked for */
	char			patterns[4032];
	bool			locks, ordered;
	bool			flight;		/* the rings keep the latest records */
	__u32			wait_ms;	/* a full ring makes its thread wait; 0: not */
	__u32			slots;
	const char		*slots_option;	/* for hints: "ft run --slots" */
	const struct record_dir	*dir;
	unsigned int		class;		/* RUN_CLASS_* */

	/* what it is done with */
	struct ft_session	*session;
	__u64			size;		/* of that */
	bool			fills_all;	/* ready rings have all of their memory */
	int			memory;		/* the session's descriptor */
	int			lease;		/* the same, as programs open it: see left.c */
	bool			leases;		/* the kernel says whether others have it open */
	char			name[64];	/* by which programs find it */
	pid_t			holder;		/* who has it for us; 0: nobody */
	int			held;		/* the holder ends when this closes */
	struct ft_session_rings	rings[FT_RINGS_KINDS];	/* as the session's, but ours */
	struct run_stream	*streams;	/* by ring */
	__u32			n_streams;	/* rings that were used */
	struct ft_user_event	*events;	/* copies, as far as there are any */
	char			*packets;	/* to be written */
	struct run_clock	clock;
	int64_t			early;		/* record_early_measure() */
	__u8			uuid[16];
	struct map		tasks;		/* names by tid */
	struct map		mappings;	/* of processes that were looked at */
	struct map		traced;		/* processes that had the session mapped */
	struct map		untraced_seen;	/* names by number of the process */
	struct map		untraced_told;
	struct map		cuts;		/* by thread: time of what was released last */
	struct run_frozen	*freezing;	/* a snapshot is being taken */
	const char		*command_name;	/* without directories */
	bool			command_told;	/* why it is not traced */
	bool			command_takes_none; /* of pthread's locks, by itself */
	__u32			told_events;	/* in the metadata */

	/* how it goes */
	double			next_flush, last_look, next_orphans;
	DIR			*orphans;	/* /proc, while they are looked for */
	int			sleep_ms;	/* after this round; see step.c */
	bool			failed;
	__u32			looked_streams;
	__u64			records, lost, unwritten, bytes;
	__u64			early_lost[FT_LOST_KINDS]; /* of those: before a ring */
	__u64			damage;		/* what made no sense in the session */
	__u32			alive;		/* processes */

	pthread_t		beat;		/* see beat.c */
	bool			beats, beat_ends;
	pid_t			left;		/* one that the command has left behind, or 0 */
};

#define RUN_INIT(option) \
	{ .memory = -1, .lease = -1, .held = -1, .early = -1, .slots = RUN_SLOTS, \
	  .slots_option = (option) }

/**
 * run_ring - the first ring from @i on that was used, as far as was looked
 *
 * Return: FT_SESSION_RINGS if there is none.
 */
static inline __u32 run_ring(const struct run *run, __u32 i)
{
	for (unsigned int kind = 0; kind < FT_RINGS_KINDS; kind++) {
		__u32 first = ft_session_first(run->rings, kind);

		if (i < first)
			i = first;
		if (i < first + run->rings[kind].high)
			return i;
	}
	return FT_SESSION_RINGS;
}

#define run_for_each_ring(run, i)					\
	for ((i) = run_ring(run, 0); (i) < FT_SESSION_RINGS;		\
	     (i) = run_ring(run, (i) + 1))

/* session.c */

/** run_add_patterns - events to enable. Return: NULL, or what is wrong with them */
const char *run_add_patterns(struct run *run, const char *patterns);

/** run_session_make - @run->clock is known; false with a message */
bool run_session_make(struct run *run);

/** run_prepare - rings that threads may take, ahead of their need; false: no memory */
bool run_prepare(struct run *run);

/** run_free - all that was got for it; ends the holder */
void run_free(struct run *run);

/* beat.c */

/**
 * run_beat_begin - programs that wait for room see from now on that we run
 *
 * @run->clock has been found. Nothing is done where they do not wait. Return: false with a
 * message.
 */
bool run_beat_begin(struct run *run);
void run_beat_end(struct run *run);

/* shared.c */

/** run_damage - something in the session makes no sense, and is left out */
void run_damage(struct run *run);

/** run_processes - how many have joined */
__u32 run_processes(const struct run *run);

/** run_objects - how many files were loaded */
__u32 run_objects(const struct run *run);

/** run_process - a copy of process @i. Return: false where there is none */
bool run_process(struct run *run, __u32 i, struct ft_user_process *p);

/** run_object - a copy of object @i. Return: false where there is none */
bool run_object(struct run *run, __u32 i, struct ft_user_object *o);

/** run_event - our copy of event @i: it stays as it is. Return: NULL: none */
const struct ft_user_event *run_event(struct run *run, __u32 i);

/** run_grown - a counter that only grows. Return: what it is now; @old: nonsense */
__u64 run_grown(struct run *run, __u64 old, const __u64 *shared);

/**
 * run_record - a copy of a record that is ready
 * @latest:	a time that it cannot be later than
 *
 * Return: false: it makes no sense.
 */
bool run_record(struct run *run, const struct ft_record *shared, __u64 latest,
		struct ft_record *r);

/* offer.c */

/** run_offer_own - by our own number: gives up our rights */
void run_offer_own(struct run *run);

/**
 * run_offer_held - by the number of a process without rights: we keep ours
 *
 * While there is one thread only. Return: false with a message.
 */
bool run_offer_held(struct run *run);

/** run_offer_as - the same, by a process of that user, which needs root */
bool run_offer_as(struct run *run, uid_t uid, gid_t gid);

/* command.c */

/**
 * run_command_prepare - the environment for the command; what stands in the way of
 *	tracing it is told
 *
 * Return: false with a message: the library to preload is not there.
 */
bool run_command_prepare(struct run *run, const char *command);

/* step.c */
enum run_what {
	RUN_BUSY = 1,		/* do not sleep before the next round */
	RUN_LOOKED = 2,		/* who is alive was looked at */
};

/** run_begin - the calling thread will read: it would like to be in time */
void run_begin(void);

/** run_raise_files - a file for each ring; after the command got what it had */
void run_raise_files(void);

/** run_step - one round; the next one after @run->sleep_ms. Return: enum run_what */
unsigned int run_step(struct run *run);

/** run_close - no record gets into the rings any more */
void run_close(struct run *run);

/** run_finish - after that: the rest of what is in them */
void run_finish(struct run *run);

/* reader.c */

/** run_find_streams - which rings were used by now */
void run_find_streams(struct run *run);

/**
 * run_fullest - how full the fullest ring is, in 1/256 of it
 *
 * Of a flight recorder: beyond what it keeps.
 */
unsigned int run_fullest(struct run *run);

/**
 * run_hole - skip a slot that will never be published
 * @settled:	up to where the ring's owners have ended
 *
 * Return: true when there was one.
 */
bool run_hole(struct run *run, __u32 i, __u64 settled);

/** run_ring_lost - what the owners of a ring have lost, by now */
__u64 run_ring_lost(struct run *run, __u32 i);

/**
 * run_read - take what is in the rings
 * @all: also what does not fill a packet
 *
 * Return: how many records were taken.
 */
__u64 run_read(struct run *run, bool all);

/** run_early_lost - of those lost, how many did not get to a ring */
__u64 run_early_lost(const struct run *run);

/** run_read_end - the rings are closed: the rest, and what was never finished */
void run_read_end(struct run *run);

/* flight.c */

/** run_flight_keep - so many bytes of a ring are kept */
static inline __u64 run_flight_keep(const struct ft_ring *ring)
{
	return (ring->mask + 1) / 4 * 3;
}

/** run_flight_trim - release the oldest records of each ring; again and again */
void run_flight_trim(struct run *run);

/**
 * run_flight_window - since when all threads have all of their records in the rings
 *
 * Return: a time on the session's clock; 0: since the beginning.
 */
__u64 run_flight_window(const struct run *run);

/** run_flight_note - before run_flight_is_cut(): what the rings have released last */
void run_flight_note(struct run *run);

/** run_flight_is_cut - was a later record of the same thread released? */
bool run_flight_is_cut(const struct run *run, const struct ft_record *r);

/* freeze.c */

/**
 * run_freeze - copy what is in the session at this moment
 *
 * The programs go on meanwhile, and the rings are trimmed. Return: false with a message:
 * no memory.
 */
bool run_freeze(struct run *run, struct run_frozen *frozen);

/** run_thaw - @run is a recording of @frozen, which has ended; in a process of its own */
void run_thaw(struct run *run, struct run_frozen *frozen);

void run_frozen_free(const struct run *run, struct run_frozen *frozen);

/* process.c */

/** run_thread_met - the owner of a ring, by its first record: its name, or its process's */
void run_thread_met(struct run *run, __u64 owner);

/** run_look - who is alive, and how it is called; gives back the rings of who is not */
void run_look(struct run *run);

/* untraced.c */

/** run_untraced_look - tell of processes that are not traced; again and again */
void run_untraced_look(struct run *run, double now);

/* left.c */

/**
 * run_left_begin - before the command begins: can run_goes_on() ask the kernel?
 *
 * Linux before 5.3 refuses a lease as long as we have the memory open twice ourselves.
 */
void run_left_begin(struct run *run);

/**
 * run_goes_on - does a process run that is traced, or that may execute one that is?
 * @first:	so few have begun after this one that no number was given twice; 0: not known
 */
bool run_goes_on(struct run *run, pid_t first);

/* meta.c */

/** run_meta_is_new - is there an event that the metadata does not have? */
bool run_meta_is_new(struct run *run);

/** run_meta_early - record_early_measure() is over: the metadata is new */
void run_meta_early(struct run *run, int64_t early);

/** run_meta_put - the part of the metadata that is of programs */
void run_meta_put(FILE *f, struct run *run);

/** run_meta_save - the metadata of programs alone, if it is new */
bool run_meta_save(struct run *run);

/* objects.c */

/** run_objects_look - what process @i has mapped since it was entered */
void run_objects_look(struct run *run, __u32 i, pid_t pid);

/** run_objects_save - processes, their files, and the symbols of these */
bool run_objects_save(struct run *run);

/** run_tasks_save - the names of threads */
bool run_tasks_save(struct run *run);

/* tell.c */

/** run_put_events - "queue_*,locks of programs" */
void run_put_events(FILE *f, const char *key, const struct run *run);

/** run_put_lost - how many were lost before they got to a ring, and why */
void run_put_lost(FILE *f, const struct run *run);

/** run_tell_nothing - why there is no record */
void run_tell_nothing(const struct run *run);

/** run_tell_records - how many, of whom; and if none, why */
void run_tell_records(const struct run *run, double seconds);

/** run_tell_lost - what was lost, and what helps; nothing if none was */
void run_tell_lost(const struct run *run);

/** run_is_whole - was nothing lost, and nothing damaged? */
static inline bool run_is_whole(const struct run *run)
{
	return !run->lost && !run->damage;
}

#endif /* FT_RECORD_PROGRAM_RUN_H */
