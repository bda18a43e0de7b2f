/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Where the calling thread's stack lies, found without a call. */
#ifndef FT_LIBFEATHERTRACE_UNWIND_OWN_STACK_H
#define FT_LIBFEATHERTRACE_UNWIND_OWN_STACK_H

#include <stdbool.h>
#include <stdint.h>

/** ft_own_stack_learn - find out how the C library notes it; once, in the first thread */
void ft_own_stack_learn(void);

/**
 * ft_own_stack_end - the end of the memory from @at up that can be read
 * @at:	an address in the caller's frame
 *
 * All from @at to there is mapped, and stays so while the thread runs: it is on the stack that
 * the C library gave the thread. Context: any; no lock, no system call, no allocation.
 *
 * Return: 0: not known, or the thread is on another stack (sigaltstack(), a coroutine's), or
 * there is little room left on it.
 */
uintptr_t ft_own_stack_end(uintptr_t at);

#endif /* FT_LIBFEATHERTRACE_UNWIND_OWN_STACK_H */
