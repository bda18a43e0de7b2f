/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Bad arguments: what is said of them. */
#ifndef FT_BASE_USAGE_H
#define FT_BASE_USAGE_H

/** usage_error - say it, point to --help. Return: FT_EXIT_USAGE. */
__attribute__((format(printf, 2, 3)))
int usage_error(const char *command, const char *fmt, ...);

#endif /* FT_BASE_USAGE_H */
