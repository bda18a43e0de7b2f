/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Demangling names of C++ and Rust. */
#ifndef FT_SYMBOLS_DEMANGLE_H
#define FT_SYMBOLS_DEMANGLE_H

#include <stdbool.h>
#include <stddef.h>

#define DEMANGLE_LEN	4096	/* longer ones are cut, and end in "..." */

/**
 * demangle - "_ZN5depot5QueueIiE4pushERKi" is "depot::Queue<int>::push"
 * @buf: the name without a function's parameters, should hold DEMANGLE_LEN bytes
 *
 * The suffix of a part of a function (".cold") stays.
 *
 * Return: is it a mangled name? If not, @buf is undefined.
 */
bool demangle(const char *name, char *buf, size_t len);

#endif /* FT_SYMBOLS_DEMANGLE_H */
