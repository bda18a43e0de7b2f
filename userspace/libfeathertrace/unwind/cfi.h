/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * From a frame to its caller's, with the unwind tables (.eh_frame) that compilers write for
 * exceptions, and for debuggers.
 *
 * No lock, no allocation, no system call; only stack memory inside of given bounds is read, and
 * tables of files that are loaded. So this can be done in a signal handler, too.
 */
#ifndef FT_LIBFEATHERTRACE_UNWIND_CFI_H
#define FT_LIBFEATHERTRACE_UNWIND_CFI_H

#include <stdbool.h>
#include <stdint.h>

/* As DWARF numbers the registers of x86-64. */
enum ft_cfi_register {
	FT_CFI_RBX = 3,
	FT_CFI_RBP = 6,
	FT_CFI_RSP = 7,
	FT_CFI_R12 = 12,
	FT_CFI_RIP = 16,
	FT_CFI_REGISTERS
};

/**
 * struct ft_cfi_frame - registers of a function that has called another
 * @known:	bit N: @reg[N] is known
 */
struct ft_cfi_frame {
	uintptr_t	reg[FT_CFI_REGISTERS];
	uint32_t	known;
};

struct ft_cfi_bounds {
	uintptr_t	begin, end;	/* of the stack that may be read */
};

enum ft_cfi_result {
	FT_CFI_CALLER,		/* @frame is the caller's now */
	FT_CFI_END,		/* it has none, or there is no table for it */
	FT_CFI_SIGNAL,		/* it is the kernel's, for a signal handler */
	FT_CFI_BAD,		/* the table says what cannot be, or is not understood */
};

/** ft_cfi_load - read a word of the stack. Return: false: it is not in there, or not aligned */
bool ft_cfi_load(uintptr_t at, const struct ft_cfi_bounds *stack, uintptr_t *value);

/** ft_cfi_step - go from @frame, which stays as it is on failure, to its caller */
enum ft_cfi_result ft_cfi_step(struct ft_cfi_frame *frame, const struct ft_cfi_bounds *stack);

/** ft_cfi_is_return - is this behind a call, in a function of a file that is loaded? */
bool ft_cfi_is_return(uintptr_t addr);

/** ft_cfi_is_there - does the C library find files without a lock? */
bool ft_cfi_is_there(void);

#endif /* FT_LIBFEATHERTRACE_UNWIND_CFI_H */
