/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Types of arguments and results, from the kernel's type information (BTF). */
#ifndef FT_CONTROL_BTF_H
#define FT_CONTROL_BTF_H

#include <stddef.h>
#include <stdint.h>

#include <linux/feather_trace.h>

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

/* What btf_function() says. */
enum btf_answer {
	BTF_KNOWN,
	BTF_MISSING,	/* the kernel has no BTF */
	BTF_NO_FUNCTION,	/* or BTF has none of that name */
	BTF_ON_STACK,	/* an argument, or the result, may lie on the stack */
};

/**
 * btf_function - a function's first argument and its result
 * @name:	the function, without what the compiler puts behind a dot
 * @out:	out: @word, and @arg: "arg0" if it has no name
 *
 * The other arguments count only in so far as all must be in registers.
 */
enum btf_answer btf_function(const void *data, size_t size, const char *name,
			     struct ft_function *out);

/** btf_kernel_function - the same, of the running kernel's BTF */
enum btf_answer btf_kernel_function(const char *name, struct ft_function *out);

#endif /* FT_CONTROL_BTF_H */
