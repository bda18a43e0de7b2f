/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The memory of those locks of a program that are in no file: the stack of a thread, its
 * local variables, or elsewhere, which is called heap.
 *
 * A thread's stack ends at its descriptor, whose address the library notes with the thread's
 * ring, and begins with its mapping. Mappings are those of the last look at a process that
 * ran: what was not seen is called likely.
 */
#ifndef FT_RECORD_PROGRAM_LOCK_MEMORY_H
#define FT_RECORD_PROGRAM_LOCK_MEMORY_H

#include "names/program_locks.h"
#include "record/program/run.h"

/**
 * struct run_lock_thread - a thread, while it had a ring
 * @at:		its descriptor: the end of its stack, but of the main thread
 * @frame:	an address on its stack
 */
struct run_lock_thread {
	__u32	process;
	__s32	tid;
	__u64	at, frame;
};

/** run_lock_thread - note a thread that takes locks */
void run_lock_thread(struct run *run, const struct run_lock_thread *thread);

/** run_lock_mappings - keep the mappings of @process, a file of /proc, as last seen whole */
void run_lock_mappings(struct run *run, __u32 process, const char *text);

void run_lock_memory_free(struct run *run);

/** run_lock_memory - fill in @lock's memory; without memory all is heap */
void run_lock_memory(struct run *run, struct program_lock *lock);

#endif /* FT_RECORD_PROGRAM_LOCK_MEMORY_H */
