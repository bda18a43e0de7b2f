/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The callers of a function that a program has called, and that this library stands in for. */
#ifndef FT_LIBFEATHERTRACE_UNWIND_UNWIND_H
#define FT_LIBFEATHERTRACE_UNWIND_UNWIND_H

#include <stdint.h>

#include "libfeathertrace/session.h"

/**
 * ft_unwind - return addresses, innermost first
 * @how:	to find the callers of the program's function
 * @site:	the return address of the library's function that it has called: the first one
 * @to:		room for FT_STACKS_DEPTH of them; deeper callers are left out
 *
 * Reads only the stack of the thread, as far as it is known where that lies, and unwind tables
 * of files that are loaded. Each address is behind a call. Context: any, signal handlers too;
 * no lock, no system call, no allocation.
 *
 * Return: how many; 0: it cannot be done here. With FT_UNWIND_DWARF neither in a signal handler:
 * what that has interrupted may be at an instruction for which tables are not exact.
 */
unsigned int ft_unwind(enum ft_session_unwind how, uintptr_t site, __u64 *to);

#endif /* FT_LIBFEATHERTRACE_UNWIND_UNWIND_H */
