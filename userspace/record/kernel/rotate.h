/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * ft record --rotate: a recording of the kernel as a sequence of traces (rotation.h).
 * seam.h says how records get from one into the next.
 *
 * All of them may be called where nothing is rotated, and do nothing then. Those that
 * return bool return false after a message.
 */
#ifndef FT_RECORD_KERNEL_ROTATE_H
#define FT_RECORD_KERNEL_ROTATE_H

#include <stdbool.h>

struct record;

/** rotate_first - rotation_dir() is open: open the first part */
bool rotate_first(struct record *rec);

/** rotate_start - the trace has begun */
bool rotate_start(struct record *rec);

/** rotate_step - begin a new part if it is time; finish the one before when that is whole */
bool rotate_step(struct record *rec);

/** rotate_when - when rotate_step() is due, unless a ring's thread asks for it earlier */
double rotate_when(const struct record *rec);

/** rotate_settle - finish the part before; all threads have crossed the seam */
bool rotate_settle(struct record *rec);

/** rotate_end - the last part is whole */
bool rotate_end(struct record *rec);

/** rotate_free - @discard: and remove the directory, if we have made it */
void rotate_free(struct record *rec, bool discard);

#endif /* FT_RECORD_KERNEL_ROTATE_H */
