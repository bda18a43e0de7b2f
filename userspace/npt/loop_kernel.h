/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The loop in the kernel, with interrupts off: /dev/ft_npt. */
#ifndef FT_NPT_LOOP_KERNEL_H
#define FT_NPT_LOOP_KERNEL_H

#include <stdbool.h>

#include "npt/loop.h"
#include "npt/turns.h"

/** loop_kernel_open - a descriptor for loop_kernel_run(); -1 after a message */
int loop_kernel_open(void);

/**
 * loop_kernel_run - as loop_run(), on this CPU; the clock is the TSC
 * @hz: its rate
 *
 * Interrupts are off for 10 ms at a time; what happens between two of these is not measured.
 * Return: false after a message.
 */
bool loop_kernel_run(int fd, const struct loop *l, uint64_t hz, struct turns *t, uint64_t *begin);

#endif /* FT_NPT_LOOP_KERNEL_H */
