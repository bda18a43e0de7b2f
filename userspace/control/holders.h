/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Which processes have a file open. */
#ifndef FT_CONTROL_HOLDERS_H
#define FT_CONTROL_HOLDERS_H

#include <stdbool.h>
#include <stddef.h>

#define HOLDERS_LEN	256

/**
 * holders_of_file - processes that have @path open, as "cat (pid 12), ..."
 *
 * Searches /proc: without root it sees only processes of the same user. Return: false if
 * it finds none.
 */
bool holders_of_file(const char *path, char *buf, size_t len);

/** holders_of_devices - the same for every device of the module */
bool holders_of_devices(char *buf, size_t len);

#endif /* FT_CONTROL_HOLDERS_H */
