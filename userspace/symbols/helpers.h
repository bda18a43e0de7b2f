/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * Functions that work on behalf of others: lock functions, and those that wake up tasks, look
 * up memory, queue work. That a lock was acquired in one of them says little; who called it
 * says more. The list is in helpers.c, and nowhere else.
 */
#ifndef FT_SYMBOLS_HELPERS_H
#define FT_SYMBOLS_HELPERS_H

#include <stdbool.h>

/** helpers_has - is this function, without offset and module, in the list? */
bool helpers_has(const char *function);

#endif /* FT_SYMBOLS_HELPERS_H */
