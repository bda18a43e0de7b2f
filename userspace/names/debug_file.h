/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What the debug information (DWARF) of a program's file says: the source line of a call, and
 * which member of a variable lies at an address. All addresses are those in the file.
 */
#ifndef FT_NAMES_DEBUG_FILE_H
#define FT_NAMES_DEBUG_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct debug_file;

/** debug_file_open - Return: NULL if there is no such file, or it has no debug information */
struct debug_file *debug_file_open(const char *path);
void debug_file_close(struct debug_file *f);

/**
 * debug_file_site - where in the source the instruction at @addr is
 * @line:	for "queue.c:42"
 * @inlined:	the function there, if the compiler has put it into another one; NULL: it is the
 *		symbol's. Valid until debug_file_close()
 *
 * What C++'s library has in between, as std::lock_guard, is left out where it is inlined: it
 * is the caller that matters. Return: false: not known.
 */
bool debug_file_site(struct debug_file *f, uint64_t addr, char *line, size_t len,
		     const char **inlined);

/**
 * debug_file_want - a variable at @addr is to be found, by the next debug_file_find()
 *
 * Types are looked up in one pass over the file, for these variables alone.
 */
void debug_file_want(struct debug_file *f, uint64_t addr);

/** debug_file_find - find the variables, until thread_seconds() is @deadline */
void debug_file_find(struct debug_file *f, double deadline);

/**
 * debug_file_member - which lock the variable at @addr has at @offset: "[].lock", or ""
 *
 * Return: false: the variable, or a lock there, was not found.
 */
bool debug_file_member(struct debug_file *f, uint64_t addr, uint64_t offset, char *buf,
		       size_t len);

#endif /* FT_NAMES_DEBUG_FILE_H */
