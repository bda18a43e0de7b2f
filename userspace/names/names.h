/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Names for the kernel's locks, found while a trace is recorded: an object that is freed
 * cannot be looked up later.
 *
 *	readers of rings --lock_names_offer()--> queue --> a thread that asks the kernel's memory
 *	                                                         |
 *	the trace's file <-- lock_names_text() <-- classes (classes.h)
 *
 * Once there is a lock, the thread reads the kernel's symbols and types; then it takes at most
 * a hundredth of a CPU while events are on, and at most a second and a half after that. What it
 * could not look up, or what was more than it keeps, is counted.
 */
#ifndef FT_NAMES_NAMES_H
#define FT_NAMES_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Locks that are named; more are only counted. */
#define LOCK_NAMES_MAX	(1u << 17)

struct lock_names;

/**
 * lock_names_start - begin a thread that waits for locks; with signals blocked, which it leaves
 * to others
 *
 * The kernel's memory, symbols and types are not read before the first lock.
 *
 * Return: NULL if there is no thread or memory for it.
 */
struct lock_names *lock_names_start(void);

/**
 * lock_names_offer - a lock was taken; any thread may call it, for the same lock again, too
 * @family:	enum ft_lock_family
 */
void lock_names_offer(struct lock_names *names, uint64_t addr, uint64_t site, uint8_t family);

/** lock_names_skipped - count records that were not looked at */
void lock_names_skipped(struct lock_names *names, uint64_t records);

/** lock_names_stop - ask the rest, and end the thread */
void lock_names_stop(struct lock_names *names);

/**
 * lock_names_text - the file of a trace, with what is known so far
 *
 * It may wait for the thread while that reads symbols and types.
 *
 * Return: to be freed; NULL where nothing could be asked: lock_names_state() says why.
 */
char *lock_names_text(struct lock_names *names, size_t *len);

/** lock_names_calls - the same for calls of lock functions: trace/lock_calls.h */
char *lock_names_calls(struct lock_names *names, size_t *len);

/**
 * lock_names_state - for the session file: "complete", or what is missing and why
 * @len:	256 or more
 */
const char *lock_names_state(struct lock_names *names, char *buf, size_t len);

/** lock_names_missing - why nothing can be asked; NULL: it can */
const char *lock_names_missing(struct lock_names *names);

void lock_names_free(struct lock_names *names);

#endif /* FT_NAMES_NAMES_H */
