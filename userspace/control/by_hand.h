/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Events of the kernel on and off by hand. */
#ifndef FT_CONTROL_BY_HAND_H
#define FT_CONTROL_BY_HAND_H

#include <stdbool.h>

#include <linux/types.h>

/*
 * @names: as events_choose() takes them, then NULL. All return false after a message.
 *
 * kernel_enable - until a signal comes, or with FT_ENABLE_PERSIST in @flags for good
 * kernel_disable - take back an enabling that was for good
 * kernel_disable_all - whoever turned them on
 */
bool kernel_enable(char **names, __u32 flags);
bool kernel_disable(char **names);
bool kernel_disable_all(void);

#endif /* FT_CONTROL_BY_HAND_H */
