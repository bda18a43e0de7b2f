/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* The lock of the C library's list of loaded files, taken without waiting. */
#ifndef FT_LIBFEATHERTRACE_LOADER_H
#define FT_LIBFEATHERTRACE_LOADER_H

#include <stdbool.h>

/** ft_loader_learn - find the lock; once */
void ft_loader_learn(void);

/** ft_loader_is_known - was it found? The functions below need that. */
bool ft_loader_is_known(void);

/**
 * ft_loader_take - take the lock, which dl_iterate_phdr() may then take once more
 *
 * No system call. Return: false if another thread has it, or this one already had it.
 */
bool ft_loader_take(void);
void ft_loader_give_back(void);

/** ft_loader_inherit - in a child, whose only thread has the lock from its parent */
void ft_loader_inherit(void);

#endif /* FT_LIBFEATHERTRACE_LOADER_H */
