/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Types as C writes them in a cast: (struct foo *), (u32), (unsigned long). */
#ifndef FT_CONTROL_CASTS_H
#define FT_CONTROL_CASTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <bpf/btf.h>

/**
 * struct casts_type - what is between the parentheses
 * @text, @len:	of it
 * @keyword:	BTF_KIND_STRUCT, _UNION, _ENUM; 0: a typedef, or one of C's numbers
 * @name:	without the keyword, and of "unsigned long" as BTF has it; freed by mem_free()
 * @stars:	how many pointers lead to it
 */
struct casts_type {
	const char	*text;
	size_t		len;
	unsigned int	keyword;
	char		*name;
	unsigned int	stars;
};

/**
 * casts_parse - read a type
 * @at:		in: behind the "("; out: behind the ")", if it is one
 *
 * Return: false: this is no type as C writes it; there is nothing to free.
 */
bool casts_parse(const char **at, struct casts_type *out);

/**
 * casts_find - the type with that name
 * @btf:	grows by pointers that it does not have
 *
 * Return: its number; 0: there is none.
 */
uint32_t casts_find(struct btf *btf, const struct casts_type *type);

#endif /* FT_CONTROL_CASTS_H */
