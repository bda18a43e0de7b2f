/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * From addresses to names of the kernel's symbols, which the traced kernel listed in
 * /proc/kallsyms and /proc/modules.
 */
#ifndef FT_SYMBOLS_SYMBOLS_H
#define FT_SYMBOLS_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "symbols/options.h"

#define SYMBOLS_LEN	320	/* room for name+0xoffset [module] */

struct lock_calls;
struct lock_classes;
struct symbols;

/**
 * symbols_load - read both files
 * @kallsyms:	as /proc/kallsyms
 * @modules:	as /proc/modules; NULL or a missing file is no error
 *
 * Return: NULL where there are no symbols or all their addresses are 0, with a
 * message that says what to do; addresses are then shown as numbers.
 */
struct symbols *symbols_load(const char *kallsyms, const char *modules);

/**
 * symbols_open - the symbols for a trace
 * @dir:	the trace, which keeps them in its directory info
 * @options:	or NULL
 */
struct symbols *symbols_open(const char *dir,
			     const struct symbols_options *options);

/** symbols_open_live - those of the running kernel, or of options->kallsyms: there is no trace */
struct symbols *symbols_open_live(const struct symbols_options *options);

void symbols_free(struct symbols *s);

/** symbols_share - several threads may ask for names; not in a scope (base/scope.h); @s: or NULL */
void symbols_share(struct symbols *s);

/** symbols_pid - the process whose program @addr is of; 0: none is known; @s: or NULL */
uint32_t symbols_pid(const struct symbols *s, uint64_t addr);

/** symbols_pid_namespace - in which it has this number; 0: not known; @s: or NULL */
uint64_t symbols_pid_namespace(const struct symbols *s, uint64_t addr);

/** symbols_locks - what the trace says of its locks; NULL: nothing */
const struct lock_classes *symbols_locks(const struct symbols *s);

/** symbols_lock_calls - what it says of calls of lock functions; NULL: nothing */
const struct lock_calls *symbols_lock_calls(const struct symbols *s);

/**
 * symbols_format - "name+0x1f [module]", or the number where it has no name
 * @s:		may be NULL: no names
 * @call:	@addr is a return address: that of the instruction after a call
 *
 * A lock, which is no @call, has the name of its class where the trace says what it is:
 * see lock_classes_name().
 *
 * Names of C++ and Rust are demangled, unless the options say otherwise. A long name has
 * "..." in its middle. If there are several processes, " {name pid}" follows data of one.
 *
 * Return: @buf, which should hold SYMBOLS_LEN bytes.
 */
const char *symbols_format(const struct symbols *s, uint64_t addr, bool call,
			   char *buf, size_t len);

/** symbols_find - the same; false, and nothing in @buf, if it has no name */
bool symbols_find(const struct symbols *s, uint64_t addr, bool call, char *buf,
		  size_t len);

/**
 * symbols_identity - the same with the mangled name
 *
 * Demangled, different functions can have the same name.
 */
const char *symbols_identity(const struct symbols *s, uint64_t addr, bool call,
			     char *buf, size_t len);

/** struct symbols_place - an address as a name and what is added to it */
struct symbols_place {
	const char	*name;		/* NULL: @offset is that in the file */
	const char	*module;	/* or NULL: the kernel itself */
	uint64_t	offset;
};

/** symbols_place - false if it has no name; @call as above */
bool symbols_place(const struct symbols *s, uint64_t addr, bool call,
		   struct symbols_place *place);

/**
 * symbols_program_file - the path of the file of a program that is mapped at @addr; or NULL
 * @at:		the address in the file
 */
const char *symbols_program_file(const struct symbols *s, uint64_t addr, uint64_t *at);

/** struct symbols_range - addresses of a symbol, both ends included */
struct symbols_range {
	uint64_t	low, high;
};

/**
 * symbols_lookup - where a symbol is: all that have this name
 * @name: "name", "name [module]", or with an offset, "name+0x1f"; of C++ and Rust
 *	also demangled; in a trace of programs also a number, or "0x1f [file]".
 *	" {name pid}" behind it takes those of this process alone.
 *
 * A class of locks is a name, too, of all locks that are of it.
 *
 * With an offset the range is one address. Return: how many; free *@ranges.
 */
size_t symbols_lookup(const struct symbols *s, const char *name,
		      struct symbols_range **ranges);

/** symbols_is - is @want the name of a symbol @have, as it is or @demangled? */
bool symbols_is(const char *have, const char *want, bool demangled);

/**
 * symbols_match - the ranges of all symbols of which @is is true, in order
 *
 * Return: how many; free *@ranges.
 */
size_t symbols_match(const struct symbols *s, bool (*is)(const char *name),
		     struct symbols_range **ranges);

#endif /* FT_SYMBOLS_SYMBOLS_H */
