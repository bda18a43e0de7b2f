/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Does this system run in a virtual machine, and does that emulate the processor? */
#ifndef FT_BASE_VIRTUAL_H
#define FT_BASE_VIRTUAL_H

#include <stdbool.h>
#include <stddef.h>

/**
 * virtual_find - the hypervisor or emulator that this runs in
 *
 * Looks at CPUID, /sys/hypervisor and the firmware's tables (DMI).
 * Return: false, and "" in @buf, if there is none.
 */
bool virtual_find(char *buf, size_t len);

/** virtual_vendor - the name behind the 12 letters of CPUID 0x40000000 */
void virtual_vendor(const char vendor[12], char *buf, size_t len);

/** virtual_is_emulator - does this hypervisor emulate, so that times mean nothing? */
bool virtual_is_emulator(const char *name);

#endif /* FT_BASE_VIRTUAL_H */
