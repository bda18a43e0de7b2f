/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* A function of the running kernel, or of a module: where it is, and what its arguments are. */
#ifndef FT_CONTROL_KERNEL_FUNCTION_H
#define FT_CONTROL_KERNEL_FUNCTION_H

#include <stdbool.h>

#include <linux/feather_trace.h>

/**
 * kernel_function_find - what FT_IOC_FUNCTION wants to know
 * @text:	NAME, as /proc/kallsyms has it, or MODULE:NAME; the kernel itself is vmlinux
 * @out:	zeroed; out: all but the ids
 *
 * Return: false after a message: there is none of that name, or several; it may have arguments
 * on the stack; or that is not known.
 */
bool kernel_function_find(const char *text, struct ft_function *out);

/**
 * kernel_function_is_clear - is there one of that name, and no other?
 *
 * Return: false after a message, which names what is there instead.
 */
bool kernel_function_is_clear(const char *name);

#endif /* FT_CONTROL_KERNEL_FUNCTION_H */
