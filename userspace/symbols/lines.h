/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * From call sites to lines of source code, with the debug information (DWARF) of
 * the traced kernel and its modules. A file is opened at the first request for a place
 * in it.
 */
#ifndef FT_SYMBOLS_LINES_H
#define FT_SYMBOLS_LINES_H

#include <stdint.h>

#include "symbols/symbols.h"

struct lines;

/**
 * lines_open - the debug information for a trace
 * @debug:	a file (vmlinux, or a module's .ko) or a directory with such; NULL:
 *		the usual places for @release
 * @release:	of the kernel, or NULL
 * @symbols:	of the trace, or NULL
 *
 * Return: NULL without symbols, or, with a message, if @debug cannot be used.
 */
struct lines *lines_open(const char *debug, const char *release,
			 const struct symbols *symbols);
void lines_close(struct lines *l);

/**
 * lines_find - "kernel/fork.c:1234" for a return address, or NULL
 *
 * It is valid until lines_close(). @l may be NULL.
 */
const char *lines_find(struct lines *l, uint64_t site);

struct Dwfl;

/** lines_dwfl - libdwfl for files of this machine: it asks no server in the network */
struct Dwfl *lines_dwfl(void);

/** lines_in_tree - "./fs/exec.c" and "/build/fs/exec.c", compiled in /build, are "fs/exec.c" */
const char *lines_in_tree(const char *file, const char *dir);

#endif /* FT_SYMBOLS_LINES_H */
