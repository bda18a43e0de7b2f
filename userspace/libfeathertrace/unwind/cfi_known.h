/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * What is known about addresses of code, so that it need not be found again: reading
 * unwind tables takes thousands of instructions a frame. One table for all threads of the
 * process.
 *
 * Context: any, signal handlers too; no lock, no wait. An entry that is being written is as if
 * it were not there.
 */
#ifndef FT_LIBFEATHERTRACE_UNWIND_CFI_KNOWN_H
#define FT_LIBFEATHERTRACE_UNWIND_CFI_KNOWN_H

#include <stdbool.h>
#include <stdint.h>

#define FT_CFI_SAVED	6	/* rbx, rbp, r12 to r15: what a function leaves as it was */

/* Instead of an offset. */
#define FT_CFI_SAME	0	/* the register has it */
#define FT_CFI_LOST	INT16_MIN

/**
 * struct ft_cfi_rules - where a caller's registers are, from an instruction on
 * @cfa_register: the CFA is this register plus @cfa_offset; the return address is below it
 * @is_last:	there is no caller
 * @saved:	relative to the CFA
 */
struct ft_cfi_rules {
	int32_t		cfa_offset;
	uint8_t		cfa_register;
	uint8_t		is_last;
	int16_t		saved[FT_CFI_SAVED];
};

/** ft_cfi_known_rules - Return: false: not known */
bool ft_cfi_known_rules(uintptr_t pc, struct ft_cfi_rules *rules);
void ft_cfi_keep_rules(uintptr_t pc, const struct ft_cfi_rules *rules);

/** ft_cfi_known_return - is @addr known to be behind a call? */
bool ft_cfi_known_return(uintptr_t addr);
void ft_cfi_keep_return(uintptr_t addr);

/** ft_cfi_forget - files were unloaded: other code may come to their addresses */
void ft_cfi_forget(void);

#endif /* FT_LIBFEATHERTRACE_UNWIND_CFI_KNOWN_H */
