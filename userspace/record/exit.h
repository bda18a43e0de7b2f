/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Exit status of ft run and ft record: the command's own, FT_EXIT_SIGNAL + N where
 * signal N ended it. FT_EXIT_LOST only where that would be 0. What ft itself fails at is
 * FT_EXIT_FAILED, whatever the command did.
 */
#ifndef FT_RECORD_EXIT_H
#define FT_RECORD_EXIT_H

#include <stdbool.h>

#include "record/child.h"

/** record_exit_own - what is FT_EXIT_ERROR or FT_EXIT_USAGE elsewhere */
int record_exit_own(int status);

/** record_exit_no_start - record_child_start() returned @error */
int record_exit_no_start(int error);

/**
 * record_exit_done - the recording is good
 * @child:	a command that still runs, or none, counts as 0
 * @lost:	were records lost?
 */
int record_exit_done(const struct record_child *child, bool lost);

#endif /* FT_RECORD_EXIT_H */
