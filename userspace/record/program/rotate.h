/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * ft run --rotate, ft attach --rotate: a recording of programs as a sequence of traces
 * (rotation.h). seam.h says how records get from one into the next. The rest of a
 * part, above all the names of addresses, takes time to write: a process of its own does it,
 * and the recorder goes on reading rings.
 *
 * All of them may be called where nothing is rotated, and do nothing then. Those that
 * return bool return false after a message.
 */
#ifndef FT_RECORD_PROGRAM_ROTATE_H
#define FT_RECORD_PROGRAM_ROTATE_H

#include <stdbool.h>

struct run_job;

/** run_rotate_first - rotation_dir() is open: open the first part */
bool run_rotate_first(struct run_job *job);

/** run_rotate_start - the recording has begun */
bool run_rotate_start(struct run_job *job);

/** run_rotate_step - begin a new part if it is time; finish the one before */
bool run_rotate_step(struct run_job *job);

/** run_rotate_settle - at the end: leave a seam that is open behind; rings are yet to be closed */
bool run_rotate_settle(struct run_job *job);

/** run_rotate_end - the last part is whole, or @failed; wait for the one before */
bool run_rotate_end(struct run_job *job, bool failed);

/** run_rotate_free - @discard: and remove the directory, if we have made it */
void run_rotate_free(struct run_job *job, bool discard);

#endif /* FT_RECORD_PROGRAM_ROTATE_H */
