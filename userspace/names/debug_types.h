/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Locks in types of C and C++, by their debug information. */
#ifndef FT_NAMES_DEBUG_TYPES_H
#define FT_NAMES_DEBUG_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <elfutils/libdw.h>

/**
 * debug_types_lock - the members that lead to the lock at @offset of @type: "[].queue.lock"
 *
 * Return: false, and nothing in @buf: there is none.
 */
bool debug_types_lock(Dwarf_Die *type, uint64_t offset, char *buf, size_t len);

#endif /* FT_NAMES_DEBUG_TYPES_H */
