/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Recording programs that carry the library: the whole of ft run, and the half of
 * ft record --user that is not the kernel's.
 *
 *	session.c	makes the memory that is shared with the programs
 *	sensors.c	makes the memory in which they count, if they are to
 *	shared.c	copies and checks what programs write into it
 *	offer.c		lets programs find it
 *	command.c	checks the command before it runs; sets its environment
 *	process/executable.c	what an executable file says about itself
 *	beat.c		shows programs that wait for room that the recorder runs
 *	untraced.c	reports processes that are not traced, and why
 *	left.c		finds processes that outlive the command
 *	step.c		one round of the recorder; the end of a recording
 *	reader.c	moves records from the rings to files
 *	seam.c		rotation: which records are for the next files
 *	flight.c	flight recorder: keeps the latest records in the rings
 *	when.c		flight recorder: conditions that records fulfil
 *	freeze.c	flight recorder: copies the rings at one moment
 *	process.c	finds dead threads and processes; frees their rings
 *	meta.c		writes the metadata
 *	objects.c	saves the files and symbols behind addresses
 *	moved.c		tells libraries at one address apart
 *	locks.c		names the programs' locks: which there are, and what they are
 *	lock_memory.c	finds the stacks on which locks lie
 *	stacks.c	saves the stacks of long waits and sections
 *	tell.c		messages about the records and losses
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
#include "record/stack_choice.h"
#include "trace/directory.h"
#include "trace/session_file.h"

#define RUN_SLOTS	65536u

/* The CTF class of programs' streams: alone in a trace, or beside the CPUs' streams. */
#define RUN_CLASS_ALONE		0u
#define RUN_CLASS_BESIDE	1u

/* One ring, and the file that its records go to. */
struct run_stream {
	struct ft_ring	ring;		/* the reader's copy, with pointers of its own */
	int		fd;		/* -1: no record yet */
	__u64		floor;		/* latest timestamp written: none may be below it */
	__u64		packets;
	__u64		bytes;		/* in the file */
	__u64		lost;		/* losses that its owners counted */
	__u64		holes;		/* slots that were never published, or damaged */
	__u64		told;		/* losses that the last packet reported */
	__u64		told_before;	/* of them, in files of earlier parts */
	__s32		tid;		/* of the last record */
	__u64		tag;		/* of the last one of a lock: its process */
	bool		broken;		/* a write failed: nothing more is written */
	__u8		gap;		/* added to the gap of each record */

	/* for the flight recorder: see flight.c */
	__u64		met;		/* the owner at the last look */
	__u64		met_lost;	/* the ring's losses when that owner was first seen */
	bool		starves;	/* that owner found no room, here or elsewhere */
	__u64		cut;		/* time of the latest record that was released */
	__s32		cut_tid;	/* and its thread */
	__u64		forgotten;	/* losses older than everything in the ring */
	__u64		next_forgotten;	/* becomes @forgotten when records of @next_time */
	__u64		next_time;	/* are released */
	__u32		larger;		/* index + 1 of the ring that its owner took next */
	bool		is_frozen;	/* the snapshot being taken has copied this ring */
	__u64		looked;		/* conditions were checked up to here: see when.c */

	/* for a rotated recording: see seam.c */
	unsigned int	seam;		/* the last one that it has crossed */
	__u64		old_bytes;	/* of the file before that */
};

/* What the files of a part have. */
struct run_books {
	__u64			records, lost, unwritten, bytes;
	__u32			streams;	/* files that are complete */
};

/* Between two files of each ring: see seam.h. */
struct run_seam {
	unsigned int		number;		/* so many were announced */
	const struct record_dir	*old_dir;	/* of the old files; NULL: they are complete */
	__u64			at;		/* records from then on are for the new ones */
	double			settled;	/* monotonic_now(): an empty ring crosses then */
	double			late;		/* and one whose next record does not come */
	struct run_books	old;
};

/* A lock was seen in a record of this time. */
struct run_lock_place {
	__u64	lock, ts;
};

/* The programs' locks, for their names: see locks.h. */
struct run_locks {
	bool			unwanted;	/* --no-lock-names */
	bool			earlier;	/* of a part or snapshot, not in the end */
	struct map		taken;		/* by address: struct run_lock */
	size_t			n;		/* of them */
	__u64			too_many;	/* acquisitions of further ones */
	struct run_lock_place	*places;	/* those seen last; NULL: none are named */
	char			state[96];	/* for the session file */

	/* see lock_memory.h */
	struct run_lock_thread	*threads;
	size_t			n_threads;
	struct map		mappings;	/* by process: its file in /proc */
	size_t			mappings_len;
	struct map		areas;		/* the same, parsed */
	struct run_lock_tls	*tls;		/* by process; NULL: not yet known */
	__u32			n_tls;
};

/* A copy of the rings at one moment: see freeze.c. */
struct run_frozen {
	struct ft_session	*session;
	struct run_stream	*streams;
	struct map		cuts;
	__u64			records;
	__u64			time;		/* that moment */
};

struct run {
	/* what the user asked for */
	char			patterns[4032];
	bool			locks, ordered;
	bool			heap, heap_maps; /* allocations; mappings, too */
	struct stack_choice	stacks;
	enum ft_session_unwind	unwind;
	bool			senses;		/* programs count what happens: see sensors.h */
	unsigned int		senses_by;	/* FT_SPLIT_SITE plus this */
	__u32			recorded;	/* enum ft_session_recorded */
	bool			flight;		/* the rings keep the latest records */
	__u32			wait_ms;	/* longest wait for room in a full ring; 0: none */
	__u32			slots;
	const char		*slots_option;	/* for hints: "ft run --slots" */
	const struct record_dir	*dir;
	unsigned int		class;		/* RUN_CLASS_* */

	/* the session and its resources */
	struct ft_session	*session;
	__u64			size;		/* of the session, in bytes */
	bool			is_closed;	/* its rings are: run_close() */
	bool			fills_all;	/* memory of all prepared rings is allocated */
	int			memory;		/* the session's descriptor */
	int			sensors;	/* their memory's descriptor */
	struct ft_sensed	*sensed;	/* the same, mapped; NULL: there are none */
	__u32			named_objects;	/* that monitors find the names of */
	double			next_names;
	int			lease;		/* another, opened as programs do: see left.c */
	bool			leases;		/* the kernel says whether others have it open */
	char			name[64];	/* the path under which programs open it */
	pid_t			holder;		/* process that holds it open for us; 0: none */
	int			held;		/* the holder ends when this closes */
	struct ft_session_rings	rings[FT_RINGS_KINDS];	/* our copy: programs cannot write it */
	struct run_stream	*streams;	/* by ring */
	__u32			n_streams;	/* rings that were ever used */
	struct ft_user_event	*events;	/* copies of the events entered so far */
	__u32			n_events;	/* there are none behind these yet */
	char			*packets;	/* buffer for packets to be written */
	struct run_clock	clock;
	int64_t			early;		/* record_early_measure() */
	__u8			uuid[16];
	struct map		tasks;		/* names by tid */
	struct map		met;		/* processes that have records, or a ring */
	struct map		mappings;	/* by process: what was last seen of its mappings */
	struct map		traced;		/* processes that had the session mapped */
	struct map		untraced_seen;	/* names by process ID */
	struct map		untraced_cut;	/* proc_maps_are_sure(), the same */
	struct map		untraced_told;	/* programs and reasons already reported */
	struct map		cuts;		/* by thread: time of its last released record */
	struct run_locks	lock_names;
	struct run_frozen	*freezing;	/* the snapshot being taken, or NULL */
	const char		*command_name;	/* without directories */
	bool			command_told;	/* the user was told why it is not traced */
	bool			command_takes_none; /* it calls no lock function of pthread */
	__u32			told_events;	/* events in the metadata, + 1 */

	/* progress */
	double			next_flush, last_look, next_orphans;
	DIR			*orphans;	/* /proc, during a search for orphans */
	int			sleep_ms;	/* after this round; see step.c */
	bool			failed;
	__u32			looked_streams;	/* n_streams at the last look */
	__u64			records, lost, unwritten, bytes;
	struct run_books	books;		/* of the part that is written */
	struct run_seam		seam;
	__u64			early_lost[FT_LOST_KINDS]; /* part of @lost: before any ring */
	__u64			stacks_full, stacks_failed; /* that could not be had */
	__u64			stacks_full_before, stacks_failed_before; /* in complete parts */
	__u64			damage;		/* invalid entries found in the session */
	__u32			alive;		/* traced processes, at the last look */

	pthread_t		beat;		/* see beat.c */
	bool			beats, beat_ends;
	pid_t			left;		/* a process that outlives the command, or 0 */
};

#define RUN_INIT(option) \
	{ .memory = -1, .sensors = -1, .lease = -1, .held = -1, .early = -1, .slots = RUN_SLOTS, \
	  .slots_option = (option) }

/**
 * run_ring - the first ring from @i on that was used, by the last run_find_streams()
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

/** run_preloads - are libraries preloaded, so that any program is traced? */
static inline bool run_preloads(const struct run *run)
{
	return run->locks || run->heap;
}

/* session.c */

/** run_add_patterns - add names of events to enable. Return: NULL, or an error message */
const char *run_add_patterns(struct run *run, const char *patterns);

/** run_session_make - make the session; @run->clock must be set. Return: false with a message */
bool run_session_make(struct run *run);

/** run_prepare - make rings ready before threads need them. Return: false: no memory */
bool run_prepare(struct run *run);

/** run_free - release all resources; ends the holder */
void run_free(struct run *run);

/* beat.c */

/**
 * run_beat_begin - from now on, show programs that wait for room that the recorder runs
 *
 * @run->clock must be set. Does nothing without --block. Return: false with a message.
 */
bool run_beat_begin(struct run *run);
void run_beat_end(struct run *run);

/* shared.c */

/** run_damage - count an invalid entry of the session, which is left out */
void run_damage(struct run *run);

/** run_processes - how many processes have joined */
__u32 run_processes(const struct run *run);

/** run_objects - how many loads and unloads of files have an entry */
__u32 run_objects(const struct run *run);

/** run_process - copy process @i. Return: false if there is none */
bool run_process(struct run *run, __u32 i, struct ft_user_process *p);

/** run_object - copy object @i. Return: false if there is none */
bool run_object(struct run *run, __u32 i, struct ft_user_object *o);

/** run_lock_entry - copy where lock @i was initialised. Return: false: it is being written */
bool run_lock_entry(const struct run *run, __u32 i, struct ft_user_lock *l);

/** run_stack - copy stack @i, whose words are to be checked. Return: false if there is none */
bool run_stack(const struct run *run, __u32 i, struct ft_user_stack *s);

/** run_events - how many entries for events may be in use: some of them may be free */
__u32 run_events(struct run *run);

/** run_event - our copy of event @i, which never changes. Return: NULL if there is none */
const struct ft_user_event *run_event(struct run *run, __u32 i);

/** run_grown - read a counter that only grows. Return: its value, or @old if that is invalid */
__u64 run_grown(struct run *run, __u64 old, const __u64 *shared);

/**
 * run_record - copy a published record and check it
 * @latest:	a valid record is not later than this
 *
 * Return: false: the record is invalid.
 */
bool run_record(struct run *run, const struct ft_record *shared, __u64 latest,
		struct ft_record *r);

/**
 * run_record_is_asked - is a valid record of what this session records?
 *
 * Programs that have outlived 'ft run --locks' or '--heap' go on to write of their locks or
 * allocations in the session of 'ft attach'.
 */
bool run_record_is_asked(const struct run *run, const struct ft_record *r);

/* offer.c */

/** run_offer_own - offer the session from this process, which gives up its privileges */
void run_offer_own(struct run *run);

/**
 * run_offer_held - offer the session from a child without privileges; this process keeps its own
 *
 * Call it while there is only one thread. Return: false with a message.
 */
bool run_offer_held(struct run *run);

/** run_offer_as - the same, from a child that becomes user @uid; needs root */
bool run_offer_as(struct run *run, uid_t uid, gid_t gid);

/* command.c */

/**
 * run_command_prepare - set the environment for the command; print what prevents tracing it
 *
 * Return: false with a message: the library to preload was not found.
 */
bool run_command_prepare(struct run *run, const char *command);

/* step.c */
enum run_what {
	RUN_BUSY = 1,		/* do not sleep before the next round */
	RUN_LOOKED = 2,		/* run_look() was called */
};

/** run_begin - raise the priority of the calling thread, which reads the rings */
void run_begin(void);

/**
 * run_raise_files - raise the limit of open files: there is a file for each ring
 *
 * Call it after the command was started, which so keeps the old limit.
 */
void run_raise_files(void);

/** run_step - one round; the next one after @run->sleep_ms. Return: enum run_what */
unsigned int run_step(struct run *run);

/** run_close - close the rings: no thread writes a record from now on */
void run_close(struct run *run);

/** run_finish - read the rest after run_close() */
void run_finish(struct run *run);

/* reader.c */

/** run_meet_ring - be ready to read ring @i; the first is a stream even if no thread takes it */
void run_meet_ring(struct run *run, __u32 i);

/** run_find_streams - find the rings that were used so far */
void run_find_streams(struct run *run);

/**
 * run_fullest - how full the fullest ring is, in 1/256 of it
 *
 * A flight recorder counts only what exceeds the records that it keeps.
 */
unsigned int run_fullest(struct run *run);

/**
 * run_hole - skip a slot that will never be published
 * @settled:	the owners of the slots before this position have ended
 *
 * Return: true: there was one.
 */
bool run_hole(struct run *run, __u32 i, __u64 settled);

/** run_ring_lost - losses of ring @i so far, holes included */
__u64 run_ring_lost(struct run *run, __u32 i);

/**
 * run_read - move records from the rings to the files
 * @all: also records that do not fill a packet
 *
 * Return: how many records were read.
 */
__u64 run_read(struct run *run, bool all);

/** run_cross - all rings cross the seam that is open, whatever they hold: see seam.h */
void run_cross(struct run *run);

/** run_early_lost - how many of the lost records never reached a ring */
__u64 run_early_lost(const struct run *run);

/** run_read_end - after run_close(): read the rest, skip slots that were never published */
void run_read_end(struct run *run);

/* flight.c */

/** run_flight_keep - how many bytes of records a ring keeps */
static inline __u64 run_flight_keep(const struct ft_ring *ring)
{
	return (ring->mask + 1) / 4 * 3;
}

/** run_flight_trim - release the oldest records of each ring; call it in each round */
void run_flight_trim(struct run *run);

/**
 * run_flight_window - the time from which on the rings hold every record of every thread
 *
 * Return: a time on the session's clock; 0: the beginning.
 */
__u64 run_flight_window(const struct run *run);

/** run_flight_note - note what each ring released last; call it before run_flight_is_cut() */
void run_flight_note(struct run *run);

/** run_flight_is_cut - was this record, or a later one of its thread, released? */
bool run_flight_is_cut(const struct run *run, const struct ft_record *r);

/* freeze.c */

/**
 * run_freeze - copy the session as it is at this moment
 *
 * Programs keep running, and their rings are trimmed meanwhile. Return: false with a
 * message: no memory.
 */
bool run_freeze(struct run *run, struct run_frozen *frozen);

/** run_thaw - make @run a recording of @frozen that has ended; in the process that writes it */
void run_thaw(struct run *run, struct run_frozen *frozen);

void run_frozen_free(const struct run *run, struct run_frozen *frozen);

/* process.c */

/** run_thread_met - note the name of a ring's owner, at its first record */
void run_thread_met(struct run *run, __u64 owner);

/** run_look - find living processes, note names of threads, free the rings of dead ones */
void run_look(struct run *run);

/* untraced.c */

/** run_untraced_look - print which processes are not traced, and why; after each run_look() */
void run_untraced_look(struct run *run, double now);

/* left.c */

/**
 * run_left_begin - before the command starts, find out whether run_goes_on() can use leases
 *
 * Linux before 5.3 refuses a lease, as this process itself has the memory open twice.
 */
void run_left_begin(struct run *run);

/**
 * run_goes_on - does any process run that is traced, or may execute a program that is?
 * @first:	the first PID to look at, if PIDs cannot have been reused since; 0: look at all
 */
bool run_goes_on(struct run *run, pid_t first);

/**
 * run_goes_on_surely - the same, after it: is there one that it has found?
 *
 * run_goes_on() is also true while any process starts a program, as that may be ours.
 */
bool run_goes_on_surely(const struct run *run);

/* meta.c */

/** run_meta_is_new - must the metadata be written again? */
bool run_meta_is_new(struct run *run);

/** run_meta_early - store the result of record_early_measure(): the metadata is new */
void run_meta_early(struct run *run, int64_t early);

/** run_meta_put - write the programs' part of the metadata */
void run_meta_put(FILE *f, struct run *run);

/** run_meta_save - save the metadata of a trace of programs alone, if it is new */
bool run_meta_save(struct run *run);

/* objects.c */

/** run_objects_look - enter the files that process @i has mapped since the last look */
void run_objects_look(struct run *run, __u32 i, pid_t pid);

/**
 * run_objects_save - save processes, their files, and the symbols of these
 *
 * What another part has, and is the same, stays shared: see run_objects_link().
 */
bool run_objects_save(struct run *run);

/** run_objects_link - let it have those that another part has. Return: false: it has none */
bool run_objects_link(struct run *run, const struct record_dir *all, const char *part);

/**
 * run_objects_share - as run_objects_save(), with what another part of the recording has
 * @all: holds the parts
 * @part: one that has all processes and files of now
 *
 * Return: false: they cannot be shared, or after a message; save them.
 */
bool run_objects_share(struct run *run, const struct record_dir *all, const char *part);

/** run_tasks_save - save the names of threads */
bool run_tasks_save(struct run *run);

/* own_locks.c */

/**
 * run_tell_own_locks - print which programs have locks that are not pthread's
 *
 * Call it at the end: programs with records, though they call no lock function, are left out.
 * Return: how many there are.
 */
unsigned int run_tell_own_locks(struct run *run);

/* tell.c */

/** run_put_events - write the recorded events, such as "queue_*,locks of programs" */
void run_put_events(FILE *f, const char *key, const struct run *run);

/** run_put_lost - write how many records were lost before they reached a ring, and why */
void run_put_lost(FILE *f, const struct run *run);

/**
 * run_tell_missing - print whose locks are not recorded
 * @any: is there any record? Otherwise, why not
 */
void run_tell_missing(struct run *run, bool any);

/** run_tell_records - print the number of records and processes; if there are none, why */
void run_tell_records(struct run *run, double seconds);

/** run_tell_lost - print what was lost and what helps; nothing if nothing was lost */
void run_tell_lost(const struct run *run);

/** run_tell_uncounted - the same where there are sensors, and no records */
void run_tell_uncounted(struct run *run);

/** run_is_whole - was nothing lost, and nothing damaged? */
static inline bool run_is_whole(const struct run *run)
{
	return !run->lost && !run->damage;
}

#endif /* FT_RECORD_PROGRAM_RUN_H */
