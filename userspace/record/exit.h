/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Exit status of ft run and ft record: the command's own, or FT_EXIT_SIGNAL + N if signal
 * N ended it. FT_EXIT_LOST only replaces 0. If ft itself fails, it is FT_EXIT_FAILED,
 * whatever the command did.
 */
#ifndef FT_RECORD_EXIT_H
#define FT_RECORD_EXIT_H

#include <stdbool.h>

#include "record/child.h"

/** record_exit_own - translate FT_EXIT_ERROR or FT_EXIT_USAGE */
int record_exit_own(int status);

/** record_exit_no_start - after record_child_start() has returned @error */
int record_exit_no_start(int error);

/**
 * record_exit_done - after a recording without errors
 * @child:	a command that still runs, or none, counts as 0
 * @lost:	were records lost?
 */
int record_exit_done(const struct record_child *child, bool lost);

#endif /* FT_RECORD_EXIT_H */
