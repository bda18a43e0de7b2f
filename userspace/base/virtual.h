/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Does this system run inside another, and is the machine below it a real one? */
#ifndef FT_BASE_VIRTUAL_H
#define FT_BASE_VIRTUAL_H

#include <stdbool.h>
#include <stddef.h>

/**
 * virtual_find - the hypervisor or emulator that this runs in
 *
 * Asks CPUID, /sys/hypervisor and what the firmware says of itself (DMI).
 * Return: false, and "" in @buf, where there is none to be seen.
 */
bool virtual_find(char *buf, size_t len);

/** virtual_vendor - the name behind the 12 letters of CPUID 0x40000000 */
void virtual_vendor(const char vendor[12], char *buf, size_t len);

/** virtual_is_emulator - a name from above: are times in it of no meaning? */
bool virtual_is_emulator(const char *name);

#endif /* FT_BASE_VIRTUAL_H */
