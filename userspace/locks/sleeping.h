/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Sleeping locks that are held: the part of locks.c that follows tasks over all
 * CPUs. All calls in the order of time.
 */
#ifndef FT_LOCKS_SLEEPING_H
#define FT_LOCKS_SLEEPING_H

#include "base/map.h"
#include "locks/locks.h"

struct sleep;

struct taken;

/** sleep_new - @seen is by family; it and @taken are the caller's */
struct sleep *sleep_new(const struct trace *t, struct locks_seen *seen,
			struct taken *taken, section_fn each, void *arg);
void sleep_free(struct sleep *sl);

/** sleep_watch - call @begin at acquisitions, see struct locks_watch */
void sleep_watch(struct sleep *sl,
		 void (*begin)(void *arg, struct section *section));

/** sleep_held - what the task of this record holds, except spinning locks */
void sleep_held(struct sleep *sl, const struct stream *s, struct locks_held *held);

/**
 * sleep_acquire - a task took a lock
 * @books:	of the CPU and family
 * @spinning:	spinning locks held on the CPU
 */
void sleep_acquire(struct sleep *sl, const struct stream *s,
		   unsigned int family, struct balance *books,
		   unsigned int spinning);

/**
 * sleep_release - a task gave up a lock
 * @log: of the CPU, if a spinning lock is held there, or NULL
 * @outer: @n_outer sections of these
 */
void sleep_release(struct sleep *sl, const struct stream *s,
		   unsigned int family, struct balance *books,
		   struct section_log *log, struct section *outer,
		   unsigned int n_outer);

/** sleep_log - @stream has ended a spinning lock's section: remember it for its task */
void sleep_log(struct sleep *sl, const struct stream *stream,
	       const struct section *s);

/** sleep_first_release - drop what was released without a trace, see locks.c */
void sleep_first_release(struct sleep *sl, const struct stream *s,
			 unsigned int family);

/**
 * sleep_gap - records were lost, or what follows in that stream is whole again
 * @program:	the stream is of programs: the kernel's records are all there
 * @begins:	one more stream of its kind is in a gap
 * @ends:	one less is
 */
void sleep_gap(struct sleep *sl, bool program, bool begins, bool ends);

/** sleep_finish - the trace is over */
void sleep_finish(struct sleep *sl);

/*
 * For locks_outer(), locks_inside() and locks_holder(): the part of it that is
 * about sleeping locks.
 */
unsigned int sleep_outer(const struct sleep *sl, const struct section *s,
			 const struct section **out, unsigned int max);
const struct section_log *sleep_log_of(const struct sleep *sl,
				       const struct section *s);
unsigned int sleep_open_inside(const struct sleep *sl, const struct section *s,
			       struct section *out);
/** sleep_excludes - of another task, that keeps @s from what it acquires; or NULL */
struct section *sleep_excludes(struct sleep *sl, const struct stream *s,
			       unsigned int family);
const struct section *sleep_holder(const struct sleep *sl, uint64_t lock);

/** sleep_note - note a lock as seen. Return: false if it was noted before */
bool sleep_note(struct map *seen, uint64_t lock);

#endif /* FT_LOCKS_SLEEPING_H */
