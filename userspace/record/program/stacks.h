/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* ft run --stacks: what the programs are told, and the file of their stacks. */
#ifndef FT_RECORD_PROGRAM_STACKS_H
#define FT_RECORD_PROGRAM_STACKS_H

#include "record/program/run.h"

/**
 * run_stacks_begin - tell the programs, before the session is published
 *
 * Return: false: no memory.
 */
bool run_stacks_begin(struct run *run);

/** run_stacks_count - how many could not be had so far: before run_stacks_save() */
void run_stacks_count(struct run *run);

/** run_stacks_next - a part is complete with what was counted: the next counts its own */
void run_stacks_next(struct run *run);

/** run_stacks_lines - the file's lines, of the stacks that were taken so far, without its head */
void run_stacks_lines(FILE *f, struct run *run);

/** run_stacks_save - write the stacks that were taken so far. Return: false with a message. */
bool run_stacks_save(struct run *run);

/** run_stacks_put - what was asked for, and what became of it as of the last save */
void run_stacks_put(FILE *f, const struct run *run);

/**
 * run_stacks_tell - print how many could not be had, and why
 *
 * As of the last save.
 */
void run_stacks_tell(const struct run *run);

#endif /* FT_RECORD_PROGRAM_STACKS_H */
