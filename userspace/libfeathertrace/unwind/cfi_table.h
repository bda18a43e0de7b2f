/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The unwind tables of files that are loaded: a function's entry, and what it is made of. */
#ifndef FT_LIBFEATHERTRACE_UNWIND_CFI_TABLE_H
#define FT_LIBFEATHERTRACE_UNWIND_CFI_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The rest of an entry. @bad: something was read beyond it, or is not understood. */
struct ft_cfi_table {
	const uint8_t	*at, *end;
	bool		bad;
};

/** struct ft_cfi_function - what the tables say of a function */
struct ft_cfi_function {
	uintptr_t	begin, size;
	struct ft_cfi_table	common, own;	/* instructions */
	uint64_t	code_factor;
	int64_t		data_factor;
	uint8_t		encoding;	/* of addresses */
	bool		is_signal;
};

/** ft_cfi_get - the next @bytes, at most 8, as a number */
uint64_t ft_cfi_get(struct ft_cfi_table *t, size_t bytes);

/* Numbers of any length, without and with a sign. */
uint64_t ft_cfi_uleb(struct ft_cfi_table *t);
int64_t ft_cfi_sleb(struct ft_cfi_table *t);

/** ft_cfi_pointer - one that is written as @encoding says */
uintptr_t ft_cfi_pointer(struct ft_cfi_table *t, uint8_t encoding);

/** ft_cfi_function_at - Return: false: the tables know no function at @pc */
bool ft_cfi_function_at(struct ft_cfi_function *f, uintptr_t pc);

#endif /* FT_LIBFEATHERTRACE_UNWIND_CFI_TABLE_H */
