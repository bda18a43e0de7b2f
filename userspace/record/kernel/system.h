/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What the analysis needs of the traced system: symbols and modules. */
#ifndef FT_RECORD_KERNEL_SYSTEM_H
#define FT_RECORD_KERNEL_SYSTEM_H

#include <stdbool.h>

#include "trace/directory.h"

/**
 * record_system_save - copy symbols (sorted by address) and modules
 * @symbols:	out: whether symbols were saved, for the session file
 *
 * Return: false if the copies could not be written, after a message. It is no failure if
 * the kernel hides its addresses.
 */
bool record_system_save(const struct record_dir *dir, const char **symbols);

/**
 * record_system_share - link the files of @before into @dir
 *
 * Return: false if modules have changed, or linking failed: then save them anew.
 */
bool record_system_share(const struct record_dir *dir, const struct record_dir *before);

#endif /* FT_RECORD_KERNEL_SYSTEM_H */
