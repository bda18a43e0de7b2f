/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The directory that a trace is recorded into:
 *
 *	DIR/metadata		CTF metadata
 *	DIR/cpu<N>		the stream of a CPU
 *	DIR/thread<N>		the stream of threads of programs
 *	DIR/info/...		what CTF readers must not see (session_file.h)
 *
 * Functions that return bool print their own message on failure.
 */
#ifndef FT_TRACE_DIRECTORY_H
#define FT_TRACE_DIRECTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define RECORD_DIR_DEFAULT	32	/* room for the default name */

struct record_dir {
	const char *path;
	int fd;
	bool no_force;		/* the command has no --force: do not suggest it */
	int compress;		/* level of what goes into info/ (packed/pack.h); 0: plain */
	bool numbered;		/* it holds traces: DIR/1, DIR/2, ... */
	bool made;		/* by us: discarding removes it */
	bool cleared;		/* its contents are ours */
};

/** record_dir_default - ft-YYYYmmdd-HHMMSS */
const char *record_dir_default(char path[RECORD_DIR_DEFAULT]);

/**
 * record_dir_open - make @path, or check that it may be used
 *
 * Removes nothing yet. With @force it may hold an older trace, but no other files: a CTF
 * reader would take these for streams. It must be outside of all traces.
 */
bool record_dir_open(struct record_dir *dir, const char *path, bool force);

/** record_dir_open_part - the same, in a directory that is for several */
bool record_dir_open_part(struct record_dir *dir, const char *path, bool force);

/** record_dir_clear - remove an older trace, make room for the new one */
bool record_dir_clear(struct record_dir *dir);

/** record_dir_create - a new file for writing; descriptor, or -1 */
int record_dir_create(const struct record_dir *dir, const char *name);

/** record_dir_replace - write a whole file; the old one stays on failure */
bool record_dir_replace(const struct record_dir *dir, const char *name,
			const char *text, size_t len);

/** record_dir_holds - has a file there just this content? */
bool record_dir_holds(const struct record_dir *dir, const char *name,
		      const char *text, size_t len);

/** record_dir_unlink - remove a file, quietly */
void record_dir_unlink(const struct record_dir *dir, const char *name);

/** record_dir_remove_part - a trace inside of @dir, and its directory, quietly */
void record_dir_remove_part(const struct record_dir *dir, const char *name);

/** record_dir_discard - remove all of our files: the recording has failed to begin */
void record_dir_discard(struct record_dir *dir);

void record_dir_close(struct record_dir *dir);

#endif /* FT_TRACE_DIRECTORY_H */
