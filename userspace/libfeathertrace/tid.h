/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The number of a thread, without a system call. */
#ifndef FT_LIBFEATHERTRACE_TID_H
#define FT_LIBFEATHERTRACE_TID_H

#include <linux/types.h>

/** ft_tid_learn - find out where the C library keeps it; by the first thread, once */
void ft_tid_learn(void);

/**
 * ft_tid - of the calling thread
 *
 * In a process made by a bare clone() the C library's memory holds the parent's number,
 * so this asks the kernel. After vfork() it is the number of the thread that waits.
 */
__s32 ft_tid(void);

#endif /* FT_LIBFEATHERTRACE_TID_H */
