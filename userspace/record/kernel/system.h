/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What the analysis must know of the traced system: its symbols, its modules. */
#ifndef FT_RECORD_KERNEL_SYSTEM_H
#define FT_RECORD_KERNEL_SYSTEM_H

#include <stdbool.h>

#include "trace/directory.h"

/**
 * record_system_save - copy symbols (sorted by address) and modules
 * @symbols: out: what became of the symbols, for the session file
 *
 * Return: false when the copies could not be written, after a message. That the
 * kernel keeps its addresses to itself is no failure.
 */
bool record_system_save(const struct record_dir *dir, const char **symbols);

/**
 * record_system_share - what @before has saved is for @dir, too
 *
 * Return: false where it is not as it was, or files cannot be shared: save it anew.
 */
bool record_system_share(const struct record_dir *dir, const struct record_dir *before);

#endif /* FT_RECORD_KERNEL_SYSTEM_H */
