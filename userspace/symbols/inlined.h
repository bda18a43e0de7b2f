/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The functions at a return address of a program, with those that the compiler has put into
 * others, from the debug information (DWARF) of the program's files.
 */
#ifndef FT_SYMBOLS_INLINED_H
#define FT_SYMBOLS_INLINED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbols/symbols.h"

#define INLINED_MAX	16	/* functions of one address; further ones outside are left out */

/** struct inlined_frame - all valid until inlined_close() */
struct inlined_frame {
	char	*function;	/* demangled, without parameters */
	char	*line;		/* "queue.c:42": where it is, or where it calls the one before */
	bool	inlined;	/* into the one behind it */
};

struct inlined;

/** inlined_open - of the trace that @symbols are of, which stay */
struct inlined *inlined_open(const struct symbols *symbols);
void inlined_close(struct inlined *in);

/**
 * inlined_find - the functions at the call before the return address @addr
 * @addr:	with the tag of its process: see symbols/programs.h
 * @n:		how many
 *
 * A file is asked only if the function there has the name that the trace has for it: it may
 * have been built anew since.
 *
 * Return: innermost first, the last one is not inlined; NULL: no program's, there is no debug
 * information, or the file is another one.
 */
const struct inlined_frame *inlined_find(struct inlined *in, uint64_t addr, size_t *n);

#endif /* FT_SYMBOLS_INLINED_H */
