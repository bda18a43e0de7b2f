/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Types of arguments and results, from the kernel's type information (BTF). */
#ifndef FT_CONTROL_TYPES_H
#define FT_CONTROL_TYPES_H

#include <stdbool.h>
#include <stdint.h>

#include <bpf/btf.h>

#include <linux/feather_trace.h>

/** types_of_kernel - Return: the running kernel's; NULL: it has none. Loaded once */
const struct btf *types_of_kernel(void);

/** types_of_module - the same of a loaded module, to be freed; its types continue the kernel's */
struct btf *types_of_module(const char *module);

/**
 * types_flat - a module's types and the kernel's, which they continue, as types of their own
 *
 * All have the same numbers. libbpf before 1.6 loses names where types continue types that
 * continue others.
 *
 * Return: to be freed; NULL: no memory.
 */
struct btf *types_flat(const struct btf *btf);

/**
 * types_resolve - what is behind typedefs and qualifiers
 * @type:	out: the type; NULL for 0
 *
 * Return: its number; 0: void, or there is none.
 */
uint32_t types_resolve(const struct btf *btf, uint32_t id, const struct btf_type **type);

/** types_text - a type as C has it, for messages; freed by mem_free() */
char *types_text(const struct btf *btf, uint32_t id);

/**
 * struct types_number - a number, or a pointer
 * @bits:	how many it has
 * @kind:	FT_FIELD_UNSIGNED, FT_FIELD_SIGNED, FT_FIELD_HEX, FT_FIELD_CODE
 */
struct types_number {
	unsigned int		bits;
	enum ft_field_kind	kind;
};

/** types_is_number - is it one, or a pointer? @out: which */
bool types_is_number(const struct btf *btf, uint32_t id, struct types_number *out);

/** types_is_small - the same, or a structure that is passed as a number is: kuid_t, say */
bool types_is_small(const struct btf *btf, uint32_t id, struct types_number *out);

/**
 * struct types_argument - an argument of a tracepoint
 * @name:	empty, if it has none
 * @type:	its number
 * @arg:	as in struct ft_word; 0: a probe does not find it: it is a real number, or has
 *		several registers, or its place is not known
 */
struct types_argument {
	const char	*name;
	uint32_t	type;
	unsigned int	arg;
};

/**
 * struct types_tracepoint - the arguments of a tracepoint
 * @btf:	whose types they are
 * @name:	of the tracepoint
 * @n:		how many
 * @argument:	except the probe's own
 */
struct types_tracepoint {
	const struct btf	*btf;
	const char		*name;
	unsigned int		n;
	struct types_argument	argument[FT_WORD_ARGS];
};

/** types_tracepoint - Return: false: it is not in @btf */
bool types_tracepoint(const struct btf *btf, const char *name, struct types_tracepoint *out);

/** types_kernel_tracepoint - the same, of the running kernel and its modules */
bool types_kernel_tracepoint(const char *name, struct types_tracepoint *out);

/* What types_function() says. */
enum types_answer {
	TYPES_KNOWN,
	TYPES_MISSING,		/* the kernel has no BTF */
	TYPES_NO_FUNCTION,	/* BTF has none of that name */
	TYPES_ON_STACK,		/* an argument, or the result, may lie on the stack */
};

/**
 * types_function - a function's first argument and its result
 * @btf:	NULL: there are none; of a module: only its own functions, as the kernel may have
 *		another one of that name
 * @name:	the function, without what the compiler puts behind a dot
 * @out:	out: @word, and @arg: "arg0" if it has no name
 *
 * The other arguments count only in so far as all must be in registers.
 */
enum types_answer types_function(const struct btf *btf, const char *name,
				 struct ft_function *out);

#endif /* FT_CONTROL_TYPES_H */
