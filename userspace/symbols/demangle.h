/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Names of C++ and Rust, as they were before the compiler encoded them. */
#ifndef FT_SYMBOLS_DEMANGLE_H
#define FT_SYMBOLS_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

#define DEMANGLE_LEN	4096	/* longer ones are cut, and end in "..." */

/**
 * demangle - "_ZN5depot5QueueIiE4pushERKi" is "depot::Queue<int>::push"
 * @buf: the name without a function's parameters, should hold DEMANGLE_LEN bytes
 *
 * What a compiler added to name a part of a function (".cold") is still there.
 *
 * Return: is it such a name? If not, @buf has nothing of use.
 */
bool demangle(const char *name, char *buf, size_t len);

#endif /* FT_SYMBOLS_DEMANGLE_H */
