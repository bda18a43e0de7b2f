/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The types of a tracepoint's arguments, from the kernel's type information (BTF). */
#ifndef FT_CONTROL_BTF_H
#define FT_CONTROL_BTF_H

#include <stddef.h>
#include <stdint.h>

/**
 * btf_words - what the first two arguments of a tracepoint are
 * @data:	BTF
 * @size:	its length
 * @name:	the tracepoint
 * @word:	out: as in struct ft_tracepoint; 0 where it is not known
 */
void btf_words(const void *data, size_t size, const char *name, uint8_t word[2]);

/** btf_kernel_words - the same, of the running kernel's BTF, if it has some */
void btf_kernel_words(const char *name, uint8_t word[2]);

#endif /* FT_CONTROL_BTF_H */
