/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* What the analysis needs of the traced system: symbols and modules. */
#ifndef FT_RECORD_KERNEL_SYSTEM_H
#define FT_RECORD_KERNEL_SYSTEM_H

#include <stdbool.h>

#include "record/part.h"

/**
 * record_system_save - copy symbols (sorted by address) and modules
 * @symbols:	out: whether symbols were saved, for the session file
 *
 * Return: false if the copies could not be written, after a message. It is no failure if
 * the kernel hides its addresses.
 */
bool record_system_save(const struct record_dir *dir, const char **symbols);

/**
 * record_system_part - the same for a part of a recording
 * @part:	its directory is open and cleared
 * @before:	the part before it, whose copies it can share; or NULL
 *
 * Return: false after a message.
 */
bool record_system_part(struct record_part *part, const struct record_part *before);

#endif /* FT_RECORD_KERNEL_SYSTEM_H */
