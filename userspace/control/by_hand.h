/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* Turning events of the kernel on and off. */
#ifndef FT_CONTROL_BY_HAND_H
#define FT_CONTROL_BY_HAND_H

#include <stdbool.h>

#include <linux/types.h>

/*
 * @session: its name, or NULL for the default one
 * @names: as events_choose() takes them, then NULL. All return false after a message.
 *
 * kernel_enable - turn events on until a signal arrives; with FT_ENABLE_PERSIST in @flags,
 *	until kernel_disable()
 * kernel_disable - undo one persistent enabling
 * kernel_disable_all - turn off all events of the session, of any program
 */
bool kernel_enable(const char *session, char **names, __u32 flags);
bool kernel_disable(const char *session, char **names);
bool kernel_disable_all(const char *session);

#endif /* FT_CONTROL_BY_HAND_H */
