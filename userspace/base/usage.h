/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The message for bad arguments. */
#ifndef FT_BASE_USAGE_H
#define FT_BASE_USAGE_H

/** usage_error - print a message, and refer to --help. Return: FT_EXIT_USAGE. */
__attribute__((format(printf, 2, 3)))
int usage_error(const char *command, const char *fmt, ...);

#endif /* FT_BASE_USAGE_H */
