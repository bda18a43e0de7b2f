/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * From addresses in programs to names, for traces of 'ft run'. The trace keeps
 * what is needed in info/programs, lines of words with tabs between:
 *
 *	process TAG PID PARENT INHERITED NAME
 *	namespace TAG INODE	in which PID namespace it has its PID; 0: not known
 *	file NUMBER PATH		and its symbols, sorted:
 *	ADDRESS SIZE NAME		hex, as in the file
 *	object INDEX TAG START END BIAS FILE	file NUMBER, mapped by a process
 *
 * Addresses in records have the TAG of their process in the bits from PROGRAMS_SHIFT up.
 * A forked process inherits the objects of its PARENT that come before INHERITED.
 */
#ifndef FT_SYMBOLS_PROGRAMS_H
#define FT_SYMBOLS_PROGRAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbols/symbols.h"

#define PROGRAMS_SHIFT	48
#define PROGRAMS_MASK	(UINT64_MAX >> (64 - PROGRAMS_SHIFT))

/** programs_is_address - has it the tag of a process? */
static inline bool programs_is_address(uint64_t addr)
{
	uint64_t tag = addr >> PROGRAMS_SHIFT;

	return tag && tag <= 0x7fff;
}

#define PROGRAMS_PROCESS_LEN	96	/* room for a process's name and number */

struct programs;

/** programs_open - those of the trace @dir; NULL where it has none */
struct programs *programs_open(const char *dir);
void programs_free(struct programs *p);

/** programs_place - as symbols_place(): the module is the file's name */
bool programs_place(const struct programs *p, uint64_t addr, bool call,
		    struct symbols_place *place);

/**
 * programs_file - the path of the file that is mapped at @addr; NULL: none
 * @at:		the address in the file
 * @symbols:	does the trace have any of its symbols?
 */
const char *programs_file(const struct programs *p, uint64_t addr, uint64_t *at, bool *symbols);

/** programs_pid - the number of the process whose tag @addr has; 0: not known */
uint32_t programs_pid(const struct programs *p, uint64_t addr);

/** programs_namespace - the PID namespace that its number is of; 0: not known */
uint64_t programs_namespace(const struct programs *p, uint64_t addr);

/** programs_tagged - @addr with the tag of this process, the latest of this number, if one is */
uint64_t programs_tagged(const struct programs *p, uint32_t pid, uint64_t addr);

/** programs_process - " {name pid}" where there are several processes; else "" */
void programs_process(const struct programs *p, uint64_t addr, char *buf,
		      size_t len);

/** programs_number - "0x1234", and of which process where there are several */
void programs_number(const struct programs *p, uint64_t addr, char *buf,
		     size_t len);

/** programs_lookup - as symbols_lookup(), for a name split into its parts */
size_t programs_lookup(const struct programs *p, const char *name,
		       const char *module, bool demangled,
		       struct symbols_range **ranges);

/** programs_addresses - @addr, which has no tag, in each process */
size_t programs_addresses(const struct programs *p, uint64_t addr,
			  struct symbols_range **ranges);

/**
 * programs_split - cut what programs_process() writes off the end of @text
 *
 * Return: "{name pid}", which lies in @text; NULL: it does not end with a process
 */
char *programs_split(const struct programs *p, char *text);

/** programs_keep - keep the ranges of the processes "{name pid}". Return: how many */
size_t programs_keep(const struct programs *p, const char *owner,
		     struct symbols_range *ranges, size_t n);

#endif /* FT_SYMBOLS_PROGRAMS_H */
