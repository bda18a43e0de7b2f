/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * The running kernel's symbols, with those that have no address of their own: variables
 * of CPUs. symbols/ reads the copy in a trace, for reports, and leaves these out.
 */
#ifndef FT_NAMES_KERNEL_SYMBOLS_H
#define FT_NAMES_KERNEL_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kernel_symbol {
	uint64_t	addr;
	const char	*name;
	const char	*module;	/* or NULL */
};

struct kernel_symbols {
	char			*text;
	struct kernel_symbol	*symbol;	/* by address */
	size_t			n;
};

/**
 * kernel_symbols_load - read them into memory of the scope (base/scope.h)
 *
 * Return: 0; -errno; -EPERM: the kernel hides its addresses
 */
int kernel_symbols_load(struct kernel_symbols *s);

/** kernel_symbols_value - the address of the kernel's own symbol @name; false: there is none */
bool kernel_symbols_value(const struct kernel_symbols *s, const char *name, uint64_t *addr);

/**
 * kernel_symbols_find - the last symbol that is not above @addr
 * @len:	out: how far it is to the next one
 *
 * Return: NULL if there is none, or @addr is beyond @len.
 */
const struct kernel_symbol *kernel_symbols_find(const struct kernel_symbols *s, uint64_t addr,
						uint64_t *len);

#endif /* FT_NAMES_KERNEL_SYMBOLS_H */
